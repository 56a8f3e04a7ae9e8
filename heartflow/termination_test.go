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

// anyPolicy returns a random policy among those that speak most.
func anyPolicy(r *rand.Rand) Policy {
	return []Policy{MentionOnly{}, Interject{Base: 1}, eager{}, eager{}}[r.IntN(4)]
}

// The caps hold under random calls with jumping times, restarts of both kinds, and changing caps.
func TestCaps_HoldUnderRandomCalls(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 40
	}
	said := 0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 11))
		o := Options{Policy: anyPolicy(r), Seed: seed + 1, Names: []string{"小炉"}, Staleness: Staleness{RepeatWindow: -1, MaxNewer: -1}}
		draw := func() Caps {
			c := Caps{Consecutive: 1 + r.IntN(4), ConsecutiveToBots: 1 + r.IntN(3), RepliesPerPerson: 1 + r.IntN(3)}
			if seed%2 == 0 { // a longer window counts all earlier messages only if the maximum of replies does not grow
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
			a.State(now, i) // so that the clock advances at every step
			log, id := &logs[i], fmt.Sprint(r.IntN(30))
			var u turn
			if c := a.chats[i]; c != nil {
				u = c.turn
			}
			to, again := u.To, u.Spoke
			spoke := func(err error) {
				if err == nil {
					*log = append(*log, logged{at: latest, own: true, to: to, again: again})
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
				a.Observe(now, i, Message{From: "1", AtMe: true, Replayed: true}) // received before the restart
			case 7, 8:
				a.JudgeUpTo(now, i, id)
			case 9:
				a.BeginTurn(now, i, "timer")
			case 10:
				a.SkipTurn(now, i, []Code{WhySuperseded, WhyRetracted, WhyModelSilent}[r.IntN(3)])
			case 11:
				a.Retract(now, i, id)
			case 12:
				to = addressee{}
				spoke(a.Speak(now, i, "嗯", "owner"))
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
	assert.Greater(t, said, runs*10, "the bot speaks often enough")
}

// A chatLog is a log of one chat for a naive check of the caps.
type chatLog []logged

type logged struct {
	at       time.Time
	own, bot bool
	to       addressee // of an own message
	again    bool      // its turn has spoken before
}

// checkLast checks the last message of the log, an own one, against the caps.
func (l chatLog) checkLast(t *testing.T, c Caps, seed uint64) {
	t.Helper()
	last := l[len(l)-1]
	window, person, inRow, toBots := 0, 0, 0, 0
	row, lastBot := true, false
	for i := len(l) - 1; i >= 0; i-- {
		e := l[i]
		if e.own && e.to.Called == last.to.Called && last.at.Sub(e.at) < c.Window {
			window++
		}
		if e.own && e.to.Called && !e.to.Private && !e.again && e.to.Person == last.to.Person && last.at.Sub(e.at) < c.Window/5 {
			person++
		}
		if row = row && e.own; row {
			inRow++
		}
	}
	for _, e := range l { // from the front, since a reply answers the message before it
		switch {
		case !e.own && !e.bot:
			toBots, lastBot = 0, false
		case !e.own:
			lastBot = true
		case lastBot:
			toBots++
		}
	}
	require.LessOrEqual(t, window, c.limit(last.to), "seed %d: in the window", seed)
	if last.to.Called && !last.to.Private && !last.again {
		require.LessOrEqual(t, person, c.RepliesPerPerson, "seed %d: to one person", seed)
	}
	require.LessOrEqual(t, inRow, c.Consecutive, "seed %d: in a row", seed)
	if lastBot {
		require.LessOrEqual(t, toBots, c.ConsecutiveToBots, "seed %d: to bots", seed)
	}
}

// Two bots that know each other stop within four messages to each other, regardless of the first message.
func TestCaps_TwoKnownBotsStop(t *testing.T) {
	most := 0
	for seed := range uint64(400) {
		p := newParty(t, seed, 2)
		p.known = true
		switch seed % 3 {
		case 0: // one of them starts without a message: that is no reply
			p.bots[0].a.BeginTurn(t0, 1, "timer")
			require.NoError(t, p.bots[0].a.Speak(t0, 1, "早上好"))
			p.observe(1, Message{From: "bot0", AtMe: true, FromBot: true})
		case 1: // an unknown bot starts
			p.observe(0, Message{From: "stranger", AtMe: true, FromBot: true})
		default:
			p.observe(1, Message{From: "bot0", FromBot: true, Text: "炉1"})
		}
		require.True(t, p.run(day), "seed %d: it does not stop", seed)
		require.LessOrEqual(t, p.sum(), 4, "seed %d", seed)
		most = max(most, p.sum())
	}
	assert.Equal(t, 4, most, "they do talk")
}

// The window of the caps stops two bots that do not know each other.
func TestCaps_TwoUnknownBotsStop(t *testing.T) {
	for seed := range uint64(200) {
		p := newParty(t, seed, 2)
		p.human(0)
		require.True(t, p.run(day), "seed %d: it does not stop", seed)
		for i, n := range p.total {
			require.LessOrEqual(t, n, 40, "seed %d: bot %d", seed, i)
		}
	}
}

// The budget stops two bots with models so slow that the window never fills.
func TestBudget_TwoSlowUnknownBotsStop(t *testing.T) {
	for seed := range uint64(20) {
		p := newParty(t, seed, 2)
		p.think, p.slow, p.most = 2*time.Minute, 2*time.Minute, 1
		for _, b := range p.bots {
			b.o.Budget, b.o.Policy, b.o.MaxAge = newBudget(BudgetOptions{HourTokens: 200_000, DayTokens: 2_000_000}), MentionOnly{}, time.Hour
			b.a = newAttention[int](b.o)
		}
		say := p.direct
		p.direct = func(from int) []int {
			p.bots[from].o.Budget.AddCall(p.now, "1", 12_000)
			return say(from)
		}
		p.human(0)
		require.True(t, p.run(7*day), "seed %d: it does not stop: %v", seed, p.total)
		require.GreaterOrEqual(t, p.total[0], 2_000_000/12_000, "seed %d: the budget stops it, not the caps", seed)
	}
}

// A bot stops answering its own messages, marked as its own, as a bot's or as a human's.
func TestCaps_BotAnswersItself(t *testing.T) {
	for seed := range uint64(300) {
		p := newParty(t, seed, 1)
		echo := []Message{{Own: true}, {FromBot: true}, {}}[seed%3]
		echo.From, echo.AtMe, echo.Text = "me", true, "炉0"
		most := []int{3, 2 + 2, 20 + 20}[seed%3] // in a row; to bots, in addition to one reply to a human; twice the window
		var b = p.bots[0]
		p.direct = func(int) []int {
			p.observe(0, echo)
			return nil
		}
		b.a.Observe(p.now, 1, Message{From: "human", AtMe: true})
		p.after(0, func() { p.judge(0) })
		require.True(t, p.run(day), "seed %d: it does not stop", seed)
		require.LessOrEqual(t, p.total[0], most, "seed %d", seed)
		require.Positive(t, p.total[0], "seed %d", seed)
	}
}

// In a group of bots and people, every bot stays within its caps between two human messages.
func TestCaps_BotsAndHumans(t *testing.T) {
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
				// Two to bots, and before these the consecutive ones to the human.
				require.LessOrEqual(t, n, 2+3, "seed %d: bot %d", seed, i)
			}
		}
		for _, n := range p.total {
			replies += n
		}
	}
	assert.Greater(t, replies, 30*20)
}

// A thousand mentions a minute for two hours: five minutes never have more than 26 messages, and memory does not
// grow.
func TestCaps_LongMentionStorm(t *testing.T) {
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
	for i := 26; i < len(said); i++ {
		require.GreaterOrEqual(t, said[i].Sub(said[i-26]), 5*time.Minute)
	}
	assert.GreaterOrEqual(t, len(said), 20*24, "it answers up to the limit")
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(64<<10))
	runtime.KeepAlive(a)
}
