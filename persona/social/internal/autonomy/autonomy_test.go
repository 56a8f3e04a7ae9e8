package autonomy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	other = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
	alice = persona.Account{Platform: "qq", ID: "1001"}

	aliceOrigin = schedule.Origin{Chat: group, Person: alice}
	groupOrigin = schedule.Origin{Chat: group}
	ownerOrigin = schedule.Origin{Mode: persona.Agent}
	selfOrigin  = schedule.Origin{}
)

// Tasks named in prompts. A reply to the owner has none.
const (
	remindTask  = "想起来"
	performTask = "做计划好的事"
	missedTask  = "没赶上的事"
	reviewTask  = "回想"
	planTask    = "打算"
	reflectTask = "体会"
	outcomeTask = "记下结果"
	globalTask  = "往大处想"
	replyTask   = ""
)

// A list is safe for concurrent use.
type list[T any] struct {
	mu    sync.Mutex
	items []T
}

func (l *list[T]) add(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, item)
}

func (l *list[T]) all() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

// A fixture is an Autonomy on an engine with a fake link. Due work runs only if running is true.
type fixture struct {
	*testing.T
	o         Options
	options   engine.Options
	running   bool
	mu        sync.Mutex
	answers   map[string]modeltest.Step // by task; default "[skip]"
	scripts   map[string][]modeltest.Step
	model     *modeltest.Model
	sent      list[string]
	notices   list[string] // to the owner
	results   list[WakeResult]
	naps      list[string]
	sleeps    list[string]
	sendErr   error
	engine    *engine.Engine
	autonomy  *Autonomy
	chat      *engine.Chat
	wakeCount int
	stop      func()
}

type link struct{ b *fixture }

func (link) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	hear(ctx, persona.Connected{Self: persona.Account{Platform: "qq", ID: "9"}})
	<-ctx.Done()
	return nil
}

func (l link) Send(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	if l.b.sendErr == nil {
		l.b.sent.add(chat.String() + " " + out.Text)
	}
	return "", l.b.sendErr
}

func withFixture(t *testing.T, change func(f *fixture), test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, answers: map[string]modeltest.Step{}, scripts: map[string][]modeltest.Step{}}
		f.model = modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			task := taskOf(p)
			f.mu.Lock()
			defer f.mu.Unlock()
			if steps := f.scripts[task]; len(steps) > 0 {
				f.scripts[task] = steps[1:]
				return steps[0]
			}
			if s, ok := f.answers[task]; ok {
				return s
			}
			return modeltest.Say("[skip]")
		})
		f.o.OnWake = f.results.add
		f.o.Nap = func(now time.Time, chat persona.Chat, until time.Time) {
			f.naps.add(chat.String() + " " + until.Sub(now).String())
		}
		f.o.SaveSleep = func(_ context.Context, until *time.Time) error {
			if until == nil {
				f.sleeps.add("awake")
			} else {
				f.sleeps.add(time.Until(*until).String())
			}
			return nil
		}
		f.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: f.model, Link: link{f}, Store: memory.NewMemStore(), Location: time.UTC, Toolset: engine.Toolset{Tools: &nit.Registry{}},
			Attention: heartflow.Options{Caps: heartflow.Caps{Consecutive: 100}},
			Builtin:   true, Notify: func(_ context.Context, text string) error { f.notices.add(text); return nil },
		}
		if change != nil {
			change(f)
		}
		f.start()
		defer func() { f.stop() }()
		test(f)
	})
}

// setAnswer sets the model's answer to a task. Answers of script come first.
func (f *fixture) setAnswer(task string, answer modeltest.Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[task] = answer
}

// script sets the model's first answers to a task.
func (f *fixture) script(task string, steps ...modeltest.Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scripts[task] = steps
}

// withTools enables the built-in tools.
func withTools(f *fixture) { f.options.Builtin = true }

func (f *fixture) start() {
	var err error
	f.engine, err = engine.New(f.options)
	require.NoError(f, err)
	f.autonomy, err = New(f.engine, f.o)
	require.NoError(f, err)
	p := f.autonomy.Part()
	if !f.running {
		p.Run = nil
	}
	f.engine.Register(Erasure(f.engine, f.autonomy), Notes(f.engine, true), p)
	ctx, cancel := context.WithCancel(f.Context())
	over := make(chan error, 1)
	go func() { over <- f.engine.Run(ctx) }()
	synctest.Wait()
	f.chat, err = f.engine.Chat(ctx, group)
	require.NoError(f, err)
	f.stop = func() {
		cancel()
		assert.NoError(f, <-over)
		f.stop = func() {}
	}
}

// taskOf returns the task that a prompt names.
func taskOf(p modeltest.Prompt) string {
	_, after, _ := strings.Cut(p.Human(), "## 现在：")
	task, _, _ := strings.Cut(after, "\n")
	return task
}

// promptsFor returns the prompts of a task.
func (f *fixture) promptsFor(task string) (prompts []modeltest.Prompt) {
	for _, p := range f.model.Prompts() {
		if taskOf(p) == task {
			prompts = append(prompts, p)
		}
	}
	return prompts
}

// advance sleeps and waits until due work is done.
func advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func timer(m schedule.Origin) schedule.Wake {
	return schedule.Wake{Kind: schedule.WakeTimer, Origin: m, Timer: schedule.Firing{Timer: schedule.Timer{Payload: "浇花", Origin: m, Created: time.Now()}}}
}

func task(m schedule.Origin) schedule.Wake {
	return schedule.Wake{Kind: schedule.WakeTask, Origin: m, Task: schedule.Task{Title: "写信", Origin: m, CreatedAt: time.Now()}}
}

func idle(m schedule.Origin) schedule.Wake { return schedule.Wake{Kind: schedule.WakeIdle, Origin: m} }

func review(m schedule.Origin) schedule.Wake {
	return schedule.Wake{Kind: schedule.WakeReview, Origin: m, Conversation: schedule.Conversation{Origin: m, From: time.Now(), To: time.Now()}}
}

// wake runs a wake and returns its result.
func (f *fixture) wake(w schedule.Wake) WakeResult {
	f.Helper()
	f.wakeCount++
	w.ID = fmt.Sprint("wake/", f.wakeCount)
	time.Sleep(time.Minute) // stay within the bot's rate limits
	f.autonomy.runWake(f.Context(), w)
	all := f.results.all()
	require.NotEmpty(f, all)
	require.Equal(f, w.ID, all[len(all)-1].Wake.ID)
	return all[len(all)-1]
}

func (f *fixture) setTimer(m schedule.Origin, spec string) {
	_, err := f.autonomy.timers.Set(f.Context(), time.Now(), m, spec, "浇花")
	require.NoError(f, err)
	f.autonomy.loop.Wake()
}

// tool adds a tool of the host.
func (f *fixture) tool(name string, tier nit.Tier, more ...nit.Option) {
	t, err := nit.Define(name, tier, name, func(context.Context, struct{}) (string, error) { return "", nil }, more...)
	require.NoError(f, err)
	require.NoError(f, f.options.Tools.Add(t))
}

func (f *fixture) notes(s memory.Space) *memory.Notes { return f.engine.Memory.Notes(s) }

func TestAutonomy_RightsOfOrigin(t *testing.T) {
	const shell, screen, page, post, patch, inner, timers = "shell_exec", "read_screen", "fetch_page", "post_page", "apply_patch_to_character_state", "set_inner_state", "set_timer"
	restricted := schedule.Origin{Mode: persona.Agent, Restricted: true}
	withFixture(t, func(f *fixture) {
		modes := nit.OnlyIn(nit.ModePersona, nit.ModeAgent, "life", "background")
		withTools(f)
		f.tool(shell, nit.L3)
		f.tool(screen, nit.L3, nit.ReadOnly())
		f.tool(page, nit.L2, nit.ReadOnly(), modes)
		f.tool(post, nit.L2, modes)
	}, func(f *fixture) {
		for name, c := range map[string]struct {
			wake  schedule.Wake
			task  string
			tools []string
		}{
			"chat":                   {timer(aliceOrigin), remindTask, []string{page, post, inner, timers}},
			"task of a chat":         {task(aliceOrigin), performTask, []string{page, post, timers}},
			"self":                   {timer(selfOrigin), remindTask, []string{page, post, inner, timers}},
			"owner":                  {timer(ownerOrigin), remindTask, []string{shell, screen, page, post, inner, timers}},
			"owner, restricted":      {timer(restricted), remindTask, []string{page, inner, timers}},
			"chat, background":       {review(groupOrigin), reviewTask, []string{page, post}},
			"self, background":       {idle(selfOrigin), planTask, []string{page, post}},
			"owner, background":      {idle(ownerOrigin), planTask, []string{page, post, patch}},
			"restricted, background": {idle(restricted), planTask, []string{page, patch}},
		} {
			before := len(f.promptsFor(c.task))
			require.NoError(f, f.wake(c.wake).Err, name)
			prompts := f.promptsFor(c.task)[before:]
			require.Len(f, prompts, 1, name)
			var tools []string
			for _, tool := range []string{shell, screen, page, post, patch, inner, timers} {
				if slices.Contains(prompts[0].ToolNames(), tool) {
					tools = append(tools, tool)
				}
			}
			assert.Equal(f, c.tools, tools, name)
		}
		assert.Empty(f, f.notices.all())
	})
}

func TestAutonomy_SendsToOrigin(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		for _, task := range []string{remindTask, planTask} {
			f.setAnswer(task, modeltest.Say("<item>该浇花了</item>"))
		}
		require.NoError(f, f.wake(timer(aliceOrigin)).Err)
		assert.Equal(f, []string{"qq:group:1 <item>该浇花了</item>"}, f.sent.all())
		require.NoError(f, f.wake(timer(ownerOrigin)).Err)
		assert.Equal(f, []string{"该浇花了"}, f.notices.all())
		require.NoError(f, f.wake(timer(selfOrigin)).Err)
		for _, m := range []schedule.Origin{ownerOrigin, selfOrigin} {
			require.NoError(f, f.wake(idle(m)).Err)
		}
		assert.Len(f, f.sent.all(), 1)
		assert.Len(f, f.notices.all(), 1)
		assert.EqualValues(f, 5, f.autonomy.Wakes())
		for space, want := range map[memory.Space]int{memory.Owner: 1, memory.Self: 2, f.chat.Space: 0} {
			assert.Len(f, f.records(space.Secret(), archiveKind), want, space)
		}
	})
}

// records returns the records of one kind in a space.
func (f *fixture) records(s memory.Space, kind string) (found []memory.Record) {
	for rec, err := range f.options.Store.Scan(f.Context(), s, 0) {
		require.NoError(f, err)
		if rec.Kind == kind {
			found = append(found, rec)
		}
	}
	return found
}

// startWake runs a wake in the background and closes over when it has ended.
func (f *fixture) startWake(w schedule.Wake) (over chan struct{}) {
	w.ID, over = "wake/1", make(chan struct{})
	go func() {
		defer close(over)
		f.autonomy.runWake(f.Context(), w)
	}()
	synctest.Wait()
	return over
}

func TestAutonomy_YieldsThreeTimes(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.setAnswer(planTask, modeltest.Say("想好了").After(time.Minute))
		f.setAnswer(replyTask, modeltest.Say("在").After(time.Second))
		over := f.startWake(idle(ownerOrigin))
		var waited []time.Duration
		for range 4 {
			advance(10 * time.Second)
			began := time.Now()
			_, err := f.engine.OwnerTurn(f.Context(), "在吗", nil, nil)
			require.NoError(f, err)
			waited = append(waited, time.Since(began))
		}
		<-over
		require.Len(f, f.results.all(), 1)
		require.NoError(f, f.results.all()[0].Err)
		assert.Equal(f, "想好了", f.results.all()[0].Text)
		assert.Equal(f, []time.Duration{time.Second, time.Second, time.Second, 51 * time.Second}, waited)
		assert.Len(f, f.promptsFor(planTask), 4)
	})
	withFixture(t, nil, func(f *fixture) {
		f.setAnswer(remindTask, modeltest.Say("[skip]").After(time.Minute))
		over := f.startWake(timer(ownerOrigin))
		advance(10 * time.Second)
		began := time.Now()
		_, err := f.engine.OwnerTurn(f.Context(), "在吗", nil, nil)
		require.NoError(f, err)
		assert.Equal(f, 50*time.Second, time.Since(began), "a turn that may send does not yield")
		<-over
		assert.Len(f, f.promptsFor(remindTask), 1)
	})
}

func TestAutonomy_NotifiesOwnerOnceADay(t *testing.T) {
	notices := "该在 qq:group:1 做的一件事没做成：「浇花」"
	withFixture(t, nil, func(f *fixture) {
		f.setAnswer(remindTask, modeltest.Say("该浇花了"))
		f.sendErr = errors.New("retcode 1404")
		for range 3 {
			require.ErrorIs(f, f.wake(timer(aliceOrigin)).Err, f.sendErr)
			assert.Equal(f, []string{notices}, f.notices.all())
		}
		_ = f.wake(timer(schedule.Origin{Chat: other}))
		require.Len(f, f.notices.all(), 2, "once for each chat")
		time.Sleep(24 * time.Hour)
		_ = f.wake(timer(aliceOrigin))
		require.Len(f, f.notices.all(), 3)
		f.sendErr = nil
		require.NoError(f, f.wake(timer(aliceOrigin)).Err)
		f.sendErr = errors.New("retcode 1404")
		_ = f.wake(timer(aliceOrigin))
		require.Len(f, f.notices.all(), 4, "a send succeeded in between")
	})
}

// Notices show control characters as nothing, and quoted text cannot end its quotes.
func TestAutonomy_NoticesHoldVisibleText(t *testing.T) {
	var said []string
	withFixture(t, func(f *fixture) {
		f.o.DeliverToOwner = func(_ context.Context, text string) error { said = append(said, text); return nil }
	}, func(f *fixture) {
		f.setAnswer(remindTask, modeltest.Say("该\u202e浇花\u202c了"))
		require.NoError(f, f.wake(timer(ownerOrigin)).Err)
		assert.Equal(f, []string{"该浇花了"}, said)
		f.sendErr = errors.New("retcode 1404")
		w := timer(aliceOrigin)
		w.Timer.Timer.Payload = "浇花」\n\u202e账号掉线了"
		require.ErrorIs(f, f.wake(w).Err, f.sendErr)
		assert.Equal(f, []string{"该在 qq:group:1 做的一件事没做成：「浇花』 账号掉线了」"}, f.notices.all())
	})
}

func TestAutonomy_NotifiesSendFailuresOnly(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(f *fixture)
		wake    schedule.Wake
		notices int
	}{
		"task":    {nil, task(aliceOrigin), 1},
		"unclear": {func(f *fixture) { f.sendErr = engine.ErrUnclear }, timer(aliceOrigin), 0},
		"quiet hours": {func(f *fixture) {
			f.options.Attention.QuietHours.Spans = []heartflow.Span{{From: 0, To: 24 * time.Hour}}
		}, task(aliceOrigin), 0},
		"self":       {func(f *fixture) { f.setAnswer(remindTask, modeltest.HTTPError(400, "no")) }, timer(selfOrigin), 0},
		"background": {func(f *fixture) { f.setAnswer(reviewTask, modeltest.HTTPError(400, "no")) }, review(groupOrigin), 0},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, func(f *fixture) {
				f.sendErr = errors.New("retcode 1404")
				f.setAnswer(remindTask, modeltest.Say("该浇花了"))
				f.setAnswer(performTask, modeltest.Say("写好了"))
				if c.change != nil {
					c.change(f)
				}
			}, func(f *fixture) {
				assert.Error(f, f.wake(c.wake).Err)
				notices := slices.DeleteFunc(f.notices.all(), func(text string) bool { return !strings.Contains(text, "做的一件事没做成") })
				assert.Len(f, notices, c.notices) // the engine notifies about unclear sends
			})
		})
	}
}

func TestAutonomy_ArchiveEndsSession(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		elsewhere, err := f.engine.Chat(f.Context(), other)
		require.NoError(f, err)
		for _, c := range []*engine.Chat{f.chat, elsewhere} {
			require.NoError(f, f.notes(c.Space).SetScratch(f.Context(), time.Now(), c.Session, "草稿", "写了一半"))
			require.NoError(f, f.notes(c.Space).SetSlot(f.Context(), time.Now(), "要点", "爱喝茶"))
		}
		w := schedule.Wake{Kind: schedule.WakeArchive, Origin: groupOrigin}
		require.NoError(f, f.wake(w).Err)
		for c, scratch := range map[*engine.Chat]int{f.chat: 0, elsewhere: 1} {
			notes, err := f.notes(c.Space).Scratch(f.Context(), time.Now(), c.Session)
			require.NoError(f, err)
			assert.Len(f, notes, scratch)
			slots, err := f.notes(c.Space).Slots(f.Context())
			require.NoError(f, err)
			assert.Len(f, slots, 1)
		}
		assert.Empty(f, f.model.Prompts())
	})
}

func TestAutonomy_RemembersMissedTask(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		w := task(aliceOrigin)
		w.Kind, w.Task.ID, w.Task.ScheduledAt = schedule.WakeOutdated, "s1", time.Now()
		require.NoError(f, f.wake(w).Err)
		w.Task.ID, w.Task.Result.Error = "s2", schedule.ErrorInterrupted
		require.NoError(f, f.wake(w).Err)
		assert.Len(f, f.promptsFor(missedTask), 2)
		found := f.records(f.chat.Space, "task")
		require.Len(f, found, 2)
		assert.Equal(f, []string{"没赶上计划的事：写信", "计划的事做到一半被打断了：写信"}, []string{found[0].Text, found[1].Text})
		assert.Equal(f, alice.ID, found[0].Person)
	})
}

func TestAutonomy_BackgroundOverBudget(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.engine.Options.Attention.Budget.AddTokens(time.Now(), heartflow.DefaultHourTokens*3/4)
		assert.ErrorIs(f, f.wake(idle(ownerOrigin)).Err, engine.ErrOverBudget)
		assert.Empty(f, f.model.Prompts())
		assert.NoError(f, f.wake(timer(ownerOrigin)).Err)
		assert.Len(f, f.promptsFor(remindTask), 1, "a turn that may send runs")
	})
}

func TestAutonomy_PausedDuringSleep(t *testing.T) {
	withFixture(t, func(f *fixture) { f.running, f.o.Planner.BackgroundPerHour = true, -1 }, func(f *fixture) {
		f.setAnswer(remindTask, modeltest.Say("该浇花了"))
		f.setTimer(aliceOrigin, "10min")
		f.engine.Attention.Sleep(time.Now(), time.Now().Add(time.Hour))
		advance(59 * time.Minute)
		assert.Empty(f, f.model.Prompts())
		advance(3 * time.Minute)
		assert.Equal(f, []string{"qq:group:1 该浇花了"}, f.sent.all())
		assert.Empty(f, f.autonomy.timers.List(allOrigins))
	})
}

func TestAutonomy_RetriesAfterShutdown(t *testing.T) {
	withFixture(t, func(f *fixture) { f.running, f.o.Planner.BackgroundPerHour = true, -1 }, func(f *fixture) {
		f.setAnswer(remindTask, modeltest.Hang(""))
		f.setTimer(aliceOrigin, "10min")
		advance(10*time.Minute + 30*time.Second)
		require.Len(f, f.promptsFor(remindTask), 1)
		f.stop()
		f.setAnswer(remindTask, modeltest.Say("该浇花了"))
		f.start()
		advance(time.Hour)
		assert.Len(f, f.promptsFor(remindTask), 2)
		assert.Equal(f, []string{"qq:group:1 该浇花了"}, f.sent.all())
		assert.Zero(f, len(f.notices.all()))
	})
}

func TestAutonomy_RecordsTaskOutcome(t *testing.T) {
	withFixture(t, func(f *fixture) { f.running, f.o.Planner.BackgroundPerHour = true, -1 }, func(f *fixture) {
		f.setAnswer(performTask, modeltest.Say("信写好了"))
		f.setAnswer(outcomeTask, modeltest.Say("写信花了一小时"))
		_, err := f.autonomy.tasks.Add(f.Context(), time.Now(), schedule.Task{Title: "写信", Origin: aliceOrigin, ScheduledAt: time.Now().Add(time.Minute)})
		require.NoError(f, err)
		f.autonomy.loop.Wake()
		advance(10 * time.Minute)
		assert.Equal(f, []string{"qq:group:1 信写好了"}, f.sent.all())
		require.Len(f, f.promptsFor(outcomeTask), 1)
		assert.Contains(f, f.promptsFor(outcomeTask)[0].Human(), "信写好了")
		past := f.autonomy.tasks.History()
		require.Len(f, past, 1)
		assert.Equal(f, "写信花了一小时", past[0].Reflection)
	})
}

// Each task that ran has an outcome. Only a task that spoke or used tools costs a model call.
func TestAutonomy_RecordsOutcomeOfEveryTask(t *testing.T) {
	long := strings.Repeat("长", maxInnerRunes+1)
	for name, c := range map[string]struct {
		script  []modeltest.Step
		outcome *modeltest.Step
		setup   func(f *fixture)
		want    string
		shown   string // to the model that writes the outcome; "": it is not asked
	}{
		"words":                {script: []modeltest.Step{modeltest.Say("信写好了")}, want: "一小时", shown: "信写好了"},
		"by a tool":            {script: []modeltest.Step{modeltest.Call("post_letter", nil), modeltest.Say("[skip]")}, want: "一小时", shown: "用了工具：post_letter）"},
		"silence":              {script: []modeltest.Step{modeltest.Say("[skip]")}, want: "到时候想了想，什么也没说。"},
		"the model fails":      {script: []modeltest.Step{modeltest.Fail(errors.New("model"))}, want: "没做成：中间出了错。"},
		"the link fails":       {script: []modeltest.Step{modeltest.Say("信写好了")}, setup: func(f *fixture) { f.sendErr = errors.New("link") }, want: "没做成：中间出了错。"},
		"no outcome":           {script: []modeltest.Step{modeltest.Say("信写好了")}, outcome: new(modeltest.Fail(errors.New("model"))), want: "做了，话也说了。", shown: "信写好了"},
		"no outcome of a tool": {script: []modeltest.Step{modeltest.Call("post_letter", nil), modeltest.Say("[skip]")}, outcome: new(modeltest.Say("[skip]")), want: "做了，没有说话。", shown: "post_letter"},
		"a long outcome":       {script: []modeltest.Step{modeltest.Say("信写好了")}, outcome: new(modeltest.Say(long)), want: long[:3*maxInnerRunes] + "…", shown: "信写好了"},
		"a call that fails":    {script: []modeltest.Step{modeltest.Call("no_such_tool", nil), modeltest.Say("[skip]")}, want: "到时候想了想，什么也没说。"},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, func(f *fixture) {
				f.running, f.o.Planner.BackgroundPerHour = true, -1
				f.tool("post_letter", nit.L1)
			}, func(f *fixture) {
				if f.setAnswer(outcomeTask, modeltest.Say("一小时")); c.outcome != nil {
					f.setAnswer(outcomeTask, *c.outcome)
				}
				if c.setup != nil {
					c.setup(f)
				}
				f.script(performTask, c.script...)
				_, err := f.autonomy.tasks.Add(f.Context(), time.Now(), schedule.Task{Title: "写信", Origin: aliceOrigin, ScheduledAt: time.Now().Add(time.Minute)})
				require.NoError(f, err)
				f.autonomy.loop.Wake()
				advance(10 * time.Minute)
				past := f.autonomy.tasks.History()
				require.Len(f, past, 1)
				assert.Equal(f, schedule.TaskAccomplished, past[0].Status)
				assert.Equal(f, c.want, past[0].Reflection)
				asked := f.promptsFor(outcomeTask)
				if c.shown == "" {
					assert.Empty(f, asked)
					return
				}
				require.NotEmpty(f, asked)
				assert.Contains(f, asked[0].Human(), c.shown)
			})
		})
	}
}

// A task that ended while the program stopped has an outcome after the next start.
func TestAutonomy_RecordsMissingOutcomes(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		for _, failure := range []error{nil, errors.New("link")} {
			made, err := f.autonomy.tasks.Add(f.Context(), time.Now(), schedule.Task{Title: "写信", Origin: aliceOrigin})
			require.NoError(f, err)
			_, ok, err := f.autonomy.tasks.Due(f.Context(), time.Now())
			require.NoError(f, err)
			require.True(f, ok)
			require.NoError(f, f.autonomy.tasks.Done(f.Context(), time.Now(), made.ID, failure))
		}
		f.stop()
		f.start()
		past := f.autonomy.tasks.History()
		require.Len(f, past, 2)
		assert.Equal(f, "做完了，没来得及写下结果。", past[0].Reflection)
		assert.Equal(f, "没做成：中间出了错。", past[1].Reflection)
	})
}

func TestAutonomy_CountsConversations(t *testing.T) {
	withFixture(t, func(f *fixture) { f.running, f.o.Planner.BackgroundPerHour = true, -1 }, func(f *fixture) {
		require.NoError(f, f.notes(f.chat.Space).SetScratch(f.Context(), time.Now(), f.chat.Session, "草稿", "写了一半"))
		archived := func() bool {
			advance(4 * time.Minute)
			notes, err := f.notes(f.chat.Space).Scratch(f.Context(), time.Now(), f.chat.Session)
			require.NoError(f, err)
			return len(notes) == 0
		}
		f.engine.Done(f.Context(), f.chat, engine.Done{})
		assert.False(f, archived())
		f.engine.Done(f.Context(), f.chat, engine.Done{Messages: 2})
		assert.True(f, archived(), "the conversation ends after three minutes")
	})
}
