package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A chatDay is a scripted day of a group: batches of messages and all other parts of its prompts.
type chatDay struct {
	*rand.Rand
	who   persona.Profile
	now   time.Time
	said  []persona.Message // all messages, oldest first
	scene Scene
	turn  int
	first time.Time // of the history
	heard int       // messages since the last reflection
	steps bool
	long  int // average length of a message in runes
}

const (
	dayTurns   = 50 // minimum length of the history in turns; twice as many messages
	daySeed    = 7
	dayBatches = 240
)

func newDay(steps bool, long int) *chatDay {
	d := &chatDay{Rand: rand.New(rand.NewPCG(daySeed, daySeed)), now: time.Date(2026, 1, 5, 8, 0, 0, 0, cst), steps: steps, long: long}
	d.who = persona.Profile{Name: "小炉", Aliases: []string{"炉子", "阿炉"}, About: "爱看番的大学生，说话随和，懂一点编程。喜欢雨天和旧书，不喜欢别人替她做决定。"}
	d.scene = Scene{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "728316450"}, ChatName: "技术交流群", Location: cst, Mood: &MoodSummary{Text: "平静", Energy: .7}}
	for i := range 4 {
		d.scene.Notes = append(d.scene.Notes, Memory{ID: fmt.Sprint("要点", i), Text: d.words(30)})
		d.scene.OwnerMemories = append(d.scene.OwnerMemories, Memory{Text: d.words(25)})
	}
	d.scene.Planned = []schedule.Task{{ID: "t1", Title: d.words(10), Motivation: d.words(20), Plan: d.words(20), ScheduledAt: d.now.Add(30 * time.Hour)}}
	return d
}

func (d *chatDay) words(n int) string {
	const glyphs = "今天大家都在聊天群里有人问怎么学编程晚上吃什么好周末一起去看电影吗我觉得还不错就是人太多了下雨路上堵车明天再说吧"
	r := []rune(glyphs)
	var s strings.Builder
	for range n/2 + d.IntN(n+1) {
		s.WriteRune(r[d.IntN(len(r))])
	}
	return s.String()
}

func (d *chatDay) say(from int, own bool) {
	m := persona.Message{ID: fmt.Sprint(1_000_000_000 + d.IntN(1e9)), Chat: d.scene.Chat, At: d.now, Text: d.words(d.long)}
	if m.From, m.Name, m.Own = fmt.Sprint(300_000_000+from*7919), fmt.Sprint("群友", from), own; own {
		m.From, m.Name, m.Text = "10000", "小炉", d.words(24)
	}
	d.said = append(d.said, m)
}

// begins returns the start of a history with so many turns and at most twice as many messages, as memory counts them.
func begins(ms []persona.Message, turns int) int {
	for i := len(ms) - 1; i > 0; i-- {
		if pause := ms[i].At.Sub(ms[i-1].At) > time.Minute; pause || ms[i-1].Own && !ms[i].Own {
			if turns--; turns == 0 {
				return max(i, len(ms)-2*dayTurns)
			}
		}
	}
	return max(0, len(ms)-2*dayTurns)
}

// history returns the earlier messages and the length of the CachePrefix.
func (d *chatDay) history() ([]persona.Message, int) {
	latest := begins(d.said, dayTurns)
	if !d.steps {
		return slices.Clone(d.said[latest:]), 0
	}
	said := d.said[max(0, latest-dayTurns*3/2):]
	begin := HistoryStart(said, d.first, len(d.said)-latest, 0)
	if begin < len(said) {
		d.first = said[begin].At
	}
	return slices.Clone(said[begin:]), max(0, len(said)-begin-(len(d.said)-latest))
}

// next adds a batch and returns the scene of the next turn.
func (d *chatDay) next() Scene {
	d.now = d.now.Add(time.Duration(30+d.IntN(420)) * time.Second)
	history, spare := d.history()
	before := len(d.said)
	for range 1 + d.IntN(7) {
		d.now = d.now.Add(time.Duration(2+d.IntN(15)) * time.Second)
		d.say(d.IntN(12), false)
	}
	s := &d.scene
	s.History, s.CachePrefix, s.Recent = history, spare, slices.Clone(d.said[before:])
	s.State, s.Target = []string{"observing", "active", "summoned"}[d.IntN(3)], s.Recent[0].ID
	s.People, s.Memories = nil, nil
	for _, m := range s.Recent[:min(4, len(s.Recent))] {
		s.People = append(s.People, Person{ID: m.From, Name: m.Name, Relation: d.IntN(4), Impression: d.words(24)})
	}
	for range 5 {
		s.Memories = append(s.Memories, Memory{Text: d.words(30), Person: fmt.Sprint("群友", d.IntN(12)), At: d.now.AddDate(0, 0, -1-d.IntN(30))})
	}
	if d.turn%20 == 0 {
		s.Summary = d.words(300)
	}
	if d.turn%40 == 0 {
		s.Notes[d.IntN(len(s.Notes))].Text = d.words(30)
	}
	if d.turn%12 == 0 {
		s.GlobalReflection = d.words(100)
	}
	if d.heard += len(s.Recent); d.heard >= 10 {
		d.heard, s.InnerState = 0, d.words(150)
	}
	d.turn++
	told := *s
	if d.now = d.now.Add(10 * time.Second); d.IntN(10) < 6 {
		d.say(0, true)
	}
	return told
}

func (d *chatDay) prompt(s Scene) string { return System(d.who, s) + "\n\n" + Context(d.who, d.now, s) }

// reminded is the scene of a timer in this chat, without its history.
func (d *chatDay) reminded() Scene {
	s := d.scene
	s.History, s.Recent, s.People, s.Memories, s.State, s.Target = nil, nil, nil, nil, "observing", ""
	s.Kind = Remind
	s.Wake = &schedule.Wake{Kind: schedule.WakeTimer, Reason: schedule.WakeReason{Since: d.now}, Timer: schedule.Firing{Timer: schedule.Timer{Spec: "5min", Payload: d.words(30)}}}
	return s
}

func shared(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// measure returns the share of all prompt text that repeats the start of the previous prompt, and the share of turns in
// which this is at least 70 %. The first turns with a short history count, too.
func (d *chatDay) measure(wakes bool) (all float64, good float64, size int) {
	var same, whole, fine, n int
	var before []string
	for i := range dayBatches {
		prompts := []string{d.prompt(d.next())}
		if wakes && i%6 == 5 {
			prompts = append(prompts, d.prompt(d.reminded()))
		}
		for _, p := range prompts {
			most := 0
			for _, b := range before[max(0, len(before)-2):] { // two: a wake must not hide the start of the turn before it
				most = max(most, Tokens(shared(b, p)))
			}
			if len(before) > 0 {
				same, whole, n = same+most, whole+Tokens(p), n+1
				if 10*most >= 7*Tokens(p) {
					fine++
				}
			}
			before = append(before, p)
		}
	}
	return float64(same) / float64(whole), float64(fine) / float64(n), whole / n
}

// The test covers a day of short messages, a day with wakes in between, and days of longer and longer messages, whose
// history reaches its limit of tokens more often.
func TestContext_StablePrefixOverADay(t *testing.T) {
	for _, tc := range []struct {
		long  int
		wakes bool
		want  float64
	}{{16, false, .7}, {16, true, .7}, {40, false, .7}, {60, false, .7}, {100, false, .7}, {250, false, .7}} {
		plain, plainGood, plainSize := newDay(false, tc.long).measure(tc.wakes)
		steps, good, size := newDay(true, tc.long).measure(tc.wakes)
		t.Logf("%d runes a message, wakes %v: a sliding history %.1f %% shared, %.0f %% of turns ≥ 70 %%, %d tokens; in steps %.1f %%, %.0f %%, %d tokens",
			tc.long, tc.wakes, 100*plain, 100*plainGood, plainSize, 100*steps, 100*good, size)
		assert.GreaterOrEqual(t, steps, tc.want)
	}
	require.Equal(t, newDay(true, 16).next(), newDay(true, 16).next(), "the day is scripted")
}
