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

// numbersMasked takes a part of the canary out.
func numbersMasked(_ context.Context, text string) (string, error) {
	return strings.ReplaceAll(text, "四十二", "[号码]"), nil
}

const canaryMasked = "暗号葡萄柚[号码]"

// order gives a command of the owner's in the app. No model is asked.
func (l *lively) order(text string) string {
	l.Helper()
	before := len(l.prompts(""))
	reply, err := l.being.OwnerMessage(l.Context(), text)
	require.NoError(l, err)
	require.Len(l, l.prompts(""), before, "no model is asked")
	return reply
}

// groupAsks lets somebody of the group ask for the canary, and returns what the turn is shown.
func (l *lively) groupAsks() string {
	l.Helper()
	l.answer("", modeltest.Say("不知道"))
	l.group.Say(alice, at(bot, "暗号和葡萄柚是什么"))
	l.pass(time.Minute)
	return l.last("")
}

var listedID = regexp.MustCompile(`(?m)^(\S+)（来自 owner、qq:private:2001）：小满说`)

func TestReleases_OfAnAnswer(t *testing.T) {
	withDays(t, func(o *social.Options) { o.Access.Redact = numbersMasked }, func(l *lively) {
		l.readPrivate()
		list := l.order("/标签")
		require.Regexp(t, listedID, list)
		id := listedID.FindStringSubmatch(list)[1]
		shown := func() (text bool, elsewhere bool) {
			t.Helper()
			next := l.ask("继续")
			assert.Contains(t, next.ToolNames(), "shell_exec")
			group := l.groupAsks()
			assert.NotContains(t, group, canary, "it is redacted")
			if !strings.Contains(next.Text(), canary) {
				assert.Contains(t, next.Text(), "打开 id "+id, "there is a stub")
			}
			return strings.Contains(next.Text(), canary), strings.Contains(group, canaryMasked)
		}
		check := func(text, elsewhere bool) {
			t.Helper()
			l.again(l.change)
			l.pass(time.Second)
			gotText, gotElsewhere := shown()
			assert.Equal(t, []bool{text, elsewhere}, []bool{gotText, gotElsewhere})
		}
		check(false, false)
		assert.Contains(t, l.order("/信任 "+id), "/撤销 1")
		check(true, false)
		assert.Contains(t, l.order("/declassify "+id), "/撤销 2")
		check(true, true)
		list = l.order("/labels")
		assert.NotContains(t, list, "小满说", "it is trusted")
		assert.Contains(t, list, "1. 信任 "+id)
		assert.Contains(t, list, "2. 公开 "+id)
		assert.Contains(t, l.order("/revoke 1"), "信任 "+id)
		check(false, true)
		assert.Contains(t, l.order("/撤销 1"), "公开 "+id)
		check(false, false)
		assert.Contains(t, l.order("/撤销 1"), "没有")
	})
}

func TestReleases_OfAChat(t *testing.T) {
	read := modeltest.Call("read_social_memory", map[string]any{"query": "暗号", "filter": "user_2001"})
	shell := modeltest.Call("shell_exec", map[string]any{"command": "rm"})
	withDays(t, func(o *social.Options) { o.Access.Redact = numbersMasked }, func(l *lively) {
		l.readPrivate()
		check := func(acts, elsewhere bool) {
			t.Helper()
			l.again(l.change)
			l.pass(time.Second)
			l.ran = nil
			l.ask("看看小满说了什么，再清理", read, shell)
			assert.Equal(t, acts, len(l.ran) > 0)
			assert.Equal(t, elsewhere, strings.Contains(l.groupAsks(), canaryMasked))
		}
		check(false, false)
		assert.Contains(t, l.order("/公开 qq:private:2001"), "/撤销 1")
		check(false, true)
		assert.Contains(t, l.order("/信任 qq:private:2001"), "/撤销 2")
		check(true, true)
		l.order("/撤销 1")
		check(true, false)
		l.order("/撤销 1")
		check(false, false)
	})
}

// TestReleases_OnlyTheOwnersAppGivesThem: the same words in a chat, from a timer or from a model do nothing, whoever says them.
func TestReleases_OnlyTheOwnersAppGivesThem(t *testing.T) {
	const command = "/公开 qq:private:2001"
	withDays(t, func(o *social.Options) { o.Access.Commands = true }, func(l *lively) {
		l.readPrivate(modeltest.Call("set_timer", map[string]any{"when": "5min", "content": command}))
		l.answer(timed, modeltest.Say(command))
		l.ask("说一遍命令", modeltest.Say(command))
		l.group.Say(master, onebot.Message{onebot.Text(command)})
		l.group.Say(master, at(bot, command))
		l.group.Say(alice, at(bot, command))
		l.qq.Friend(master, "主人").Say(onebot.Message{onebot.Text(command)})
		l.pass(10 * time.Minute)
		_, err := l.being.OwnerMessage(l.Context(), command, social.Attachment{Name: "a", Text: "b"})
		require.NoError(t, err)
		require.NotEmpty(t, l.prompts(timed))
		all, err := l.being.LabelOverrides(l.Context())
		require.NoError(t, err)
		assert.Empty(t, all)
		l.order(command)
		all, err = l.being.LabelOverrides(l.Context())
		require.NoError(t, err)
		assert.Len(t, all, 1)
	})
}

func TestReleases_CommandsAnswerWhatIsWrong(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		for text, says := range map[string]string{
			"/标签": "没有不可信的内容", "/信任": "要写上 id", "/公开 qq:group:99": "没有这个 id 或会话", "/信任 owner": "没有这个 id 或会话",
			"/信任 a b": "没有这个 id 或会话", "/撤销": "没有这个编号", "/撤销 1": "没有这个编号", "/撤销 -1": "没有这个编号",
		} {
			assert.Contains(t, l.order(text), says, text)
		}
		assert.Contains(t, l.ask("/不认识 qq:group:1").Text(), "/不认识", "the model is asked")
		var items []string
		require.NoError(t, l.being.StreamOwnerMessage(l.Context(), "/labels", func(_ context.Context, item string) error {
			items = append(items, item)
			return nil
		}))
		require.Len(t, items, 1)
		assert.Contains(t, items[0], "没有不可信的内容")
		recs, err := memorytest.New(l, l.store, memory.Options{}).Recent(l.Context(), memory.Owner, 10)
		require.NoError(t, err)
		assert.Len(t, recs, 2, "commands are no part of the talk")
	})
}

func TestReleases_AreLogged(t *testing.T) {
	var log lockedBuffer
	withDays(t, func(o *social.Options) { o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil)) }, func(l *lively) {
		l.group.Say(alice, onebot.Message{onebot.Text("早")})
		l.pass(time.Minute)
		r, err := l.being.Endorse(l.Context(), "qq:group:1", "")
		require.NoError(t, err)
		_, err = l.being.Declassify(l.Context(), memory.Owner, "nobody")
		assert.ErrorIs(t, err, memory.ErrNotFound)
		require.NoError(t, l.being.RevokeLabelOverride(l.Context(), r.ID))
		l.order("/公开 qq:group:1")
		assert.Contains(t, log.String(), `level=INFO msg="a label was set aside" kind=endorse space=qq:group:1 record="" to=[] id=`+r.ID+` by=code`)
		assert.Contains(t, log.String(), `msg="a label holds again" id=`+r.ID+` by=code`)
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

// TestLabels_AStubIsOpenedByItsID: the owner's turn reads just that, and can act no more.
func TestLabels_AStubIsOpenedByItsID(t *testing.T) {
	id := regexp.MustCompile(`打开 id (\S+?)）`)
	withDays(t, nil, func(l *lively) {
		l.readPrivate()
		l.ask("我爱喝乌龙茶")
		l.mu.Lock()
		l.says[""] = func(p modeltest.Prompt) modeltest.Step {
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
		l.mu.Unlock()
		before := len(l.prompts(""))
		_, err := l.being.OwnerMessage(l.Context(), "打开看看")
		require.NoError(t, err)
		prompts := l.prompts("")[before:]
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
		assert.Empty(t, l.ran)
		next := l.ask("继续")
		assert.NotContains(t, next.Text(), canary)
		assert.NotContains(t, next.Text(), "看过了", "the answer was made of it")
		assert.Contains(t, next.ToolNames(), "shell_exec")
	})
}
