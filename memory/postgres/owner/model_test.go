package owner

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The model: processes with a Core each, a database with its own clock, and faults from a seed. Time is virtual. The database does
// with leases what memory/postgres does, and checks the epoch of each write, as a Fence does.

type modelOptions struct {
	seed      uint64
	processes int
	beings    int
	faulty    time.Duration // kills, pauses, partitions until then
	jumps     bool          // the clocks of processes and of the database jump, too
	noHints   bool          // processes give no hints
	sleeps    bool          // bots sleep and are woken, until faulty is over
	noTrigger bool          // control: an event does not wake its bot
	noFence   bool          // control: the database accepts each write
	noMargin  bool          // control: a process trusts its leases three times as long as the database
}

type modelLease struct {
	owner string
	epoch int64
	until time.Duration // by the clock of the database

	asleep bool
	wake   time.Duration // it sleeps until then
	inbox  int           // events that wait
}

type modelProcess struct {
	id          string
	core        *Core
	born        int           // number of the start; what belongs to an earlier one is dropped
	clock       time.Duration // the local clock is so much ahead
	dead        bool
	draining    bool
	pausedUntil time.Duration
	cutUntil    time.Duration
	held        []func()         // what arrived during a pause
	running     map[string]int64 // what Start began
	starting    int
	wake        time.Duration
}

type event struct {
	at time.Duration
	n  int
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

type model struct {
	o       modelOptions
	rng     *rand.Rand
	now     time.Duration
	ahead   time.Duration // clock of the database
	n       int
	queue   events
	ps      []*modelProcess
	beings  []string
	leases  map[string]*modelLease // beings, and members behind "member "
	wrote   map[string]map[int64]string
	newest  map[string]int64 // highest epoch that a being was claimed with
	broken  []string
	writes  int
	refused int
	claims  int
	slept   int
	woken   int                      // by an event
	tired   time.Duration            // bots may sleep until then
	ready   map[string]*modelProcess // who acts for a being, and is ready
	idle    map[string]time.Duration // since when nobody acts for a being
	longest time.Duration            // for which nobody acted for a being that somebody acted for before
}

var t0 = time.Unix(1_700_000_000, 0)

func newModel(o modelOptions) *model {
	m := &model{o: o, rng: rand.New(rand.NewPCG(o.seed, 1)), leases: map[string]*modelLease{}, wrote: map[string]map[int64]string{}, newest: map[string]int64{}, idle: map[string]time.Duration{}, ready: map[string]*modelProcess{}}
	for i := range o.beings {
		m.beings = append(m.beings, fmt.Sprint("being", i))
	}
	for i := range o.processes {
		p := &modelProcess{id: fmt.Sprint("p", i), dead: true}
		m.ps = append(m.ps, p)
		m.start(p)
	}
	if o.faulty > 0 {
		m.after(time.Second, m.fault)
	}
	m.tired = o.faulty
	if o.sleeps {
		m.after(time.Second, m.event)
	}
	return m
}

func (m *model) after(d time.Duration, do func()) {
	m.n++
	heap.Push(&m.queue, event{m.now + d, m.n, do})
}

func (m *model) run(until time.Duration) {
	for len(m.queue) > 0 && m.queue[0].at <= until && len(m.broken) == 0 {
		e := heap.Pop(&m.queue).(event)
		m.now = e.at
		e.do()
		m.check()
		if m.o.faulty == 0 {
			m.observe()
		}
	}
	m.now = until
}

func (m *model) start(p *modelProcess) {
	timing := Timing{}
	if m.o.noMargin {
		timing.Valid = 45 * time.Second
		timing.Renew = 5 * time.Second
		timing.Retry = time.Second
	}
	p.born++
	p.core, p.dead, p.draining, p.running, p.held = New(p.id, timing, m.beings), false, false, map[string]int64{}, nil
	p.pausedUntil, p.wake, p.starting = 0, -1, 0
	m.step(p, func(now time.Time) []Action { return p.core.Due(now) })
	m.write(p)
}

// when runs do in the process, after its pause. It is dropped if the process dies.
func (m *model) when(p *modelProcess, do func()) {
	if p.pausedUntil > m.now {
		p.held = append(p.held, do)
		return
	}
	do()
}

func (m *model) local(p *modelProcess) time.Time { return t0.Add(m.now + p.clock) }

func (m *model) step(p *modelProcess, f func(time.Time) []Action) {
	for _, a := range f(m.local(p)) {
		m.perform(p, a)
	}
	if next := p.core.Next(); !next.IsZero() {
		d := max(0, next.Sub(m.local(p)))
		p.wake = m.now + d
		born, wake := p.born, p.wake
		m.after(d, func() {
			if born == p.born && !p.dead && p.wake == wake {
				m.when(p, func() { m.step(p, func(now time.Time) []Action { return p.core.Due(now) }) })
			}
		})
	}
}

func (m *model) perform(p *modelProcess, a Action) {
	born := p.born
	answer := func(after time.Duration, r Result) {
		m.after(after, func() {
			if born == p.born && !p.dead {
				m.when(p, func() { m.step(p, func(now time.Time) []Action { return p.core.Answer(now, a, r) }) })
			}
		})
	}
	switch a.Kind {
	case Want:
		m.hint(p, a.Being, true)
		return
	case Start:
		p.running[a.Being] = a.Epoch
		p.starting++
		m.after(time.Duration(p.starting)*50*time.Millisecond, func() { m.isReady(p, born, a) })
		return
	case Stop:
		delete(p.running, a.Being)
		if m.ready[a.Being] == p {
			delete(m.ready, a.Being)
		}
		a.Kind = Start
		answer(m.latency(), Result{})
		return
	}
	there, back := m.latency(), m.latency()
	m.after(there, func() {
		if p.cutUntil > m.now && m.rng.IntN(2) == 0 { // the request is lost
			answer(2*time.Second, Result{Failed: true})
			return
		}
		r := m.database(p, a)
		if p.cutUntil > m.now { // the answer is lost
			answer(2*time.Second, Result{Failed: true})
			return
		}
		answer(back, r)
	})
}

// isReady ends the start of a bot. Bots of a process that start at the same time slow each other down.
func (m *model) isReady(p *modelProcess, born int, a Action) {
	if born != p.born || p.dead {
		return
	}
	p.starting--
	if p.running[a.Being] == a.Epoch {
		m.ready[a.Being] = p
		m.after(time.Duration(m.rng.IntN(10_000))*time.Millisecond, func() { m.sleep(p, born, a) })
	}
	m.when(p, func() { m.step(p, func(now time.Time) []Action { return p.core.Ready(now, a.Being, a.Epoch) }) })
}

// sleep ends a bot that has nothing to do for a while.
func (m *model) sleep(p *modelProcess, born int, a Action) {
	if !m.o.sleeps || m.now > m.tired || born != p.born || p.dead {
		return
	}
	m.when(p, func() {
		if p.running[a.Being] != a.Epoch {
			return
		}
		delete(p.running, a.Being)
		delete(m.ready, a.Being)
		a.Kind = Start
		rest := time.Duration(m.rng.IntN(60_000)) * time.Millisecond
		m.step(p, func(now time.Time) []Action { return p.core.Answer(now, a, Result{Sleeps: true, Left: rest}) })
	})
}

// event lets an event come to a bot now and then. After all faults each bot gets a last one.
func (m *model) event() {
	for i, b := range m.beings {
		last := m.now > m.tired
		if i%2 == 0 && last || !last && m.rng.IntN(30) == 0 {
			m.publish(b)
		}
	}
	if m.now <= m.tired {
		m.after(time.Second, m.event)
	}
}

func (m *model) publish(b string) {
	l := m.lease(b)
	l.inbox++
	if l.asleep && l.wake > m.now+m.ahead && !m.o.noTrigger {
		l.wake = m.now + m.ahead
		m.woken++
		m.hint(nil, b, false)
	}
}

func (m *model) lease(key string) *modelLease {
	l := m.leases[key]
	if l == nil {
		l = &modelLease{until: -time.Hour}
		m.leases[key] = l
	}
	return l
}

func (m *model) latency() time.Duration { return time.Duration(1+m.rng.IntN(300)) * time.Millisecond }

// database does what the functions of memory/postgres do.
func (m *model) database(p *modelProcess, a Action) (r Result) {
	const valid = 15 * time.Second
	clock := m.now + m.ahead
	key := a.Being
	if a.Kind == Join || a.Kind == Leave {
		key = "member " + p.id
	}
	l := m.lease(key)
	switch a.Kind {
	case Join:
		if l.until <= clock {
			m.hint(p, "", false)
		}
		l.owner, l.until = p.id, clock+valid
		r.Asleep = map[string]time.Duration{}
		for _, b := range m.beings {
			if l := m.lease(b); l.asleep {
				r.Asleep[b] = max(0, l.wake-clock)
			}
		}
		for _, q := range m.ps {
			if l := m.leases["member "+q.id]; l != nil && l.until > clock {
				r.Members = append(r.Members, q.id)
				if left := l.until - clock; q != p && (r.Left == 0 || left < r.Left) {
					r.Left = left
				}
			}
		}
	case Leave:
		l.until = -time.Hour
		m.hint(p, "", false)
	case Claim:
		if l.until >= clock {
			return Result{Fenced: true, Left: l.until - clock}
		}
		if l.asleep && l.wake > clock {
			return Result{Sleeps: true, Left: l.wake - clock}
		}
		l.owner, l.epoch, l.until, l.asleep = p.id, l.epoch+1, clock+valid, false
		r.Epoch = l.epoch
		m.newest[a.Being] = l.epoch
		m.claims++
	case Renew:
		if l.epoch != a.Epoch {
			return Result{Fenced: true}
		}
		l.until = clock + valid
	case Release:
		if l.epoch != a.Epoch {
			return Result{Fenced: true}
		}
		l.until = -time.Hour
		m.hint(p, a.Being, false)
	case Sleep:
		if l.epoch != a.Epoch {
			return Result{Fenced: true}
		}
		if l.inbox > 0 {
			a.For = 0
		}
		l.until, l.asleep, l.wake = -time.Hour, true, clock+a.For
		m.slept++
		if a.For == 0 {
			m.hint(nil, a.Being, false)
		}
		return Result{Sleeps: true, Left: a.For}
	}
	return r
}

// hint gives a hint to all other processes. During faults a third of them is lost.
func (m *model) hint(from *modelProcess, being string, want bool) {
	if m.o.noHints {
		return
	}
	for _, p := range m.ps {
		born := p.born
		if p == from || p.cutUntil > m.now || m.now < m.o.faulty && m.rng.IntN(3) == 0 {
			continue
		}
		m.after(m.latency(), func() {
			if born == p.born && !p.dead {
				m.when(p, func() {
					m.step(p, func(now time.Time) []Action {
						if want {
							return p.core.Wanted(now, being)
						}
						return p.core.Hint(now, being)
					})
				})
			}
		})
	}
}

// write lets the bots of a process write now and then. A write may be on its way while its process is paused or dies.
func (m *model) write(p *modelProcess) {
	born := p.born
	m.after(time.Duration(100+m.rng.IntN(400))*time.Millisecond, func() {
		if born != p.born || p.dead {
			return
		}
		m.when(p, func() {
			for _, b := range m.beings {
				if epoch := p.running[b]; epoch != 0 && p.cutUntil <= m.now {
					m.after(m.latency(), func() { m.accept(p, b, epoch) })
				}
			}
			m.write(p)
		})
	})
}

func (m *model) accept(p *modelProcess, b string, epoch int64) {
	if m.leases[b].epoch != epoch && !m.o.noFence {
		m.refused++
		return
	}
	m.writes++
	if epoch < m.newest[b] {
		m.breaks("%s commits a write of %s under epoch %d after the claim of epoch %d", p.id, b, epoch, m.newest[b])
	}
	if m.wrote[b] == nil {
		m.wrote[b] = map[int64]string{}
	}
	if other := m.wrote[b][epoch]; other != "" && other != p.id {
		m.breaks("%s and %s write %s under epoch %d", other, p.id, b, epoch)
	}
	m.wrote[b][epoch] = p.id
	m.leases[b].inbox = 0
}

func (m *model) breaks(format string, args ...any) {
	m.broken = append(m.broken, fmt.Sprintf("seed %d, %v: ", m.o.seed, m.now)+fmt.Sprintf(format, args...))
}

// check: as long as clocks do not jump, at most one process that is not paused acts for a being.
func (m *model) check() {
	if m.o.jumps || m.o.faulty == 0 {
		return
	}
	by := map[string]string{}
	for _, p := range m.ps {
		if p.dead || p.pausedUntil > m.now || len(p.held) > 0 {
			continue
		}
		for b := range p.core.Acting(m.local(p)) {
			if by[b] != "" {
				m.breaks("%s and %s act for %s", by[b], p.id, b)
			}
			by[b] = p.id
		}
	}
}

// observe notes for how long nobody is ready to act for a being.
func (m *model) observe() {
	for _, b := range m.beings {
		since, idle := m.idle[b]
		p := m.ready[b]
		acts := p != nil && !p.dead
		switch {
		case !acts && !idle && m.newest[b] > 0:
			m.idle[b] = m.now
		case acts && idle:
			m.longest = max(m.longest, m.now-since)
			delete(m.idle, b)
		}
	}
}

func (m *model) fault() {
	if m.now > m.o.faulty {
		m.heal()
		return
	}
	p := m.ps[m.rng.IntN(len(m.ps))]
	long := time.Duration(m.rng.IntN(40_000)) * time.Millisecond
	switch kind := m.rng.IntN(6); {
	case p.dead:
		m.start(p)
	case kind == 0:
		p.dead = true
	case kind == 1 || kind == 2:
		m.pause(p, long)
	case kind == 3:
		p.cutUntil = m.now + long
	case kind == 4 && !p.draining:
		p.draining = true
		m.when(p, func() { p.core.Drain(); m.step(p, func(now time.Time) []Action { return p.core.Due(now) }) })
	case kind == 5 && m.o.jumps:
		jump := time.Duration(m.rng.IntN(40_000)-20_000) * time.Millisecond
		if m.rng.IntN(4) == 0 {
			m.ahead += jump
		} else {
			p.clock += jump
			m.when(p, func() { m.step(p, func(now time.Time) []Action { return p.core.Due(now) }) })
		}
	}
	m.after(time.Duration(500+m.rng.IntN(3000))*time.Millisecond, m.fault)
}

func (m *model) pause(p *modelProcess, d time.Duration) {
	p.pausedUntil = max(p.pausedUntil, m.now+d)
	born := p.born
	m.after(d, func() { m.resume(p, born) })
}

// stop lets a process hand its beings over and end.
func (m *model) stop(p *modelProcess) {
	p.draining = true
	p.core.Drain()
	m.step(p, func(now time.Time) []Action { return p.core.Due(now) })
}

func (m *model) resume(p *modelProcess, born int) {
	if born != p.born || p.dead || p.pausedUntil > m.now {
		return
	}
	held := p.held
	p.held = nil
	for _, do := range held {
		do()
	}
	m.step(p, func(now time.Time) []Action { return p.core.Due(now) })
}

// heal ends all faults. Every second process that is dead or leaves stays away; the others start again.
func (m *model) heal() {
	for i, p := range m.ps {
		p.cutUntil, p.pausedUntil = 0, 0
		switch {
		case (p.dead || p.draining) && i%2 == 0:
			m.start(p)
		case !p.dead:
			m.resume(p, p.born)
		}
	}
}

// owners returns who acts for each being.
func (m *model) owners() map[string]string {
	out := map[string]string{}
	for _, p := range m.ps {
		if p.dead {
			continue
		}
		for b := range p.core.Acting(m.local(p)) {
			out[b] = p.id
		}
	}
	return out
}

// want returns who should act for each being.
func (m *model) want() map[string]string {
	var live []string
	for _, p := range m.ps {
		if !p.dead && !p.draining {
			live = append(live, p.id)
		}
	}
	out := map[string]string{}
	for _, b := range m.beings {
		out[b] = Prefer(b, live)
	}
	return out
}

// settled is longer than the longest way to the goal: a lease that nobody knows ends (15 s, and 20 s more if the clock of the
// database or of a process jumped back), the members are listed (5 s), the former owner hands over and the new one claims.
const settled = 50 * time.Second

func runModel(o modelOptions) *model {
	m := newModel(o)
	m.run(o.faulty + 10*time.Second + settled)
	return m
}

func TestModel(t *testing.T) {
	refused, claims := 0, 0
	for seed := range uint64(24) {
		o := modelOptions{seed: seed, processes: 4, beings: 9, faulty: 3 * time.Minute, jumps: seed%2 == 1, noHints: seed%4 < 2}
		m := runModel(o)
		require.Empty(t, m.broken)
		require.Equal(t, m.want(), m.owners(), "seed %d", seed)
		refused, claims = refused+m.refused, claims+m.claims
	}
	assert.Positive(t, refused, "the fence was needed")
	assert.Greater(t, claims, 24*9*4, "beings moved")
}

// With bots that sleep: each one that an event waits for, or whose time has come, acts in the end, however many processes, calls and
// hints were lost.
func TestModel_Sleep(t *testing.T) {
	slept, woken := 0, 0
	for seed := range uint64(24) {
		o := modelOptions{seed: seed, processes: 4, beings: 9, faulty: 3 * time.Minute, jumps: seed%2 == 1, noHints: seed%4 < 2, sleeps: true}
		m := runModel(o)
		require.Empty(t, m.broken)
		m.run(m.now + time.Minute) // the longest sleep
		require.Equal(t, m.want(), m.owners(), "seed %d", seed)
		for b, l := range m.leases {
			require.Zero(t, l.inbox, b)
		}
		slept, woken = slept+m.slept, woken+m.woken
	}
	assert.Greater(t, slept, 24*9*4)
	assert.Greater(t, woken, 24*9)
}

// Without faults an event waits for less than a second or two if hints arrive, and else until the members are listed. Each bot sleeps
// for an hour, and nobody asks for it.
func TestModel_Wake(t *testing.T) {
	wake := func(noHints, noTrigger bool) (longest time.Duration) {
		m := newModel(modelOptions{seed: 3, processes: 4, beings: 40, noHints: noHints, noTrigger: noTrigger, sleeps: true})
		m.run(20 * time.Second)
		require.Equal(t, m.want(), m.owners())
		for b, id := range m.owners() {
			p := m.ps[slices.IndexFunc(m.ps, func(p *modelProcess) bool { return p.id == id })]
			a := Action{Kind: Start, Being: b, Epoch: p.running[b]}
			delete(p.running, b)
			delete(m.ready, b)
			m.step(p, func(now time.Time) []Action { return p.core.Answer(now, a, Result{Sleeps: true, Left: time.Hour}) })
		}
		claims := m.claims
		m.run(m.now + 30*time.Second)
		require.Empty(t, m.owners())
		require.Equal(t, claims, m.claims)
		m.stop(m.ps[0])
		m.run(m.now + 30*time.Second)
		require.Empty(t, m.owners(), "also if a process leaves")
		require.Equal(t, claims, m.claims)
		for _, p := range m.ps[1:] {
			require.Empty(t, p.core.beings, "only names")
		}
		for _, b := range m.beings {
			m.publish(b)
			since := m.now
			for m.leases[b].inbox > 0 && m.now < since+time.Minute {
				m.run(m.now + 50*time.Millisecond)
			}
			longest = max(longest, m.now-since)
		}
		require.Empty(t, m.broken)
		return longest
	}
	assert.Less(t, wake(false, false), 2*time.Second, "hint, claim, write")
	assert.Less(t, wake(true, false), 8*time.Second)
	assert.Greater(t, wake(true, false), 3*time.Second, "control: without hints")
	assert.Equal(t, time.Minute, wake(false, true), "control: nothing wakes them")
}

// Controls: without the fence, and with a deadline behind the end of the lease, the model finds a violation.
func TestModel_Controls(t *testing.T) {
	found := func(o modelOptions) bool {
		for o.seed = range 40 {
			if len(runModel(o).broken) > 0 {
				return true
			}
		}
		return false
	}
	o := modelOptions{processes: 4, beings: 9, faulty: 3 * time.Minute}
	without := o
	without.noFence = true
	assert.True(t, found(without), "without the fence")
	late := o
	late.noMargin = true
	assert.True(t, found(late), "with a late deadline")
}

// A member that joins takes about 1/N of the beings, and no others move. One that leaves gives its own to the others.
func TestModel_Join(t *testing.T) {
	m := newModel(modelOptions{seed: 1, processes: 4, beings: 100})
	last := m.ps[3]
	last.dead = true
	m.run(30 * time.Second)
	before, claims := m.owners(), m.claims
	require.Equal(t, m.want(), before)
	m.start(last)
	m.run(time.Minute)
	after := m.owners()
	require.Equal(t, m.want(), after)
	moved := 0
	for b, p := range after {
		if p != before[b] {
			moved++
			assert.Equal(t, last.id, p)
		}
	}
	assert.InDelta(t, 25, moved, 12)
	assert.Equal(t, claims+moved, m.claims)

	m.stop(last)
	m.run(m.now + 10*time.Second)
	assert.Equal(t, before, m.owners(), "within 10 s, because nothing has to end by itself")
	assert.True(t, last.core.Drained())
	require.Empty(t, m.broken)
}

// A process that leaves hands its beings over when another one can start them, so that each is without a bot for a short time. Each
// call takes up to 300 ms in the model: end, release, hint and claim take 1.2 s at most, and eight starts at once 400 ms.
func TestModel_HandOver(t *testing.T) {
	handOver := func(noHints bool) (longest time.Duration) {
		m := newModel(modelOptions{seed: 2, processes: 4, beings: 100, noHints: noHints})
		m.run(time.Minute)
		require.Equal(t, m.want(), m.owners())
		m.longest = 0
		last := m.ps[3]
		m.stop(last)
		m.run(m.now + 40*time.Second)
		require.True(t, last.core.Drained())
		require.Equal(t, m.want(), m.owners())
		require.Empty(t, m.broken)
		require.Empty(t, m.idle)
		return m.longest
	}
	assert.Less(t, handOver(false), 1700*time.Millisecond)
	assert.Greater(t, handOver(true), 3*time.Second, "control: without hints")
}

// After a crash the others act as soon as the leases have ended, whenever they would have listed the members.
func TestModel_Crash(t *testing.T) {
	for seed := range uint64(10) {
		m := newModel(modelOptions{seed: seed, processes: 4, beings: 40, noHints: true})
		m.run(30*time.Second + time.Duration(seed)*511*time.Millisecond)
		require.Equal(t, m.want(), m.owners())
		m.longest = 0
		m.ps[0].dead = true
		m.run(m.now + 40*time.Second)
		require.Equal(t, m.want(), m.owners())
		require.Empty(t, m.broken)
		assert.Less(t, m.longest, 15*time.Second+2*time.Second, "seed %d: the lease, a list of the members and two rounds of claims", seed)
		assert.Greater(t, m.longest, 9*time.Second, "control: leases had to end")
	}
}

// All members agree, whatever their order, and each gets its share.
func TestPrefer(t *testing.T) {
	assert.Empty(t, Prefer("x", nil))
	members := []string{"a", "b", "c", "d", "e"}
	share := map[string]int{}
	for i := range 5000 {
		b := fmt.Sprint("being", i)
		best := Prefer(b, members)
		share[best]++
		back := slices.Clone(members)
		slices.Reverse(back)
		require.Equal(t, best, Prefer(b, back))
		if best != "e" {
			require.Equal(t, best, Prefer(b, members[:4]))
		}
	}
	for _, m := range members {
		assert.InDelta(t, 1000, share[m], 150, m)
	}
}
