package social_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A control of the cost of labels: the owner has fifty turns in seven days, and every fifth turn reads a chat. The
// other forty keep every tool, need no confirmation, and are shown the owner's text. Data that may reach chats reaches
// them.
func TestLabels_WeekOfOwnerTurns(t *testing.T) {
	for _, confirms := range []bool{false, true} {
		if testing.Short() && confirms {
			continue
		}
		asked := 0
		withAutonomy(t, func(o *social.Options) {
			o.Access.Redact = noMask
			o.Background.Digest = &social.Digest{}
			if confirms {
				o.Tools.Registry.Confirm = func(context.Context, nit.Request) (bool, error) { asked++; return false, nil }
			}
		}, func(f *autonomyFixture) {
			f.mu.Lock()
			f.answers[headReflect] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("心里很踏实") }
			f.answers["记"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("聊了聊天气") }
			f.mu.Unlock()
			whole, ran, reads := 0, 0, 0
			for i := range 50 {
				f.answer("", modeltest.Say("在呢"))
				f.group.Say(alice, onebot.Message{onebot.At(botID), onebot.Text(fmt.Sprintf(" 群里的第 %d 句，%s", i, canary))})
				f.advance(time.Minute)
				steps := []modeltest.Step{
					modeltest.Call("shell_exec", map[string]any{"command": fmt.Sprint("make ", i)}),
					modeltest.Call("set_slot", map[string]string{"name": "进度", "text": fmt.Sprintf("做到第 %d 步", i)}),
				}
				switch {
				case i%5 == 4:
					reads++
					steps = append([]modeltest.Step{modeltest.Call("read_social_memory", map[string]any{"query": "群里"})}, steps...)
				case i%7 == 0:
					steps = append(steps, modeltest.Call("memory_ops", map[string]any{"query": "步"}), modeltest.Call("character_ops", map[string]any{"mood": "干劲十足"}))
				}
				from, done, before := len(f.prompts("")), len(f.ran), asked
				first := f.ask(fmt.Sprintf("我的第 %d 件事：写代码", i), steps...)
				turn := f.prompts("")[from:]
				if i > 0 {
					assert.Contains(t, first.Text(), fmt.Sprintf("我的第 %d 件事：写代码", i-1), "the owner's own words are never a stub")
				}
				if i%5 == 4 {
					assert.Len(t, f.ran, done, "a turn that has read a chat has no side effects")
					continue
				}
				complete := asked == before
				for _, p := range turn {
					complete = complete && len(p.ToolNames()) == len(first.ToolNames()) && strings.Contains(strings.Join(p.ToolNames(), " "), "shell_exec")
					assert.NotContains(t, p.Text(), canary)
				}
				if complete {
					whole++
				}
				ran += len(f.ran) - done
				f.advance(200 * time.Minute) // 50 of them are a week
			}
			assert.Equal(t, []int{40, 40, 10}, []int{whole, ran, reads})
			if confirms {
				assert.Equal(t, 10, asked, "only about calls of turns that have read a chat")
			}
			f.answer("", modeltest.Say("嗯"))
			f.group.Say(alice, at(botID, "写代码的事怎么样了"))
			f.advance(time.Minute)
			prompt := f.lastPrompt("")
			assert.Contains(t, prompt, "件事：写代码", "the owner's text, redacted")
			assert.Contains(t, prompt, "干劲十足", "the owner's mood note")
			assert.Contains(t, prompt, "心里很踏实", "the inner state of this chat")
			assert.NotContains(t, prompt, "做到第", "a slot of the owner's conversation")
			require.NotEmpty(t, f.prompts("记"))
			assert.Contains(t, prompt, "聊了聊天气", "the summary of this chat")
		})
	}
}
