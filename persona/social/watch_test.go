package social_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An eventLog keeps the events of a bot.
type eventLog struct {
	mu  sync.Mutex
	all []trace.Event
}

func (l *eventLog) add(e trace.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, e)
}

func (l *eventLog) events(want func(trace.Event) bool) (found []trace.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.all {
		if want(e) {
			found = append(found, e)
		}
	}
	return found
}

// shown returns the prompt as the model saw it.
func shown(c *trace.Call) string {
	var text strings.Builder
	for _, s := range c.Prompt {
		if !s.Dropped {
			text.WriteString(s.Text)
		}
	}
	return text.String()
}

// A turn with a tool is reported with its decision, the prompts as the model saw them, the tool's result and what was sent.
func TestWatch_TellsATurnWhole(t *testing.T) {
	model := modeltest.New(modeltest.Call("weather", map[string]string{"city": "杭州"}), modeltest.Say("杭州今天有雨"))
	tools := &nit.Registry{}
	weather, err := nit.Define("weather", nit.L1, "天气", func(context.Context, struct {
		City string `json:"city"`
	}) (string, error) {
		return "雨", nil
	})
	require.NoError(t, err)
	require.NoError(t, tools.Add(weather))
	withFixture(t, model, func(o *social.Options) { o.Tools.Registry = tools }, func(f *fixture) {
		var log eventLog
		stop := f.bot.Watch(log.add)
		f.group.Say(bob, say("今天出门吗"))
		f.group.Say(alice, at(botID, "杭州下雨吗"))
		f.advance(time.Minute)

		messages := log.events(func(e trace.Event) bool { return e.Message != nil })
		require.Len(t, messages, 3)
		assert.Equal(t, []bool{false, false, true}, []bool{messages[0].Message.Own, messages[1].Message.Own, messages[2].Message.Own})

		turns := log.events(func(e trace.Event) bool { return e.Turn != nil })
		require.Len(t, turns, 2)
		began, ended := turns[0].Turn, turns[1].Turn
		assert.Zero(t, began.Ended)
		assert.Equal(t, "spoke", ended.Outcome)
		assert.Equal(t, messages[1].Message.Key, ended.Caller)
		assert.False(t, ended.Label.IsTrusted(), "it has read strangers")
		received := log.events(func(e trace.Event) bool { return e.Message != nil && e.Message.Key == ended.Caller })[0].At
		assert.WithinDuration(t, received, began.Received, time.Millisecond)

		judged := log.events(func(e trace.Event) bool { return e.Seq == ended.Decision })
		require.Len(t, judged, 1)
		assert.Equal(t, heartflow.KindJudge, judged[0].Decision.Kind)
		assert.NotEmpty(t, judged[0].Decision.Gates)

		calls := log.events(func(e trace.Event) bool { return e.Call != nil })
		require.Len(t, calls, 2)
		for i, p := range model.Prompts() {
			call := calls[i].Call
			assert.Equal(t, began.ID, call.Turn)
			assert.Equal(t, strings.TrimSuffix(p.System(), "\n"), call.System)
			assert.Equal(t, strings.TrimSuffix(p.Human(), "\n"), shown(call), "the segments are the prompt")
			assert.Equal(t, "reply", call.Purpose)
			assert.Contains(t, call.Tools, "weather")
		}
		ids := map[string]string{}
		for _, s := range calls[0].Call.Prompt {
			ids[s.ID] = s.Kind
		}
		assert.Equal(t, "recent", ids[messages[1].Message.Key])
		require.Len(t, calls[0].Call.Asked, 1)
		assert.JSONEq(t, `{"city":"杭州"}`, calls[0].Call.Asked[0].Text)
		require.Len(t, calls[1].Call.Steps, 2)
		assert.Contains(t, calls[1].Call.Steps[1].Text, "雨")
		assert.Equal(t, "杭州今天有雨", calls[1].Call.Answer)

		assert.Equal(t, []string{"tool_calls", "stop"}, []string{calls[0].Call.Finish, calls[1].Call.Finish})

		tools := log.events(func(e trace.Event) bool { return e.Tool != nil })
		require.Len(t, tools, 1)
		tool := tools[0].Tool
		assert.NotEmpty(t, tool.ID)
		assert.False(t, tool.Began.Before(calls[0].Call.Began))
		assert.Contains(t, tool.Result, "雨")
		assert.Equal(t, trace.Tool{Turn: began.ID, ID: tool.ID, Name: "weather", Began: tool.Began, Took: tool.Took, Arguments: calls[0].Call.Asked[0].Text, Result: tool.Result, Outcome: "done"}, *tool)

		sent := log.events(func(e trace.Event) bool { return e.Sent != nil })
		require.Len(t, sent, 1)
		assert.Equal(t, began.ID, sent[0].Sent.Turn)
		assert.NotEmpty(t, sent[0].Sent.ID)

		all := log.events(func(trace.Event) bool { return true })
		for i, e := range all {
			assert.EqualValues(t, i+1, e.Seq)
		}
		stop()
		f.group.Say(bob, say("还有人吗"))
		f.advance(time.Minute)
		assert.Len(t, log.events(func(trace.Event) bool { return true }), len(all), "nothing is reported after stop")
	})
}

// A tool that fails, and one that the turn does not have, are reported with their outcomes.
func TestWatch_ToolsThatFail(t *testing.T) {
	model := modeltest.New(modeltest.Call("broken", map[string]string{}), modeltest.Call("secret_tool", map[string]string{}), modeltest.Say("不行"))
	tools := &nit.Registry{}
	broken, err := nit.Define("broken", nit.L1, "坏的", func(context.Context, struct{}) (string, error) { return "", errors.New("no") })
	require.NoError(t, err)
	require.NoError(t, tools.Add(broken))
	withFixture(t, model, func(o *social.Options) { o.Tools.Registry = tools }, func(f *fixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		f.group.Say(alice, at(botID, "试试"))
		f.advance(time.Minute)
		var ended [][2]string
		for _, e := range log.events(func(e trace.Event) bool { return e.Tool != nil }) {
			ended = append(ended, [2]string{e.Tool.Name, e.Tool.Outcome})
		}
		assert.Equal(t, [][2]string{{"broken", "failed"}, {"unknown", "absent"}}, ended)
	})
}

// Online follows the connection, also where the platform reports no event when it breaks.
func TestBot_Online(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("好")), func(o *social.Options) { o.When.Buffer.Debounce = time.Minute }, func(f *fixture) {
		assert.Equal(t, map[string]bool{"qq": true}, f.bot.Online())
		f.qq.RefuseConnections(true)
		f.qq.DropLinks()
		f.advance(time.Second)
		assert.Equal(t, map[string]bool{"qq": false}, f.bot.Online())
		f.qq.RefuseConnections(false)
		f.advance(5 * time.Minute)
		assert.Equal(t, map[string]bool{"qq": true}, f.bot.Online())

		f.group.Say(alice, say("今天"))
		f.group.Say(bob, say("很热"))
		f.advance(time.Second)
		assert.Equal(t, 2, f.bot.Waiting())
		assert.Zero(t, f.bot.Budget().Share)
		f.group.Say(alice, at(botID, "热吗"))
		f.advance(5 * time.Minute)
		assert.Zero(t, f.bot.Waiting())
		assert.Positive(t, f.bot.Budget().Share, "the reply took tokens")
	})
	b, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Storage: social.Storage{Store: memory.NewMemStore()}, Link: onebotlink.New(nil, onebotlink.Options{})})
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"qq": false}, b.Online(), "before it runs")
}

// What the budget dropped is reported, and the model did not see it.
func TestWatch_DroppedSegments(t *testing.T) {
	model := modeltest.Always(modeltest.Say("好"))
	withFixture(t, model, func(o *social.Options) {
		o.Reply.Turn.ContextTokens = 600
		o.When.Chats = func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Public: c.ID == "2"} }
	}, func(f *fixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		square := f.qq.Group(2, "广场")
		square.Member(bob, "李四")
		for range 5 {
			square.Say(bob, say(strings.Repeat("很长的一句话", 30)))
		}
		f.group.Say(bob, say("短"))
		f.advance(time.Minute)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		calls := log.events(func(e trace.Event) bool { return e.Call != nil && e.Chat == techGroup })
		require.Len(t, calls, 1)
		kinds := map[string]bool{}
		for _, s := range calls[0].Call.Prompt {
			kinds[s.Kind] = s.Dropped
		}
		assert.True(t, kinds["public chat"], "dropped")
		assert.Equal(t, map[string]bool{"": false, "history": false, "recent": false, "public chat": true}, kinds)
		assert.Equal(t, strings.TrimSuffix(model.Prompts()[0].Human(), "\n"), shown(calls[0].Call))
		assert.NotContains(t, model.Prompts()[0].Human(), "很长的一句话")
	})
}

// Retractions and erasures are reported, so that a watcher can forget too.
func TestWatch_Forgetting(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("好")), nil, func(f *fixture) {
		var log eventLog
		defer f.bot.Watch(log.add)()
		id := f.group.Say(alice, at(botID, "我的秘密"))
		f.advance(time.Minute)
		f.qq.Recall(id)
		synctest.Wait()
		messages := log.events(func(e trace.Event) bool { return e.Message != nil })
		gone := log.events(func(e trace.Event) bool { return e.Retracted != "" })
		require.Len(t, gone, 1)
		assert.True(t, strings.HasPrefix(messages[0].Message.Key, gone[0].Retracted+"@"))

		assert.Empty(t, log.events(func(e trace.Event) bool { return e.Erased }))
		_, err := f.bot.ErasePerson(f.Context(), qqAccount(alice), nil)
		require.NoError(t, err)
		assert.NotEmpty(t, log.events(func(e trace.Event) bool { return e.Erased }))
	})
}

// A prompt is tried without tools, sends and records, and its tokens are counted.
func TestTryPrompt(t *testing.T) {
	model := modeltest.New(modeltest.Say("改过的回答"), modeltest.Say(prompt.Skip))
	withFixture(t, model, nil, func(f *fixture) {
		answer, used, err := f.bot.TryPrompt(f.Context(), models.PurposeReply, "你是小炉", "怎么说？")
		require.NoError(t, err)
		assert.Equal(t, "改过的回答", answer)
		assert.Positive(t, used.Total())
		assert.EqualValues(t, used.Total(), f.bot.Stats().Tokens)
		assert.Empty(t, model.Prompts()[0].ToolNames())
		assert.Equal(t, "你是小炉\n", model.Prompts()[0].System())
		silent, _, err := f.bot.TryPrompt(f.Context(), models.PurposeReply, "你是小炉", "不说也行")
		require.NoError(t, err)
		assert.Equal(t, prompt.Skip, silent)
		_, _, err = f.bot.TryPrompt(f.Context(), models.PurposeSee, "", "")
		assert.ErrorContains(t, err, `no model for "see"`)
		assert.Empty(t, f.qq.Sent())
		assert.Empty(t, stored(t, f.store))
		assert.EqualValues(t, 2, f.bot.Stats().BackgroundCalls)
		assert.Positive(t, f.bot.Stats().Tokens)
	})
}

// A tried prompt counts in the owner's budget, and is refused once the rest is reserved for replies.
func TestTryPrompt_Budget(t *testing.T) {
	budget := newBudget(heartflow.BudgetOptions{HourTokens: 100})
	withFixture(t, modeltest.Always(modeltest.Say("好")), func(o *social.Options) { o.When.Attention.Budget = budget }, func(f *fixture) {
		long := strings.Repeat("很长的话", 30)
		_, used, err := f.bot.TryPrompt(f.Context(), models.PurposeReply, "你是小炉", long)
		require.NoError(t, err)
		assert.Equal(t, used.Total(), budget.Usage(time.Now(), "app:private:master").HourTokens)
		_, used, err = f.bot.TryPrompt(f.Context(), models.PurposeReply, "你是小炉", long)
		assert.ErrorIs(t, err, social.ErrOverBudget)
		assert.Zero(t, used)
		assert.Len(t, f.model.Prompts(), 1, "the model was not asked")
		f.advance(61 * time.Minute)
		_, _, err = f.bot.TryPrompt(f.Context(), models.PurposeReply, "你是小炉", "短")
		assert.NoError(t, err, "an hour later")
	})
}
