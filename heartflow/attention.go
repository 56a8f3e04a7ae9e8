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

// Options configure an [Attention]. The zero value is valid: the bot then answers messages that mention it, reply to
// it or are private, and after a reply it joins in by chance while the chat is Active.
type Options struct {
	Names     []string // names of the bot; a message with one addresses the bot
	WakeWords []string // words that address the bot as a name does
	Keywords  []string // topics of interest; a message with one addresses the bot, except at LevelMentionsOnly
	Policy    Policy   // nil means Interject{}

	ActiveFor   time.Duration // duration of the Active state after a reply; 0 means 2 minutes, negative disables it
	MaxRenewals int           // later replies that may extend it; 0 means 5, negative means none
	MaxAge      time.Duration // maximum age of a verdict and of a message that addresses the bot; 0 means 2 minutes

	Energy     Energy     // cost of replies and recovery over time; zero: .1 per reply, .1 back per minute
	Staleness  Staleness  // when a late reply is dropped; zero: an interjection after 10 newer messages
	QuietHours QuietHours // daily hours without interjections; zero: none
	Begin      *Begin     // lets the bot begin talks; nil: it begins none
	Caps       Caps       // hard rate limits; zero: 20 replies in 5 minutes, or 30 in a private chat, and 6 interjections
	Budget     *Budget    // limits model usage; nil means no limit
	Seed       uint64     // seed of all random decisions; 0 draws one, see Attention.Seed
	// Welcome returns how welcome the bot is in a chat, and to a person there, from -1 to 1; see package feedback. Policies change the
	// chance of unaddressed messages by it. The chat is its key formatted by fmt.Sprint. It is called without a lock. Nil means 0.
	Welcome    func(now time.Time, chat, person string) float64
	OnTrace    func(Trace) // called with every decision, without a lock, in the goroutine that made it; may be nil
	KeepTraces int         // traces kept per chat, about 500 bytes each; 0 means 32, the maximum is 4096, negative means none
}

// Validate returns an error that names the invalid field and its allowed values.
func (o Options) Validate() error {
	if o.MaxAge < 0 {
		return fmt.Errorf("heartflow: MaxAge is %v: it must not be negative", o.MaxAge)
	}
	if o.KeepTraces > 4096 {
		return fmt.Errorf("heartflow: KeepTraces is %d: it must be at most 4096", o.KeepTraces)
	}
	_, err := Settings{}.compile(o, nil)
	return err
}

// An Attention decides in which chats one bot should speak, and when. It detects messages that address the bot,
// judges batches of messages, and refuses replies that are late or exceed a limit. K is the key of a chat. An
// Attention has no clock and no goroutine.
//
// All methods may be called concurrently. No lock is held while a [Policy] or Options.OnTrace runs. fmt.Sprint
// formats each key once, for traces. A String method of K must not call the Attention.
type Attention[K comparable] struct {
	o        Options
	codeSets [reasonSets][]Code // codes of every set of reasons; avoids allocations in Judge
	defaults *compiledSettings  // for chats without Settings
	pool     sync.Pool          // of *PolicyInput

	mu       sync.Mutex
	seed     uint64
	now      tick.Tick // the latest time seen
	account  account
	chats    map[K]*chat[K]
	settings map[K]*compiledSettings // set by Configure
	created  int                     // chats ever created; the Order of the next one
	turns    uint64                  // turns ever started
	engaged  tick.Queue[*chat[K]]    // Addressed and Active chats, the next to expire first
	silences tick.Queue[*silence[K]] // chats in which the bot may begin a talk, the next first
	changed  []*chat[K]              // chats with a state that Due has not reported
	traces   []Trace                 // delivered after the lock is released
	gates    [8]Gate                 // scratch of Speak and the like
	draws    map[K][]float64         // set by PresetDraws; nil without
	stats    Stats
}

// New returns an Attention without chats. Its error is that of [Options.Validate].
func New[K comparable](o Options) (*Attention[K], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = fill.Zero(o, Options{Policy: Interject{}, ActiveFor: 2 * time.Minute, MaxRenewals: 5, MaxAge: 2 * time.Minute, KeepTraces: 32})
	o.Energy, o.Staleness, o.Caps = fill.Zero(o.Energy, defaultEnergy), fill.Zero(o.Staleness, defaultStaleness), fill.Zero(o.Caps, defaultCaps)
	o.Names, o.WakeWords, o.Keywords = slices.Clone(o.Names), slices.Clone(o.WakeWords), slices.Clone(o.Keywords)
	for o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	a := &Attention[K]{o: o, seed: o.Seed, account: account{loc: time.UTC, maxAge: o.MaxAge}, chats: map[K]*chat[K]{}, settings: map[K]*compiledSettings{}, stats: newStats()}
	a.defaults, _ = Settings{}.compile(o, nil) // checked by Validate
	a.pool.New = func() any { return new(PolicyInput) }
	for c := range a.codeSets {
		list := reasons(c).codes()
		a.codeSets[c] = list[:len(list):len(list)] // no spare capacity, so append copies
	}
	return a, nil
}

// Seed returns the seed in use: Options.Seed, the drawn seed, or the seed from [Attention.Restore].
func (a *Attention[K]) Seed() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seed
}

// State returns the state of chat at now. An unknown chat is Observing.
func (a *Attention[K]) State(now time.Time, chat K) State {
	a.enter(now)
	defer a.leave()
	if c := a.chats[chat]; c != nil && !a.account.asleep {
		return c.state
	}
	return a.account.state()
}

// Traces returns a copy of the newest decisions in chat, oldest first.
func (a *Attention[K]) Traces(chat K) []Trace {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.chats[chat]; c != nil {
		return c.ring.all()
	}
	return nil
}

// PresetDraws sets the first random numbers of the next Judge in chat, each above 0 and below 1. A replay thus draws what
// was drawn in fact: see [Gate].Draw. The chat's own generator goes on as without it. Snapshots do not contain the numbers.
func PresetDraws[K comparable](a *Attention[K], chat K, draws ...float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draws == nil {
		a.draws = map[K][]float64{}
	}
	a.draws[chat] = slices.Clone(draws)
}

// Forget removes all data about chat except its Settings: counts, state and traces. Nothing else removes a chat, so
// call it to bound memory, for example after the bot left a group.
func (a *Attention[K]) Forget(chat K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.chats[chat]
	if c == nil {
		return
	}
	a.engaged.Remove(c)
	if c.silence != nil {
		a.silences.Remove(c.silence)
	}
	if i := slices.Index(a.changed, c); i >= 0 {
		a.changed = slices.Delete(a.changed, i, i+1)
	}
	delete(a.chats, chat)
}

// enter locks a, sets its time to now, and applies the state changes that are due.
func (a *Attention[K]) enter(now time.Time) tick.Tick {
	a.mu.Lock()
	a.now, a.account.loc = max(a.now, tick.Of(now)), now.Location()
	a.expire()
	return a.now
}

// enterChat is enter for one chat. It creates an unknown chat.
func (a *Attention[K]) enterChat(now time.Time, key K) (*chat[K], tick.Tick) {
	at := a.enter(now)
	return a.chat(key), at
}

// leave unlocks a and delivers the traces.
func (a *Attention[K]) leave() {
	if len(a.traces) == 0 {
		a.mu.Unlock()
		return
	}
	var space [2]Trace // most calls make at most two
	traces := append(space[:0], a.traces...)
	clear(a.traces)
	a.traces = a.traces[:0]
	a.mu.Unlock()
	for _, t := range traces {
		a.o.OnTrace(t)
	}
}

// expire applies the state changes that are due, in the order of their times.
func (a *Attention[K]) expire() {
	if a.account.asleep && a.account.wakeAt <= a.now {
		a.wake(a.account.wakeAt)
	}
	for len(a.engaged) > 0 && a.engaged[0].Due <= a.now {
		c := a.engaged[0]
		why := whyActiveOver
		if c.state == Addressed {
			why = whyLapsed
		}
		a.updateState(c, c.Due, why)
	}
}

// updateState computes the state of c and schedules its expiry.
func (a *Attention[K]) updateState(c *chat[K], at tick.Tick, why []Code) {
	if s := c.stateAt(at); s != c.state {
		c.state, c.Since = s, at
		if s == Observing {
			c.Topic = nil
		}
		a.markChanged(c)
		a.record(c, at, &Trace{Kind: KindState, Why: why, Next: c.nextChange(at, addressee{}, "")})
	}
	a.engaged.Set(c, c.deadline(at))
}

// markChanged adds c to the chats that Due reports.
func (a *Attention[K]) markChanged(c *chat[K]) {
	if !c.marked {
		c.marked = true
		a.changed = append(a.changed, c)
	}
}

// wake ends the sleep of the account.
func (a *Attention[K]) wake(at tick.Tick) {
	a.account.asleep, a.account.sleptAt, a.account.wakeAt = false, at, 0
	a.record(nil, at, &Trace{Kind: KindState, Why: []Code{WhyWoke}})
}

// record stores a trace of c, or of the account if c is nil. It sets the state of t, and the time if that is zero.
func (a *Attention[K]) record(c *chat[K], at tick.Tick, t *Trace) {
	if t.At.IsZero() {
		t.At = at.Time(a.account.loc)
	}
	t.State = a.account.state()
	if c != nil {
		t.Chat, t.State = c.name, c.visibleState(at)
		if a.o.KeepTraces > 0 {
			c.ring.add(a.o.KeepTraces, t)
		}
	}
	if a.o.OnTrace != nil {
		t.Gates = slices.Clone(t.Gates)
		a.traces = append(a.traces, *t)
	}
}

// chat returns the chat with that key. It creates an unknown chat.
func (a *Attention[K]) chat(key K) *chat[K] {
	c := a.chats[key]
	if c == nil {
		c = &chat[K]{account: &a.account, key: key, name: fmt.Sprint(key), Place: tick.Place{Order: a.created}, settings: a.settingsOf(key)}
		c.dice.Seed(a.seed, pcg.Stream(c.name))
		a.created++
		a.chats[key] = c
	}
	return c
}

// settingsOf returns the compiled settings of chat.
func (a *Attention[K]) settingsOf(chat K) *compiledSettings {
	if len(a.settings) > 0 {
		if own := a.settings[chat]; own != nil {
			return own
		}
	}
	return a.defaults
}
