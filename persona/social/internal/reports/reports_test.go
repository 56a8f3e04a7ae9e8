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

// A fixture is Reports on an engine that does not run.
type fixture struct {
	*testing.T
	o          Options
	options    engine.Options
	store      *countingStore
	model      *modeltest.Model
	notifyErr  error    // returned by Notify
	notices    []string // notices to the owner
	sent       []string // sent to chats
	poked      int
	afterCalls int // calls of the job's After
	done       []engine.Done
	engine     *engine.Engine
	reports    *Reports
	part       engine.Part
}

// A countingStore counts writes.
type countingStore struct {
	*memory.MemStore
	writes atomic.Int64
}

func (s *countingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	s.writes.Add(1)
	return s.MemStore.Apply(ctx, rows)
}

type link struct {
	engine.Link
	b *fixture
}

func (l link) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	l.b.sent = append(l.b.sent, out.Text)
	return "", nil
}

func withFixture(t *testing.T, change func(f *fixture), test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, store: &countingStore{MemStore: memory.NewMemStore()}, model: modeltest.New()}
		f.o.Watch = &self.WatchOptions{Watched: []persona.Account{{Platform: "qq", ID: "1002"}}}
		f.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: f.model, Link: link{b: f}, Store: f.store, Location: time.UTC,
			Accounts: engine.Accounts{Owners: []persona.Account{owner}},
			Notify: func(_ context.Context, text string) error {
				if f.notifyErr == nil {
					f.notices = append(f.notices, text)
				}
				return f.notifyErr
			},
		}
		if change != nil {
			change(f)
		}
		f.start()
		test(f)
	})
}

// start makes an engine with a tool that acts on people and a read-only tool.
func (f *fixture) start() {
	var err error
	f.engine, err = engine.New(f.options)
	require.NoError(f, err)
	f.reports, err = New(f.engine, f.o)
	require.NoError(f, err)
	f.part = f.reports.Part()
	f.engine.Register(f.part, engine.Part{Done: func(_ context.Context, _ *engine.Chat, d engine.Done) { f.done = append(f.done, d) }})
	poke, err := nit.Define("poke", nit.L1, "pokes somebody", func(context.Context, struct{}) (string, error) { f.poked++; return "", nil })
	require.NoError(f, err)
	look, err := nit.Define("look", nit.L1, "looks around", func(context.Context, struct{}) (string, error) { return "", nil }, nit.ReadOnly())
	require.NoError(f, err)
	var with self.Options
	require.NoError(f, f.part.Tools(f.Context(), &with))
	require.NoError(f, f.engine.Tools.Add(poke, look))
	if with.Reports != nil {
		plugin, err := self.Plugin(with)
		require.NoError(f, err)
		require.NoError(f, f.engine.Tools.Add(plugin.Tools...))
	}
}

// run runs the part for a while.
func (f *fixture) run(d time.Duration) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	over := make(chan error, 1)
	go func() { over <- f.part.Run(ctx) }()
	time.Sleep(d)
	synctest.Wait()
	cancel()
	require.NoError(f, <-over)
}

// submit adds a report about a person in a chat.
func (f *fixture) submit(chat persona.Chat, person, content string) {
	f.Helper()
	report := self.Report{Content: content, Urgency: self.Normal, Platform: chat.Platform, Session: chat.SourceID(), Person: person}
	outcome, err := f.reports.queue.Load().Submit(f.Context(), time.Now(), report)
	require.NoError(f, err)
	require.Equal(f, self.Queued, outcome)
}

// pending returns the contents of the pending reports.
func (f *fixture) pending() (contents []string) {
	for _, r := range f.reports.queue.Load().Pending() {
		contents = append(contents, r.Content)
	}
	return contents
}

func message(from, text string) persona.Message {
	return persona.Message{ID: from + text, Key: from + text + "@1", Chat: group, From: from, Text: text, At: time.Now()}
}

// batch returns a silent batch of messages with the part's reasons.
func (f *fixture) batch(messages ...persona.Message) (j *engine.Job, items []engine.Incoming) {
	f.Helper()
	c, err := f.engine.Chat(f.Context(), group)
	require.NoError(f, err)
	for _, m := range messages {
		items = append(items, engine.Incoming{Message: m, Reason: f.part.Reason(time.Now(), m)})
	}
	now := time.Now()
	return &engine.Job{
		Chat: c, Job: jobs.Job{ID: "batch/1", Kind: "batch", Chat: group, At: now, ExpiresAt: now.Add(time.Minute)}, Supersedable: true,
		Verdict: heartflow.Verdict{Do: heartflow.Silent, State: heartflow.Active},
		After:   func(context.Context, *engine.Turn, engine.Result) { f.afterCalls++ },
	}, items
}

// turn ends a silent batch and returns its outcome; "" if there was no turn.
func (f *fixture) turn(messages ...persona.Message) (outcome string, r engine.Result) {
	f.Helper()
	j, items := f.batch(messages...)
	if !f.part.Silent(j, items) {
		return "", r
	}
	r, err := f.engine.Do(f.Context(), j)
	require.NoError(f, err)
	row, ok := f.engine.Jobs.Lookup(j.ID)
	require.True(f, ok)
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

func TestReports_ReasonOfMessage(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		mention := func(from string) persona.Message {
			m := message(from, "看这里")
			m.Mentions = []string{owner.ID}
			return m
		}
		own := mention("1001")
		own.Own = true
		bot := mention("1001")
		bot.Bot = true
		assert.Empty(f, f.part.Reason(time.Now(), mention(owner.ID)), "a message of the owner")
		assert.Empty(f, f.part.Reason(time.Now(), own))
		assert.Empty(f, f.part.Reason(time.Now(), bot))
		assert.Empty(f, f.part.Reason(time.Now(), message("1001", "吃了吗")))
		assert.Equal(f, self.AskedForOwner, f.part.Reason(time.Now(), mention("1001")), "owners of the engine are watched")
		assert.Equal(f, self.Urgent, f.part.Reason(time.Now(), message("1001", "服务器挂了")))
		assert.Equal(f, self.WatchedPerson, f.part.Reason(time.Now(), message("1002", "大家好")))

		elsewhere := mention("1003")
		elsewhere.Chat = other
		f.engine.Router.Observe(time.Now(), persona.Message{Chat: other, From: owner.ID})
		assert.Empty(f, f.part.Reason(time.Now(), elsewhere), "the owner is present")
		time.Sleep(time.Hour)
		assert.Equal(f, self.AskedForOwner, f.part.Reason(time.Now(), elsewhere))
	})
	withFixture(t, func(f *fixture) { f.o.Watch.Owners = []persona.Account{{Platform: "qq", ID: "7"}} }, func(f *fixture) {
		m := message("1001", "看这里")
		m.Mentions = []string{owner.ID}
		assert.Empty(f, f.part.Reason(time.Now(), m), "the options name another owner")
		m.Mentions = []string{"7"}
		assert.Equal(f, self.AskedForOwner, f.part.Reason(time.Now(), m))
	})
	withFixture(t, func(f *fixture) { f.o.Watch = nil }, func(f *fixture) {
		assert.Empty(f, f.part.Reason(time.Now(), message("1001", "服务器挂了")))
	})
}

func TestReports_TurnNeedsReason(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		change func(f *fixture, j *engine.Job)
		want   bool
	}{
		"urgent":  {"服务器挂了", nil, true},
		"nothing": {"吃了吗", nil, false},
		"offline": {"服务器挂了", func(_ *fixture, j *engine.Job) { j.Verdict.State = heartflow.Offline }, false},
		"over budget": {"服务器挂了", func(f *fixture, _ *engine.Job) {
			f.engine.Options.Attention.Budget.AddTokens(time.Now(), heartflow.DefaultHourTokens*3/4)
		}, false},
	} {
		withFixture(t, nil, func(f *fixture) {
			j, items := f.batch(message("1001", c.text))
			if c.change != nil {
				c.change(f, j)
			}
			assert.Equal(f, c.want, f.part.Silent(j, items), name)
			assert.Equal(f, c.want, len(j.Items) > 0, name)
		})
	}
}

// The turn has the first reason of its batch, acts for the last author with that reason, and reads the whole batch.
func TestReports_TurnOfABatch(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		texts := []persona.Message{message("1", "早"), message("2", "服务器挂了"), message("3", "网站挂了"), message("1002", "大家好"), message("5", "嗯")}
		j, items := f.batch(texts...)
		require.True(f, f.part.Silent(j, items))
		assert.Equal(f, texts, j.Items)
		assert.Equal(f, self.Urgent, j.Reason)
		assert.Equal(f, "3", j.Caller.From)
		assert.Contains(f, j.Rules, "紧急或重大的事")
		for tool, may := range map[nit.ToolInfo]bool{
			{Name: "notify_master"}: true, {Name: "look", ReadOnly: true}: true, {Name: "poke"}: false, {Name: "qq_send_text", SelfCommitting: true}: false,
		} {
			assert.Equal(f, may, j.AllowTool(tool), tool.Name)
		}
	})
}

// A report-only turn sends nothing to the chat and has no tools for it, for any answer of the model.
func TestReports_TurnSendsNothing(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.model.Append(
			modeltest.Calls(modeltest.ToolCall("poke", `{}`), modeltest.ToolCall("look", `{}`), modeltest.ToolCall("notify_master", `{"content":"服务器好像挂了"}`)),
			modeltest.Say("我来说两句"),
		)
		outcome, r := f.turn(message("1001", "服务器挂了"))
		assert.Equal(f, "reported", outcome)
		assert.Empty(f, r.Text)
		assert.Empty(f, f.sent)
		assert.Zero(f, f.poked)
		prompts := f.model.Prompts()
		assert.ElementsMatch(f, []string{"look", "notify_master"}, prompts[0].ToolNames())
		assert.Contains(f, prompts[0].Text(), "写什么都不会发出去")
		assert.Equal(f, []engine.Done{{Verdict: heartflow.Silent}}, f.done, "other parts see a silent batch")
		assert.Zero(f, f.afterCalls)
		assert.EqualValues(f, 1, f.engine.Stats().ReportTurns)
		assert.Zero(f, f.engine.Stats().Turns)

		assert.Equal(f, []string{"服务器好像挂了"}, f.pending())
		f.run(time.Second)
		require.Len(f, f.notices, 1)
		assert.Contains(f, f.notices[0], "【汇报】紧急或重大的事")
		assert.Contains(f, f.notices[0], "来自 qq group_1")
		assert.Contains(f, f.notices[0], "当时在和 1001 说话")
		assert.Empty(f, f.pending())
	})
}

func TestReports_TurnOutcome(t *testing.T) {
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
		withFixture(t, nil, func(f *fixture) {
			f.model.Append(c.steps...)
			outcome, _ := f.turn(message("1001", "服务器挂了"))
			assert.True(f, strings.HasPrefix(outcome, c.outcome), "%s: %s", name, outcome)
			assert.Equal(f, c.failed, f.engine.Stats().ModelFailed, name)
			assert.Len(f, f.done, 1, name)
			assert.Len(f, f.pending(), len(c.steps)-1, name)
		})
	}
}

func TestReports_PendingSurviveRestart(t *testing.T) {
	withFixture(t, func(f *fixture) { f.notifyErr = errors.New("the owner's device is off") }, func(f *fixture) {
		f.submit(group, "1001", "有人找你")
		f.run(time.Second)
		require.Len(f, f.pending(), 1)
		f.notifyErr = nil
		f.start()
		require.Equal(f, []string{"有人找你"}, f.pending())
		f.run(2 * time.Hour)
		assert.Len(f, f.notices, 1)
	})
}

func TestReports_WithoutNotify(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		assert.True(f, f.engine.Tools.View(nit.Principal{Tiers: nit.L1 | nit.L2}).Has("notify_master"))
	})
	withFixture(t, func(f *fixture) { f.o.Watch, f.options.Notify = nil, nil }, func(f *fixture) {
		f.run(time.Second)
		assert.Nil(f, f.reports.queue.Load())
		assert.False(f, f.engine.Tools.View(nit.Principal{Tiers: nit.L1 | nit.L2}).Has("notify_master"))
	})
}

// Erasing deletes reports from an erased chat, by an erased person, or that name the person, and nothing else, whether
// the part is on or off.
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
				withFixture(t, nil, func(f *fixture) {
					f.submit(group, "", "没有人")
					f.submit(group, "1001", "他说的")
					f.submit(other, "1001", "的群")
					f.submit(other, "1003", "1001 说有事")
					f.submit(elsewhere, "1003", "另一个平台")
					erase := f.part.Erase
					if !on {
						erase = Off(f.engine).Erase
					}
					before := f.store.writes.Load()
					require.NoError(f, erase(f.Context(), c.forgotten, nil))
					assert.Equal(f, name != "nobody", f.store.writes.Load() > before, "nothing to delete, nothing to write")
					f.start()
					assert.Equal(f, c.left, f.pending())
				})
			})
		}
	}
}
