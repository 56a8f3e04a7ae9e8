package days

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

	ofAlice = schedule.Origin{Chat: group, Person: alice}
	ofGroup = schedule.Origin{Chat: group}
	ofOwner = schedule.Origin{Mode: persona.Agent}
	ofSelf  = schedule.Origin{}
)

// The tasks of prompts; that of the owner's own turn has no name.
const (
	reminds   = "想起来"
	performs  = "做计划好的事"
	misses    = "没赶上的事"
	reviews   = "回想"
	plansNext = "打算"
	reflects  = "体会"
	looksBack = "记下结果"
	muses     = "往大处想"
	answers   = ""
)

// A list is written by one goroutine and read by another.
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

// A bench is Days over an engine without a platform. They do nothing by themselves, unless alive is true.
type bench struct {
	*testing.T
	o       Options
	options engine.Options
	alive   bool
	mu      sync.Mutex
	answer  map[string]modeltest.Step // by task; "[skip]" where there is none
	steps   map[string][]modeltest.Step
	model   *modeltest.Model
	said    list[string]
	told    list[string] // to the owner
	lived   list[WakeResult]
	naps    list[string]
	sleeps  list[string]
	sayErr  error
	engine  *engine.Engine
	days    *Days
	chat    *engine.Chat
	wakes   int
	stop    func()
}

type link struct{ b *bench }

func (link) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	hear(ctx, persona.Connected{Self: persona.Account{Platform: "qq", ID: "9"}})
	<-ctx.Done()
	return nil
}

func (l link) Send(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	if l.b.sayErr == nil {
		l.b.said.add(chat.String() + " " + out.Text)
	}
	return "", l.b.sayErr
}

func inBench(t *testing.T, change func(b *bench), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, answer: map[string]modeltest.Step{}, steps: map[string][]modeltest.Step{}}
		b.model = modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			task := taskOf(p)
			b.mu.Lock()
			defer b.mu.Unlock()
			if steps := b.steps[task]; len(steps) > 0 {
				b.steps[task] = steps[1:]
				return steps[0]
			}
			if s, ok := b.answer[task]; ok {
				return s
			}
			return modeltest.Say("[skip]")
		})
		b.o.OnWake = b.lived.add
		b.o.Nap = func(now time.Time, chat persona.Chat, until time.Time) {
			b.naps.add(chat.String() + " " + until.Sub(now).String())
		}
		b.o.SaveSleep = func(_ context.Context, until *time.Time) error {
			if until == nil {
				b.sleeps.add("awake")
			} else {
				b.sleeps.add(time.Until(*until).String())
			}
			return nil
		}
		b.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: b.model, Link: link{b}, Store: memory.NewMemStore(), Location: time.UTC, Tools: &nit.Registry{},
			Attention: heartflow.Options{Caps: heartflow.Caps{Consecutive: 100}},
			Builtin:   true, Notify: func(_ context.Context, text string) error { b.told.add(text); return nil },
		}
		if change != nil {
			change(b)
		}
		b.start()
		defer func() { b.stop() }()
		test(b)
	})
}

// says is what the model answers to a task from now on, where there is no script.
func (b *bench) says(task string, answer modeltest.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer[task] = answer
}

// script is what the model answers to a task first.
func (b *bench) script(task string, steps ...modeltest.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps[task] = steps
}

// withTools has turns see the bot's own tools.
func withTools(b *bench) { b.options.Builtin = true }

func (b *bench) start() {
	var err error
	b.engine, err = engine.New(b.options)
	require.NoError(b, err)
	b.days, err = New(b.engine, b.o)
	require.NoError(b, err)
	p := b.days.Part()
	if !b.alive {
		p.Run = nil
	}
	b.engine.Register(Erasure(b.engine, b.days), Notes(b.engine, true), p)
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- b.engine.Run(ctx) }()
	synctest.Wait()
	b.chat, err = b.engine.Chat(ctx, group)
	require.NoError(b, err)
	b.stop = func() {
		cancel()
		assert.NoError(b, <-over)
		b.stop = func() {}
	}
}

// taskOf names what a prompt asks for.
func taskOf(p modeltest.Prompt) string {
	_, after, _ := strings.Cut(p.Human(), "## 现在：")
	task, _, _ := strings.Cut(after, "\n")
	return task
}

// asked are the prompts of a task.
func (b *bench) asked(task string) (prompts []modeltest.Prompt) {
	for _, p := range b.model.Prompts() {
		if taskOf(p) == task {
			prompts = append(prompts, p)
		}
	}
	return prompts
}

// pass lets time pass, and what is due then happen.
func pass(d time.Duration) {
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

// wake has a wake done, and returns what became of it.
func (b *bench) wake(w schedule.Wake) WakeResult {
	b.Helper()
	b.wakes++
	w.ID = fmt.Sprint("wake/", b.wakes)
	time.Sleep(time.Minute) // more than the bot's own limits allow at once
	b.days.wake(b.Context(), w)
	all := b.lived.all()
	require.NotEmpty(b, all)
	require.Equal(b, w.ID, all[len(all)-1].Wake.ID)
	return all[len(all)-1]
}

func (b *bench) setTimer(m schedule.Origin, spec string) {
	_, err := b.days.timers.Set(b.Context(), time.Now(), m, spec, "浇花")
	require.NoError(b, err)
	b.days.beat.Wake()
}

// tool is a tool of the host.
func (b *bench) tool(name string, tier nit.Tier, more ...nit.Option) {
	t, err := nit.Define(name, tier, name, func(context.Context, struct{}) (string, error) { return "", nil }, more...)
	require.NoError(b, err)
	require.NoError(b, b.options.Tools.Add(t))
}

func (b *bench) notes(s memory.Space) *memory.Notes { return b.engine.Memory.Notes(s) }

func TestDays_WakeHasTheRightsOfItsOrigin(t *testing.T) {
	const shell, screen, page, post, patch, inner, timers = "shell_exec", "read_screen", "fetch_page", "post_page", "apply_patch_to_character_state", "set_inner_state", "set_timer"
	shed := schedule.Origin{Mode: persona.Agent, Restricted: true}
	inBench(t, func(b *bench) {
		modes := nit.OnlyIn(nit.ModePersona, nit.ModeAgent, "life", "background")
		withTools(b)
		b.tool(shell, nit.L3)
		b.tool(screen, nit.L3, nit.ReadOnly())
		b.tool(page, nit.L2, nit.ReadOnly(), modes)
		b.tool(post, nit.L2, modes)
	}, func(b *bench) {
		for name, c := range map[string]struct {
			wake  schedule.Wake
			task  string
			tools []string
		}{
			"chat":              {timer(ofAlice), reminds, []string{page, post, inner, timers}},
			"task of a chat":    {task(ofAlice), performs, []string{page, post, timers}},
			"self":              {timer(ofSelf), reminds, []string{page, post, inner, timers}},
			"owner":             {timer(ofOwner), reminds, []string{shell, screen, page, post, inner, timers}},
			"owner, shed":       {timer(shed), reminds, []string{page, inner, timers}},
			"chat, background":  {review(ofGroup), reviews, []string{page, post}},
			"self, background":  {idle(ofSelf), plansNext, []string{page, post}},
			"owner, background": {idle(ofOwner), plansNext, []string{page, post, patch}},
			"shed, background":  {idle(shed), plansNext, []string{page, patch}},
		} {
			before := len(b.asked(c.task))
			require.NoError(b, b.wake(c.wake).Err, name)
			prompts := b.asked(c.task)[before:]
			require.Len(b, prompts, 1, name)
			var tools []string
			for _, tool := range []string{shell, screen, page, post, patch, inner, timers} {
				if slices.Contains(prompts[0].ToolNames(), tool) {
					tools = append(tools, tool)
				}
			}
			assert.Equal(b, c.tools, tools, name)
		}
		assert.Empty(b, b.told.all())
	})
}

func TestDays_WordsGoToTheirOrigin(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		for _, task := range []string{reminds, plansNext} {
			b.says(task, modeltest.Say("<item>该浇花了</item>"))
		}
		require.NoError(b, b.wake(timer(ofAlice)).Err)
		assert.Equal(b, []string{"qq:group:1 <item>该浇花了</item>"}, b.said.all())
		require.NoError(b, b.wake(timer(ofOwner)).Err)
		assert.Equal(b, []string{"该浇花了"}, b.told.all())
		require.NoError(b, b.wake(timer(ofSelf)).Err)
		for _, m := range []schedule.Origin{ofOwner, ofSelf} {
			require.NoError(b, b.wake(idle(m)).Err)
		}
		assert.Len(b, b.said.all(), 1)
		assert.Len(b, b.told.all(), 1)
		assert.EqualValues(b, 5, b.days.Wakes())
		for space, want := range map[memory.Space]int{memory.Owner: 1, memory.Self: 2, b.chat.Space: 0} {
			assert.Len(b, b.records(space.Secret(), archiveKind), want, space)
		}
	})
}

// records are those of one kind in a space.
func (b *bench) records(s memory.Space, kind string) (found []memory.Record) {
	for rec, err := range b.options.Store.Scan(b.Context(), s, 0) {
		require.NoError(b, err)
		if rec.Kind == kind {
			found = append(found, rec)
		}
	}
	return found
}

// begin has a wake done in the background. The channel is closed when it is over.
func (b *bench) begin(w schedule.Wake) (over chan struct{}) {
	w.ID, over = "wake/1", make(chan struct{})
	go func() {
		defer close(over)
		b.days.wake(b.Context(), w)
	}()
	synctest.Wait()
	return over
}

func TestDays_YieldsThreeTimes(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.says(plansNext, modeltest.Say("想好了").After(time.Minute))
		b.says(answers, modeltest.Say("在").After(time.Second))
		over := b.begin(idle(ofOwner))
		var waited []time.Duration
		for range 4 {
			pass(10 * time.Second)
			began := time.Now()
			_, err := b.engine.Owner(b.Context(), "在吗", nil, nil)
			require.NoError(b, err)
			waited = append(waited, time.Since(began))
		}
		<-over
		require.Len(b, b.lived.all(), 1)
		require.NoError(b, b.lived.all()[0].Err)
		assert.Equal(b, "想好了", b.lived.all()[0].Text)
		assert.Equal(b, []time.Duration{time.Second, time.Second, time.Second, 51 * time.Second}, waited)
		assert.Len(b, b.asked(plansNext), 4)
	})
	inBench(t, nil, func(b *bench) {
		b.says(reminds, modeltest.Say("[skip]").After(time.Minute))
		over := b.begin(timer(ofOwner))
		pass(10 * time.Second)
		began := time.Now()
		_, err := b.engine.Owner(b.Context(), "在吗", nil, nil)
		require.NoError(b, err)
		assert.Equal(b, 50*time.Second, time.Since(began), "what may speak does not yield")
		<-over
		assert.Len(b, b.asked(reminds), 1)
	})
}

func TestDays_TellsTheOwnerOnceADay(t *testing.T) {
	told := "该在 qq:group:1 做的一件事没做成：「浇花」"
	inBench(t, nil, func(b *bench) {
		b.says(reminds, modeltest.Say("该浇花了"))
		b.sayErr = errors.New("retcode 1404")
		for range 3 {
			require.ErrorIs(b, b.wake(timer(ofAlice)).Err, b.sayErr)
			assert.Equal(b, []string{told}, b.told.all())
		}
		_ = b.wake(timer(schedule.Origin{Chat: other}))
		require.Len(b, b.told.all(), 2, "of each chat")
		time.Sleep(24 * time.Hour)
		_ = b.wake(timer(ofAlice))
		require.Len(b, b.told.all(), 3)
		b.sayErr = nil
		require.NoError(b, b.wake(timer(ofAlice)).Err)
		b.sayErr = errors.New("retcode 1404")
		_ = b.wake(timer(ofAlice))
		require.Len(b, b.told.all(), 4, "it could be said meanwhile")
	})
}

// What the owner is told shows what stands in it, and what it quotes stays in its quotes.
func TestDays_TellsTheOwnerNothingUnseen(t *testing.T) {
	var said []string
	inBench(t, func(b *bench) {
		b.o.DeliverToOwner = func(_ context.Context, text string) error { said = append(said, text); return nil }
	}, func(b *bench) {
		b.says(reminds, modeltest.Say("该\u202e浇花\u202c了"))
		require.NoError(b, b.wake(timer(ofOwner)).Err)
		assert.Equal(b, []string{"该浇花了"}, said)
		b.sayErr = errors.New("retcode 1404")
		w := timer(ofAlice)
		w.Timer.Timer.Payload = "浇花」\n\u202e账号掉线了"
		require.ErrorIs(b, b.wake(w).Err, b.sayErr)
		assert.Equal(b, []string{"该在 qq:group:1 做的一件事没做成：「浇花』 账号掉线了」"}, b.told.all())
	})
}

func TestDays_TellsTheOwnerOfNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *bench)
		wake   schedule.Wake
		told   int
	}{
		"task":        {nil, task(ofAlice), 1},
		"unclear":     {func(b *bench) { b.sayErr = engine.ErrUnclear }, timer(ofAlice), 0},
		"quiet hours": {func(b *bench) { b.options.Attention.QuietHours.Spans = []heartflow.Span{{From: 0, To: 12 * time.Hour}} }, task(ofAlice), 0},
		"self":        {func(b *bench) { b.says(reminds, modeltest.HTTPError(400, "no")) }, timer(ofSelf), 0},
		"background":  {func(b *bench) { b.says(reviews, modeltest.HTTPError(400, "no")) }, review(ofGroup), 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBench(t, func(b *bench) {
				b.sayErr = errors.New("retcode 1404")
				b.says(reminds, modeltest.Say("该浇花了"))
				b.says(performs, modeltest.Say("写好了"))
				if c.change != nil {
					c.change(b)
				}
			}, func(b *bench) {
				assert.Error(b, b.wake(c.wake).Err)
				told := slices.DeleteFunc(b.told.all(), func(text string) bool { return !strings.Contains(text, "做的一件事没做成") })
				assert.Len(b, told, c.told) // that a send is unclear is told by the engine
			})
		})
	}
}

func TestDays_ArchiveEndsTheSession(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		elsewhere, err := b.engine.Chat(b.Context(), other)
		require.NoError(b, err)
		for _, c := range []*engine.Chat{b.chat, elsewhere} {
			require.NoError(b, b.notes(c.Space).SetScratch(b.Context(), time.Now(), c.Session, "草稿", "写了一半"))
			require.NoError(b, b.notes(c.Space).SetSlot(b.Context(), time.Now(), "要点", "爱喝茶"))
		}
		w := schedule.Wake{Kind: schedule.WakeArchive, Origin: ofGroup}
		require.NoError(b, b.wake(w).Err)
		for c, scratch := range map[*engine.Chat]int{b.chat: 0, elsewhere: 1} {
			notes, err := b.notes(c.Space).Scratch(b.Context(), time.Now(), c.Session)
			require.NoError(b, err)
			assert.Len(b, notes, scratch)
			slots, err := b.notes(c.Space).Slots(b.Context())
			require.NoError(b, err)
			assert.Len(b, slots, 1)
		}
		assert.Empty(b, b.model.Prompts())
	})
}

func TestDays_RemembersAMissedTask(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		w := task(ofAlice)
		w.Kind, w.Task.ID, w.Task.ScheduledAt = schedule.WakeOutdated, "s1", time.Now()
		require.NoError(b, b.wake(w).Err)
		w.Task.ID, w.Task.Result.Error = "s2", schedule.ErrorInterrupted
		require.NoError(b, b.wake(w).Err)
		assert.Len(b, b.asked(misses), 2)
		found := b.records(b.chat.Space, "task")
		require.Len(b, found, 2)
		assert.Equal(b, []string{"没赶上计划的事：写信", "计划的事做到一半被打断了：写信"}, []string{found[0].Text, found[1].Text})
		assert.Equal(b, alice.ID, found[0].Person)
	})
}

func TestDays_BackgroundSparesTheBudget(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.engine.Options.Attention.Budget.AddTokens(time.Now(), 150_000)
		assert.ErrorIs(b, b.wake(idle(ofOwner)).Err, engine.ErrOverBudget)
		assert.Empty(b, b.model.Prompts())
		assert.NoError(b, b.wake(timer(ofOwner)).Err)
		assert.Len(b, b.asked(reminds), 1, "what may speak is done")
	})
}

func TestDays_HeldWhileItSleeps(t *testing.T) {
	inBench(t, func(b *bench) { b.alive, b.o.Planner.BackgroundPerHour = true, -1 }, func(b *bench) {
		b.says(reminds, modeltest.Say("该浇花了"))
		b.setTimer(ofAlice, "10min")
		b.engine.Attention.Sleep(time.Now(), time.Now().Add(time.Hour))
		pass(59 * time.Minute)
		assert.Empty(b, b.model.Prompts())
		pass(3 * time.Minute)
		assert.Equal(b, []string{"qq:group:1 该浇花了"}, b.said.all())
		assert.Empty(b, b.days.timers.List(everyone))
	})
}

func TestDays_RunsAgainAfterAStop(t *testing.T) {
	inBench(t, func(b *bench) { b.alive, b.o.Planner.BackgroundPerHour = true, -1 }, func(b *bench) {
		b.says(reminds, modeltest.Hang(""))
		b.setTimer(ofAlice, "10min")
		pass(10*time.Minute + 30*time.Second)
		require.Len(b, b.asked(reminds), 1)
		b.stop()
		b.says(reminds, modeltest.Say("该浇花了"))
		b.start()
		pass(time.Hour)
		assert.Len(b, b.asked(reminds), 2)
		assert.Equal(b, []string{"qq:group:1 该浇花了"}, b.said.all())
		assert.Zero(b, len(b.told.all()))
	})
}

func TestDays_WritesDownWhatCameOfATask(t *testing.T) {
	inBench(t, func(b *bench) { b.alive, b.o.Planner.BackgroundPerHour = true, -1 }, func(b *bench) {
		b.says(performs, modeltest.Say("信写好了"))
		b.says(looksBack, modeltest.Say("写信花了一小时"))
		_, err := b.days.schedule.Add(b.Context(), time.Now(), schedule.Task{Title: "写信", Origin: ofAlice, ScheduledAt: time.Now().Add(time.Minute)})
		require.NoError(b, err)
		b.days.beat.Wake()
		pass(10 * time.Minute)
		assert.Equal(b, []string{"qq:group:1 信写好了"}, b.said.all())
		require.Len(b, b.asked(looksBack), 1)
		assert.Contains(b, b.asked(looksBack)[0].Human(), "信写好了")
		past := b.days.schedule.History()
		require.Len(b, past, 1)
		assert.Equal(b, "写信花了一小时", past[0].Reflection)
	})
}

func TestDays_CountsTalksItTakesPartIn(t *testing.T) {
	inBench(t, func(b *bench) { b.alive, b.o.Planner.BackgroundPerHour = true, -1 }, func(b *bench) {
		require.NoError(b, b.notes(b.chat.Space).SetScratch(b.Context(), time.Now(), b.chat.Session, "草稿", "写了一半"))
		archived := func() bool {
			pass(4 * time.Minute)
			notes, err := b.notes(b.chat.Space).Scratch(b.Context(), time.Now(), b.chat.Session)
			require.NoError(b, err)
			return len(notes) == 0
		}
		b.engine.Done(b.Context(), b.chat, engine.Done{})
		assert.False(b, archived())
		b.engine.Done(b.Context(), b.chat, engine.Done{Messages: 2})
		assert.True(b, archived(), "the talk is over after three minutes")
	})
}
