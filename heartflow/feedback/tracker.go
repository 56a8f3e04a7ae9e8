package feedback

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Options configure a [Tracker]. The zero value is valid.
type Options struct {
	Wait     time.Duration // how long reactions to an utterance are awaited; 0 means 10 minutes. Other times are parts of it
	Messages int           // of others, after which no more reactions are awaited; 0 means 12
	Rate     float64       // weight of one rating, up to 1; 0 means .1
	HalfLife time.Duration // without new ratings a mean halves in this time; 0 means 7 days
}

func (o *Options) fill() error {
	if o.Wait < 0 || o.Messages < 0 || !(o.Rate >= 0 && o.Rate <= 1) || o.HalfLife < 0 {
		return fmt.Errorf("feedback: Wait %v, Messages %d, Rate %v, HalfLife %v: none may be negative, and Rate is at most 1", o.Wait, o.Messages, o.Rate, o.HalfLife)
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Minute
	}
	if o.Messages == 0 {
		o.Messages = 12
	}
	if o.Rate == 0 {
		o.Rate = .1
	}
	if o.HalfLife == 0 {
		o.HalfLife = 7 * 24 * time.Hour
	}
	return nil
}

// Times with the default Wait: 30 s, 10 s, 1 min and 3 min.

// joined is the longest pause within an utterance.
func (o *Options) joined() time.Duration { return o.Wait / 20 }

// interrupted is the time in which messages of others show that the bot has interrupted them.
func (o *Options) interrupted() time.Duration { return o.Wait / 60 }

// soon is the time in which the next message may answer without addressing the bot.
func (o *Options) soon() time.Duration { return o.Wait / 10 }

// goesOn is the time in which a message of the person whom the bot answered may go on.
func (o *Options) goesOn() time.Duration { return 3 * o.Wait / 10 }

// A Said is a message of the bot.
type Said struct {
	ID     string // as in Message.QuoteID; "" if unknown
	To     string // the person whom it answers; "" for nobody
	Called bool   // it answers a message that addressed the bot
}

// A Message is a message of somebody else.
type Message struct {
	From     string
	Text     string // its first 200 bytes are read
	QuoteID  string // the quoted message; "" for none
	ToMe     bool   // it addresses the bot: by an @, a reply or a name, or in a private chat
	ToOthers bool   // it addresses somebody else
	FromBot  bool   // the author is a bot: the message is no reaction
}

// A Tracker rates what a bot says. K is the key of a chat. Make one with [New].
type Tracker[K comparable] struct {
	o Options

	mu      sync.Mutex
	now     tick.Tick      // the latest time seen
	loc     *time.Location // of the latest time
	chats   map[K]*chat[K]
	names   map[string]*chat[K] // by the key formatted by fmt.Sprint
	created int                 // chats ever created; the Order of the next one
	waiting tick.Queue[*chat[K]]
	ended   []Rating[K] // that Due has not returned
}

// A chat holds the open utterances and the means of one chat.
type chat[K comparable] struct {
	tick.Place // in Tracker.waiting

	key     K
	name    string
	open    []*utterance // the latest last
	talking bool         // the last message is the bot's
	mean    mean
	people  []person // the latest last
}

// An utterance is one or more messages of the bot, with what happened since.
type utterance struct {
	IDs    []string
	To     string
	Called bool
	At     tick.Tick // of the last message
	Others int       // messages by others since
	Fast   int       // of Others: within interrupted
	Set    set
	By     []reactor
}

// A reactor is a person with the signals that they gave.
type reactor struct {
	Person string
	Set    set
}

// Limits.
const (
	maxOpen     = 4 // utterances in a chat
	maxIDs      = 16
	maxReactors = 8
	maxGoesOn   = 6 // messages of others until the person whom the bot answered goes on
)

// New returns a Tracker. It returns an error if an option is out of its range.
func New[K comparable](o Options) (*Tracker[K], error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	return &Tracker[K]{o: o, loc: time.UTC, chats: map[K]*chat[K]{}, names: map[string]*chat[K]{}}, nil
}

// enter locks t, sets its time, and rates the utterances that have waited long enough.
func (t *Tracker[K]) enter(now time.Time) {
	t.mu.Lock()
	t.now, t.loc = max(t.now, tick.Of(now)), now.Location()
	for len(t.waiting) > 0 && t.waiting[0].Due <= t.now {
		t.end(t.waiting[0], 0)
	}
}

func (t *Tracker[K]) chat(key K) *chat[K] {
	c := t.chats[key]
	if c == nil {
		c = &chat[K]{key: key, name: fmt.Sprint(key), Place: tick.Place{Order: t.created}}
		t.created++
		t.chats[key], t.names[c.name] = c, c
	}
	return c
}

// wait sets when the oldest open utterance of c is rated at the latest.
func (t *Tracker[K]) wait(c *chat[K]) {
	if len(c.open) == 0 {
		t.waiting.Remove(c)
		return
	}
	t.waiting.Set(c, c.open[0].At.Add(t.o.Wait))
}

// Said takes a message of the bot, when it was sent.
func (t *Tracker[K]) Said(now time.Time, key K, s Said) {
	t.enter(now)
	defer t.mu.Unlock()
	c := t.chat(key)
	if n := len(c.open); c.talking && n > 0 && t.now.Since(c.open[n-1].At) <= t.o.joined() {
		u := c.open[n-1]
		u.At = t.now
		if s.ID != "" && len(u.IDs) < maxIDs {
			u.IDs = append(u.IDs, s.ID)
		}
		t.wait(c)
		return
	}
	if len(c.open) == maxOpen {
		t.end(c, 0)
	}
	u := &utterance{To: s.To, Called: s.Called, At: t.now}
	if s.ID != "" {
		u.IDs = append(u.IDs, s.ID)
	}
	c.open, c.talking = append(c.open, u), true
	t.wait(c)
}

// Observe takes a message of somebody else. It costs nothing much if no utterance is open.
func (t *Tracker[K]) Observe(now time.Time, key K, m Message) {
	t.enter(now)
	defer t.mu.Unlock()
	c := t.chats[key]
	if c == nil || len(c.open) == 0 {
		return
	}
	c.talking = false
	if m.FromBot {
		return
	}
	latest := c.open[len(c.open)-1]
	u, quotes := latest, false
	if m.QuoteID != "" {
		for _, o := range c.open {
			if slices.Contains(o.IDs, m.QuoteID) {
				u, quotes = o, true
			}
		}
	}
	for _, o := range c.open {
		o.Others++
	}
	if t.now.Since(latest.At) <= t.o.interrupted() {
		latest.Fast++
	}
	if s := u.signalsOf(t.now, m, quotes, &t.o); s != 0 {
		u.add(m.From, s)
	}
	for i := len(c.open) - 1; i >= 0; i-- {
		if c.open[i].Others >= t.o.Messages {
			t.end(c, i)
		}
	}
}

// signalsOf returns what a message says about u.
func (u *utterance) signalsOf(now tick.Tick, m Message, quotes bool, o *Options) (s set) {
	first, near := u.Others == 1, u.Others <= 2
	direct := quotes || m.ToMe && m.QuoteID == ""
	age := now.Since(u.At)
	continues := !m.ToOthers && m.QuoteID == "" &&
		(m.From == u.To && age <= o.goesOn() && u.Others <= maxGoesOn || first && u.To == "" && age <= o.soon())
	if !direct && !continues && (m.ToOthers || m.QuoteID != "" || !near) {
		return 0
	}
	says := sentimentOf(m.Text)
	switch {
	case says.complaint && (direct || continues || near):
		return complained
	case direct, continues:
		s = answered
	}
	if quotes {
		s |= quoted
	}
	if says.laugh && (s != 0 || near) {
		s |= laughed
	}
	if says.praise && (s != 0 || first) {
		s |= praised
	}
	return s
}

// add notes signals of a person.
func (u *utterance) add(who string, s set) {
	u.Set |= s
	for i := range u.By {
		if u.By[i].Person == who {
			u.By[i].Set |= s
			return
		}
	}
	if who != "" && len(u.By) < maxReactors {
		u.By = append(u.By, reactor{who, s})
	}
}

// Reacted takes a reaction with a face to a message of the bot. Reactions to other messages have no effect.
func (t *Tracker[K]) Reacted(now time.Time, key K, id, from string, approving bool) {
	s := praised
	if !approving {
		s = complained
	}
	t.signal(now, key, id, from, s)
}

// Deleted takes the deletion of a message of the bot by somebody else.
func (t *Tracker[K]) Deleted(now time.Time, key K, id string) { t.signal(now, key, id, "", deleted) }

// Muted takes a mute of the bot by the platform. It concerns the latest utterance.
func (t *Tracker[K]) Muted(now time.Time, key K) { t.signal(now, key, "", "", muted) }

// signal notes a signal about the utterance with a message id; "": about the latest one.
func (t *Tracker[K]) signal(now time.Time, key K, id, from string, s set) {
	t.enter(now)
	defer t.mu.Unlock()
	c := t.chats[key]
	if c == nil {
		return
	}
	for i := len(c.open) - 1; i >= 0; i-- {
		if id == "" || slices.Contains(c.open[i].IDs, id) {
			c.open[i].add(from, s)
			return
		}
	}
}

// end rates an utterance and learns from it.
func (t *Tracker[K]) end(c *chat[K], i int) {
	u := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	t.wait(c)
	if u.Set == 0 && !u.Called {
		switch {
		case u.Fast >= 2 && u.Others >= 3:
			u.Set = talkedOver
		case u.Others >= 3:
			u.Set = ignored
		}
	}
	t.learn(c, u)
	r := Rating[K]{
		Chat: c.key, To: u.To, Called: u.Called, At: u.At.Time(t.loc), Ended: t.now.Time(t.loc), Others: u.Others, Signals: u.Set.codes(), Score: u.Set.score(),
	}
	if len(u.IDs) > 0 {
		r.ID = u.IDs[0]
	}
	t.ended = append(t.ended, r)
}

// Due returns the ratings that became known, oldest first, each once.
func (t *Tracker[K]) Due(now time.Time) []Rating[K] {
	t.enter(now)
	defer t.mu.Unlock()
	ended := t.ended
	t.ended = nil
	return ended
}

// Next returns when Due has something to return, at the latest. ok is false if it has nothing to return before another call.
func (t *Tracker[K]) Next() (at time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.ended) > 0:
		return t.now.Time(t.loc), true
	case len(t.waiting) > 0:
		return t.waiting[0].Due.Time(t.loc), true
	}
	return at, false
}
