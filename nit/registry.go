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

// A Registry holds the tools of a program. Tools come and go at run time; who is shown which is
// decided by the [View]s made of it. The zero Registry is empty and ready. All methods may be called
// concurrently; the exported fields are set before the first View is made and left alone from then on.
type Registry struct {
	// Limits of every view.
	Limits Limits
	// Quota bounds the calls of all views together, by person, session and tool. Nil: there are only the Limits.
	Quota *Quota
	// Policy decides about each call whose arguments are good. Nil allows all that a view shows.
	Policy Policy
	// Confirm asks a human about a call for which a Policy, or the tool's [RequireConfirmation], wants that. Nil: such calls are refused.
	Confirm Confirm
	// Dialect is that of the views; zero is OpenAI.
	Dialect Dialect
	// Redact takes out of a text what strangers may not know. Results of L2 tools pass it in every mode
	// but ModeAgent. Nil: such calls are refused.
	Redact func(ctx context.Context, text string) (string, error)
	// Audit is told of every call after it ended, in the caller's goroutine. Nil: nobody is.
	Audit func(context.Context, Record)
	// Logger gets every call, refused ones as warnings with the full reason. Nil discards.
	Logger *slog.Logger

	mu         sync.Mutex
	slots      map[string]*slot         // all that was added, the disabled ones too
	snapshot   atomic.Pointer[snapshot] // what is enabled; nil after a change, until the next View
	inFlight   callCounter
	confirming atomic.Int64 // questions that wait for a human
}

// Limits bound what one view, and one call, may use.
type Limits struct {
	Calls          int           // calls through one view, its sub-views included; 0 means 8, negative no bound
	ArgumentBytes  int           // bytes of a call's arguments; 0 means 64 KiB, negative no bound
	ResultChars    int           // characters of a result; 0 means 4000, negative no bound
	Timeout        time.Duration // of a call of a tool without Timeout; 0 means 30 s, negative none
	ConfirmTimeout time.Duration // how long a human has to say yes; 0 means 2 min, negative no end
}

func (l Limits) orDefaults() Limits {
	l.Calls = cmp.Or(l.Calls, 8)
	l.ArgumentBytes = cmp.Or(l.ArgumentBytes, 64<<10)
	l.ResultChars = cmp.Or(l.ResultChars, 4000)
	l.Timeout = cmp.Or(l.Timeout, 30*time.Second)
	l.ConfirmTimeout = cmp.Or(l.ConfirmTimeout, 2*time.Minute)
	return l
}

// A slot is what a registry knows of a name. It is guarded by the registry's mutex.
type slot struct {
	*definition
	inFlight *callCounter // counts its calls, beside Registry.busy; may be nil
	disabled bool
	off      map[string]bool // modes that it is switched off in

	// live are open, by mode: one for each that the tool is shown in now. A door that was closed stays so,
	// and coming back makes a new one, so that views made before never reach the tool again.
	// The map is replaced, not changed: shelves keep it.
	live map[string]*atomic.Bool
}

func (s *slot) sync() {
	doors := make(map[string]*atomic.Bool)
	for _, mode := range s.modes {
		if door := s.live[mode]; door != nil && !s.disabled && !s.off[mode] {
			doors[mode] = door
		} else if !s.disabled && !s.off[mode] {
			doors[mode] = new(atomic.Bool)
			doors[mode].Store(true)
		} else if door != nil {
			door.Store(false)
		}
	}
	s.live = doors
}

func (s *slot) retire() {
	for _, door := range s.live {
		door.Store(false)
	}
	s.live = nil
}

// Add puts tools in, enabled: a view shows all of them or none. If one is the zero Tool or has a name that is taken, none is added.
func (r *Registry) Add(tools ...Tool) error { return r.replace(nil, tools, nil) }

// Replace takes tools out and puts others in, in one step: a view shows what was there before or what is there after. The names
// that are taken out may come back. If a tool cannot be added, nothing changes. What Remove says of calls holds here.
func (r *Registry) Replace(names []string, tools ...Tool) error { return r.replace(names, tools, nil) }

// replace is Replace. prepare, if any, sees each slot before it is opened.
func (r *Registry) replace(names []string, tools []Tool, prepare func(*slot)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := make(map[string]*slot, len(tools))
	for _, t := range tools {
		if t.d == nil {
			return errors.New("nit: add: a zero Tool")
		}
		taken := r.slots[t.d.name] != nil && !slices.Contains(names, t.d.name)
		if taken || fresh[t.d.name] != nil {
			return fmt.Errorf("nit: add: there is a tool %s already", t.d.name)
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

// Remove takes tools out; names that are not there are passed over. When it returns, every call of theirs, also through views
// made before, is answered as unknown; those that run already end as they do.
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

// Disable does as Remove does, but keeps the tool for Enable. It tells whether there is such a tool.
func (r *Registry) Disable(name string) bool {
	return r.change([]string{name}, func(s *slot) { s.disabled = true })
}

// Enable brings a disabled tool back, for views made from now on. It tells whether there is such a tool.
func (r *Registry) Enable(name string) bool {
	return r.change([]string{name}, func(s *slot) { s.disabled = false })
}

// DisableIn takes tools out of one mode, as Disable takes one out of all; views of other modes keep them. It tells whether
// there are all of these tools; those that there are were taken out.
func (r *Registry) DisableIn(mode string, names ...string) bool {
	return r.change(names, func(s *slot) {
		if s.off == nil {
			s.off = make(map[string]bool)
		}
		s.off[mode] = true
	})
}

// EnableIn undoes DisableIn, for views made from now on.
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

// Wait waits until no tool runs any more, also those that outlived the timeout of their call, or until ctx ends.
// It is for the end of a program, when nothing calls any more.
func (r *Registry) Wait(ctx context.Context) error { return r.inFlight.wait(ctx) }

// View makes what p sees, as it is now. It is cheap: views of the same mode and tiers share their tables.
func (r *Registry) View(p Principal) *View {
	s := r.current()
	if !s.modes[p.Mode] && r.Logger != nil {
		r.Logger.Warn("view in a mode that no tool knows", slog.String("mode", p.Mode), slog.String("turn", p.Turn))
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

// current gives the shelf, built anew if there was a change.
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

// unknownOutcome tells the operator why v does not have a live tool of that name.
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
	return Filtered // or added since
}
