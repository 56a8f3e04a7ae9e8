package hfc

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// FuzzFlow plays any operations in any order, with a clock that is sometimes set back. No limit is exceeded, and no
// chat has two open questions. With silence everything ends. A restart at the end changes nothing.
func FuzzFlow(f *testing.F) {
	f.Add([]byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"), uint64(1))
	f.Add([]byte{0x00, 0x10, 0x01, 0x11, 0xf0, 0x01, 0x20, 0x02, 0x30, 0x40, 0x50}, uint64(2))
	f.Add([]byte{0x03, 0x03, 0x03, 0x03, 0x03, 0x03, 0x05, 0x05, 0x0a, 0x15, 0x25, 0x35, 0x45}, uint64(3))
	f.Fuzz(func(t *testing.T, ops []byte, seed uint64) {
		if len(ops) > 2000 {
			return
		}
		o := Options{Attention: heartflow.Options{Seed: max(seed, 1)}, AskFocus: seed%2 == 1, Drift: seed%3 == 1, Topics: []string{"空洞骑士"}}
		g := &fuzzed{Flow: newFlow[string](o), now: noon, steps: map[string]uint64{}, questions: map[string]uint64{}}
		for _, op := range ops {
			g.play(op)
			hold(t, g.Flow)
		}
		again(t, o, g.Flow)
		end := g.Flow.shared.now.Time(time.UTC).Add(2 * time.Hour)
		g.UnmuteAll(end)
		g.Wake(end)
		wind(t, g.Flow, end, NoReply)
		wind(t, g.Flow, end.Add(3*time.Hour), NoReply)
		hold(t, g.Flow)
		require.Empty(t, g.chats.byState[Focused])
		require.Empty(t, g.chats.byState[Chatting])
		require.LessOrEqual(t, len(g.chats.byKey), 4) // those muted without an end
	})
}

type fuzzed struct {
	*Flow[string]
	now       time.Time
	steps     map[string]uint64
	questions map[string]uint64
	observed  int
}

// play does one operation: the low half selects it, and the high half is its argument.
func (g *fuzzed) play(op byte) {
	arg := int(op >> 4)
	chat := fmt.Sprint(arg % 4)
	switch op & 15 {
	case 0:
		g.now = g.now.Add(time.Duration(arg) * 700 * time.Millisecond)
	case 1:
		g.now = g.now.Add(time.Duration(arg) * 50 * time.Second)
	case 2:
		g.now = g.now.Add(time.Duration(arg*arg) * time.Hour)
		if arg == 15 {
			g.now = noon.Add(-time.Hour)
		}
	case 3, 4:
		g.observed++
		g.Observe(g.now, chat, heartflow.Message{
			ID: fmt.Sprint(g.observed % 7), From: "7", Text: "空洞骑士，空洞骑士", AtMe: arg&4 != 0, Private: arg%4 == 3, Own: arg == 9,
		})
	case 5:
		g.Judge(g.now, chat)
	case 6:
		if g.Judge(g.now, chat).Do != heartflow.Silent {
			_ = g.Speak(g.now, chat, "空洞骑士")
		}
	case 7, 8:
		for _, e := range g.Due(g.now) {
			if e.Kind == QuestionAsked {
				g.questions[e.Chat] = e.Question.ID
			}
		}
	case 9:
		if step, ok := g.NextStep(g.now, chat); ok {
			g.steps[chat] = step.ID
		}
	case 10:
		action := append([]Action{"?"}, actions[:]...)[arg/4%6]
		g.FinishStep(g.now, chat, g.steps[chat], StepResult{Thought: "嗯", Plan: Plan{Action: action}})
	case 11:
		g.AnswerQuestion(g.now, chat, g.questions[chat], arg < 12)
	case 12:
		g.Retract(g.now, chat, fmt.Sprint(arg%7))
	case 13:
		switch arg % 5 {
		case 0:
			g.Sleep(g.now, g.now.Add(time.Duration(arg)*time.Minute))
		case 1:
			g.Wake(g.now)
		case 2:
			g.MuteAll(g.now, g.now.Add(time.Duration(arg)*time.Minute))
		case 3:
			g.UnmuteAll(g.now)
		default:
			g.Forget(chat)
		}
	case 14:
		if arg < 12 {
			g.Mute(g.now, chat, g.now.Add(time.Duration(arg)*time.Minute))
		} else {
			g.Mute(g.now, chat, time.Time{})
		}
	default:
		g.Unmute(g.now, chat)
	}
}

// again restarts f twice. The second restart gives the same snapshot as the first, and the invariants hold.
func again(t *testing.T, o Options, f *Flow[string]) {
	saved, err := f.Snapshot()
	require.NoError(t, err)
	for range 2 {
		g := newFlow[string](o)
		require.NoError(t, g.Restore(saved))
		hold(t, g)
		next, err := g.Snapshot()
		require.NoError(t, err)
		if f != nil {
			f, saved = nil, next
			continue
		}
		require.Equal(t, string(saved), string(next))
	}
}

// FuzzRestore restores arbitrary bytes. They are refused, or the flow works and its invariants hold.
func FuzzRestore(f *testing.F) {
	g := newFlow[string](Options{Attention: heartflow.Options{Seed: 1}, GlobalState: GlobalStateOptions{Fixed: FocusedChat}})
	g.Observe(noon, "p", heartflow.Message{ID: "1", From: "7", Private: true, Text: "在吗"})
	g.Observe(noon, "g", heartflow.Message{ID: "2", From: "7", Text: "在吗"})
	g.NextStep(noon, "p")
	g.Due(noon)
	saved, err := g.Snapshot()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(saved)
	f.Add([]byte(`{"Version":1,"Attention":{"Version":1,"Seed":1},"Flow":{"Dice":"","Chats":[{"Chat":"g","State":2}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		g := newFlow[string](Options{Attention: heartflow.Options{Seed: 1}})
		if g.Restore(b) != nil {
			require.Empty(t, g.chats.byKey)
			return
		}
		now := noon
		for _, chat := range []string{"p", "g"} {
			g.Observe(now, chat, heartflow.Message{From: "7", Text: "在吗", AtMe: true})
			g.Judge(now, chat)
			g.NextStep(now, chat)
		}
		g.Due(now)
		g.Next()
		hold(t, g)
		_, err := g.Snapshot()
		require.NoError(t, err)
	})
}
