package hfc

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/script"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// The kinds of willingness, as a Flow makes them.
var willingnesses = map[string]func() willingness{
	"classical": func() willingness { return &classical{} },
	"person":    func() willingness { return &perPerson{} },
	"dynamic": func() willingness {
		d := &dynamic{}
		d.Seed(1)
		return d
	},
}

// TestWillingness_Scripts plays testdata/willingness. The chance of each message is below it.
func TestWillingness_Scripts(t *testing.T) {
	playScripts(t, "testdata/willingness/*.txt", func(t *testing.T) script.Step {
		p := willingPlayer{t: t}
		return p.step
	})
}

// TestWillingness_ScriptsWithRestarts restarts before each step. This changes nothing.
func TestWillingness_ScriptsWithRestarts(t *testing.T) {
	playScripts(t, "testdata/willingness/*.txt", func(t *testing.T) script.Step {
		p := willingPlayer{t: t}
		return func(line string) []string {
			if p.w != nil {
				b, err := json.Marshal(p.w)
				require.NoError(t, err)
				p.w = willingnesses[p.kind]()
				require.NoError(t, json.Unmarshal(b, p.w))
			}
			return p.step(line)
		}
	})
}

type willingPlayer struct {
	t    *testing.T
	kind string
	w    willingness
}

// step plays "new kind" or "15:04:05 verb from key=value…".
func (p *willingPlayer) step(line string) []string {
	f := strings.Fields(line)
	if f[0] == "new" {
		p.kind = f[1]
		p.w = willingnesses[f[1]]()
		return nil
	}
	now, s := script.Clock(p.t, f[0]), stimulus{From: f[2]}
	for _, kv := range f[3:] {
		k, v, _ := strings.Cut(kv, "=")
		n, _ := strconv.ParseFloat(v, 64)
		switch k {
		case "at":
			s.Addressed = true
		case "i":
			s.Interest = n
		case "emoji":
			s.EmojiOnly = true
		case "down":
			s.SpeakLess = true
		case "gain":
			s.Gain = n
		case "rel":
			s.Relation = int(n)
		default:
			p.t.Fatalf("no such part: %s", line)
		}
	}
	switch f[1] {
	case "observe":
		return []string{fmt.Sprintf("%.3f", p.w.Chance(now, s))}
	case "began":
		p.w.Began(now, s.From)
	case "sent":
		p.w.Sent(now, s.From)
	case "dropped":
		p.w.Dropped(now, s.From)
	default:
		p.t.Fatalf("no such verb: %s", line)
	}
	return nil
}

// In MaiBot, each of many repeated mentions got an answer (issue 350). Here three get one, then one in twenty
// seconds, in addition to the chance of any message.
func TestClassical_RepeatedMentions(t *testing.T) {
	for _, every := range []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second} {
		for _, interest := range []float64{0, 1, 5} {
			w := &classical{}
			dice := rand.New(rand.NewPCG(1, 2))
			replies, n := 0, int(5*time.Minute/every)
			for i := range n {
				now := noon.Add(time.Duration(i) * every)
				if dice.Float64() < w.Chance(now, stimulus{From: "a", Addressed: true, Interest: interest}) {
					w.Began(now, "a")
					w.Sent(now, "a")
					replies++
				}
			}
			taken := 3 + 300/20
			if interest == 5 {
				taken *= 2 // it adds more than one reply takes away
			}
			most := taken + n/20 + 3 // any message has a chance of .02
			assert.LessOrEqual(t, replies, most, "each %v, interest %v", every, interest)
			assert.GreaterOrEqual(t, replies, 10, "each %v, interest %v", every, interest)
		}
	}
}

// A mention beyond the limit leaves the others unchanged.
func TestMentionLimit_Bounds(t *testing.T) {
	for kind, make := range willingnesses {
		w, other := make(), make()
		for i := range 100 {
			p := w.Chance(noon, stimulus{From: "a", Addressed: true, Interest: 2})
			q := other.Chance(noon, stimulus{From: "a", Addressed: i < 3, Interest: map[bool]float64{true: 2}[i < 3]})
			assert.Equal(t, q, p, "%s, mention %d", kind, i)
		}
	}
	var u mentionLimit
	at := tick.Of(noon)
	for i := range 5 {
		assert.Equal(t, i < 3, u.take(WillingnessOptions{}, at))
	}
	assert.False(t, u.take(WillingnessOptions{}, at.Add(19*time.Second)))
	assert.True(t, u.take(WillingnessOptions{}, at.Add(20*time.Second)))
	assert.False(t, u.take(WillingnessOptions{}, at.Add(21*time.Second)))
	assert.True(t, u.take(WillingnessOptions{Burst: -1}, at))
	one := WillingnessOptions{Burst: 1, Refill: time.Minute}
	u = mentionLimit{}
	assert.True(t, u.take(one, at))
	assert.False(t, u.take(one, at.Add(59*time.Second)))
	assert.True(t, u.take(one, at.Add(60*time.Second)))
}

// By default a lone sticker is never answered and keeps the willingness. With a factor it reduces it.
func TestWillingness_LoneStickers(t *testing.T) {
	for factor, want := range map[float64][2]float64{0: {0, 1}, .5: {0.04, .04}} {
		w := &classical{o: WillingnessOptions{EmojiFactor: factor}}
		w.s = savedClassical{Willing: 1.04, At: tick.Of(noon)}
		assert.InDelta(t, want[0], w.Chance(noon, stimulus{EmojiOnly: true}), 1e-9)
		assert.InDelta(t, want[1], w.Chance(noon, stimulus{}), 1e-9)

		p := &perPerson{o: WillingnessOptions{EmojiFactor: factor}}
		plain := p.Chance(noon, stimulus{})
		assert.InDelta(t, plain*factor, p.Chance(noon, stimulus{EmojiOnly: true}), 1e-9)

		d := &dynamic{o: WillingnessOptions{EmojiFactor: factor}}
		assert.Equal(t, factor > 0, d.Chance(noon, stimulus{EmojiOnly: true}) > 0)
	}
}

// The decay in closed form equals HFC's loop of one second.
func TestClassical_MatchesTicks(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	w, loop := &classical{o: WillingnessOptions{Burst: -1}}, 0.
	for s := range 10_000 {
		if loop *= .9; dice.Float64() > .2 {
			continue
		}
		now, st := noon.Add(time.Duration(s)*time.Second), stimulus{From: "a", Interest: dice.Float64() * 2, Addressed: dice.Float64() < .3}
		if st.Interest > .4 {
			loop += st.Interest - .3
		}
		if st.Addressed && loop < 1 {
			loop++
		} else if st.Addressed {
			loop += .05
		}
		loop = min(loop, 3)
		p := w.Chance(now, st)
		require.InDelta(t, min(1, max(loop-.5, .01)*2), p, 1e-9)
		if dice.Float64() < p {
			w.Began(now, "a")
			w.Sent(now, "a")
			if loop = max(loop-1.8, 0); loop < 1 {
				loop = min(loop+.4, 1)
			}
		}
	}
}

// A person's number moves to the base as in HFC's loop of three seconds.
func TestPerPerson_MatchesTicks(t *testing.T) {
	w, loop := &perPerson{}, .5
	w.Chance(noon, stimulus{From: "a", Addressed: true})
	loop += .6 / (math.Floor(loop) + 1)
	for n := range 30 {
		loop = .5 + (loop-.5)*.93
		p := *w
		p.s.People = append([]person(nil), w.s.People...)
		got := p.Chance(noon.Add(time.Duration(n+1)*3*time.Second), stimulus{From: "a"})
		require.InDelta(t, math.Atan(4*loop)*2/math.Pi, got, 1e-9)
	}
}

// Consecutive replies to the same person raise the chance, up to the fourth. An empty author is no person.
func TestPerPerson_ConsecutiveReplies(t *testing.T) {
	w := &perPerson{}
	assert.Equal(t, w.Chance(noon, stimulus{From: "a"}), w.Chance(noon, stimulus{}))
	for n := range 6 {
		now := noon.Add(time.Duration(n+1) * time.Hour)
		w.Sent(now, "a")
		v := .5 + .12*float64(2*min(n, 3)+1)
		assert.InDelta(t, math.Atan(4*v)*2/math.Pi, w.Chance(now, stimulus{From: "a"}), 1e-9, "reply %d", n+1)
	}
	w.Sent(noon.Add(10*time.Hour), "b")
	assert.InDelta(t, math.Atan(4*.62)*2/math.Pi, w.Chance(noon.Add(10*time.Hour), stimulus{From: "b"}), 1e-9)
}

func TestPerPerson_KeepsSixtyFour(t *testing.T) {
	w := &perPerson{}
	for i := range 500 {
		w.Chance(noon.Add(time.Duration(i)*time.Minute), stimulus{From: fmt.Sprint(i)})
		assert.LessOrEqual(t, len(w.s.People), maxPeople)
	}
	assert.Equal(t, "499", w.s.People[maxPeople-1].ID)
}

func TestDynamic_Base(t *testing.T) {
	for _, test := range []struct {
		much, continues bool
		count           int
		want            float64
	}{
		{true, true, 1, .5}, {false, true, 1, .25},
		{true, false, 3, .2}, {true, false, 4, .5}, {true, false, 8, .5}, {true, false, 9, .2},
		{false, false, 1, .03}, {false, false, 10, .3}, {false, false, 12, .3}, {false, false, 15, .3},
	} {
		d := dynamic{s: savedDynamic{Much: test.much, Count: test.count}}
		assert.InDelta(t, test.want, d.base(test.continues), 1e-9, "%+v", test)
	}
	d := dynamic{s: savedDynamic{Willing: 1.99, Passed: true}}
	d.countPassed(1)
	assert.Equal(t, 2., d.s.Willing)
}

// In the long run a fifth of the time is talkative. A chat without calls for a year starts over.
func TestDynamic_Periods(t *testing.T) {
	much, n := 0, 0
	for seed := range uint64(20) {
		d := &dynamic{}
		d.Seed(seed)
		for s := 0; s < 86_400*2; s += 60 {
			d.advance(noon.Add(time.Duration(s) * time.Second))
			if n++; d.s.Much {
				much++
			}
		}
		d.advance(noon.AddDate(1, 0, 0))
		assert.False(t, d.s.Much)
		assert.Equal(t, .5, d.s.Willing)
		for _, at := range []time.Duration{0, time.Second, 400 * time.Second} {
			assert.GreaterOrEqual(t, d.s.Until.Add(-at), d.s.At)
		}
	}
	assert.InDelta(t, 210./(210+900+100), float64(much)/float64(n), .03)
}

// FuzzWillingness checks that every chance is from 0 to 1, in any order of calls, and that a restart changes nothing.
func FuzzWillingness(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 200, 100, 50}, 1., 1.)
	f.Add([]byte("told in any order"), math.Inf(1), math.NaN())
	f.Fuzz(func(t *testing.T, steps []byte, interest, gain float64) {
		for kind, make := range willingnesses {
			w, saved, now := make(), make(), noon
			for _, b := range steps[:min(len(steps), 100)] {
				now = now.Add(time.Duration(int8(b)) * time.Second)
				from := string('a' + rune(b%3))
				s := stimulus{
					From: from, Addressed: b&4 != 0, Interest: interest, EmojiOnly: b&8 != 0 && b&16 != 0, SpeakLess: b&32 != 0,
					Gain: gain, Relation: int(b) - 99,
				}
				data, err := json.Marshal(w)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(data, saved), "%s %s", kind, data)
				switch b % 7 {
				case 0:
					w.Began(now, from)
					saved.Began(now, from)
				case 1:
					w.Sent(now, from)
					saved.Sent(now, from)
				case 2:
					w.Dropped(now, from)
					saved.Dropped(now, from)
				default:
					p := w.Chance(now, s)
					require.True(t, p >= 0 && p <= 1, "%s: %v", kind, p)
					require.Equal(t, p, saved.Chance(now, s), kind)
				}
			}
		}
	})
}

// FuzzWillingSaved restores arbitrary bytes. An accepted state still works.
func FuzzWillingSaved(f *testing.F) {
	for _, make := range willingnesses {
		w := make()
		for i := range 20 {
			now := noon.Add(time.Duration(i) * 7 * time.Second)
			w.Chance(now, stimulus{From: "a", Interest: 1, Addressed: i%3 == 0})
			w.Began(now, "a")
			w.Sent(now, "a")
		}
		b, err := json.Marshal(w)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for kind, make := range willingnesses {
			w := make()
			if json.Unmarshal(b, w) != nil {
				continue
			}
			for i := range 5 {
				p := w.Chance(noon.Add(time.Duration(i)*time.Minute), stimulus{From: "a", Interest: 1, Addressed: true})
				require.True(t, p >= 0 && p <= 1, "%s: %v", kind, p)
				w.Sent(noon, "a")
			}
		}
	})
}

func TestWillingness_InvalidJSON(t *testing.T) {
	for kind, bad := range map[string][]string{
		"classical": {`{"Willing":-1}`, `{"Willing":4}`, `{"At":-1}`, `{"Mentioned":{"Used":-1}}`, `[]`},
		"person":    {`{"InRow":4}`, `{"People":[{"Willing":-1}]}`, `{"Heard":[2,1]}`, `{"Heard":[1]}`, `{"Fatigue":[{"At":0,"For":0}]}`, `[]`},
		"dynamic":   {`{"Willing":3}`, `{"At":5,"Until":5,"Dice":"AA=="}`, `{"Dice":"AA=="}`, `{"Count":-1}`, `[]`},
	} {
		for _, b := range bad {
			w := willingnesses[kind]()
			before, _ := json.Marshal(w)
			assert.Error(t, json.Unmarshal([]byte(b), w), "%s %s", kind, b)
			after, _ := json.Marshal(w)
			assert.Equal(t, string(before), string(after), "%s %s", kind, b)
		}
	}
}

// BenchmarkWillingness observes a message each second from twenty people in turn.
func BenchmarkWillingness(b *testing.B) {
	people := make([]string, 20)
	for i := range people {
		people[i] = fmt.Sprint(10_000 + i)
	}
	for kind, make := range willingnesses {
		b.Run(kind, func(b *testing.B) {
			w, now, n := make(), noon, 0
			b.ReportAllocs()
			for b.Loop() {
				now, n = now.Add(time.Second), n+1
				w.Chance(now, stimulus{From: people[n%len(people)], Interest: .5})
			}
		})
	}
}
