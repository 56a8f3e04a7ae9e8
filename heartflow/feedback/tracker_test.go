package feedback_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 11, 1, 20, 0, 0, 0, time.UTC)

func newTracker(t testing.TB) *feedback.Tracker[int] {
	t.Helper()
	f, err := feedback.New[int](feedback.Options{})
	require.NoError(t, err)
	return f
}

// Each case is what others do after the bot said "1" to ann at second 0: "second person text", with "@bot" for a message that
// addresses the bot, ">1" for a quote and ">ann" for one that addresses somebody else.
func TestTracker_Signals(t *testing.T) {
	for name, c := range map[string]struct {
		to     string
		called bool
		lines  []string
		want   string
	}{
		"ann goes on":               {"ann", false, []string{"20 ann 那怎么办"}, "1 got_answer 0.5"},
		"ann talks to somebody":     {"ann", false, []string{"20 ann >bob 那怎么办"}, "1 0"},
		"somebody else goes on":     {"ann", false, []string{"20 bob 今天好冷"}, "1 0"},
		"the first one goes on":     {"", false, []string{"20 bob 真的吗"}, "1 got_answer 0.5"},
		"the first one is late":     {"", false, []string{"70 bob 真的吗"}, "1 0"},
		"a quote":                   {"", false, []string{"20 bob >ann 你好", "300 cid >1 这是什么"}, "1 got_answer got_quote 1"},
		"a quote of something else": {"", false, []string{"20 bob >0 哈哈哈"}, "1 0"},
		"a call":                    {"", false, []string{"20 bob >ann 好", "30 bob >ann 好", "40 cid @bot 你觉得呢"}, "1 got_answer 0.5"},
		"a laugh":                   {"ann", false, []string{"5 bob 哈哈哈哈"}, "1 got_laugh 0.5"},
		"a laugh by whom it is to":  {"ann", false, []string{"5 ann hhhh"}, "1 got_answer got_laugh 1"},
		"a late laugh":              {"ann", false, []string{"5 bob a", "6 bob b", "7 cid 哈哈哈哈"}, "1 talked_over -0.5"},
		"thanks":                    {"ann", true, []string{"5 ann 谢谢！"}, "1 got_answer got_praise 1"},
		"no thanks to others":       {"ann", false, []string{"5 bob >cid 谢谢"}, "1 0"},
		"a complaint":               {"ann", true, []string{"5 bob 好吵，闭嘴"}, "1 got_complaint -1"},
		"a complaint outweighs":     {"", false, []string{"5 ann @bot 哈哈", "9 bob @bot 没问你"}, "1 got_complaint got_answer got_laugh -1"},
		"a complaint to others":     {"", false, []string{"5 bob >ann 闭嘴"}, "1 0"},
		"no complaint":              {"ann", false, []string{"5 ann 不是废话"}, "1 got_answer 0.5"},
		"ignored":                   {"", false, []string{"70 bob a", "80 cid b", "90 bob c"}, "1 ignored -0.3"},
		"ignored, but was called":   {"ann", true, []string{"70 bob a", "80 cid b", "90 bob c"}, "1 0"},
		"talked over":               {"", false, []string{"2 bob >cid a", "4 cid >bob b", "90 bob >cid c"}, "1 talked_over -0.5"},
		"nobody is there":           {"", false, []string{"70 bob a"}, "1 0"},
		"only bots are there":       {"", false, []string{"3 bot @bot 哈哈", "4 bot @bot 哈哈", "5 bot @bot 哈哈"}, "1 0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newTracker(t)
			f.Said(t0, 1, feedback.Said{ID: "1", To: c.to, Called: c.called})
			for _, line := range c.lines {
				var second int
				var m feedback.Message
				_, err := fmt.Sscan(line, &second, &m.From)
				require.NoError(t, err)
				m.Text = strings.SplitN(line, " ", 3)[2]
				m.FromBot = m.From == "bot"
				if rest, ok := strings.CutPrefix(m.Text, "@bot "); ok {
					m.Text, m.ToMe = rest, true
				}
				if strings.HasPrefix(m.Text, ">") {
					to, rest, _ := strings.Cut(m.Text[1:], " ")
					m.Text, m.ToOthers = rest, to != "1"
					if to == "1" || to == "0" {
						m.QuoteID, m.ToMe = to, to == "1"
					}
				}
				f.Observe(t0.Add(time.Duration(second)*time.Second), 1, m)
			}
			all := f.Due(t0.Add(time.Hour))
			require.Len(t, all, 1)
			assert.Equal(t, c.want, all[0].String())
			assert.Equal(t, c.to, all[0].To)
		})
	}
}

// Parts of one reply are one utterance. Twelve messages, the time, or a fifth utterance end it.
func TestTracker_Utterances(t *testing.T) {
	f := newTracker(t)
	_, ok := f.Next()
	assert.False(t, ok)
	f.Said(t0, 1, feedback.Said{ID: "a"})
	f.Said(t0.Add(20*time.Second), 1, feedback.Said{ID: "b"})
	next, ok := f.Next()
	assert.True(t, ok)
	assert.Equal(t, t0.Add(20*time.Second+10*time.Minute), next, "the wait begins with the last part")
	f.Observe(t0.Add(30*time.Second), 1, feedback.Message{From: "ann", Text: "好", QuoteID: "b", ToMe: true})
	for i := range 11 {
		assert.Empty(t, f.Due(t0.Add(time.Minute)), i)
		f.Observe(t0.Add(time.Minute), 1, feedback.Message{From: "bob", Text: "a", ToOthers: true})
	}
	all := f.Due(t0.Add(time.Minute))
	require.Len(t, all, 1)
	assert.Equal(t, "a", all[0].ID)
	assert.Equal(t, 12, all[0].Others)
	assert.Empty(t, f.Due(t0.Add(time.Hour)), "each once")

	for i := range 5 {
		f.Said(t0.Add(time.Hour+time.Duration(i)*time.Minute), 1, feedback.Said{ID: fmt.Sprint(i)})
	}
	f.Said(t0.Add(time.Hour+5*time.Minute), 2, feedback.Said{ID: "other"})
	all = f.Due(t0.Add(time.Hour + 5*time.Minute))
	require.Len(t, all, 1)
	assert.Equal(t, "0", all[0].ID)
	f.Deleted(t0.Add(time.Hour+6*time.Minute), 1, "3")
	f.Muted(t0.Add(time.Hour+6*time.Minute), 1)
	f.Reacted(t0.Add(time.Hour+6*time.Minute), 1, "2", "ann", true)
	f.Reacted(t0.Add(time.Hour+6*time.Minute), 1, "9", "ann", true)
	var got []string
	for _, r := range f.Due(t0.Add(2 * time.Hour)) {
		got = append(got, r.String())
	}
	assert.Equal(t, []string{"1 0", "2 got_praise 0.5", "3 got_deleted -0.8", "4 got_muted -1", "other 0"}, got)
}

// What is learned is slow, within bounds, apart by person and chat, and fades.
func TestTracker_Welcome(t *testing.T) {
	f := newTracker(t)
	now := t0
	rate := func(chat int, who, text string) {
		f.Said(now, chat, feedback.Said{ID: "1", To: who})
		f.Observe(now.Add(time.Second), chat, feedback.Message{From: who, Text: text, ToMe: true})
		now = now.Add(11 * time.Minute)
		require.Len(t, f.Due(now), 1)
	}
	rate(1, "ann", "闭嘴")
	assert.InDelta(t, -.1, f.Welcome(now, 1, ""), .001, "one rating is a tenth")
	assert.InDelta(t, -.1, f.Welcome(now, 1, "ann"), .001)
	assert.InDelta(t, -.1, f.WelcomeIn(now, "1", "bob"), .001, "a stranger is like the chat")
	assert.Zero(t, f.Welcome(now, 2, "ann"))
	assert.Zero(t, f.WelcomeIn(now, "2", "ann"))
	for range 30 {
		rate(1, "ann", "闭嘴")
		rate(2, "bob", "哈哈，谢谢")
	}
	assert.Equal(t, -.6, f.Welcome(now, 1, "ann"))
	assert.Equal(t, .6, f.Welcome(now, 2, "bob"))
	for range 10 {
		rate(1, "bob", "哈哈，谢谢")
	}
	assert.Greater(t, f.Welcome(now, 1, "bob"), .2+f.Welcome(now, 1, "ann"))
	before := f.Welcome(now, 1, "")
	now = now.Add(7 * 24 * time.Hour)
	assert.InDelta(t, before/2, f.Welcome(now, 1, ""), .001)
	f.ForgetPerson(1, "ann")
	assert.InDelta(t, before/2, f.Welcome(now, 1, "ann"), .001)
	f.Reset(1)
	assert.Zero(t, f.Welcome(now, 1, "bob"))
	f.Forget(2)
	assert.Zero(t, f.Welcome(now, 2, "bob"))
	assert.Equal(t, []int{1}, f.Chats())
}

func TestNew_Errors(t *testing.T) {
	for _, o := range []feedback.Options{{Wait: -1}, {Messages: -1}, {Rate: 2}, {Rate: -1}, {HalfLife: -1}} {
		_, err := feedback.New[int](o)
		assert.ErrorContains(t, err, "none may be negative")
	}
}

// A restored chat goes on like the saved one, for any events. An invalid snapshot changes nothing.
func TestTracker_Restore(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	p := readPhrases(t, "tuning.txt")
	kinds := []string{"answer", "laugh", "praise", "complaint", "chatter"}
	type event func(f *feedback.Tracker[int])
	var events []event
	now := t0
	for i := range 3000 {
		now = now.Add(time.Duration(dice.IntN(90)) * time.Second)
		at, chat, id := now, dice.IntN(3), fmt.Sprint(dice.IntN(i+1))
		m := feedback.Message{From: []string{"ann", "bob", ""}[dice.IntN(3)], ToMe: dice.IntN(3) == 0, ToOthers: dice.IntN(3) == 0, FromBot: dice.IntN(9) == 0}
		kind := kinds[dice.IntN(len(kinds))]
		m.Text = p[kind][dice.IntN(len(p[kind]))]
		if dice.IntN(3) == 0 {
			m.QuoteID = id
		}
		switch dice.IntN(12) {
		case 0, 1:
			events = append(events, func(f *feedback.Tracker[int]) {
				f.Said(at, chat, feedback.Said{ID: fmt.Sprint(i), To: m.From, Called: m.ToMe})
			})
		case 2:
			events = append(events, func(f *feedback.Tracker[int]) { f.Reacted(at, chat, id, m.From, m.ToMe) })
		case 3:
			events = append(events, func(f *feedback.Tracker[int]) { f.Deleted(at, chat, id) })
		default:
			events = append(events, func(f *feedback.Tracker[int]) { f.Observe(at, chat, m) })
		}
	}
	one, two := newTracker(t), newTracker(t)
	for i, e := range events {
		e(one)
		e(two)
		if i%100 != 0 {
			continue
		}
		assert.Equal(t, one.Due(t0), two.Due(t0), i)
		three := newTracker(t)
		for _, chat := range two.Chats() {
			b, err := two.Snapshot(chat)
			require.NoError(t, err)
			if b != nil {
				require.NoError(t, three.Restore(chat, b))
			}
			w := one.Welcome(t0, chat, "ann")
			assert.LessOrEqual(t, max(w, -w), .6)
			assert.Equal(t, w, three.Welcome(t0, chat, "ann"))
		}
		b, _ := one.Snapshot(0)
		after, _ := two.Snapshot(0)
		assert.Equal(t, string(b), string(after))
		if slices.Equal(two.Chats(), three.Chats()) { // in the same order of creation
			two = three
		}
	}
	assert.Equal(t, one.Due(now.Add(time.Hour)), two.Due(now.Add(time.Hour)))

	b, err := one.Snapshot(1)
	require.NoError(t, err)
	before := one.Welcome(now, 1, "")
	for _, bad := range []string{"", "{", `{"Mean":{"Value":2}}`, `{"Open":[null]}`, `{"Open":[{"At":5},{"At":1}]}`, `{"People":[{"ID":"a","Value":-3}]}`} {
		assert.Error(t, one.Restore(1, []byte(bad)), bad)
	}
	assert.Equal(t, before, one.Welcome(now, 1, ""))
	require.NoError(t, one.Restore(1, b))
	assert.True(t, json.Valid(b))
	empty, err := newTracker(t).Snapshot(1)
	assert.NoError(t, err)
	assert.Nil(t, empty)
}

// A chat where the bot is unwelcome gets fewer interjections, and the trace says why. Messages that address the bot are answered as
// before.
func TestTracker_ChangesDecisions(t *testing.T) {
	asked := map[string]int{}
	why := map[heartflow.Code]bool{}
	for name, text := range map[string]string{"liked": "哈哈，谢谢", "nothing known": "", "disliked": "闭嘴"} {
		f := newTracker(t)
		a, err := heartflow.New[int](heartflow.Options{Names: []string{"小炉"}, Welcome: f.WelcomeIn, Seed: 7, Caps: heartflow.Caps{Window: time.Second}})
		require.NoError(t, err)
		now := t0
		for range 40 * min(len(text), 1) {
			f.Said(now, 1, feedback.Said{ID: "1"})
			f.Observe(now.Add(time.Second), 1, feedback.Message{From: "ann", Text: text, ToMe: true})
			now = now.Add(11 * time.Minute)
		}
		for i := range 300 {
			now = now.Add(time.Hour)
			a.Observe(now, 1, heartflow.Message{ID: fmt.Sprint("c", i), From: "ann", Text: "小炉在吗"})
			require.Equal(t, heartflow.Ask, a.Judge(now, 1).Do, "a call is answered")
			require.NoError(t, a.Speak(now, 1, fmt.Sprint("在呢", i)))
			now = now.Add(10 * time.Second)
			a.Observe(now, 1, heartflow.Message{ID: fmt.Sprint("t", i), From: "bob", Text: "今天吃什么"})
			if v := a.Judge(now, 1); v.Do == heartflow.Ask {
				asked[name]++
			} else {
				why[v.Why[0]] = true
			}
		}
	}
	t.Log(asked)
	assert.Greater(t, asked["liked"], asked["nothing known"])
	assert.Greater(t, asked["nothing known"], asked["disliked"])
	assert.True(t, why[heartflow.WhyWelcome], "the trace names it")
}

func BenchmarkTracker_Observe(b *testing.B) {
	f, err := feedback.New[int](feedback.Options{})
	require.NoError(b, err)
	m := feedback.Message{From: "ann", Text: "这个问题我昨天也遇到了，重启一下就好了", ToMe: true}
	for _, open := range []bool{false, true} {
		b.Run(fmt.Sprint("open=", open), func(b *testing.B) {
			b.ReportAllocs()
			now := t0
			for b.Loop() {
				now = now.Add(time.Second)
				if open {
					f.Said(now, 1, feedback.Said{ID: "1"})
					f.Due(now)
				}
				f.Observe(now, 1, m)
			}
		})
	}
}
