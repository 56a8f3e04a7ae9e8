package heartflow

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func at(d time.Duration) time.Time { return t0.Add(d) }

func TestObserve_AddressingMessages(t *testing.T) {
	for _, c := range []struct {
		m    Message
		want []Code
	}{
		{Message{Private: true}, []Code{WhyPrivate}},
		{Message{AtMe: true, ReplyToMe: true, Text: "小炉"}, []Code{WhyMentioned, WhyRepliedTo}},
		{Message{Text: "小炉，喂喂，有猫"}, []Code{WhyNamed, WhyWakeWord, WhyKeyword}},
		{Message{Text: "大家好"}, nil},
		{Message{Own: true, AtMe: true, Text: "小炉"}, nil},
		{Message{AtMe: true, At: at(-2 * time.Minute)}, []Code{WhyMentioned}},
		{Message{AtMe: true, At: at(-2*time.Minute - 1)}, nil},
		{Message{AtMe: true, At: at(time.Hour)}, []Code{WhyMentioned}}, // the author's clock is fast
	} {
		a := newAttention[int](Options{Names: []string{"小炉"}, WakeWords: []string{"喂喂"}, Keywords: []string{"猫"}})
		assert.Equal(t, c.want != nil, a.Observe(t0, 1, c.m).Addressed, "%+v", c.m)
		v := a.Judge(t0, 1)
		assert.Equal(t, c.want != nil, v.Addressed)
		if c.want != nil {
			assert.Equal(t, Verdict{Do: Ask, Score: 1, Why: c.want, Addressed: true, Called: true, State: Addressed}, v)
		}
	}
}

func TestObserve_OldMessageResetsNoCap(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}})
	a.Judge(t0, 1)
	for range 3 {
		require.NoError(t, a.Speak(t0, 1, "嗯"))
	}
	a.Observe(t0, 1, Message{At: at(-time.Hour)})
	require.ErrorIs(t, a.Speak(t0, 1, "嗯"), ErrCapped)
	a.Observe(t0, 1, Message{})
	require.NoError(t, a.Speak(t0, 1, "嗯"))
	assert.EqualValues(t, 1, a.Stats().Dropped[WhyStale])
}

// prober calls see with its PolicyInput.
type prober struct{ judge func(*PolicyInput) Verdict }

func (p prober) Judge(m *PolicyInput) Verdict { return p.judge(m) }

func TestPolicyInput_Contents(t *testing.T) {
	var got PolicyInput
	p := prober{func(m *PolicyInput) Verdict {
		got = *m
		got.Batch = append([]Received(nil), m.Batch...)
		m.Gate(Gate{Code: "mine", Value: .5, Threshold: .7, Draw: m.Draw()})
		return Verdict{Do: 77, Why: []Code{"own"}}
	}}
	a := newAttention[string](Options{Policy: p, Seed: 5, Budget: newBudget(BudgetOptions{})})
	a.Observe(at(0), "g", Message{From: "1", Text: strings.Repeat("长", 5000), Addressees: []string{"2"}})
	a.Observe(at(1), "g", Message{From: "2", AtMe: true, Addressees: []string{"me"}, At: at(-time.Second)})
	v := a.Judge(at(2), "g")
	assert.Equal(t, Silent, v.Do, "an unknown decision counts as Silent")
	assert.Equal(t, 2, got.Total)
	assert.Equal(t, at(0), got.Batch[0].At)
	assert.Equal(t, at(-time.Second), got.Batch[1].At)
	assert.True(t, got.Batch[0].ToOthers())
	assert.False(t, got.Batch[1].ToOthers())
	assert.Len(t, got.Batch[0].Text, maxText-1, "clipped between runes")
	assert.Equal(t, []Code{WhyMentioned}, got.Batch[1].AddressedBy())
	assert.Equal(t, 12_000_000, got.TokensLeft)
	assert.True(t, got.LastSpoke.IsZero())
	tr := a.Traces("g")
	assert.Contains(t, tr[1].String(), "judge silent: own [capped_window 0/20, capped_in_row 0/3, over_budget 12000000, !mine 0.5/0.7 draw 0.")
	a.Judge(at(3), "g")
	assert.Empty(t, got.Batch, "judged once")
}

func TestPolicyInput_DrawsDependOnChatOnly(t *testing.T) {
	draws := func(others int) (ds []float64) {
		a := newAttention[int](Options{Seed: 3, Policy: prober{func(m *PolicyInput) Verdict {
			if m.Chat == "1" {
				ds = append(ds, m.Draw())
			}
			return Verdict{}
		}}})
		for i := range 5 {
			for o := range others {
				a.Judge(at(time.Duration(i)), 2+o)
			}
			a.Judge(at(time.Duration(i)), 1)
		}
		return ds
	}
	assert.Equal(t, draws(0), draws(7))
	assert.NotEqual(t, newAttention[int](Options{}).Seed(), newAttention[int](Options{}).Seed())
	assert.EqualValues(t, 3, newAttention[int](Options{Seed: 3}).Seed())
}

func TestAttention_CallbacksRunWithoutLock(t *testing.T) {
	var a *Attention[int]
	traces := 0
	a = newAttention[int](Options{
		OnTrace: func(tr Trace) { traces++; a.Traces(1); a.Stats(); a.State(tr.At, 1) },
		Policy:  prober{func(m *PolicyInput) Verdict { a.Mute(m.Now, 1, time.Time{}); return Verdict{Do: Ask} }},
	})
	a.Observe(t0, 1, Message{AtMe: true})
	a.Judge(t0, 1)
	assert.ErrorIs(t, a.Speak(t0, 1, "在"), ErrMuted, "muted during the judgement")
	assert.Equal(t, 4, traces)
}

func TestJudge_NestedJudgeReplacesTurn(t *testing.T) {
	var a *Attention[int]
	nested := false
	a = newAttention[int](Options{Policy: prober{func(m *PolicyInput) Verdict {
		if !nested {
			nested = true
			a.Retract(t0, 1, "x")
			assert.Equal(t, Silent, a.Judge(t0, 1).Do) // starts and ends a turn during this judgement
			return Verdict{Do: Ask}
		}
		return Verdict{}
	}}})
	a.Observe(t0, 1, Message{ID: "x", AtMe: true})
	assert.Equal(t, Ask, a.Judge(t0, 1).Do)
	assert.ErrorIs(t, a.Speak(t0, 1, "在"), ErrStale, "the later turn has replaced it")
}

func TestForget_KeepsSettings(t *testing.T) {
	a := newAttention[int](Options{})
	require.NoError(t, a.Configure(1, Settings{Names: []string{"阿炉"}}))
	a.Observe(t0, 1, Message{Text: "阿炉"})
	a.Mute(t0, 1, time.Time{})
	a.Forget(1)
	a.Forget(2)
	assert.Empty(t, a.Due(t0))
	_, ok := a.Next()
	assert.False(t, ok)
	assert.Zero(t, a.Stats().Chats)
	assert.Nil(t, a.Traces(1))
	assert.True(t, a.Observe(t0, 1, Message{Text: "阿炉"}).Addressed, "its Settings stay")
}

func TestTraces_KeepNewest(t *testing.T) {
	a := newAttention[int](Options{KeepTraces: 3})
	for i := range 10 {
		a.Judge(at(time.Duration(i)*time.Second), 1)
	}
	got := a.Traces(1)
	require.Len(t, got, 3)
	for i, tr := range got {
		assert.Equal(t, at(time.Duration(7+i)*time.Second), tr.At)
		tr.Gates[0].Value = 99
	}
	assert.Zero(t, a.Traces(1)[0].Gates[0].Value, "a copy")
	none := newAttention[int](Options{KeepTraces: -1})
	none.Judge(t0, 1)
	assert.Empty(t, none.Traces(1))
}

func TestTrace_LogValue(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	a := newAttention[int](Options{OnTrace: func(tr Trace) { l.Info("heart", "t", tr) }})
	a.Observe(t0, 1, Message{AtMe: true})
	a.Judge(t0, 1)
	require.NoError(t, a.Speak(t0, 1, strings.Repeat("好", 70)+"\xff"))
	assert.Equal(t, `level=INFO msg=heart t.at=2026-03-01T12:00:00.000Z t.chat=1 t.kind=state t.state=summoned t.why=[mentioned] t.next=2026-03-01T12:02:00.000Z
level=INFO msg=heart t.at=2026-03-01T12:00:00.000Z t.chat=1 t.kind=judge t.state=summoned t.why=[mentioned] t.do=ask t.score=1 t.gate_capped_window=0/20 t.gate_capped_in_row=0/3 t.next=2026-03-01T12:02:00.000Z
level=INFO msg=heart t.at=2026-03-01T12:00:00.000Z t.chat=1 t.kind=speak t.state=active t.why=[] t.do=speak t.text=`+strings.Repeat("好", 60)+`… t.gate_capped_window=0/20 t.gate_capped_in_row=0/3 t.next=2026-03-01T12:02:00.000Z
level=INFO msg=heart t.at=2026-03-01T12:00:00.000Z t.chat=1 t.kind=state t.state=active t.why=[spoke] t.next=2026-03-01T12:02:00.000Z
`, b.String())
}

func TestCode_HasTexts(t *testing.T) {
	assert.Equal(t, "看心情 | my mood decided it", WhyMood.Text("zh-CN")+" | "+WhyMood.Text(""))
	for _, c := range reasonCodes {
		assert.NotEqual(t, string(c), c.Text("zh"))
	}
	assert.Equal(t, "my_own", Code("my_own").Text("zh"))
	assert.Equal(t, "observing summoned active offline State(9)", fmt.Sprint(Observing, Addressed, Active, Offline, State(9)))
	assert.Equal(t, "silent ask speak Decision(9)", fmt.Sprint(Silent, Ask, Speak, Decision(9)))
}

func TestRefusedError_MatchesOneSentinel(t *testing.T) {
	all := []error{ErrCapped, ErrStale, ErrMuted, ErrOffline, ErrQuietHours, ErrRepeated}
	for code, want := range map[Code]error{
		WhyCappedWindow: ErrCapped, WhyCappedInRow: ErrCapped, WhyCappedBots: ErrCapped, WhyStale: ErrStale, WhyNotJudged: ErrStale,
		WhyRetracted: ErrStale, WhyMuted: ErrMuted, WhyMutedAll: ErrMuted, WhyOff: ErrMuted, WhyOffline: ErrOffline, WhyQuiet: ErrQuietHours, WhyPassed: ErrStale, WhyAnswered: ErrStale, WhyRepeated: ErrRepeated, "other": nil,
	} {
		for _, e := range all {
			assert.Equal(t, e == want, errors.Is(&RefusedError{Code: code}, e), "%s %v", code, e)
		}
	}
}

func TestAttention_TimesOutOfRange(t *testing.T) {
	for _, now := range []time.Time{{}, time.Unix(-1<<60, 0), time.Unix(1<<60, 0), time.Unix(1<<33, 0)} {
		a := newAttention[int](Options{})
		a.Observe(now, 1, Message{AtMe: true})
		assert.Equal(t, Ask, a.Judge(now, 1).Do)
		assert.NoError(t, a.Speak(now, 1, "在"))
		a.Sleep(now, time.Time{})
		a.Due(now)
		_, ok := a.Next()
		assert.False(t, ok)
		a.Observe(t0, 1, Message{AtMe: true})
	}
}

func TestStats_BoundedReasons(t *testing.T) {
	a := newAttention[int](Options{})
	for i := range 1000 {
		a.SkipTurn(t0, 1, Code(fmt.Sprint("error ", i)))
	}
	s := a.Stats()
	assert.Len(t, s.Skipped, 257)
	assert.EqualValues(t, 744, s.Skipped["other"])
}

func TestAttention_ConcurrentUse(t *testing.T) {
	var seen sync.Map
	a := newAttention[int](Options{Names: []string{"小炉"}, Policy: Interject{}, Budget: newBudget(BudgetOptions{}), OnTrace: func(tr Trace) { seen.Store(tr.String(), true) }})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for i := range 400 {
				now, chat := at(time.Duration(i)*time.Second), r.IntN(4)
				switch r.IntN(12) {
				case 0:
					a.Mute(now, chat, now.Add(time.Second))
				case 1:
					a.Retract(now, chat, fmt.Sprint(r.IntN(50)))
				case 2:
					a.SkipTurn(now, chat, WhySuperseded)
				case 3:
					s, err := a.Snapshot()
					assert.NoError(t, err)
					assert.NoError(t, newAttention[int](Options{}).Restore(s))
				case 4:
					assert.NoError(t, a.Configure(chat, Settings{Names: []string{fmt.Sprint("炉", i)}}))
				case 5:
					a.Due(now)
					a.Next()
				case 6:
					if a.Sleep(now, now.Add(time.Second)); i%3 == 0 {
						a.Wake(now)
					}
				default:
					a.Observe(now, chat, Message{ID: fmt.Sprint(r.IntN(50)), From: fmt.Sprint(w), Text: "小炉在吗", FromBot: w == 0})
					if a.Judge(now, chat).Do != Silent {
						_ = a.Speak(now, chat, "在")
					}
					a.Traces(chat)
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, a.Stats().Judged, sum(a.Stats().Asked)+sum(a.Stats().Silent))
}

func sum(m map[Code]uint64) (n uint64) {
	for _, v := range m {
		n += v
	}
	return n
}

// The history of an idle chat does not add to its memory.
func TestAttention_IdleChatMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("many chats")
	}
	const n = 20_000
	a := newAttention[int](Options{KeepTraces: -1})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		for j := range 40 {
			a.Observe(t0, i, Message{ID: "1", From: "2", Text: "今天天气不错", AtMe: j == 0})
		}
		a.Judge(t0, i)
		require.NoError(t, a.Speak(t0, i, "是呀是呀"))
	}
	a.Due(at(time.Hour))
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%.0f bytes each", each)
	assert.Less(t, each, 1000.)
	runtime.KeepAlive(a)
}
