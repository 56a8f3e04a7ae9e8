package heartflow

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// anyPolicy is one of those that want the most.
func anyPolicy(r *rand.Rand) Policy {
	return []Policy{MentionOnly{}, Interject{Base: 1}, eager{}, eager{}}[r.IntN(4)]
}

// Whatever is called in whatever order, at times that jump, over restarts of both kinds and while the caps are changed:
// no window sees more than the caps allow.
func TestCapsHoldWhateverHappens(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 40
	}
	said := 0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 11))
		o := Options{Policy: anyPolicy(r), Seed: seed + 1, Names: []string{"小炉"}, Staleness: Staleness{RepeatWindow: -1, MaxNewer: -1}}
		draw := func() Caps {
			c := Caps{Consecutive: 1 + r.IntN(4), ConsecutiveToBots: 1 + r.IntN(3)}
			if seed%2 == 0 { // a window that is made longer counts all that was said while no more replies are allowed
				c.Replies = 1 + r.IntN(9)
			} else {
				c.Window = time.Duration(1+r.IntN(900)) * time.Second
			}
			return c
		}
		o.Caps = draw()
		a := newAttention[int](o)
		var logs [2]chatLog
		caps, sets := [2]Caps{fill.Zero(o.Caps, defaultCaps), fill.Zero(o.Caps, defaultCaps)}, map[int]Settings{}
		now, latest := t0, t0
		a.State(now, 0)
		for step := range 500 {
			now = now.Add(time.Duration(r.IntN(50)-5) * time.Second)
			if r.IntN(60) == 0 {
				now = now.Add(time.Duration(r.IntN(7200)-3600) * time.Second)
			}
			if now.After(latest) {
				latest = now
			}
			i := r.IntN(2)
			a.State(now, i) // every time is seen
			log, id := &logs[i], fmt.Sprint(r.IntN(30))
			spoke := func(err error) {
				if err == nil {
					*log = append(*log, logged{at: latest, own: true})
					log.checkLast(t, caps[i], seed)
					said++
				}
			}
			switch r.IntN(20) {
			case 0, 1, 2, 3, 4:
				m := Message{ID: id, From: fmt.Sprint(r.IntN(4)), Text: "小炉", AtMe: r.IntN(2) == 0, FromBot: r.IntN(2) == 0, Private: r.IntN(9) == 0}
				a.Observe(now, i, m)
				*log = append(*log, logged{at: latest, bot: m.FromBot})
			case 5:
				a.Observe(now, i, Message{Own: true, ID: id, AtMe: true}) // its own echo
			case 6:
				a.Observe(now, i, Message{From: "1", AtMe: true, Replayed: true}) // heard before the restart
			case 7, 8:
				a.JudgeUpTo(now, i, id)
			case 9:
				a.BeginTurn(now, i, "timer")
			case 10:
				a.SkipTurn(now, i, []Code{WhySuperseded, WhyRetracted, WhyModelSilent}[r.IntN(3)])
			case 11:
				a.Retract(now, i, id)
			case 12:
				spoke(a.SpeakUnprompted(now, i, "嗯", "owner"))
			case 13:
				save := []func() ([]byte, error){a.Snapshot, a.SnapshotWithoutMessages}[r.IntN(2)]
				s, err := save()
				require.NoError(t, err)
				a = newAttention[int](o)
				for chat, s := range sets {
					require.NoError(t, a.Configure(chat, s))
				}
				require.NoError(t, a.Restore(s))
			case 14:
				if step%3 == 0 {
					sets[i] = Settings{Caps: draw(), Policy: anyPolicy(r)}
					caps[i] = fill.Zero(sets[i].Caps, fill.Zero(o.Caps, defaultCaps))
					require.NoError(t, a.Configure(i, sets[i]))
				}
			case 15:
				a.Due(now)
				a.Sleep(now, now.Add(time.Second))
			default:
				spoke(a.Speak(now, i, "嗯"))
			}
		}
	}
	assert.Greater(t, said, runs*10, "it has to speak for the test to mean anything")
}

// A log of one chat against which the caps are checked in the plainest way.
type chatLog []logged

type logged struct {
	at       time.Time
	own, bot bool
}

// checkLast checks the last message of the log, which is an own one, against the caps.
func (l chatLog) checkLast(t *testing.T, c Caps, seed uint64) {
	t.Helper()
	last := l[len(l)-1]
	window, inRow, toBots := 0, 0, 0
	row, lastBot := true, false
	for i := len(l) - 1; i >= 0; i-- {
		e := l[i]
		if e.own && last.at.Sub(e.at) < c.Window {
			window++
		}
		if row = row && e.own; row {
			inRow++
		}
	}
	for _, e := range l { // from the front, since a reply is to whoever spoke before it
		switch {
		case !e.own && !e.bot:
			toBots, lastBot = 0, false
		case !e.own:
			lastBot = true
		case lastBot:
			toBots++
		}
	}
	require.LessOrEqual(t, window, c.Replies, "seed %d: in the window", seed)
	require.LessOrEqual(t, inRow, c.Consecutive, "seed %d: in a row", seed)
	if lastBot {
		require.LessOrEqual(t, toBots, c.ConsecutiveToBots, "seed %d: to bots", seed)
	}
}

// Two bots of ours that know each other stop within four messages to each other, however they are begun.
func TestTwoKnownBotsStopWithinFour(t *testing.T) {
	most := 0
	for seed := range uint64(400) {
		p := newParty(t, seed, 2)
		p.known = true
		switch seed % 3 {
		case 0: // one of them begins by itself: that is no reply
			p.bots[0].a.BeginTurn(t0, 1, "timer")
			require.NoError(t, p.bots[0].a.Speak(t0, 1, "早上好"))
			p.hear(1, Message{From: "bot0", AtMe: true, FromBot: true})
		case 1: // a bot that is not ours begins
			p.hear(0, Message{From: "stranger", AtMe: true, FromBot: true})
		default:
			p.hear(1, Message{From: "bot0", FromBot: true, Text: "炉1"})
		}
		require.True(t, p.run(day), "seed %d: it goes on", seed)
		require.LessOrEqual(t, p.sum(), 4, "seed %d", seed)
		most = max(most, p.sum())
	}
	assert.Equal(t, 4, most, "they do talk")
}

// Two that do not know each other are stopped by the caps: what the window refuses is the end of the talk.
func TestTwoUnknownBotsStop(t *testing.T) {
	for seed := range uint64(200) {
		p := newParty(t, seed, 2)
		p.human(0)
		require.True(t, p.run(day), "seed %d: it goes on", seed)
		for i, n := range p.total {
			require.LessOrEqual(t, n, 12, "seed %d: bot %d", seed, i)
		}
	}
}

// Where models are so slow that the window never fills, the budget is what ends it: a call that is not answered is the
// last.
func TestTwoSlowUnknownBotsStop(t *testing.T) {
	for seed := range uint64(20) {
		p := newParty(t, seed, 2)
		p.think, p.slow, p.most = 2*time.Minute, 2*time.Minute, 1
		for _, b := range p.bots {
			b.o.Budget, b.o.Policy, b.o.MaxAge = newBudget(BudgetOptions{}), MentionOnly{}, time.Hour
			b.a = newAttention[int](b.o)
		}
		say := p.direct
		p.direct = func(from int) []int {
			p.bots[from].o.Budget.AddCall(p.now, "1", 12_000)
			return say(from)
		}
		p.human(0)
		require.True(t, p.run(7*day), "seed %d: it goes on: %v", seed, p.total)
		require.GreaterOrEqual(t, p.total[0], 2_000_000/12_000, "seed %d: it is not the caps that end it", seed)
	}
}

// A bot that hears itself, marked as its own, as a bot's, or as anybody's.
func TestABotThatAnswersItselfStops(t *testing.T) {
	for seed := range uint64(300) {
		p := newParty(t, seed, 1)
		echo := []Message{{Own: true}, {FromBot: true}, {}}[seed%3]
		echo.From, echo.AtMe, echo.Text = "me", true, "炉0"
		most := []int{3, 2 + 2, 6 + 6}[seed%3] // in a row; to bots, beside one reply to a human; twice the window
		var b = p.bots[0]
		p.direct = func(int) []int {
			p.hear(0, echo)
			return nil
		}
		b.a.Observe(p.now, 1, Message{From: "human", AtMe: true})
		p.after(0, func() { p.judge(0) })
		require.True(t, p.run(day), "seed %d: it goes on", seed)
		require.LessOrEqual(t, p.total[0], most, "seed %d", seed)
		require.Positive(t, p.total[0], "seed %d", seed)
	}
}

// Bots and people together: between two messages of people no bot says more than it may.
func TestBotsAndHumans(t *testing.T) {
	replies := 0
	for seed := range seeds(30) {
		p := newParty(t, seed, 3)
		p.known = true
		p.direct = func(int) (to []int) {
			for i := range p.bots {
				if p.r.IntN(2) == 0 {
					to = append(to, i)
				}
			}
			return to
		}
		for range 40 {
			p.after(time.Duration(p.r.IntN(7200))*time.Second, func() { p.human(p.r.IntN(3)) })
		}
		for len(p.queue) > 0 {
			p.step()
			for i, n := range p.said {
				// Two to bots; before these, what answers the human: in a row at most.
				require.LessOrEqual(t, n, 2+3, "seed %d: bot %d", seed, i)
			}
		}
		for _, n := range p.total {
			replies += n
		}
	}
	assert.Greater(t, replies, 30*20)
}

// A thousand mentions a minute for two hours: no five minutes see more than six answers, and memory stays where it was.
func TestAStormOfMentions(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}, Names: []string{"小炉"}, KeepTraces: -1})
	var said []time.Time
	var before, after runtime.MemStats
	for i := range 120_000 {
		now := t0.Add(time.Duration(i) * 60 * time.Millisecond)
		a.Observe(now, 1, Message{ID: fmt.Sprint(i), From: fmt.Sprint(i % 997), AtMe: i%2 == 0, Text: "小炉小炉", FromBot: i%5 == 0})
		if i%7 == 0 && a.Judge(now, 1).Do != Silent && a.Speak(now, 1, fmt.Sprint("在", i)) == nil {
			said = append(said, now)
		}
		if i == 20_000 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for i := 6; i < len(said); i++ {
		require.GreaterOrEqual(t, said[i].Sub(said[i-6]), 5*time.Minute)
	}
	assert.GreaterOrEqual(t, len(said), 6*24, "and it answers as much as it may")
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(64<<10))
	runtime.KeepAlive(a)
}
