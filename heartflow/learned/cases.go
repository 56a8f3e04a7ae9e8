package learned

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// A trainCase is one decision: the features of a message for a person who may answer it, and whether the person did.
type trainCase struct {
	x      lookback.Features
	odds   float64 // log odds of the shipped weights
	weight float64 // of cases without an answer only a sample is used, and weighs more
	answer bool
	bot    bool // the person is the bot
	day    int
	block  int // cases of a chat within an hour
}

// Limits of a training. They bound its time and memory.
const (
	minSaid        = 3      // messages of a person on a day; on other days the person is not played
	maxPlayed      = 40     // people per chat, those with the most messages
	maxUnanswered  = 30_000 // cases without an answer, of the people, in each part
	botWeight      = 5      // weight of a case of the bot in training: others said what they thought of it
	maxEntries     = 500_000
	minDays        = 4
	minAnswers     = 60 // in both parts
	minTestAnswers = 20 // on the days kept apart
)

// A logReader turns chats into cases.
type logReader struct {
	model    *lookback.Model // shipped
	names    []string        // of the bot
	progress func(done, total int)

	days     []time.Time // by number, in order
	chats    []*ownChat
	apart    int // number of the first day that is kept apart
	messages int
	people   map[string]int // messages of each person
	cases    []trainCase
	blocks   map[string]int
	sampled  [2]float64 // share of the cases without an answer that are kept: of training, and apart
}

// read prepares the chats.
func (r *logReader) read(chats []LogChat, apart float64) {
	seen := map[string]time.Time{}
	key := func(t time.Time) string { return t.Format(time.DateOnly) }
	for _, c := range chats {
		for i := range c.Entries {
			if k := key(c.Entries[i].At); c.Entries[i].isMessage() {
				if was, ok := seen[k]; !ok || c.Entries[i].At.Before(was) {
					seen[k] = c.Entries[i].At
				}
			}
		}
	}
	var keys []string
	for k := range seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	number := map[string]int{}
	for i, k := range keys {
		number[k] = i
		r.days = append(r.days, seen[k])
	}
	r.apart = len(keys) - int(math.Ceil(apart*float64(len(keys))))
	r.people, r.blocks = map[string]int{}, map[string]int{}
	for _, c := range chats {
		own := newOwnChat(c, func(t time.Time) int {
			n, ok := number[key(t)]
			if !ok {
				return -1 // a day without messages
			}
			return n
		})
		r.chats = append(r.chats, own)
		for i := range own.entries {
			if e := &own.entries[i]; e.isMessage() {
				r.messages++
				if !e.Own {
					r.people[e.From]++
				}
			}
		}
	}
}

// speakers returns the people of a chat who are played, and their messages on each day.
func (c *ownChat) speakers() (who []string, said map[string]map[int]int) {
	said, all := map[string]map[int]int{}, map[string]int{}
	for i := range c.entries {
		e := &c.entries[i]
		if !e.isMessage() || e.Own || e.FromBot {
			continue
		}
		if said[e.From] == nil {
			said[e.From] = map[int]int{}
			who = append(who, e.From)
		}
		said[e.From][c.days[i]]++
		all[e.From]++
	}
	slices.SortStableFunc(who, func(a, b string) int { return cmp.Or(all[b]-all[a], cmp.Compare(a, b)) })
	return who[:min(len(who), maxPlayed)], said
}

// A play is a person of a chat with the messages that the person answered.
type play struct {
	chat     *ownChat
	who      string
	names    []string
	said     map[int]int // nil for the bot
	answered map[int]bool
}

// point reports whether message i is a decision of the person.
func (p *play) point(i int) bool {
	e := &p.chat.entries[i]
	if p.said == nil { // the bot: only what people rated
		_, rated := p.answered[i]
		return rated
	}
	return e.isMessage() && !e.Own && !e.FromBot && e.From != p.who && p.said[p.chat.days[i]] >= minSaid
}

// plays returns everybody who is played.
func (r *logReader) plays() (list []play) {
	for _, c := range r.chats {
		who, said := c.speakers()
		for _, w := range who {
			p := play{chat: c, who: w, names: validNames(c.names[w]), said: said[w], answered: map[int]bool{}}
			for i, j := range c.answers {
				if j >= 0 && c.entries[i].From == w {
					p.answered[j] = true
				}
			}
			list = append(list, p)
		}
		if c.bot != "" {
			list = append(list, play{chat: c, who: c.bot, names: validNames(r.names...), answered: c.rated(r.names)})
		}
	}
	return list
}

// validNames returns the names that heartflow accepts.
func validNames(names ...string) (valid []string) {
	for _, n := range names {
		if n != "" && (heartflow.Options{Names: []string{n}}).Validate() == nil {
			valid = append(valid, n)
		}
	}
	return valid
}

// run plays everybody. It fails only if ctx ends.
func (r *logReader) run(ctx context.Context) error {
	plays := r.plays()
	var without [2]int
	for k := range plays {
		p := &plays[k]
		for i, day := range p.chat.days {
			if p.said != nil && p.point(i) && !p.answered[i] {
				without[r.part(day)]++
			}
		}
	}
	for i, n := range without {
		r.sampled[i] = min(1, maxUnanswered/float64(max(n, 1)))
	}
	for k := range plays {
		if err := r.play(ctx, &plays[k]); err != nil {
			return err
		}
		if r.progress != nil {
			r.progress(k+1, len(plays))
		}
	}
	return nil
}

// part is 0 for a day of training, and 1 for one that is kept apart.
func (r *logReader) part(day int) int {
	if day >= r.apart {
		return 1
	}
	return 0
}

// A watcher is a policy that copies the features of the newest message to x.
type watcher struct {
	source
	x *lookback.Features
}

// Judge implements [heartflow.Policy].
func (w watcher) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	if seen := lookback.ViewOf(m).Messages; len(seen) > 0 && seen[len(seen)-1].Known {
		*w.x = seen[len(seen)-1].Features
	}
	return heartflow.Verdict{}
}

// play adds the cases of one person.
func (r *logReader) play(ctx context.Context, p *play) error {
	var x lookback.Features
	a, err := heartflow.New[string](heartflow.Options{Names: p.names, Policy: watcher{lookback.NewSource(r.model), &x}, Seed: 1, KeepTraces: -1})
	if err != nil {
		return fmt.Errorf("learned: train: %w", err) // unreachable: the names are valid
	}
	for i := range p.chat.entries {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := &p.chat.entries[i]
		if e.Deleted != "" {
			if j := p.chat.find(e.Deleted, i); j >= 0 {
				a.Retract(e.At, "", strconv.Itoa(j+1))
			}
			continue
		}
		if !e.isMessage() {
			continue
		}
		m := p.chat.messageAs(i, p.who)
		a.Observe(e.At, "", m)
		if m.Own {
			continue
		}
		a.Judge(e.At, "")
		if p.point(i) {
			r.add(p, i, &x)
		}
	}
	return nil
}

// find returns the index of the message with an id before entry i; -1: there is none near.
func (c *ownChat) find(id string, i int) int {
	for j := i - 1; j >= max(i-1000, 0); j-- {
		if c.entries[j].Message.ID == id {
			return j
		}
	}
	return -1
}

// add adds one case.
func (r *logReader) add(p *play, i int, x *lookback.Features) {
	c := trainCase{x: *x, odds: float64(r.model.Odds(x)), weight: 1, answer: p.answered[i], bot: p.said == nil, day: p.chat.days[i]}
	at := p.chat.entries[i].At
	if share := r.sampled[r.part(c.day)]; !c.answer && !c.bot && share < 1 {
		h := fnv.New32a()
		fmt.Fprint(h, p.chat.id, " ", p.who, " ", i)
		if float64(h.Sum32()) >= share*math.MaxUint32 {
			return
		}
		c.weight = 1 / share
	}
	block := fmt.Sprint(p.chat.id, " ", at.Unix()/3600)
	n, ok := r.blocks[block]
	if !ok {
		n = len(r.blocks)
		r.blocks[block] = n
	}
	c.block = n
	r.cases = append(r.cases, c)
}

// rated returns the messages that the bot answered, and whether its answer was welcome by the reactions of people. Messages
// whose answers got no reaction are not in it, nor are bad answers to a message that addressed the bot: it had to answer.
func (c *ownChat) rated(names []string) map[int]bool {
	t, _ := feedback.New[int](feedback.Options{}) // the defaults are valid
	said := map[string]int{}                      // by the ID for the tracker: the answered message
	rated := map[int]bool{}
	collect := func(at time.Time) {
		for _, f := range t.Due(at) {
			j := said[f.ID]
			switch {
			case j < 0:
			case f.Score > 0:
				rated[j] = true
			case f.Score < 0 && !f.Called && !rated[j]:
				rated[j] = false
			}
		}
	}
	for i := range c.entries {
		e := &c.entries[i]
		collect(e.At)
		id := strconv.Itoa(i + 1)
		switch {
		case e.Muted:
			t.Muted(e.At, 0)
		case e.Deleted != "":
			if j := c.find(e.Deleted, i); j >= 0 && c.entries[j].Own && e.By != c.bot {
				t.Deleted(e.At, 0, strconv.Itoa(j+1))
			}
		case !e.isMessage():
		case e.Own:
			s := feedback.Said{ID: id}
			j := c.answers[i]
			if j >= 0 {
				to := &c.entries[j]
				s.To, s.Called = to.From, to.calls(names)
			}
			said[id] = j
			t.Said(e.At, 0, s)
		default:
			quoted := ""
			if j := c.answers[i]; e.QuoteID != "" && j >= 0 && c.entries[j].Own {
				quoted = strconv.Itoa(j + 1)
			}
			toMe := e.calls(names) || quoted != ""
			t.Observe(e.At, 0, feedback.Message{
				From: e.From, Text: e.Text, QuoteID: quoted, ToMe: toMe, ToOthers: !toMe && (e.QuoteID != "" || len(e.Addressees) > 0), FromBot: e.FromBot,
			})
		}
	}
	if n := len(c.entries); n > 0 {
		collect(c.entries[n-1].At.Add(24 * time.Hour))
	}
	return rated
}
