package reports

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	other = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
	owner = persona.Account{Platform: "qq", ID: "5001"}
)

// A bench is Reports over an engine that does not run.
type bench struct {
	*testing.T
	o       Options
	options engine.Options
	store   *counting
	model   *modeltest.Model
	failed  error    // of the way to the owner
	told    []string // to the owner
	said    []string // in chats
	poked   int
	after   int // how often what ends a spoken turn was called
	done    []engine.Done
	engine  *engine.Engine
	reports *Reports
	part    engine.Part
}

// A counting store counts how often rows are written.
type counting struct {
	*memory.MemStore
	writes atomic.Int64
}

func (s *counting) Apply(ctx context.Context, rows map[string][]byte) error {
	s.writes.Add(1)
	return s.MemStore.Apply(ctx, rows)
}

type link struct {
	engine.Link
	b *bench
}

func (l link) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	l.b.said = append(l.b.said, out.Text)
	return "", nil
}

func inBench(t *testing.T, change func(b *bench), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, store: &counting{MemStore: memory.NewMemStore()}, model: modeltest.New()}
		b.o.Watch = &self.WatchOptions{Watched: []persona.Account{{Platform: "qq", ID: "1002"}}}
		b.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: b.model, Link: link{b: b}, Store: b.store, Location: time.UTC,
			Accounts: engine.Accounts{Owners: []persona.Account{owner}},
			Notify: func(_ context.Context, text string) error {
				if b.failed == nil {
					b.told = append(b.told, text)
				}
				return b.failed
			},
		}
		if change != nil {
			change(b)
		}
		b.start()
		test(b)
	})
}

// start makes an engine over the store. A tool that acts on people and one that reads are there beside those of the part.
func (b *bench) start() {
	var err error
	b.engine, err = engine.New(b.options)
	require.NoError(b, err)
	b.reports, err = New(b.engine, b.o)
	require.NoError(b, err)
	b.part = b.reports.Part()
	b.engine.Register(b.part, engine.Part{Done: func(_ context.Context, _ *engine.Chat, d engine.Done) { b.done = append(b.done, d) }})
	poke, err := nit.Define("poke", nit.L1, "pokes somebody", func(context.Context, struct{}) (string, error) { b.poked++; return "", nil })
	require.NoError(b, err)
	look, err := nit.Define("look", nit.L1, "looks around", func(context.Context, struct{}) (string, error) { return "", nil }, nit.ReadOnly())
	require.NoError(b, err)
	var with self.Options
	require.NoError(b, b.part.Tools(b.Context(), &with))
	require.NoError(b, b.engine.Tools.Add(poke, look))
	if with.Reports != nil {
		plugin, err := self.Plugin(with)
		require.NoError(b, err)
		require.NoError(b, b.engine.Tools.Add(plugin.Tools...))
	}
}

// run runs the part for a while.
func (b *bench) run(d time.Duration) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- b.part.Run(ctx) }()
	time.Sleep(d)
	synctest.Wait()
	cancel()
	require.NoError(b, <-over)
}

// submit hands in a report of what somebody says in a chat.
func (b *bench) submit(chat persona.Chat, person, content string) {
	b.Helper()
	report := self.Report{Content: content, Urgency: self.Normal, Platform: chat.Platform, Session: chat.SourceID(), Person: person}
	outcome, err := b.reports.queue.Load().Submit(b.Context(), time.Now(), report)
	require.NoError(b, err)
	require.Equal(b, self.Queued, outcome)
}

// waiting are the contents of the reports that wait.
func (b *bench) waiting() (contents []string) {
	for _, r := range b.reports.queue.Load().Pending() {
		contents = append(contents, r.Content)
	}
	return contents
}

func message(from, text string) persona.Message {
	return persona.Message{ID: from + text, Key: from + text + "@1", Chat: group, From: from, Text: text, At: time.Now()}
}

// batch is a batch of messages that was judged silent, with the reasons of the part for each.
func (b *bench) batch(messages ...persona.Message) (j *engine.Job, items []engine.Incoming) {
	b.Helper()
	c, err := b.engine.Chat(b.Context(), group)
	require.NoError(b, err)
	for _, m := range messages {
		items = append(items, engine.Incoming{Message: m, Reason: b.part.Reason(time.Now(), m)})
	}
	now := time.Now()
	return &engine.Job{
		Chat: c, Job: jobs.Job{ID: "batch/1", Kind: "batch", Chat: group, At: now, ExpiresAt: now.Add(time.Minute)}, Answers: true,
		Verdict: heartflow.Verdict{Do: heartflow.Silent, State: heartflow.Active},
		After:   func(context.Context, *engine.Turn, engine.Result) { b.after++ },
	}, items
}

// turn has a batch that was judged silent end, and returns its outcome; "" for no turn.
func (b *bench) turn(messages ...persona.Message) (outcome string, r engine.Result) {
	b.Helper()
	j, items := b.batch(messages...)
	if !b.part.Silent(j, items) {
		return "", r
	}
	r, err := b.engine.Do(b.Context(), j)
	require.NoError(b, err)
	row, ok := b.engine.Jobs.Lookup(j.ID)
	require.True(b, ok)
	return row.Outcome, r
}

func TestOptions_Check(t *testing.T) {
	for name, c := range map[string]struct {
		o      Options
		notify bool
		ok     bool
	}{
		"zero":               {Options{}, false, true},
		"watch":              {Options{Watch: &self.WatchOptions{}}, true, true},
		"watch, and nobody":  {Options{Watch: &self.WatchOptions{}}, false, false},
		"watch is wrong":     {Options{Watch: &self.WatchOptions{MaxKeys: -1}}, true, false},
		"a bound is wrong":   {Options{Reports: self.QueueOptions{MaxPending: -1}}, true, false},
		"a bound, and watch": {Options{Reports: self.QueueOptions{MaxPending: -1}, Watch: &self.WatchOptions{}}, true, false},
	} {
		assert.Equal(t, c.ok, c.o.Check(c.notify) == nil, name)
	}
}

func TestReports_ReasonIsOfAnybodyButTheOwner(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		mention := func(from string) persona.Message {
			m := message(from, "看这里")
			m.Mentions = []string{owner.ID}
			return m
		}
		own := mention("1001")
		own.Own = true
		bot := mention("1001")
		bot.Bot = true
		assert.Empty(b, b.part.Reason(time.Now(), mention(owner.ID)), "the owner's words")
		assert.Empty(b, b.part.Reason(time.Now(), own))
		assert.Empty(b, b.part.Reason(time.Now(), bot))
		assert.Empty(b, b.part.Reason(time.Now(), message("1001", "吃了吗")))
		assert.Equal(b, self.AskedForOwner, b.part.Reason(time.Now(), mention("1001")), "an owner of the engine is known")
		assert.Equal(b, self.Urgent, b.part.Reason(time.Now(), message("1001", "服务器挂了")))
		assert.Equal(b, self.WatchedPerson, b.part.Reason(time.Now(), message("1002", "大家好")))

		elsewhere := mention("1003")
		elsewhere.Chat = other
		b.engine.Router.Observe(time.Now(), persona.Message{Chat: other, From: owner.ID})
		assert.Empty(b, b.part.Reason(time.Now(), elsewhere), "the owner is there")
		time.Sleep(time.Hour)
		assert.Equal(b, self.AskedForOwner, b.part.Reason(time.Now(), elsewhere))
	})
	inBench(t, func(b *bench) { b.o.Watch.Owners = []persona.Account{{Platform: "qq", ID: "7"}} }, func(b *bench) {
		m := message("1001", "看这里")
		m.Mentions = []string{owner.ID}
		assert.Empty(b, b.part.Reason(time.Now(), m), "the options name somebody else")
		m.Mentions = []string{"7"}
		assert.Equal(b, self.AskedForOwner, b.part.Reason(time.Now(), m))
	})
	inBench(t, func(b *bench) { b.o.Watch = nil }, func(b *bench) {
		assert.Empty(b, b.part.Reason(time.Now(), message("1001", "服务器挂了")))
	})
}

func TestReports_OnlyAReasonMakesATurn(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		change func(b *bench, j *engine.Job)
		want   bool
	}{
		"urgent":      {"服务器挂了", nil, true},
		"nothing":     {"吃了吗", nil, false},
		"offline":     {"服务器挂了", func(_ *bench, j *engine.Job) { j.Verdict.State = heartflow.Offline }, false},
		"over budget": {"服务器挂了", func(b *bench, _ *engine.Job) { b.engine.Options.Attention.Budget.AddTokens(time.Now(), 150_000) }, false},
	} {
		inBench(t, nil, func(b *bench) {
			j, items := b.batch(message("1001", c.text))
			if c.change != nil {
				c.change(b, j)
			}
			assert.Equal(b, c.want, b.part.Silent(j, items), name)
			assert.Equal(b, c.want, len(j.Items) > 0, name)
		})
	}
}

// The turn is for the first reason of its batch, on behalf of the last who gave it, and sees the whole batch.
func TestReports_TurnOfABatch(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		texts := []persona.Message{message("1", "早"), message("2", "服务器挂了"), message("3", "网站挂了"), message("1002", "大家好"), message("5", "嗯")}
		j, items := b.batch(texts...)
		require.True(b, b.part.Silent(j, items))
		assert.Equal(b, texts, j.Items)
		assert.Equal(b, self.Urgent, j.Reason)
		assert.Equal(b, "3", j.Caller.From)
		assert.Contains(b, j.Rules, "紧急或重大的事")
		for tool, may := range map[nit.ToolInfo]bool{
			{Name: "notify_master"}: true, {Name: "look", ReadOnly: true}: true, {Name: "poke"}: false, {Name: "qq_send_text", SelfCommitting: true}: false,
		} {
			assert.Equal(b, may, j.May(tool), tool.Name)
		}
	})
}

// A turn that reports says nothing in the chat and does nothing there, whatever the model wants.
func TestReports_NothingIsSaid(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.model.Append(
			modeltest.Calls(modeltest.ToolCall("poke", `{}`), modeltest.ToolCall("look", `{}`), modeltest.ToolCall("notify_master", `{"content":"服务器好像挂了"}`)),
			modeltest.Say("我来说两句"),
		)
		outcome, r := b.turn(message("1001", "服务器挂了"))
		assert.Equal(b, "reported", outcome)
		assert.Empty(b, r.Text)
		assert.Empty(b, b.said)
		assert.Zero(b, b.poked)
		prompts := b.model.Prompts()
		assert.ElementsMatch(b, []string{"look", "notify_master"}, prompts[0].ToolNames())
		assert.Contains(b, prompts[0].Text(), "写什么都不会发出去")
		assert.Equal(b, []engine.Done{{Verdict: heartflow.Silent}}, b.done, "for the other parts it is a batch that was judged silent")
		assert.Zero(b, b.after)
		assert.EqualValues(b, 1, b.engine.Stats().ReportTurns)
		assert.Zero(b, b.engine.Stats().Turns)

		assert.Equal(b, []string{"服务器好像挂了"}, b.waiting())
		b.run(time.Second)
		require.Len(b, b.told, 1)
		assert.Contains(b, b.told[0], "【汇报】紧急或重大的事")
		assert.Contains(b, b.told[0], "来自 qq group_1")
		assert.Contains(b, b.told[0], "当时在和 1001 说话")
		assert.Empty(b, b.waiting())
	})
}

func TestReports_OutcomeOfATurn(t *testing.T) {
	status := errors.New("status 400")
	for name, c := range map[string]struct {
		steps   []modeltest.Step
		outcome string
		failed  int64
	}{
		"silent":            {[]modeltest.Step{modeltest.Say("[skip]")}, "silent", 0},
		"failed":            {[]modeltest.Step{modeltest.Fail(status)}, "error: ", 1},
		"failed afterwards": {[]modeltest.Step{modeltest.Call("notify_master", `{"content":"有事"}`), modeltest.Fail(status)}, "error: ", 1},
	} {
		inBench(t, nil, func(b *bench) {
			b.model.Append(c.steps...)
			outcome, _ := b.turn(message("1001", "服务器挂了"))
			assert.True(b, strings.HasPrefix(outcome, c.outcome), "%s: %s", name, outcome)
			assert.Equal(b, c.failed, b.engine.Stats().ModelFailed, name)
			assert.Len(b, b.done, 1, name)
			assert.Len(b, b.waiting(), len(c.steps)-1, name)
		})
	}
}

func TestReports_WaitForTheOwnerOverARestart(t *testing.T) {
	inBench(t, func(b *bench) { b.failed = errors.New("the owner's device is off") }, func(b *bench) {
		b.submit(group, "1001", "有人找你")
		b.run(time.Second)
		require.Len(b, b.waiting(), 1)
		b.failed = nil
		b.start()
		require.Equal(b, []string{"有人找你"}, b.waiting())
		b.run(2 * time.Hour)
		assert.Len(b, b.told, 1)
	})
}

func TestReports_WithoutAWayToTheOwner(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		assert.True(b, b.engine.Tools.View(nit.Principal{Tiers: nit.L1 | nit.L2}).Has("notify_master"))
	})
	inBench(t, func(b *bench) { b.o.Watch, b.options.Notify = nil, nil }, func(b *bench) {
		b.run(time.Second)
		assert.Nil(b, b.reports.queue.Load())
		assert.False(b, b.engine.Tools.View(nit.Principal{Tiers: nit.L1 | nit.L2}).Has("notify_master"))
	})
}

// What tells of a chat, of somebody, or names somebody who is to be forgotten goes, and nothing else, whether the part is on
// or off.
func TestReports_Erase(t *testing.T) {
	elsewhere := persona.Chat{Platform: "other", Kind: persona.Group, ID: "1"}
	for name, c := range map[string]struct {
		forgotten memory.Erasure
		left      []string
	}{
		"a chat":   {memory.Erasure{Spaces: []memory.Space{"qq:group:1"}}, []string{"的群", "1001 说有事", "另一个平台"}},
		"somebody": {memory.Erasure{Person: "1001", Spaces: []memory.Space{"qq:private:1001"}}, []string{"没有人", "另一个平台"}},
		"nobody":   {memory.Erasure{Person: "9"}, []string{"没有人", "他说的", "的群", "1001 说有事", "另一个平台"}},
	} {
		for _, on := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, on: %t", name, on), func(t *testing.T) {
				inBench(t, nil, func(b *bench) {
					b.submit(group, "", "没有人")
					b.submit(group, "1001", "他说的")
					b.submit(other, "1001", "的群")
					b.submit(other, "1003", "1001 说有事")
					b.submit(elsewhere, "1003", "另一个平台")
					erase := b.part.Erase
					if !on {
						erase = Off(b.engine).Erase
					}
					before := b.store.writes.Load()
					require.NoError(b, erase(b.Context(), c.forgotten, nil))
					assert.Equal(b, name != "nobody", b.store.writes.Load() > before, "what is not there is not written anew")
					b.start()
					assert.Equal(b, c.left, b.waiting())
				})
			})
		}
	}
}
