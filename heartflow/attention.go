package heartflow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Options of an [Attention]. The zero value speaks when it is mentioned, replied to or written to in private.
type Options struct {
	Names     []string // what it is called; nil: none
	WakeWords []string // call it as a name does; nil: none
	Keywords  []string // what it cares for, and comes for uncalled; nil: none
	Policy    Policy   // nil means MentionOnly{}

	ActiveFor   time.Duration // how long a chat is Active after a reply; 0 means 2 minutes, negative: never
	MaxRenewals int           // how often further replies renew that; 0 means 5, negative: never
	MaxAge      time.Duration // a call, and a verdict, older than this is stale; 0 means 2 minutes

	Energy     Energy      // what a reply costs and how that is made good; zero: .1, and .1 a minute
	Staleness  Staleness   // until when the words of a turn are right; zero: 10 newer messages, unless it was called
	QuietHours QuietHours  // hours of the day in which it does not join in; zero: none
	Caps       Caps        // hard limits; zero: 6 replies in 5 minutes, 3 messages in a row, 2 replies in a row to bots
	Budget     *Budget     // asked by Judge; nil: no limit
	Seed       uint64      // 0 draws one: see Attention.Seed
	OnTrace    func(Trace) // gets every decision, without a lock, from the goroutine that made it; nil: nobody
	KeepTraces int         // traces kept per chat, about 500 bytes each; 0 means 32, at most 4096, negative: none
}

// Validate returns an error that names the field that is wrong and its allowed values.
func (o Options) Validate() error {
	if o.MaxAge < 0 {
		return fmt.Errorf("heartflow: MaxAge is %v: it must not be negative", o.MaxAge)
	}
	if o.KeepTraces > 4096 {
		return fmt.Errorf("heartflow: Ring is %d: it must be at most 4096", o.KeepTraces)
	}
	_, err := Settings{}.compile(o, nil)
	return err
}

// An Attention is one being's attention to its chats, each known by a K: who calls it, whether to speak, and whether
// that is still right when the words are ready. It has no clock and no goroutine.
//
// All methods may be called concurrently; no lock is held while a [Policy] or Options.Trace runs. A K is written by
// fmt.Sprint once, for traces: its String method, where it has one, must not call the Attention.
type Attention[K comparable] struct {
	o     Options
	whys  [manyCalls][]Code // every set of calls as codes, so that judging need not allocate
	fresh *tuning           // of a chat without Settings
	pool  sync.Pool         // of *Moment

	mu      sync.Mutex
	seed    uint64
	now     tick.Tick // the latest time seen
	account account
	chats   map[K]*chat[K]
	tunings map[K]*tuning        // by Configure
	count   int                  // of chats ever made: their order
	turns   uint64               // ever judged
	live    tick.Queue[*chat[K]] // chats whose state ends by itself, the next on top
	changed []*chat[K]           // chats whose state Due has to tell
	traces  []Trace              // to be delivered when the lock is released
	stats   Stats
}

// New returns an Attention that knows no chat, or the error of [Options.Validate].
func New[K comparable](o Options) (*Attention[K], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = fill.Zero(o, Options{Policy: MentionOnly{}, ActiveFor: 2 * time.Minute, MaxRenewals: 5, MaxAge: 2 * time.Minute, KeepTraces: 32})
	o.Energy, o.Staleness, o.Caps = fill.Zero(o.Energy, defaultEnergy), fill.Zero(o.Staleness, defaultFresh), fill.Zero(o.Caps, defaultCaps)
	o.Names, o.WakeWords, o.Keywords = slices.Clone(o.Names), slices.Clone(o.WakeWords), slices.Clone(o.Keywords)
	for o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	a := &Attention[K]{o: o, seed: o.Seed, account: account{loc: time.UTC, maxAge: o.MaxAge}, chats: map[K]*chat[K]{}, tunings: map[K]*tuning{}, stats: newStats()}
	a.fresh, _ = Settings{}.compile(o, nil) // Validate has done it once
	a.pool.New = func() any { return new(PolicyInput) }
	for c := range a.whys {
		list := calls(c).codes()
		a.whys[c] = list[:len(list):len(list)] // appending to one copies it
	}
	return a, nil
}

// Seed returns Options.Seed, or what was drawn in its place, or what [Attention.Restore] brought.
func (a *Attention[K]) Seed() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seed
}

// State returns how chat is perceived at now. A chat that is not known is Observing.
func (a *Attention[K]) State(now time.Time, chat K) State {
	a.enter(now)
	defer a.leave()
	if c := a.chats[chat]; c != nil && !a.account.asleep {
		return c.state
	}
	return a.account.state()
}

// Traces copies the newest decisions in chat, newest last.
func (a *Attention[K]) Traces(chat K) []Trace {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.chats[chat]; c != nil {
		return c.ring.all()
	}
	return nil
}

// Forget lets go of what is known of chat, except for its Settings: its counts, its state, its traces. A bot that left
// a group, or talks with many strangers, keeps its memory bounded by it.
func (a *Attention[K]) Forget(chat K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.chats[chat]
	if c == nil {
		return
	}
	a.live.Remove(c)
	if i := slices.Index(a.changed, c); i >= 0 {
		a.changed = slices.Delete(a.changed, i, i+1)
	}
	delete(a.chats, chat)
}

// enter locks, sets the clock to now, and lets happen what was due by then.
func (a *Attention[K]) enter(now time.Time) tick.Tick {
	a.mu.Lock()
	a.now, a.account.loc = max(a.now, tick.Of(now)), now.Location()
	a.settle()
	return a.now
}

// enterChat is enter for what concerns one chat.
func (a *Attention[K]) enterChat(now time.Time, key K) (*chat[K], tick.Tick) {
	at := a.enter(now)
	return a.chat(key), at
}

// leave unlocks and delivers the traces.
func (a *Attention[K]) leave() {
	traces := a.traces
	a.traces = nil
	a.mu.Unlock()
	for _, t := range traces {
		a.o.OnTrace(t)
	}
}

// settle lets happen what is due, in the order of time.
func (a *Attention[K]) settle() {
	if a.account.asleep && a.account.wakeAt <= a.now {
		a.wake(a.account.wakeAt)
	}
	for len(a.live) > 0 && a.live[0].Due <= a.now {
		c := a.live[0]
		why := []Code{WhyActiveOver}
		if c.state == Addressed {
			why[0] = WhyLapsed
		}
		a.reconsider(c, c.Due, why)
	}
}

// reconsider brings the state of c up to date, and with it when that ends.
func (a *Attention[K]) reconsider(c *chat[K], at tick.Tick, why []Code) {
	if s := c.stateAt(at); s != c.state {
		c.state, c.Since = s, at
		if s == Observing {
			c.Topic = nil
		}
		a.mark(c)
		a.record(c, at, &Trace{Kind: KindState, Why: why, Next: c.next(at, "")})
	}
	a.live.Set(c, c.deadline(at))
}

// mark puts c among those that Due tells of.
func (a *Attention[K]) mark(c *chat[K]) {
	if !c.marked {
		c.marked = true
		a.changed = append(a.changed, c)
	}
}

// wake ends sleep.
func (a *Attention[K]) wake(at tick.Tick) {
	a.account.asleep, a.account.sleptAt, a.account.wakeAt = false, at, 0
	a.record(nil, at, &Trace{Kind: KindState, Why: []Code{WhyWoke}})
}

// record keeps a trace of c, or of the account where c is nil, and sets the state and the time in it, unless it has one.
func (a *Attention[K]) record(c *chat[K], at tick.Tick, t *Trace) {
	if t.At.IsZero() {
		t.At = at.Time(a.account.loc)
	}
	t.State = a.account.state()
	if c != nil {
		t.Chat, t.State = c.name, c.perceived(at)
		if a.o.KeepTraces > 0 {
			c.ring.add(a.o.KeepTraces, t)
		}
	}
	if a.o.OnTrace != nil {
		t.Gates = slices.Clone(t.Gates)
		a.traces = append(a.traces, *t)
	}
}

// chat returns the chat of that key, and makes it where it is new.
func (a *Attention[K]) chat(key K) *chat[K] {
	c := a.chats[key]
	if c == nil {
		c = &chat[K]{account: &a.account, key: key, name: fmt.Sprint(key), Place: tick.Place{Order: a.count}, tuning: a.tuning(key)}
		c.dice.Seed(a.seed, pcg.Stream(c.name))
		a.count++
		a.chats[key] = c
	}
	return c
}

// tuning returns what holds in chat.
func (a *Attention[K]) tuning(chat K) *tuning {
	if len(a.tunings) > 0 {
		if own := a.tunings[chat]; own != nil {
			return own
		}
	}
	return a.fresh
}
