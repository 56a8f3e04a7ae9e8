package heartflow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/internal/fold"
)

// A plainTurn is a naive model of the staleness checks, kept as lists.
type plainTurn struct {
	waiting, batch     []Message // batch: judged messages
	meanwhile          []Message // messages since the verdict, or left by it
	open, begun, spoke bool
	at                 time.Time
	again, turnAgain   int
	own                []plainLine
}

type plainLine struct {
	at   time.Time
	text string
}

func (p *plainTurn) author() (from string, called bool) {
	for _, m := range slices.Backward(p.batch) {
		if m.AtMe {
			return m.From, true
		}
	}
	if len(p.batch) == 0 {
		return "", false
	}
	return p.batch[len(p.batch)-1].From, false
}

func (p *plainTurn) observe(m Message, maxSuperseded int) (supersedes bool) {
	p.waiting = append(p.waiting, m)
	p.meanwhile = append(p.meanwhile, m)
	author, _ := p.author()
	return p.open && !p.begun && !p.spoke && author != "" && m.From == author && p.turnAgain < maxSuperseded
}

func (p *plainTurn) speak(now time.Time, text string, f Staleness) Code {
	author, called := p.author()
	if !p.open {
		return WhyNotJudged
	}
	if !p.begun {
		lines := f.MaxNewer
		if called {
			lines = f.MaxNewerAddressed
		}
		if !p.spoke && lines > 0 && len(p.meanwhile) > lines {
			return WhyPassed
		}
		if !p.spoke && !called && slices.ContainsFunc(p.meanwhile, func(m Message) bool {
			return author != "" && m.From != author && slices.Contains(m.Addressees, author)
		}) {
			return WhyAnswered
		}
		for _, l := range p.own[max(len(p.own)-maxOwnMessages, 0):] {
			inTime := now.Sub(l.at) <= f.RepeatWindow && (!called || !l.at.Before(p.at))
			if f.RepeatWindow >= 0 && inTime && l.text == text {
				return WhyRepeated
			}
		}
	}
	if text != "嗯" { // too short to compare
		p.own = append(p.own, plainLine{now, text})
	}
	p.spoke = true
	return ""
}

func TestStaleness_MatchesNaiveModel(t *testing.T) {
	texts := []string{"嗯", "晚上一起吃番茄火锅", "周末去爬山带上水", "第三行少了一个括号"}
	seen := map[Code]int{}
	for seed := range seeds(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		f := Staleness{
			MaxNewer: r.IntN(6) - 1, MaxNewerAddressed: r.IntN(6) - 1, RepeatWindow: time.Duration(r.IntN(120)-10) * time.Second, MaxSuperseded: r.IntN(4) - 1,
		}
		o := Options{Policy: eager{}, Seed: 1, Staleness: f, MaxAge: day, Caps: Caps{Replies: 1000, RepliesPerPerson: 1000, Interjections: 1000, Consecutive: 1 << 30, ConsecutiveToBots: 1 << 30}}
		f = fill.Zero(f, defaultStaleness)
		a, p, now, id := newAttention[int](o), &plainTurn{}, t0, 0
		for range 400 {
			now = now.Add(time.Duration(r.IntN(10)) * time.Second)
			switch what := r.IntN(12); {
			case what < 5 && len(p.waiting) < maxWaiting:
				id++
				m := Message{ID: fmt.Sprint(id), From: fmt.Sprint(r.IntN(3)), AtMe: r.IntN(5) == 0, FromBot: r.IntN(3) == 0}
				if r.IntN(3) == 0 {
					m.Addressees = []string{fmt.Sprint(r.IntN(3))}
				}
				want := p.observe(m, f.MaxSuperseded)
				n := a.Observe(now, 1, m)
				require.Equal(t, Notice{Addressed: m.AtMe, Supersedes: want}, n, "seed %d", seed)
				if want {
					seen[WhySuperseded]++
				}
			case what < 7: // some or all of the waiting messages
				last := len(p.waiting)
				if last > 1 && r.IntN(2) == 0 {
					last = 1 + r.IntN(last)
				}
				*p = plainTurn{batch: p.waiting[:last:last], waiting: p.waiting[last:], open: true, at: now, turnAgain: p.again, own: p.own}
				p.meanwhile = slices.Clone(p.waiting)
				to := ""
				if last > 0 {
					to = p.batch[last-1].ID
				}
				a.JudgeUpTo(now, 1, to)
			case what == 7:
				*p = plainTurn{waiting: p.waiting, open: true, begun: true, at: now, again: p.again, own: p.own}
				a.BeginTurn(now, 1, "timer")
			case what == 8:
				why := []Code{WhySuperseded, WhyModelSilent}[r.IntN(2)]
				if a.SkipTurn(now, 1, why); why == WhySuperseded && !p.spoke && p.open && len(p.batch) > 0 && len(p.batch)+len(p.waiting) <= maxWaiting {
					p.waiting, p.again = append(slices.Clone(p.batch), p.waiting...), p.turnAgain+1
				} else if why == WhySuperseded && !p.spoke && p.open && len(p.batch) > 0 {
					return // the batch overflows, which another test covers
				}
				p.open, p.batch = false, nil
			case what == 9:
				s, err := a.Snapshot()
				require.NoError(t, err)
				a = newAttention[int](o)
				require.NoError(t, a.Restore(s))
			default:
				text := texts[r.IntN(len(texts))]
				want := p.speak(now, text, f)
				seen[want]++
				err := a.Speak(now, 1, text)
				if want == "" {
					require.NoError(t, err, "seed %d", seed)
				} else {
					var refused *RefusedError
					require.ErrorAs(t, err, &refused, "seed %d: %s", seed, want)
					require.Equal(t, want, refused.Code, "seed %d", seed)
				}
			}
		}
	}
	for _, c := range []Code{"", WhySuperseded, WhyPassed, WhyAnswered, WhyRepeated, WhyNotJudged} {
		assert.Greater(t, seen[c], int(seeds(50)), "%q", c)
	}
}

func TestSimilarity_Estimate(t *testing.T) {
	words := func(text string) []uint32 { return fold.Terms(nil, text) }
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"晚上一起吃番茄火锅", "晚上一起吃番茄火锅", 1},
		{"晚上一起吃番茄火锅", "晚上一起吃番茄火锅！", 1},
		{"晚上一起吃番茄火锅", "第三行少了一个括号", 0},
		{"螳螂领主很难打", "螳螂领主真难打", .5},
		{"Please restart the Docker service", "restart docker service, please", 1},
		{"", "", 0},
	} {
		a, b := words(c.a), words(c.b)
		assert.InDelta(t, c.want, similarity(a, b), 1e-9, "%s / %s", c.a, c.b)
		assert.InDelta(t, c.want, similarity(b, a), 1e-9)
	}
	// The smallest terms of long texts give an estimate.
	r, mean := rand.New(rand.NewPCG(1, 1)), 0.
	for range 500 {
		var a, b []uint32
		for i := range 60 {
			n := r.Uint32()
			if i < 20 || i >= 40 {
				a = append(a, n)
			}
			if i >= 20 {
				b = append(b, n)
			}
		}
		slices.Sort(a)
		slices.Sort(b)
		mean += similarity(a[:maxTerms], b[:maxTerms]) / 500
	}
	assert.InDelta(t, 1./3, mean, .02)
}

// The stored sketches of own messages are bounded.
func TestOwnMessages_Bounded(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}, Caps: Caps{Interjections: 1000, Consecutive: 1000}})
	a.Judge(t0, 1)
	for i := range 100 {
		require.NoError(t, a.Speak(t0, 1, string([]rune{'一' + rune(100*i), '丁' + rune(200*i), '七' + rune(300*i), '万' + rune(400*i), '丈'})))
	}
	c := a.chats[1]
	assert.Len(t, c.Lines, maxOwnMessages)
	for _, l := range c.Lines {
		assert.LessOrEqual(t, len(l.Terms), maxTerms)
	}
}
