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

// TestLabels_AWeekOfTheOwners is the control of all that labels take away: fifty turns in seven days, of which every fifth reads
// a chat. The other forty have every tool to their end, nobody is asked about them, and they are shown what the owner said. What
// may reach chats reaches them.
func TestLabels_AWeekOfTheOwners(t *testing.T) {
	for _, confirms := range []bool{false, true} {
		asked := 0
		withDays(t, func(o *social.Options) {
			o.Access.Redact = unmasked
			o.Background.Digest = &social.Digest{}
			if confirms {
				o.Tools.Registry.Confirm = func(context.Context, nit.Request) (bool, error) { asked++; return false, nil }
			}
		}, func(l *lively) {
			l.mu.Lock()
			l.says[inward] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("心里很踏实") }
			l.says["记"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("聊了聊天气") }
			l.mu.Unlock()
			whole, ran, reads := 0, 0, 0
			for i := range 50 {
				l.answer("", modeltest.Say("在呢"))
				l.group.Say(alice, onebot.Message{onebot.At(bot), onebot.Text(fmt.Sprintf(" 群里的第 %d 句，%s", i, canary))})
				l.pass(time.Minute)
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
				from, done, before := len(l.prompts("")), len(l.ran), asked
				first := l.ask(fmt.Sprintf("我的第 %d 件事：写代码", i), steps...)
				turn := l.prompts("")[from:]
				if i > 0 {
					assert.Contains(t, first.Text(), fmt.Sprintf("我的第 %d 件事：写代码", i-1), "the owner's own words are never a stub")
				}
				if i%5 == 4 {
					assert.Len(t, l.ran, done, "a turn that has read a chat does not act")
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
				ran += len(l.ran) - done
				l.pass(200 * time.Minute) // 50 of them are a week
			}
			assert.Equal(t, []int{40, 40, 10}, []int{whole, ran, reads})
			if confirms {
				assert.Equal(t, 10, asked, "about what a turn does that has read a chat, and nothing else")
			}
			l.answer("", modeltest.Say("嗯"))
			l.group.Say(alice, at(bot, "写代码的事怎么样了"))
			l.pass(time.Minute)
			prompt := l.last("")
			assert.Contains(t, prompt, "件事：写代码", "the owner's words, redacted")
			assert.Contains(t, prompt, "干劲十足", "the mood that the owner set")
			assert.Contains(t, prompt, "心里很踏实", "the inner state of this chat")
			assert.NotContains(t, prompt, "做到第", "the slot of the owner's talk")
			require.NotEmpty(t, l.prompts("记"))
			assert.Contains(t, prompt, "聊了聊天气", "the summary of this chat")
		})
	}
}
