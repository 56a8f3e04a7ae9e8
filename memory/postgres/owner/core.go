package owner

import (
	"slices"
	"time"
)

// Timing configures the core. All processes need the same values. The zero value suits most.
type Timing struct {
	Valid  time.Duration // a lease ends this long after its last renewal; 0 means 15 s
	Renew  time.Duration // time between renewals; 0 means a third of Valid
	Retry  time.Duration // time between attempts; 0 means a fifteenth of Valid
	Margin time.Duration // a process stops acting this long before a lease can end; 0 means a seventh of Valid
	Moves  int           // most claims at once, and most hand-overs at once to processes that do not ask for them; a process asks for a quarter of it at once; 0 means 8
}

func (t Timing) withDefaults() Timing {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&t.Valid, 15*time.Second)
	set(&t.Renew, t.Valid/3)
	set(&t.Retry, t.Valid/15)
	set(&t.Margin, t.Valid/7)
	if t.Moves == 0 {
		t.Moves = 8
	}
	return t
}

// A Kind is a kind of [Action].
type Kind string

// The kinds of actions. All except Stop and Want are answered once.
const (
	Join    Kind = "join"    // claim or renew the membership of this process, then list the live members
	Leave   Kind = "leave"   // end the membership
	Claim   Kind = "claim"   // claim the lease of the being
	Renew   Kind = "renew"   // renew it
	Release Kind = "release" // end it
	Sleep   Kind = "sleep"   // end it, and note that the being sleeps for Action.For
	Want    Kind = "want"    // ask the process that acts for the being to hand it over
	Start   Kind = "start"   // act for the being, with the epoch as fence; answer when nothing acts for it any more
	Stop    Kind = "stop"    // end what Start began, at once
)

// An Action is something that the caller of a [Core] shall do.
type Action struct {
	Kind  Kind
	Being string // "" for Join and Leave
	Epoch int64  // of the claim; 0 for Join, Leave, Claim and Want
	sent  time.Time
	For   time.Duration // of Sleep
}

// A Result is the answer to an [Action]. The zero value means that it was done.
type Result struct {
	Members []string                 // of Join: the live members, this process included
	Asleep  map[string]time.Duration // of Join: the beings that sleep, and how long each may sleep; 0: it must be woken
	Epoch   int64                    // of Claim
	Fenced  bool                     // another process holds the lease
	Sleeps  bool                     // of Claim: the being sleeps for Left; of Start: it shall sleep for Left; of Sleep: it sleeps for Left
	// Left is the time after which asking again may have another answer: until the lease of a Claim that was Fenced ends, or the
	// first membership of another process after a Join; 0: not known.
	Left   time.Duration
	Failed bool // the outcome is not known, or the being could not be started
}

// A Core decides which beings one process among many claims, renews, hands over and gives up. It has no clock and no
// goroutine: do what Due returns, give the results to Answer, and call Due again at Next. now is the monotonic clock of the
// process; a step back counts as no step. Its methods must not be called concurrently.
//
// A being that sleeps, and one that other processes act for, costs its name only: no time of Due, and no call to the database.
type Core struct {
	id      string
	t       Timing
	now     time.Time
	names   []string          // of all beings, sorted
	beings  map[string]*being // those that this process acts for or shall claim
	order   []*being          // the same, by name
	members []string
	joined  time.Time // others see this process until then
	join    time.Time // of the next Join
	joining bool
	again   bool // join once more when the present Join is answered
	leaving bool
	left    bool // Leave was sent and answered
	drain   bool
	pulled  time.Time // the last call of Wanted
}

// A being is what the process knows of one being.
type being struct {
	name    string
	mine    bool // this process should have it
	epoch   int64
	until   time.Time // the process may act until then
	next    time.Time // of the next Claim or Renew
	asked   Kind      // the request that has no answer yet; "" for none
	acting  bool      // Start is not answered yet
	ready   bool      // see Ready
	started time.Time // when Start was returned
	held    bool      // another process had the lease at the last Claim
	wanted  time.Time // a Want was sent, and shall not be sent again before
	leave   time.Time // since when it shall be handed over; zero: it shall not
	pull    time.Time // until then another process is ready to take it
	stopped bool      // Stop was sent
	slow    time.Time // a stopped one that has not ended by then no longer holds up the others
	freed   bool      // somebody has released or woken it since the Claim or Sleep was sent
	hinted  bool      // somebody has released or woken it since the Join was sent
	fenced  bool      // another process has the lease
	sleeps  bool      // it shall sleep until wake, and its lease end
	wake    time.Time
}

// New returns the Core of a process. id is unique among the processes that run, such as the name of the host.
func New(id string, t Timing, beings []string) *Core {
	names := slices.Sorted(slices.Values(beings))
	return &Core{id: id, t: t.withDefaults(), names: slices.Compact(names), beings: map[string]*being{}}
}

// Drain hands all beings over. The process claims none any more.
func (c *Core) Drain() { c.drain = true }

// Drained reports whether Drain was called and everything is handed over.
func (c *Core) Drained() bool {
	for _, b := range c.order {
		if b.acting || b.epoch != 0 || b.asked != "" {
			return false
		}
	}
	return c.drain && c.left
}

// Hint tells that another process has released a being, or that a being that sleeps must be woken, or with "" that a process has joined or left. It returns what shall be done
// now, as Due does. A hint may be missing or wrong: it only makes the process ask sooner.
func (c *Core) Hint(now time.Time, name string) []Action {
	c.advance(now)
	switch {
	case name == "" && c.joining:
		c.again = true
	case name == "":
		c.join = c.now
	default:
		c.freed(name)
	}
	return c.Due(now)
}

// freed notes that a being has no owner, and may be awake.
func (c *Core) freed(name string) {
	b := c.beings[name]
	if b == nil {
		if !c.knows(name) || Prefer(name, c.members) != c.id {
			return
		}
		b = c.add(name)
	}
	b.hinted = b.hinted || c.joining
	switch {
	case b.asked == Claim || b.asked == Sleep:
		b.freed = true
	case b.asked == "" && b.epoch == 0:
		b.next = c.now
	}
}

// Wanted tells that another process is ready to take a being over, and returns what shall be done now, as Due does.
func (c *Core) Wanted(now time.Time, name string) []Action {
	c.advance(now)
	if c.knows(name) { // this process may not know yet that it shall hand it over
		c.pulled = c.now
	}
	if b := c.beings[name]; b != nil {
		b.pull = c.now.Add(c.t.Retry)
	}
	return c.Due(now)
}

// Ready tells that what Start began acts for the being, so that this process may take others over. It returns what shall be done now,
// as Due does. A start of which it is not told counts as done after a while.
func (c *Core) Ready(now time.Time, name string, epoch int64) []Action {
	c.advance(now)
	if b := c.beings[name]; b != nil && b.acting && b.epoch == epoch {
		b.ready = true
	}
	return c.Due(now)
}

// Acting returns the epochs of the beings that the process acts for at now.
func (c *Core) Acting(now time.Time) map[string]int64 {
	out := map[string]int64{}
	for name, b := range c.beings {
		if b.acting && !b.stopped && now.Before(b.until) {
			out[name] = b.epoch
		}
	}
	return out
}

// Due returns what shall be done now, each action once. Stop comes first.
func (c *Core) Due(now time.Time) (do []Action) {
	c.advance(now)
	do = c.stopDue(do)
	do = c.membershipDue(do)
	do = c.requestsDue(do)
	return c.wantDue(do)
}

// requestsDue returns all requests that are due, but few claims at once: those that wait longest.
func (c *Core) requestsDue(do []Action) []Action {
	room := c.t.Moves
	for _, b := range c.order {
		if b.asked == Claim {
			room--
		}
	}
	var claims []*being
	for _, b := range c.order {
		switch k := c.wants(b); k {
		case "":
		case Claim:
			claims = addOldest(claims, b, room)
		default:
			do = append(do, c.ask(b, k))
		}
	}
	for _, b := range claims {
		do = append(do, c.ask(b, Claim))
	}
	return do
}

// addOldest adds b to a list of at most so many beings, those that wait longest first.
func addOldest(all []*being, b *being, most int) []*being {
	at := len(all)
	for at > 0 && b.next.Before(all[at-1].next) {
		at--
	}
	if at >= most {
		return all
	}
	if len(all) == most {
		all = all[:most-1]
	}
	return slices.Insert(all, at, b)
}

func (c *Core) ask(b *being, k Kind) Action {
	b.asked = k
	return Action{Kind: k, Being: b.name, Epoch: b.epoch, sent: c.now, For: b.restOf(k, c.now)}
}

// wantDue asks for a few beings that other processes act for. Each is without an owner while its bot starts, and bots that start at
// the same time slow each other down, so these are fewer than Moves.
func (c *Core) wantDue(do []Action) []Action {
	taking := c.taking()
	for _, b := range c.order {
		if taking < max(1, c.t.Moves/4) && c.mayClaim(b) && b.epoch == 0 && b.held && !b.wanted.After(c.now) {
			b.wanted = c.now.Add(c.t.Retry)
			taking++
			do = append(do, Action{Kind: Want, Being: b.name, sent: c.now})
		}
	}
	return do
}

// taking returns the number of beings that this process is taking over. One that takes long does not count.
func (c *Core) taking() (n int) {
	for _, b := range c.order {
		if b.epoch == 0 && b.wanted.After(c.now) || c.starting(b) {
			n++
		}
	}
	return n
}

func (c *Core) starting(b *being) bool {
	return b.acting && !b.ready && b.started.Add(c.t.Retry).After(c.now)
}

// wants returns the request that is due for a being, or "".
func (c *Core) wants(b *being) Kind {
	switch {
	case b.asked != "":
		return ""
	case b.epoch != 0 && !b.acting && b.sleeps:
		return Sleep
	case b.epoch != 0 && !b.acting:
		return Release
	case b.next.After(c.now):
		return ""
	case b.epoch != 0 && !b.fenced && b.until.After(c.now): // also until a stopped one has ended
		return Renew
	case b.epoch == 0 && c.mayClaim(b):
		return Claim
	}
	return ""
}

func (c *Core) mayClaim(b *being) bool { return b.mine && !c.drain && c.joined.After(c.now) }

// stopDue stops the beings whose lease is lost or could end, and hands over those of other members.
func (c *Core) stopDue(do []Action) []Action {
	moves := c.moving()
	for _, b := range c.order {
		if !b.acting || b.stopped {
			continue
		}
		lost := b.fenced || !b.until.After(c.now)
		if lost || c.gives(b, moves) {
			moves++
			b.stopped, b.slow = true, c.now.Add(c.t.Retry)
			do = append(do, Action{Kind: Stop, Being: b.name, Epoch: b.epoch, sent: c.now})
		}
	}
	return do
}

// gives reports whether a being is handed over now: if another process is ready to take it, if there is no other one, or, a few
// at once, if none has asked for any being for a while.
func (c *Core) gives(b *being, moves int) bool {
	if !c.drain && b.mine {
		b.leave = time.Time{}
		return false
	}
	if b.leave.IsZero() {
		b.leave = c.now
	}
	alone := !slices.ContainsFunc(c.members, func(m string) bool { return m != c.id })
	quiet := !b.leave.Add(c.t.Retry).After(c.now) && !c.pulled.Add(c.t.Retry).After(c.now)
	return b.pull.After(c.now) || moves < c.t.Moves && (alone || quiet)
}

// moving returns the number of beings that are being handed over. One that takes long to end does not count, so that it does not
// hold up the others.
func (c *Core) moving() (n int) {
	for _, b := range c.order {
		if b.acting && b.stopped && b.slow.After(c.now) {
			n++
		}
	}
	return n
}

func (c *Core) membershipDue(do []Action) []Action {
	switch {
	case c.joining || c.leaving || c.left:
	case c.drain:
		c.leaving = true
		do = append(do, Action{Kind: Leave, sent: c.now})
	case !c.join.After(c.now):
		c.joining = true
		do = append(do, Action{Kind: Join, sent: c.now})
	}
	return do
}

// Next returns when Due must be called again at the latest, if no answer comes before; zero: only after an answer.
func (c *Core) Next() (next time.Time) {
	at := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	if !c.drain && !c.joining && !c.left {
		at(c.join)
	}
	waits := false // for other processes
	for _, b := range c.order {
		if b.acting && !b.stopped {
			at(b.until)
			if !b.leave.IsZero() {
				for _, since := range [...]time.Time{b.leave, c.pulled} {
					if since.Add(c.t.Retry).After(c.now) {
						at(since.Add(c.t.Retry))
					}
				}
			}
		}
		if b.epoch == 0 && b.held && c.mayClaim(b) {
			waits = true
			if b.wanted.After(c.now) {
				at(b.wanted)
			}
		}
		if b.acting && b.stopped && b.slow.After(c.now) {
			at(b.slow)
		}
		if b.asked == "" && (b.epoch != 0 || c.mayClaim(b)) && b.next.After(c.now) {
			at(b.next)
		}
	}
	for _, b := range c.order {
		if waits && c.starting(b) {
			at(b.started.Add(c.t.Retry))
		}
	}
	return next
}

func (c *Core) advance(now time.Time) {
	if now.After(c.now) {
		c.now = now
	}
}
