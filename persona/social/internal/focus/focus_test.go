package focus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	friend = persona.Chat{Platform: "qq", Kind: persona.Private, ID: "1001"}
	group  = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
)

// A bench is a Focus over an engine of which the buffer alone runs, and attention.
type bench struct {
	*testing.T
	three   bool
	options engine.Options
	answers map[string]modeltest.Step // by task; "": of a turn that is one call
	refuse  error                     // of the platform
	mu      sync.Mutex
	tasks   []string // as the model was asked for them
	prompts map[string]string
	words   []string // that the platform was given
	log     bytes.Buffer
	ids     int
	engine  *engine.Engine
	focus   *Focus
	stop    func()
}

type link struct {
	engine.Link
	b *bench
}

func (l link) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	if l.b.refuse == nil {
		l.b.words = append(l.b.words, out.Text+out.Image)
	}
	return "", l.b.refuse
}

// Write keeps what is logged.
func (b *bench) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(line)
}

// inBench runs a test over a flow in its widest state.
func inBench(t *testing.T, change func(b *bench), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, answers: map[string]modeltest.Step{"": modeltest.Say("在的"), "想": modeltest.Say("想法"), "写": modeltest.Say("在的")}, prompts: map[string]string{}}
		b.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Link: link{b: b}, Model: modeltest.Func(b.answer), HFC: &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}},
			Attention: heartflow.Options{Seed: 7}, Logger: slog.New(slog.NewTextHandler(b, nil)),
		}
		if change != nil {
			change(b)
		}
		b.start()
		defer func() { b.stop() }()
		test(b)
	})
}

func (b *bench) answer(_ context.Context, p modeltest.Prompt) modeltest.Step {
	task := ""
	for _, name := range []string{"想", "决定", "写", "要不要看"} {
		if strings.Contains(p.Human(), "## 现在："+name+"\n") {
			task = name
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks, b.prompts[task] = append(b.tasks, task), p.Human()
	if step, ok := b.answers[task]; ok {
		return step
	}
	return modeltest.HTTPError(400, "no answer")
}

// says is what the model answers to a task from now on.
func (b *bench) says(task string, answer modeltest.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[task] = answer
}

// asked are the tasks, as the model was asked for them.
func (b *bench) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.tasks)
}

// prompt is what a task read the last time.
func (b *bench) prompt(task string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.prompts[task]
}

// said is what was said in chats.
func (b *bench) said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.words)
}

func (b *bench) logged() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

// start makes an engine, of which it runs what Focus needs until stop is called.
func (b *bench) start() {
	var err error
	b.engine, err = engine.New(b.options)
	require.NoError(b, err)
	b.focus = New(b.engine, b.three)
	b.engine.Focus = b.focus
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 3)
	go func() { over <- b.engine.Buffer.Run(ctx) }()
	go func() { over <- b.engine.Beat.Run(ctx, b.engine.Attention.Next, b.focus.Due) }()
	go func() { over <- b.focus.Part().Run(ctx) }()
	b.stop = func() {
		cancel()
		for range cap(over) {
			assert.NoError(b, <-over)
		}
		b.stop = func() {}
	}
}

func (b *bench) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// hear has somebody say something, which calls the bot where they are alone with it.
func (b *bench) hear(chat persona.Chat, text string) persona.Message {
	b.ids++
	now := time.Now()
	m := persona.Message{ID: fmt.Sprint(b.ids), Key: fmt.Sprintf("%d@%d", b.ids, now.Unix()), Chat: chat, From: "1001", At: now, Text: text}
	b.engine.Attention.Observe(now, chat, heartflow.Message{ID: m.ID, From: m.From, Text: text, At: now, Private: chat.Kind == persona.Private})
	b.engine.Beat.Wake()
	return m
}

// say has a friend say something, and waits until it was dealt with.
func (b *bench) say(text string) {
	b.engine.Buffer.AddUrgent(friend, engine.Incoming{Message: b.hear(friend, text), Called: true})
	b.pass(3 * time.Second)
}

// did are the actions of the last cycles, oldest first.
func (b *bench) did() (actions []hfc.Action) {
	for _, r := range b.focus.flow.Records(friend) {
		actions = append(actions, r.Plan.Action)
	}
	return actions
}

func inThree(b *bench) { b.three = true }

func plan(action hfc.Action) modeltest.Step {
	return modeltest.Say(fmt.Sprintf(`{"action": %q, "reasoning": "因为%[1]s", "emoji_query": "开心"}`, action))
}

// planning is a bench whose model thinks, plans this, and writes.
func planning(action hfc.Action) func(b *bench) {
	return func(b *bench) { b.three, b.answers["决定"] = true, plan(action) }
}

func TestFocus_OneCall(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.say("在吗")
		require.True(b, b.focus.On(friend))
		b.pass(time.Minute)
		assert.Equal(b, []string{"在的"}, b.said())
		assert.Equal(b, []hfc.Action{hfc.TextReply, hfc.NoReply}, b.did(), "it looks again, and has nothing to say")
		assert.Equal(b, []string{""}, b.asked(), "no model is asked about nothing new")
		b.says("", modeltest.Say(""))
		b.say("嗯")
		assert.Equal(b, []string{"", ""}, b.asked())
		assert.Len(b, b.said(), 1)
		assert.Equal(b, hfc.NoReply, b.did()[len(b.did())-1])
		b.pass(time.Hour)
		assert.False(b, b.focus.On(friend), "a bot that has nothing to say leaves")
		assert.Len(b, b.asked(), 2)
	})
}

func TestFocus_ThreeCalls(t *testing.T) {
	for action, want := range map[hfc.Action]struct {
		asked, said []string
		did         []hfc.Action
	}{
		hfc.TextReply:  {[]string{"想", "决定", "写"}, []string{"在的"}, []hfc.Action{hfc.TextReply}},
		hfc.NoReply:    {[]string{"想", "决定"}, nil, []hfc.Action{hfc.NoReply}},
		hfc.EmojiReply: {[]string{"想", "决定"}, nil, []hfc.Action{hfc.NoReply}}, // there are no stickers
		hfc.ExitFocus:  {[]string{"想", "决定"}, nil, []hfc.Action{hfc.ExitFocus}},
	} {
		inBench(t, planning(action), func(b *bench) {
			b.say("在吗")
			assert.Equal(b, want.asked, b.asked()[:len(want.asked)], action)
			assert.Equal(b, want.said, b.said()[:min(1, len(b.said()))], action)
			assert.Equal(b, want.did, b.did()[:1], action)
			assert.Equal(b, action != hfc.ExitFocus, b.focus.On(friend), action)
			assert.NotContains(b, b.prompt("决定"), "emoji_reply", "it is not offered")
			if action == hfc.TextReply {
				assert.Contains(b, b.prompt("写"), "因为text_reply")
				b.pass(time.Minute)
				assert.Contains(b, b.prompt("决定"), `<deed did="text_reply">因为text_reply</deed>`, "of the second cycle")
			}
		})
	}
}

// What was heard while no batch of it comes is answered in a turn of the cycle's own.
func TestFocus_LooksByItself(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.hear(friend, "在吗")
		b.pass(2 * time.Minute)
		assert.Equal(b, []string{""}, b.asked())
		assert.Equal(b, []string{"在的"}, b.said())
	})
}

// After some replies in a row the cycle withholds them, and no model is asked for one.
func TestFocus_RepliesAreWithheld(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		for range 8 {
			b.say("在吗")
		}
		replies := 0
		for _, r := range b.focus.flow.Records(friend) {
			if r.Plan.Action == hfc.TextReply {
				replies++
			}
		}
		assert.Less(b, replies, 8)
		assert.Len(b, b.asked(), replies)
		assert.Len(b, b.said(), replies)
	})
}

// Prompts name the last few deeds alone.
func TestFocus_Deeds(t *testing.T) {
	inBench(t, planning(hfc.NoReply), func(b *bench) {
		for range engine.DeedsKept + 2 {
			b.say("在吗")
		}
		assert.Greater(b, len(b.did()), engine.DeedsKept)
		assert.Equal(b, engine.DeedsKept, strings.Count(b.prompt("决定"), "<deed "))
	})
}

// stickers are a Delivery that has one sticker, and keeps what it is to say.
type stickers struct {
	engine.Delivery
	image string
	said  []engine.Answer
}

func (s *stickers) Say(ctx context.Context, u *engine.Utterance, taken int) error {
	s.said = append(s.said, u.Answer)
	return s.Delivery.Say(ctx, u, taken)
}

func (s *stickers) Stickers(context.Context) bool { return true }

func (s *stickers) Sticker(context.Context, string) string { return s.image }

func TestFocus_Stickers(t *testing.T) {
	for image, want := range map[string]struct {
		said []string
		did  hfc.Action
	}{
		"[一张图]": {[]string{"[一张图]"}, hfc.EmojiReply},
		"":      {nil, hfc.NoReply}, // none like that
	} {
		inBench(t, planning(hfc.EmojiReply), func(b *bench) {
			b.engine.Delivery = &stickers{Delivery: b.engine.Delivery, image: image}
			b.say("在吗")
			assert.Contains(b, b.prompt("决定"), "emoji_reply")
			assert.Equal(b, want.said, b.said()[:min(1, len(b.said()))])
			assert.Equal(b, want.did, b.did()[0])
			if image == "" {
				assert.Equal(b, errNoSticker.Error(), b.focus.flow.Records(friend)[0].Err)
			}
		})
	}
}

// Whether a text keeps the sticker of its plan is drawn by the cycle, and not once more.
func TestFocus_StickerOfAPlan(t *testing.T) {
	inBench(t, planning(hfc.TextReply), func(b *bench) {
		b.options.HFC.Cycle.StickerChance = 1
		b.stop()
		b.start()
		s := &stickers{Delivery: b.engine.Delivery}
		b.engine.Delivery = s
		b.say("在吗")
		require.NotEmpty(b, s.said)
		assert.True(b, s.said[0].Planned)
		assert.Equal(b, "开心", s.said[0].Feeling)
	})
	inBench(t, planning(hfc.TextReply), func(b *bench) {
		b.options.HFC.Cycle.StickerChance = -1
		b.stop()
		b.start()
		s := &stickers{Delivery: b.engine.Delivery}
		b.engine.Delivery = s
		b.say("在吗")
		require.NotEmpty(b, s.said)
		assert.True(b, s.said[0].Planned)
		assert.Empty(b, s.said[0].Feeling)
	})
}

// A step that fails makes the cycle a no_reply, which waits: it is not tried again at once.
func TestFocus_FailedStep(t *testing.T) {
	failed := modeltest.HTTPError(400, "no")
	for name, c := range map[string]struct {
		change func(b *bench)
		asked  int
	}{
		"one call": {func(b *bench) { b.answers[""] = failed }, 1},
		"thought":  {func(b *bench) { b.three, b.answers["想"] = true, failed }, 1},
		"plan":     {func(b *bench) { b.three, b.answers["决定"] = true, failed }, 2},
		"words":    {func(b *bench) { planning(hfc.TextReply)(b); b.answers["写"] = failed }, 3},
		"sending":  {func(b *bench) { planning(hfc.TextReply)(b); b.refuse = errors.New("refused") }, 3},
	} {
		inBench(t, c.change, func(b *bench) {
			b.say("在吗")
			b.pass(time.Minute)
			assert.Len(b, b.asked(), c.asked, name)
			assert.Empty(b, b.said(), name)
			records := b.focus.flow.Records(friend)
			if name == "sending" {
				assert.EqualValues(b, 1, b.engine.Stats().SendFailed)
			} else {
				assert.EqualValues(b, 1, b.engine.Stats().ModelFailed, name)
			}
			if assert.Len(b, records, 1, name) {
				assert.Equal(b, hfc.NoReply, records[0].Plan.Action, name)
				assert.NotEmpty(b, records[0].Err, name)
			}
		})
	}
}

// A plan that was being carried out when the bot stopped may have been said: it is not carried out again.
func TestFocus_PlanOfAnEarlierRun(t *testing.T) {
	inBench(t, planning(hfc.TextReply), func(b *bench) {
		b.hear(friend, "在吗")
		for _, kind := range []hfc.StepKind{hfc.Think, hfc.MakePlan, hfc.Act} {
			ask, ok := b.focus.flow.NextStep(time.Now(), friend)
			require.True(b, ok)
			require.Equal(b, kind, ask.Kind)
			if kind != hfc.Act {
				b.focus.flow.FinishStep(time.Now(), friend, ask.ID, hfc.StepResult{Thought: "想法", Plan: hfc.Plan{Action: hfc.TextReply}})
			}
		}
		saved, err := b.engine.Flow.Snapshot()
		require.NoError(b, err)
		b.stop()
		b.start()
		require.NoError(b, b.engine.Flow.Restore(saved))
		before := len(b.asked())
		b.engine.Beat.Wake()
		b.pass(2 * time.Minute)
		assert.Empty(b, b.said())
		assert.Len(b, b.asked(), before)
		require.Len(b, b.did(), 1)
		assert.Equal(b, hfc.NoReply, b.did()[0])
		b.say("还在吗")
		assert.Equal(b, []string{"在的"}, b.said(), "it goes on")
	})
}

// turn runs a turn in the chat with a friend, of which nothing is said.
func (b *bench) turn(ask func(ctx context.Context, t *engine.Turn) (engine.Answer, error), items ...persona.Message) engine.Result {
	b.Helper()
	c, err := b.engine.Chat(b.Context(), friend)
	require.NoError(b, err)
	now := time.Now()
	j := &engine.Job{Chat: c, Job: jobs.Job{ID: now.String(), Kind: "batch", Chat: friend, At: now, ExpiresAt: now.Add(time.Hour)}, Items: items, Answers: true, Ask: ask}
	j.Deliver = func(_ context.Context, _ *engine.Turn, _ *engine.Answer, err error) (string, error) { return "", err }
	r, err := b.engine.Do(b.Context(), j)
	if !errors.Is(err, buffer.ErrRetry) {
		require.NoError(b, err)
	}
	return r
}

// counting counts the steps that are asked for, and gives no more than most, so that a turn without an end ends.
func (b *bench) counting(most int) (steps *int) {
	steps = new(int)
	step := b.focus.step
	b.focus.step = func(now time.Time, chat persona.Chat) (hfc.Step, bool) {
		if *steps++; *steps > most {
			return hfc.Step{}, false
		}
		return step(now, chat)
	}
	return steps
}

// A turn that lost its ground takes no step any more: each would be given back, and wanted anew at once.
func TestFocus_LostTurn(t *testing.T) {
	for _, three := range []bool{false, true} {
		inBench(t, func(b *bench) { b.three = three }, func(b *bench) {
			m := b.hear(friend, "在吗")
			require.True(b, b.focus.On(friend))
			require.NoError(b, b.engine.Tombstones.Add(b.Context(), b.engine.Options.Store, time.Now(), engine.ChatDigest(friend)))
			steps := b.counting(1000)
			r := b.turn(b.focus.Ask, m)
			assert.ErrorIs(b, r.Err, engine.ErrRetracted)
			assert.Zero(b, *steps)
			assert.Empty(b, b.asked())
			assert.Empty(b, b.did(), "nothing is counted")
		})
	}
}

// A turn that loses its ground while a model thinks gives its step back: nothing is counted, and nothing waits.
func TestFocus_TurnIsLostInAStep(t *testing.T) {
	for _, three := range []bool{false, true} {
		inBench(t, func(b *bench) {
			planning(hfc.TextReply)(b)
			b.three = three
			b.answers[""], b.answers["想"] = modeltest.Say("在的").After(10*time.Second), modeltest.Say("想法").After(10*time.Second)
		}, func(b *bench) {
			b.say("在吗")
			require.Len(b, b.asked(), 1, "it is under way")
			require.NoError(b, b.engine.Tombstones.Add(b.Context(), b.engine.Options.Store, time.Now(), engine.ChatDigest(friend)))
			c, err := b.engine.Chat(b.Context(), friend)
			require.NoError(b, err)
			require.NoError(b, b.engine.Drain(b.Context(), c, func(persona.Message) bool { return true }))
			synctest.Wait()
			assert.Empty(b, b.did())
			assert.Empty(b, b.said())
			b.pass(time.Second)
			b.say("还在吗")
			b.pass(10 * time.Second)
			assert.NotEmpty(b, b.said(), "it goes on")
		})
	}
}

// A planner that answers again and again what is not allowed, and a cycle whose wait is over as soon as it begins, do not
// hold a turn for ever: it ends within a bound, as a no_reply, and says so once.
func TestFocus_TurnsAreBounded(t *testing.T) {
	for _, three := range []bool{false, true} {
		inBench(t, func(b *bench) {
			planning(hfc.EmojiReply)(b)
			b.three = three
			b.answers[""] = modeltest.Say("")
			b.options.HFC.Cycle.SilenceWait = time.Second
		}, func(b *bench) {
			m := b.hear(friend, "在吗")
			step := b.focus.step
			b.focus.step = func(_ time.Time, chat persona.Chat) (hfc.Step, bool) {
				time.Sleep(2 * time.Second) // between the end of a cycle and the next step the wait goes by
				return step(time.Now(), chat)
			}
			steps := b.counting(1000)
			r := b.turn(b.focus.Ask, m)
			assert.NoError(b, r.Err)
			assert.Empty(b, r.Text)
			assert.LessOrEqual(b, *steps, turnSteps+1)
			records := b.focus.flow.Records(friend)
			require.NotEmpty(b, records)
			for _, rec := range records {
				assert.Equal(b, hfc.NoReply, rec.Plan.Action)
			}
			assert.NotEmpty(b, records[len(records)-1].Err)
			assert.Equal(b, 1, strings.Count(b.logged(), "does not end"), b.logged())
			assert.True(b, b.focus.On(friend))
			_, open := b.focus.flow.NextStep(time.Now(), friend)
			assert.False(b, open, "it waits, and no step is left without an answer")
		})
	}
}

// A turn that quietly goes through one cycle says nothing of bounds.
func TestFocus_OneCycleIsWithinTheBound(t *testing.T) {
	inBench(t, planning(hfc.NoReply), func(b *bench) {
		b.say("在吗")
		b.pass(time.Hour)
		assert.Len(b, b.asked(), 6, "three cycles, a turn each")
		assert.NotContains(b, b.logged(), "does not end")
	})
}

func TestFocus_Rest(t *testing.T) {
	inBench(t, planning(hfc.TextReply), func(b *bench) {
		ctx, cancel := context.WithCancel(b.Context())
		began := time.Now()
		require.NoError(b, b.focus.Rest(ctx, friend), "a chat without a focus does not rest")
		assert.Equal(b, began, time.Now())

		b.options.HFC.Cycle.RestAfterAction = time.Hour
		b.stop()
		b.start()
		b.say("在吗")
		require.Equal(b, []hfc.Action{hfc.TextReply}, b.did())
		rest := b.focus.flow.RestTime(time.Now(), friend)
		require.NotZero(b, rest)
		began = time.Now()
		require.NoError(b, b.focus.Rest(ctx, friend))
		assert.Equal(b, rest, time.Since(began))

		b.stop()
		b.start()
		b.say("在吗")
		cancel()
		assert.ErrorIs(b, b.focus.Rest(ctx, friend), buffer.ErrRetry, "a stop ends it")
	})
}

// fill has a group talk until the flow asks whether to look at it.
func (b *bench) fill() {
	for _, text := range []string{"今天吃什么", "火锅吧", "好"} {
		b.hear(group, text)
		b.pass(20 * time.Second)
	}
	b.pass(2 * time.Minute)
}

func TestFocus_Judges(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *bench)
		looks  bool
		asks   bool
	}{
		"in one call":          {func(b *bench) {}, true, false},
		"the model wants to":   {func(b *bench) { b.three, b.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`) }, true, true},
		"the model does not":   {func(b *bench) { b.three, b.answers["要不要看"] = true, modeltest.Say(`{"decision": false}`) }, false, true},
		"the model is unclear": {func(b *bench) { b.three, b.answers["要不要看"] = true, modeltest.Say("好") }, false, true},
		"the model fails":      {inThree, false, true},
		"the model is too late": {func(b *bench) {
			b.three, b.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`).After(time.Hour)
		}, false, true},
	} {
		inBench(t, c.change, func(b *bench) {
			b.fill()
			assert.Equal(b, c.looks, b.focus.flow.ChatState(time.Now(), group) == hfc.Chatting, name)
			assert.Equal(b, c.asks, slices.Contains(b.asked(), "要不要看"), name)
			assert.Equal(b, name == "the model is unclear" || name == "the model fails" || name == "the model is too late", strings.Contains(b.logged(), "could not be judged"), name)
		})
	}
}

// A question that has expired is answered already: no model works on it any longer.
func TestFocus_JudgesUntilTheQuestionExpires(t *testing.T) {
	inBench(t, func(b *bench) {
		b.three, b.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`).After(time.Hour)
	}, func(b *bench) {
		began := time.Now()
		_, err := b.focus.consider(b.Context(), hfc.Effect[persona.Chat]{Kind: hfc.QuestionAsked, Chat: group, Question: hfc.Question{Expires: began.Add(5 * time.Second)}})
		assert.ErrorIs(b, err, context.DeadlineExceeded)
		assert.Equal(b, 5*time.Second, time.Since(began))
	})
}

// What is left of a budget is for answers.
func TestFocus_JudgesWithinTheBudget(t *testing.T) {
	inBench(t, func(b *bench) { b.three, b.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`) }, func(b *bench) {
		q := hfc.Effect[persona.Chat]{Kind: hfc.QuestionAsked, Chat: group, Question: hfc.Question{Expires: time.Now().Add(time.Minute)}}
		yes, err := b.focus.consider(b.Context(), q)
		require.NoError(b, err)
		assert.True(b, yes)
		b.engine.Options.Attention.Budget.AddTokens(time.Now(), 150_000)
		yes, err = b.focus.consider(b.Context(), q)
		require.NoError(b, err)
		assert.False(b, yes)
		assert.Len(b, b.asked(), 1)
	})
}

// Questions that nobody has come to do not hold up attention.
func TestFocus_TooManyQuestions(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.stop()
		for range cap(b.focus.questions) {
			b.focus.questions <- hfc.Effect[persona.Chat]{}
		}
		for _, text := range []string{"今天吃什么", "火锅吧"} {
			b.hear(group, text)
		}
		b.pass(2 * time.Minute)
		b.focus.Due(time.Now())
		assert.Contains(b, b.logged(), "too many questions")
		assert.Len(b, b.focus.questions, cap(b.focus.questions))
	})
}
