package social_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbersMasked removes a part of the canary.
func numbersMasked(_ context.Context, text string) (string, error) {
	return strings.ReplaceAll(text, "四十二", "[号码]"), nil
}

const canaryMasked = "暗号葡萄柚[号码]"

// order sends a command of the owner in the app and checks that no model is asked.
func (f *autonomyFixture) order(text string) string {
	f.Helper()
	before := len(f.prompts(""))
	reply, err := f.bot.OwnerMessage(f.Context(), text)
	require.NoError(f, err)
	require.Len(f, f.prompts(""), before, "no model is asked")
	return reply
}

// groupAsks lets a group member ask for the canary and returns the turn's prompt.
func (f *autonomyFixture) groupAsks() string {
	f.Helper()
	f.answer("", modeltest.Say("不知道"))
	f.group.Say(alice, at(botID, "暗号和葡萄柚是什么"))
	f.advance(time.Minute)
	return f.lastPrompt("")
}

var listedID = regexp.MustCompile(`(?m)^(\S+)（来自 owner、qq:private:2001）：小满说`)

func TestReleases_OfAnswer(t *testing.T) {
	withAutonomy(t, func(o *social.Options) { o.Access.Redact = numbersMasked }, func(f *autonomyFixture) {
		f.readPrivate()
		list := f.order("/标签")
		require.Regexp(t, listedID, list)
		id := listedID.FindStringSubmatch(list)[1]
		shown := func() (text bool, elsewhere bool) {
			t.Helper()
			next := f.ask("继续")
			assert.Contains(t, next.ToolNames(), "shell_exec")
			group := f.groupAsks()
			assert.NotContains(t, group, canary, "it is redacted")
			if !strings.Contains(next.Text(), canary) {
				assert.Contains(t, next.Text(), "打开 id "+id, "the prompt has a stub")
			}
			return strings.Contains(next.Text(), canary), strings.Contains(group, canaryMasked)
		}
		check := func(text, elsewhere bool) {
			t.Helper()
			f.restart(f.change)
			f.advance(time.Second)
			gotText, gotElsewhere := shown()
			assert.Equal(t, []bool{text, elsewhere}, []bool{gotText, gotElsewhere})
		}
		check(false, false)
		assert.Contains(t, f.order("/信任 "+id), "/撤销 1")
		check(true, false)
		assert.Contains(t, f.order("/declassify "+id), "/撤销 2")
		check(true, true)
		list = f.order("/labels")
		assert.NotContains(t, list, "小满说", "the record is trusted")
		assert.Contains(t, list, "1. 信任 "+id)
		assert.Contains(t, list, "2. 公开 "+id)
		assert.Contains(t, f.order("/revoke 1"), "信任 "+id)
		check(false, true)
		assert.Contains(t, f.order("/撤销 1"), "公开 "+id)
		check(false, false)
		assert.Contains(t, f.order("/撤销 1"), "没有")
	})
}

func TestReleases_OfChat(t *testing.T) {
	read := modeltest.Call("read_social_memory", map[string]any{"query": "暗号", "filter": "user_2001"})
	shell := modeltest.Call("shell_exec", map[string]any{"command": "rm"})
	withAutonomy(t, func(o *social.Options) { o.Access.Redact = numbersMasked }, func(f *autonomyFixture) {
		f.readPrivate()
		check := func(acts, elsewhere bool) {
			t.Helper()
			f.restart(f.change)
			f.advance(time.Second)
			f.ran = nil
			f.ask("看看小满说了什么，再清理", read, shell)
			assert.Equal(t, acts, len(f.ran) > 0)
			assert.Equal(t, elsewhere, strings.Contains(f.groupAsks(), canaryMasked))
		}
		check(false, false)
		assert.Contains(t, f.order("/公开 qq:private:2001"), "/撤销 1")
		check(false, true)
		assert.Contains(t, f.order("/信任 qq:private:2001"), "/撤销 2")
		check(true, true)
		f.order("/撤销 1")
		check(true, false)
		f.order("/撤销 1")
		check(false, false)
	})
}

// The same text in a chat, from a timer or from a model has no effect, even from the owner's account.
func TestReleases_OnlyByOwnersApp(t *testing.T) {
	const command = "/公开 qq:private:2001"
	withAutonomy(t, func(o *social.Options) { o.Access.Commands = true }, func(f *autonomyFixture) {
		f.readPrivate(modeltest.Call("set_timer", map[string]any{"when": "5min", "content": command}))
		f.answer(headTimer, modeltest.Say(command))
		f.ask("说一遍命令", modeltest.Say(command))
		f.group.Say(ownerID, onebot.Message{onebot.Text(command)})
		f.group.Say(ownerID, at(botID, command))
		f.group.Say(alice, at(botID, command))
		f.qq.Friend(ownerID, "主人").Say(onebot.Message{onebot.Text(command)})
		f.advance(10 * time.Minute)
		_, err := f.bot.OwnerMessage(f.Context(), command, social.Attachment{Name: "a", Text: "b"})
		require.NoError(t, err)
		require.NotEmpty(t, f.prompts(headTimer))
		all, err := f.bot.LabelOverrides(f.Context())
		require.NoError(t, err)
		assert.Empty(t, all)
		f.order(command)
		all, err = f.bot.LabelOverrides(f.Context())
		require.NoError(t, err)
		assert.Len(t, all, 1)
	})
}

func TestReleases_InvalidCommands(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		for text, says := range map[string]string{
			"/标签": "没有不可信的内容", "/信任": "要写上 id", "/公开 qq:group:99": "没有这个 id 或会话", "/信任 owner": "没有这个 id 或会话",
			"/信任 a b": "没有这个 id 或会话", "/撤销": "没有这个编号", "/撤销 1": "没有这个编号", "/撤销 -1": "没有这个编号",
		} {
			assert.Contains(t, f.order(text), says, text)
		}
		assert.Contains(t, f.ask("/不认识 qq:group:1").Text(), "/不认识", "the model is asked")
		var items []string
		require.NoError(t, f.bot.StreamOwnerMessage(f.Context(), "/labels", func(_ context.Context, item string) error {
			items = append(items, item)
			return nil
		}))
		require.Len(t, items, 1)
		assert.Contains(t, items[0], "没有不可信的内容")
		recs, err := memorytest.New(f, f.store, memory.Options{}).Recent(f.Context(), memory.Owner, 10)
		require.NoError(t, err)
		assert.Len(t, recs, 2, "commands are not stored")
	})
}

func TestReleases_Logged(t *testing.T) {
	var log lockedBuffer
	withAutonomy(t, func(o *social.Options) { o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil)) }, func(f *autonomyFixture) {
		f.group.Say(alice, onebot.Message{onebot.Text("早")})
		f.advance(time.Minute)
		r, err := f.bot.Endorse(f.Context(), "qq:group:1", "")
		require.NoError(t, err)
		_, err = f.bot.Declassify(f.Context(), memory.Owner, "nobody")
		assert.ErrorIs(t, err, memory.ErrNotFound)
		require.NoError(t, f.bot.RevokeLabelOverride(f.Context(), r.ID))
		f.order("/公开 qq:group:1")
		assert.Contains(t, log.String(), `level=INFO msg="a label was released" kind=endorse space=qq:group:1 record="" to=[] id=`+r.ID+` by=code`)
		assert.Contains(t, log.String(), `msg="a release was revoked" id=`+r.ID+` by=code`)
		assert.Contains(t, log.String(), "kind=declassify")
		assert.Contains(t, log.String(), "by=command")
		assert.NotContains(t, log.String(), "nobody")
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Opening a stub shows the owner's turn exactly that record, and the turn loses its tools with side effects.
func TestReleases_OpenStubByID(t *testing.T) {
	id := regexp.MustCompile(`打开 id (\S+?)）`)
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.readPrivate()
		f.ask("我爱喝乌龙茶")
		f.mu.Lock()
		f.answers[""] = func(p modeltest.Prompt) modeltest.Step {
			switch len(p.ToolResults()) {
			case 0:
				return modeltest.Call("memory_ops", map[string]any{"ids": id.FindStringSubmatch(p.Text())[1:]})
			case 1:
				return modeltest.Call("shell_exec", map[string]any{"command": "rm"})
			case 2:
				return modeltest.Call("memory_edit", map[string]any{"op": "write", "text": canary})
			}
			return modeltest.Say("看过了")
		}
		f.mu.Unlock()
		before := len(f.prompts(""))
		_, err := f.bot.OwnerMessage(f.Context(), "打开看看")
		require.NoError(t, err)
		prompts := f.prompts("")[before:]
		require.Len(t, prompts, 4)
		require.Regexp(t, id, prompts[0].Text())
		assert.NotContains(t, prompts[0].Text(), canary)
		results := prompts[3].ToolResults()
		require.Len(t, results, 3)
		assert.Contains(t, results[0].Content, "小满说："+canary)
		assert.NotContains(t, results[0].Content, "乌龙茶", "and nothing else")
		for _, acted := range results[1:] {
			assert.Contains(t, acted.Content, "unknown tool")
		}
		assert.Empty(t, f.ran)
		next := f.ask("继续")
		assert.NotContains(t, next.Text(), canary)
		assert.NotContains(t, next.Text(), "看过了", "the answer is derived from it")
		assert.Contains(t, next.ToolNames(), "shell_exec")
	})
}
