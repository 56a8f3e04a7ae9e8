package nit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Registry holds the tools of a program. Tools can be added and removed at run time. A [View] decides which of them a
// principal sees. The zero Registry is empty and ready to use. All methods may be called concurrently. Set the exported
// fields before the first View and do not change them afterwards.
type Registry struct {
	// Limits of every view.
	Limits Limits
	// Quota limits the calls of all views together, by person, session and tool. Nil: only Limits apply.
	Quota *Quota
	// Policy decides each call after its arguments were validated. Nil allows every call of a visible tool.
	Policy Policy
	// Confirm asks a human if a Policy returns Ask or the tool has [RequireConfirmation]. Nil refuses such calls.
	Confirm Confirm
	// Dialect of the tool schemas; zero is OpenAI.
	Dialect Dialect
	// Redact masks private data in the results of L2 tools, in every mode but ModeAgent. Nil refuses such calls.
	Redact func(ctx context.Context, text string) (string, error)
	// Audit is called after every call, on the caller's goroutine. Nil: nothing is called.
	Audit func(context.Context, Record)
	// Logger gets every call. Failed calls are warnings with the full reason. Nil discards.
	Logger *slog.Logger

	mu         sync.Mutex
	slots      map[string]*slot         // all added tools, disabled ones too
	snapshot   atomic.Pointer[snapshot] // enabled tools; nil after a change until the next View
	inFlight   callCounter
	confirming atomic.Int64 // confirmations in progress
}

// Limits of one view and of one call.
type Limits struct {
	Calls          int           // per view, derived views included; 0 means 8, negative means unlimited
	ArgumentBytes  int           // bytes of the arguments of a call; 0 means 64 KiB, negative means unlimited
	ResultChars    int           // characters of a result; 0 means 4000, negative means unlimited
	Timeout        time.Duration // per call, for tools without Timeout; 0 means 30 s, negative means none
	ConfirmTimeout time.Duration // time for a human to confirm; 0 means 2 min, negative means none
}

func (l Limits) orDefaults() Limits {
	l.Calls = cmp.Or(l.Calls, 8)
	l.ArgumentBytes = cmp.Or(l.ArgumentBytes, 64<<10)
	l.ResultChars = cmp.Or(l.ResultChars, 4000)
	l.Timeout = cmp.Or(l.Timeout, 30*time.Second)
	l.ConfirmTimeout = cmp.Or(l.ConfirmTimeout, 2*time.Minute)
	return l
}

// A slot is the state of one tool name, guarded by the mutex of the registry.
type slot struct {
	*definition
	inFlight *callCounter // counts its calls in addition to Registry.inFlight; may be nil
	disabled bool
	off      map[string]bool // modes in which it is switched off

	// live has a flag for each mode in which the tool is shown now. The flag becomes false when the tool is removed or
	// switched off and never becomes true again: enabling makes a new flag, so older views cannot reach the tool. The
	// map is replaced instead of changed because snapshots keep it.
	live map[string]*atomic.Bool
}

func (s *slot) sync() {
	live := make(map[string]*atomic.Bool)
	for _, mode := range s.modes {
		if flag := s.live[mode]; flag != nil && !s.disabled && !s.off[mode] {
			live[mode] = flag
		} else if !s.disabled && !s.off[mode] {
			live[mode] = new(atomic.Bool)
			live[mode].Store(true)
		} else if flag != nil {
			flag.Store(false)
		}
	}
	s.live = live
}

func (s *slot) retire() {
	for _, flag := range s.live {
		flag.Store(false)
	}
	s.live = nil
}

// Add adds enabled tools. A view shows all of them or none. If one is the zero Tool or its name is taken, none is added.
func (r *Registry) Add(tools ...Tool) error { return r.replace(nil, tools, nil) }

// Replace removes the tools with these names and adds others in one step. A view shows the state before or after it. New
// tools may have the removed names. If a tool cannot be added, nothing changes. Calls of removed tools end as for
// Remove.
func (r *Registry) Replace(names []string, tools ...Tool) error { return r.replace(names, tools, nil) }

// replace implements Replace. prepare, if not nil, gets each new slot before it becomes visible.
func (r *Registry) replace(names []string, tools []Tool, prepare func(*slot)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := make(map[string]*slot, len(tools))
	for _, t := range tools {
		if t.d == nil {
			return errors.New("nit: add: zero Tool")
		}
		taken := r.slots[t.d.name] != nil && !slices.Contains(names, t.d.name)
		if taken || fresh[t.d.name] != nil {
			return fmt.Errorf("nit: add: tool %s already exists", t.d.name)
		}
		s := &slot{definition: t.d}
		if prepare != nil {
			prepare(s)
		}
		s.sync()
		fresh[t.d.name] = s
	}
	if r.slots == nil {
		r.slots = make(map[string]*slot)
	}
	r.remove(names)
	maps.Copy(r.slots, fresh)
	r.snapshot.Store(nil)
	return nil
}

// Remove removes tools and ignores missing names. After it returns, every new call of them fails as unknown, also
// through older views. Calls that already run continue.
func (r *Registry) Remove(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(names)
	r.snapshot.Store(nil)
}

func (r *Registry) remove(names []string) {
	for _, name := range names {
		if s := r.slots[name]; s != nil {
			s.retire()
			delete(r.slots, name)
		}
	}
}

// Disable removes a tool until Enable. It reports whether the tool exists.
func (r *Registry) Disable(name string) bool {
	return r.change([]string{name}, func(s *slot) { s.disabled = true })
}

// Enable makes a disabled tool visible in views made from now on. It reports whether the tool exists.
func (r *Registry) Enable(name string) bool {
	return r.change([]string{name}, func(s *slot) { s.disabled = false })
}

// DisableIn disables tools in one mode only. It reports whether all of them exist, and disables those that do.
func (r *Registry) DisableIn(mode string, names ...string) bool {
	return r.change(names, func(s *slot) {
		if s.off == nil {
			s.off = make(map[string]bool)
		}
		s.off[mode] = true
	})
}

// EnableIn undoes DisableIn for views made from now on.
func (r *Registry) EnableIn(mode string, names ...string) bool {
	return r.change(names, func(s *slot) { delete(s.off, mode) })
}

func (r *Registry) change(names []string, f func(*slot)) (all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all = true
	for _, name := range names {
		s := r.slots[name]
		if s == nil {
			all = false
			continue
		}
		f(s)
		s.sync()
	}
	r.snapshot.Store(nil)
	return all
}

// Wait waits until no tool runs or ctx ends. It also waits for tools that outlived the timeout of their call. Use it at
// shutdown, when no more calls are made.
func (r *Registry) Wait(ctx context.Context) error { return r.inFlight.wait(ctx) }

// View returns the tools that p sees now. It is cheap because views with the same mode and tiers share their toolset.
func (r *Registry) View(p Principal) *View {
	s := r.current()
	if !s.modes[p.Mode] && r.Logger != nil {
		r.Logger.Warn("view in a mode that no tool names", slog.String("mode", p.Mode), slog.String("turn", p.Turn))
	}
	v := &View{
		reg: r, principal: p, limits: r.Limits.orDefaults(), tools: s.toolset(p.Mode, p.reach()),
		redact: r.Redact, log: r.Logger, state: new(viewState),
	}
	if r.Audit != nil {
		v.audits = []func(context.Context, Record){r.Audit}
	}
	if r.Policy != nil {
		v.policies = []Policy{r.Policy}
	}
	if r.Dialect != OpenAI {
		return v.WithDialect(r.Dialect)
	}
	return v
}

// current returns the snapshot and rebuilds it after a change.
func (r *Registry) current() *snapshot {
	if s := r.snapshot.Load(); s != nil {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.snapshot.Load(); s != nil {
		return s
	}
	s := &snapshot{modes: map[string]bool{ModePersona: true, ModeAgent: true}, toolsets: make(map[toolsetKey]*toolset)}
	for _, name := range slices.Sorted(maps.Keys(r.slots)) {
		k := r.slots[name]
		if len(k.live) == 0 {
			continue
		}
		s.tools = append(s.tools, registered{k.definition, k.inFlight, k.live})
		for _, m := range k.modes {
			s.modes[m] = true
		}
	}
	r.snapshot.Store(s)
	return s
}

// Unseen returns the names of the tools, sorted, that no view in these modes lists, whatever its tiers are: a tool in none of
// the modes, or an L3 tool that [ModeAgent] does not list. A tool that is switched off counts as listed.
func (r *Registry) Unseen(modes ...string) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, s := range r.slots {
		if !slices.ContainsFunc(modes, func(m string) bool {
			return slices.Contains(s.modes, m) && Principal{Mode: m, Tiers: allTiers}.reach()&s.tier != 0
		}) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// unknownOutcome tells the operator why v has no live tool with this name.
func (r *Registry) unknownOutcome(v *View, name string) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.slots[name]
	e := v.tools.entries[name]
	switch {
	case e != nil && e.live.Load():
		return Revoked
	case e != nil:
		return Removed
	case s == nil:
		return NoSuchTool
	case s.tier&v.principal.reach() == 0:
		return HiddenTier
	case !slices.Contains(s.modes, v.principal.Mode):
		return WrongMode
	case s.disabled || s.off[v.principal.Mode]:
		return Disabled
	}
	return Filtered // or added after the view was made
}
