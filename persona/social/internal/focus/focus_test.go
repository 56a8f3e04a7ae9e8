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
	"github.com/hearth-bot/hearth/memory"
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

// A fixture is a Focus on an engine of which only the buffer and attention run.
type fixture struct {
	*testing.T
	threeCalls bool
	options    engine.Options
	answers    map[string]modeltest.Step // by task; "" is a turn with a single call
	sendErr    error                     // returned by Send
	mu         sync.Mutex
	tasks      []string // of model calls, in order
	prompts    map[string]string
	texts      []string // sent
	log        bytes.Buffer
	ids        int
	engine     *engine.Engine
	focus      *Focus
	stop       func()
}

type link struct {
	engine.Link
	b *fixture
}

func (l link) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	if l.b.sendErr == nil {
		l.b.texts = append(l.b.texts, out.Text+out.Image)
	}
	return "", l.b.sendErr
}

// Write records log lines.
func (f *fixture) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Write(line)
}

// withFixture runs a test with a flow whose limits are wide.
func withFixture(t *testing.T, change func(f *fixture), test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, answers: map[string]modeltest.Step{"": modeltest.Say("在的"), "想": modeltest.Say("想法"), "写": modeltest.Say("在的")}, prompts: map[string]string{}}
		f.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Link: link{b: f}, Model: modeltest.Func(f.answer), HFC: &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}},
			Attention: heartflow.Options{Seed: 7}, Logger: slog.New(slog.NewTextHandler(f, nil)),
		}
		if change != nil {
			change(f)
		}
		f.start()
		defer func() { f.stop() }()
		test(f)
	})
}

func (f *fixture) answer(_ context.Context, p modeltest.Prompt) modeltest.Step {
	task := ""
	for _, name := range []string{"想", "决定", "写", "要不要看", "要不要专心聊"} {
		if strings.Contains(p.Human(), "## 现在："+name+"\n") {
			task = name
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks, f.prompts[task] = append(f.tasks, task), p.Human()
	if step, ok := f.answers[task]; ok {
		return step
	}
	return modeltest.HTTPError(400, "no answer")
}

// setAnswer sets the model's answer to a task.
func (f *fixture) setAnswer(task string, answer modeltest.Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[task] = answer
}

// asked returns the tasks of the model calls in order.
func (f *fixture) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.tasks)
}

// prompt returns the last prompt of a task.
func (f *fixture) prompt(task string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.prompts[task]
}

// sent returns the sent texts.
func (f *fixture) sent() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.texts)
}

func (f *fixture) logged() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.String()
}

// start starts the parts of an engine that Focus needs, until stop is called.
func (f *fixture) start() {
	var err error
	f.engine, err = engine.New(f.options)
	require.NoError(f, err)
	f.focus = New(f.engine, f.threeCalls)
	f.engine.Focus = f.focus
	ctx, cancel := context.WithCancel(f.Context())
	over := make(chan error, 3)
	go func() { over <- f.engine.Buffer.Run(ctx) }()
	go func() { over <- f.engine.AttentionLoop.Run(ctx, f.engine.Attention.Next, f.focus.Due) }()
	go func() { over <- f.focus.Part().Run(ctx) }()
	f.stop = func() {
		cancel()
		for range cap(over) {
			assert.NoError(f, <-over)
		}
		f.stop = func() {}
	}
}

func (f *fixture) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// receive adds a message. In private chats it addresses the bot.
func (f *fixture) receive(chat persona.Chat, text string) persona.Message {
	f.ids++
	now := time.Now()
	m := persona.Message{ID: fmt.Sprint(f.ids), Key: fmt.Sprintf("%d@%d", f.ids, now.Unix()), Chat: chat, From: "1001", At: now, Text: text}
	f.engine.Attention.Observe(now, chat, heartflow.Message{ID: m.ID, From: m.From, Text: text, At: now, Private: chat.Kind == persona.Private})
	f.engine.AttentionLoop.Wake()
	return m
}

// say receives a message from a friend and waits until it is handled.
func (f *fixture) say(text string) {
	f.engine.Buffer.AddUrgent(friend, engine.Incoming{Message: f.receive(friend, text), Called: true})
	f.advance(3 * time.Second)
}

// actions returns the actions of the last cycles, oldest first.
func (f *fixture) actions() (actions []hfc.Action) {
	for _, r := range f.focus.flow.Records(friend) {
		actions = append(actions, r.Plan.Action)
	}
	return actions
}

func threeCalls(f *fixture) { f.threeCalls = true }

func plan(action hfc.Action) modeltest.Step {
	return modeltest.Say(fmt.Sprintf(`{"action": %q, "reasoning": "因为%[1]s", "emoji_query": "开心"}`, action))
}

// planning sets answers for a thought, this plan, and a text.
func planning(action hfc.Action) func(f *fixture) {
	return func(f *fixture) { f.threeCalls, f.answers["决定"] = true, plan(action) }
}

func TestFocus_OneCall(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.say("在吗")
		require.True(f, f.focus.IsFocused(friend))
		f.advance(time.Minute)
		assert.Equal(f, []string{"在的"}, f.sent())
		assert.Equal(f, []hfc.Action{hfc.TextReply, hfc.NoReply}, f.actions(), "the second cycle stays silent")
		assert.Equal(f, []string{""}, f.asked(), "without new messages no model is asked")
		f.setAnswer("", modeltest.Say(""))
		f.say("嗯")
		assert.Equal(f, []string{"", ""}, f.asked())
		assert.Len(f, f.sent(), 1)
		assert.Equal(f, hfc.NoReply, f.actions()[len(f.actions())-1])
		f.advance(time.Hour)
		assert.False(f, f.focus.IsFocused(friend), "a silent bot leaves focus")
		assert.Len(f, f.asked(), 2)
	})
}

func TestFocus_ThreeCalls(t *testing.T) {
	for action, want := range map[hfc.Action]struct {
		asked, said []string
		did         []hfc.Action
	}{
		hfc.TextReply:  {[]string{"想", "决定", "写"}, []string{"在的"}, []hfc.Action{hfc.TextReply}},
		hfc.NoReply:    {[]string{"想", "决定"}, nil, []hfc.Action{hfc.NoReply}},
		hfc.EmojiReply: {[]string{"想", "决定"}, nil, []hfc.Action{hfc.NoReply}}, // without stickers
		hfc.ExitFocus:  {[]string{"想", "决定"}, nil, []hfc.Action{hfc.ExitFocus}},
	} {
		withFixture(t, planning(action), func(f *fixture) {
			f.say("在吗")
			assert.Equal(f, want.asked, f.asked()[:len(want.asked)], action)
			assert.Equal(f, want.said, f.sent()[:min(1, len(f.sent()))], action)
			assert.Equal(f, want.did, f.actions()[:1], action)
			assert.Equal(f, action != hfc.ExitFocus, f.focus.IsFocused(friend), action)
			assert.NotContains(f, f.prompt("决定"), "emoji_reply", "the action is not offered")
			if action == hfc.TextReply {
				assert.Contains(f, f.prompt("写"), "因为text_reply")
				f.advance(time.Minute)
				assert.Contains(f, f.prompt("决定"), `<deed did="text_reply">因为text_reply</deed>`, "prompt of the second cycle")
			}
		})
	}
}

// Messages that no batch brings are answered in a turn that the cycle requests.
func TestFocus_TurnRequestedByCycle(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.receive(friend, "在吗")
		f.advance(2 * time.Minute)
		assert.Equal(f, []string{""}, f.asked())
		assert.Equal(f, []string{"在的"}, f.sent())
	})
}

// After some replies in a row the cycle disallows replies and asks no model for one.
func TestFocus_RepliesDisallowed(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		for range 8 {
			f.say("在吗")
		}
		replies := 0
		for _, r := range f.focus.flow.Records(friend) {
			if r.Plan.Action == hfc.TextReply {
				replies++
			}
		}
		assert.Less(f, replies, 8)
		assert.Len(f, f.asked(), replies)
		assert.Len(f, f.sent(), replies)
	})
}

// Prompts name the latest actions only.
func TestFocus_PastActions(t *testing.T) {
	withFixture(t, planning(hfc.NoReply), func(f *fixture) {
		for range engine.MaxActions + 2 {
			f.say("在吗")
		}
		assert.Greater(f, len(f.actions()), engine.MaxActions)
		assert.Equal(f, engine.MaxActions, strings.Count(f.prompt("决定"), "<deed "))
	})
}

// stickers is a Delivery with one sticker that records utterances.
type stickers struct {
	engine.Delivery
	image string
	said  []engine.Answer
}

func (s *stickers) Deliver(ctx context.Context, u *engine.Utterance, taken int) error {
	s.said = append(s.said, u.Answer)
	return s.Delivery.Deliver(ctx, u, taken)
}

func (s *stickers) HasStickers(context.Context) bool { return true }

func (s *stickers) PickSticker(context.Context, string) string { return s.image }

func TestFocus_Stickers(t *testing.T) {
	for image, want := range map[string]struct {
		said []string
		did  hfc.Action
	}{
		"[一张图]": {[]string{"[一张图]"}, hfc.EmojiReply},
		"":      {nil, hfc.NoReply}, // no sticker matches
	} {
		withFixture(t, planning(hfc.EmojiReply), func(f *fixture) {
			f.engine.Delivery = &stickers{Delivery: f.engine.Delivery, image: image}
			f.say("在吗")
			assert.Contains(f, f.prompt("决定"), "emoji_reply")
			assert.Equal(f, want.said, f.sent()[:min(1, len(f.sent()))])
			assert.Equal(f, want.did, f.actions()[0])
			if image == "" {
				assert.Equal(f, errNoSticker.Error(), f.focus.flow.Records(friend)[0].Err)
			}
		})
	}
}

// The cycle draws whether a text keeps its planned sticker. Delivery does not draw again.
func TestFocus_PlannedSticker(t *testing.T) {
	withFixture(t, planning(hfc.TextReply), func(f *fixture) {
		f.options.HFC.Cycle.StickerChance = 1
		f.stop()
		f.start()
		s := &stickers{Delivery: f.engine.Delivery}
		f.engine.Delivery = s
		f.say("在吗")
		require.NotEmpty(f, s.said)
		assert.True(f, s.said[0].StickerPlanned)
		assert.Equal(f, "开心", s.said[0].StickerQuery)
	})
	withFixture(t, planning(hfc.TextReply), func(f *fixture) {
		f.options.HFC.Cycle.StickerChance = -1
		f.stop()
		f.start()
		s := &stickers{Delivery: f.engine.Delivery}
		f.engine.Delivery = s
		f.say("在吗")
		require.NotEmpty(f, s.said)
		assert.True(f, s.said[0].StickerPlanned)
		assert.Empty(f, s.said[0].StickerQuery)
	})
}

// A failed step ends the cycle as no_reply with its pause; it is not retried at once.
func TestFocus_FailedStep(t *testing.T) {
	failed := modeltest.HTTPError(400, "no")
	for name, c := range map[string]struct {
		change func(f *fixture)
		asked  int
	}{
		"one call": {func(f *fixture) { f.answers[""] = failed }, 1},
		"thought":  {func(f *fixture) { f.threeCalls, f.answers["想"] = true, failed }, 1},
		"plan":     {func(f *fixture) { f.threeCalls, f.answers["决定"] = true, failed }, 2},
		"words":    {func(f *fixture) { planning(hfc.TextReply)(f); f.answers["写"] = failed }, 3},
		"sending":  {func(f *fixture) { planning(hfc.TextReply)(f); f.sendErr = errors.New("refused") }, 3},
	} {
		withFixture(t, c.change, func(f *fixture) {
			f.say("在吗")
			f.advance(time.Minute)
			assert.Len(f, f.asked(), c.asked, name)
			assert.Empty(f, f.sent(), name)
			records := f.focus.flow.Records(friend)
			if name == "sending" {
				assert.EqualValues(f, 1, f.engine.Stats().SendFailed)
			} else {
				assert.EqualValues(f, 1, f.engine.Stats().ModelFailed, name)
			}
			if assert.Len(f, records, 1, name) {
				assert.Equal(f, hfc.NoReply, records[0].Plan.Action, name)
				assert.NotEmpty(f, records[0].Err, name)
			}
		})
	}
}

// The reply of an interrupted plan may have been sent: it is not sent again.
func TestFocus_PlanBeforeRestart(t *testing.T) {
	withFixture(t, planning(hfc.TextReply), func(f *fixture) {
		f.receive(friend, "在吗")
		for _, kind := range []hfc.StepKind{hfc.Think, hfc.MakePlan, hfc.Act} {
			ask, ok := f.focus.flow.NextStep(time.Now(), friend)
			require.True(f, ok)
			require.Equal(f, kind, ask.Kind)
			if kind != hfc.Act {
				f.focus.flow.FinishStep(time.Now(), friend, ask.ID, hfc.StepResult{Thought: "想法", Plan: hfc.Plan{Action: hfc.TextReply}})
			}
		}
		saved, err := f.engine.Flow.Snapshot()
		require.NoError(f, err)
		f.stop()
		f.start()
		require.NoError(f, f.engine.Flow.Restore(saved))
		before := len(f.asked())
		f.engine.AttentionLoop.Wake()
		f.advance(2 * time.Minute)
		assert.Empty(f, f.sent())
		assert.Len(f, f.asked(), before)
		require.Len(f, f.actions(), 1)
		assert.Equal(f, hfc.NoReply, f.actions()[0])
		f.say("还在吗")
		assert.Equal(f, []string{"在的"}, f.sent(), "the next turn replies")
	})
}

// turn runs a turn in a private chat. It sends nothing.
func (f *fixture) turn(ask func(ctx context.Context, t *engine.Turn) (engine.Answer, error), items ...persona.Message) engine.Result {
	f.Helper()
	c, err := f.engine.Chat(f.Context(), friend)
	require.NoError(f, err)
	now := time.Now()
	j := &engine.Job{Chat: c, Job: jobs.Job{ID: now.String(), Kind: "batch", Chat: friend, At: now, ExpiresAt: now.Add(time.Hour)}, Items: items, Supersedable: true, Ask: ask}
	j.Deliver = func(_ context.Context, _ *engine.Turn, _ *engine.Answer, err error) (string, error) { return "", err }
	r, err := f.engine.Do(f.Context(), j)
	if !errors.Is(err, buffer.ErrRetry) {
		require.NoError(f, err)
	}
	return r
}

// countSteps counts requested steps and stops after most steps, so that an endless turn ends.
func (f *fixture) countSteps(most int) (steps *int) {
	steps = new(int)
	step := f.focus.nextStep
	f.focus.nextStep = func(now time.Time, chat persona.Chat) (hfc.Step, bool) {
		if *steps++; *steps > most {
			return hfc.Step{}, false
		}
		return step(now, chat)
	}
	return steps
}

// A cancelled turn takes no more steps: the flow would request each of them again at once.
func TestFocus_CancelledTurn(t *testing.T) {
	for _, three := range []bool{false, true} {
		withFixture(t, func(f *fixture) { f.threeCalls = three }, func(f *fixture) {
			m := f.receive(friend, "在吗")
			require.True(f, f.focus.IsFocused(friend))
			require.NoError(f, f.engine.Tombstones.Add(f.Context(), f.engine.Options.Store, time.Now(), engine.ChatHash(friend)))
			steps := f.countSteps(1000)
			r := f.turn(f.focus.Ask, m)
			assert.ErrorIs(f, r.Err, engine.ErrRetracted)
			assert.Zero(f, *steps)
			assert.Empty(f, f.asked())
			assert.Empty(f, f.actions(), "nothing is counted")
		})
	}
}

// A turn that is cancelled during a model call withdraws its step: nothing is counted and there is no pause.
func TestFocus_TurnCancelledDuringStep(t *testing.T) {
	for _, three := range []bool{false, true} {
		withFixture(t, func(f *fixture) {
			planning(hfc.TextReply)(f)
			f.threeCalls = three
			f.answers[""], f.answers["想"] = modeltest.Say("在的").After(10*time.Second), modeltest.Say("想法").After(10*time.Second)
		}, func(f *fixture) {
			f.say("在吗")
			require.Len(f, f.asked(), 1, "the call is running")
			require.NoError(f, f.engine.Tombstones.Add(f.Context(), f.engine.Options.Store, time.Now(), engine.ChatHash(friend)))
			c, err := f.engine.Chat(f.Context(), friend)
			require.NoError(f, err)
			require.NoError(f, f.engine.Drain(f.Context(), c, func(persona.Message) bool { return true }))
			synctest.Wait()
			assert.Empty(f, f.actions())
			assert.Empty(f, f.sent())
			f.advance(time.Second)
			f.say("还在吗")
			f.advance(10 * time.Second)
			assert.NotEmpty(f, f.sent(), "the next turn replies")
		})
	}
}

// A planner that keeps choosing disallowed actions, and a cycle whose pause is over at once, cannot keep a turn
// running: it ends after maxSteps as no_reply and logs this once.
func TestFocus_MaxSteps(t *testing.T) {
	for _, three := range []bool{false, true} {
		withFixture(t, func(f *fixture) {
			planning(hfc.EmojiReply)(f)
			f.threeCalls = three
			f.answers[""] = modeltest.Say("")
			f.options.HFC.Cycle.SilenceWait = time.Second
		}, func(f *fixture) {
			m := f.receive(friend, "在吗")
			step := f.focus.nextStep
			f.focus.nextStep = func(_ time.Time, chat persona.Chat) (hfc.Step, bool) {
				time.Sleep(2 * time.Second) // the pause passes between the end of a cycle and its next step
				return step(time.Now(), chat)
			}
			steps := f.countSteps(1000)
			r := f.turn(f.focus.Ask, m)
			assert.NoError(f, r.Err)
			assert.Empty(f, r.Text)
			assert.LessOrEqual(f, *steps, maxSteps+1)
			records := f.focus.flow.Records(friend)
			require.NotEmpty(f, records)
			for _, rec := range records {
				assert.Equal(f, hfc.NoReply, rec.Plan.Action)
			}
			assert.NotEmpty(f, records[len(records)-1].Err)
			assert.Equal(f, 1, strings.Count(f.logged(), "too many steps"), f.logged())
			assert.True(f, f.focus.IsFocused(friend))
			_, open := f.focus.flow.NextStep(time.Now(), friend)
			assert.False(f, open, "every step was finished")
		})
	}
}

// A turn with one normal cycle does not log a limit.
func TestFocus_OneCycleWithinMaxSteps(t *testing.T) {
	withFixture(t, planning(hfc.NoReply), func(f *fixture) {
		f.say("在吗")
		f.advance(time.Hour)
		assert.Len(f, f.asked(), 6, "three cycles of one turn each")
		assert.NotContains(f, f.logged(), "too many steps")
	})
}

func TestFocus_Rest(t *testing.T) {
	withFixture(t, planning(hfc.TextReply), func(f *fixture) {
		ctx, cancel := context.WithCancel(f.Context())
		began := time.Now()
		require.NoError(f, f.focus.AwaitPause(ctx, friend), "an unfocused chat has no pause")
		assert.Equal(f, began, time.Now())

		f.options.HFC.Cycle.RestAfterAction = time.Hour
		f.stop()
		f.start()
		f.say("在吗")
		require.Equal(f, []hfc.Action{hfc.TextReply}, f.actions())
		rest := f.focus.flow.RestTime(time.Now(), friend)
		require.NotZero(f, rest)
		began = time.Now()
		require.NoError(f, f.focus.AwaitPause(ctx, friend))
		assert.Equal(f, rest, time.Since(began))

		f.stop()
		f.start()
		f.say("在吗")
		cancel()
		assert.ErrorIs(f, f.focus.AwaitPause(ctx, friend), buffer.ErrRetry, "ctx ends the wait")
	})
}

// fill adds group messages until the flow asks whether to look.
func (f *fixture) fill() {
	for _, text := range []string{"今天吃什么", "火锅吧", "好"} {
		f.receive(group, text)
		f.advance(20 * time.Second)
	}
	f.advance(2 * time.Minute)
}

// interested makes every message interesting, but no chat focused.
func interested(f *fixture) {
	f.options.HFC.Interest.Rise = 1e-9
	f.options.HFC.MessageInterest = func(string, heartflow.Message, bool) float64 { return 15 }
}

// With a single call a rule answers whether to take part: by interest and energy, without a model.
func TestFocus_JoinsByInterest(t *testing.T) {
	withFixture(t, func(f *fixture) { f.options.Attention.Energy.ReplyCost = .6 }, func(f *fixture) {
		joins := func(interest float64) (share float64) {
			const n = 4000
			for i := range uint64(n) {
				yes, reason, err := f.focus.judge(f.Context(), hfc.Effect[persona.Chat]{Chat: group, At: time.Now(), Question: hfc.Question{
					ID: i, Chat: group.String(), To: hfc.Chatting, Interest: interest, Expires: time.Now().Add(time.Minute),
				}})
				require.NoError(f, err)
				assert.Empty(f, reason)
				if yes {
					share += 1. / n
				}
			}
			return share
		}
		assert.InDelta(f, .25, joins(0), .03)
		assert.InDelta(f, .625, joins(1.75), .03)
		assert.InDelta(f, 1, joins(3.5), 1e-9)
		f.engine.Attention.BeginTurn(time.Now(), group, hfc.WhyWilling)
		require.NoError(f, f.engine.Attention.Speak(time.Now(), group, "来了"))
		require.InDelta(f, .4, f.engine.Attention.Energy(time.Now(), group), 1e-9)
		assert.InDelta(f, .7, joins(15), .03)
		assert.Empty(f, f.asked(), "no model")
	})
}

// With AskFocus a model is asked whether to focus, also with a single call, by a question of its own.
func TestFocus_AsksBeforeFocus(t *testing.T) {
	for name, c := range map[string]struct {
		three   bool
		says    string
		focuses bool
	}{
		"one call, yes":    {false, `{"decision": true, "reason": "聊到猫了"}`, true},
		"one call, no":     {false, `{"decision": false, "reason": "没我的事"}`, false},
		"three calls, yes": {true, `{"decision": true, "reason": "聊到猫了"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, func(f *fixture) {
				interested(f)
				f.options.HFC.Interest.Rise, f.options.HFC.AskFocus = 1, true
				f.options.Attention.KeepTraces = 20
				f.threeCalls = c.three
				f.setAnswer("要不要专心聊", modeltest.Say(c.says))
				f.setAnswer("要不要看", modeltest.Say(`{"decision": false}`))
			}, func(f *fixture) {
				m := f.receive(group, "猫上屋顶了")
				require.NoError(f, f.engine.Memory.Put(f.Context(), memory.Record{ID: m.Key, Space: memory.Space(group.String()), Kind: memory.KindMessage, Text: m.Text, Person: m.From, At: m.At}))
				f.advance(20 * time.Second)
				assert.Equal(f, c.focuses, f.focus.flow.ChatState(time.Now(), group) == hfc.Focused)
				asked := f.prompt("要不要专心聊")
				_, recent, _ := strings.Cut(asked, "<recent_messages>")
				assert.Contains(f, recent, "猫上屋顶了", "the waiting messages are those to read")
				assert.Regexp(f, `<attention global_state="focused_chat" chat_state="(absent|chat)" interest="1.00"/>`, asked)
				assert.Regexp(f, `<mood energy="[01]\.\d\d">`, asked)
				reasons := ""
				for _, tr := range f.engine.Traces(group) {
					if tr.Kind == heartflow.KindPlan {
						reasons += tr.Text
					}
				}
				assert.Contains(f, reasons, map[bool]string{true: "聊到猫了", false: "没我的事"}[c.focuses])
			})
		})
	}
}

// Each change of a state of a chat, and of the global state, is logged.
func TestFocus_LogsChanges(t *testing.T) {
	withFixture(t, func(f *fixture) { f.options.HFC.GlobalState.Fixed = hfc.Offline }, func(f *fixture) {
		for range 40 {
			f.say("在吗")
			f.advance(15 * time.Minute)
		}
		assert.Regexp(f, `level=INFO msg="the global state changed" from=\w+ to=\w+ why=\w+`, f.logged())
		assert.Regexp(f, `level=INFO msg="the state of a chat changed" chat=qq:private:1001 from=absent to=focused why=private_talk`, f.logged())
	})
}

func TestFocus_AnswersQuestions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture)
		looks  bool
		asks   bool
	}{
		"in one call":          {interested, true, false},
		"the model wants to":   {func(f *fixture) { f.threeCalls, f.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`) }, true, true},
		"the model does not":   {func(f *fixture) { f.threeCalls, f.answers["要不要看"] = true, modeltest.Say(`{"decision": false}`) }, false, true},
		"the model is unclear": {func(f *fixture) { f.threeCalls, f.answers["要不要看"] = true, modeltest.Say("好") }, false, true},
		"the model fails":      {threeCalls, false, true},
		"the model is too late": {func(f *fixture) {
			f.threeCalls, f.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`).After(time.Hour)
		}, false, true},
	} {
		withFixture(t, c.change, func(f *fixture) {
			f.fill()
			assert.Equal(f, c.looks, f.focus.flow.ChatState(time.Now(), group) == hfc.Chatting, name)
			assert.Equal(f, c.asks, slices.Contains(f.asked(), "要不要看"), name)
			assert.Equal(f, name == "the model is unclear" || name == "the model fails" || name == "the model is too late", strings.Contains(f.logged(), "could not judge"), name)
		})
	}
}

// The model call for a question ends when the question expires.
func TestFocus_QuestionExpires(t *testing.T) {
	withFixture(t, func(f *fixture) {
		f.threeCalls, f.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`).After(time.Hour)
	}, func(f *fixture) {
		began := time.Now()
		_, _, err := f.focus.judge(f.Context(), hfc.Effect[persona.Chat]{Kind: hfc.QuestionAsked, Chat: group, Question: hfc.Question{Expires: began.Add(5 * time.Second)}})
		assert.ErrorIs(f, err, context.DeadlineExceeded)
		assert.Equal(f, 5*time.Second, time.Since(began))
	})
}

// Above the budget's limit no judge is asked.
func TestFocus_QuestionOverBudget(t *testing.T) {
	withFixture(t, func(f *fixture) { f.threeCalls, f.answers["要不要看"] = true, modeltest.Say(`{"decision": true}`) }, func(f *fixture) {
		q := hfc.Effect[persona.Chat]{Kind: hfc.QuestionAsked, Chat: group, Question: hfc.Question{Expires: time.Now().Add(time.Minute)}}
		yes, _, err := f.focus.judge(f.Context(), q)
		require.NoError(f, err)
		assert.True(f, yes)
		f.engine.Options.Attention.Budget.AddTokens(time.Now(), heartflow.DefaultHourTokens*3/4)
		yes, _, err = f.focus.judge(f.Context(), q)
		require.NoError(f, err)
		assert.False(f, yes)
		assert.Len(f, f.asked(), 1)
	})
}

// Unanswered questions do not block attention.
func TestFocus_TooManyQuestions(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.stop()
		for range cap(f.focus.questions) {
			f.focus.questions <- hfc.Effect[persona.Chat]{}
		}
		for _, text := range []string{"今天吃什么", "火锅吧"} {
			f.receive(group, text)
		}
		f.advance(2 * time.Minute)
		f.focus.Due(time.Now())
		assert.Contains(f, f.logged(), "too many unanswered questions")
		assert.Len(f, f.focus.questions, cap(f.focus.questions))
	})
}
