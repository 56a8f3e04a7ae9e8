package nit

import (
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
	// Redact takes out of a text what strangers may not know. Results of L2 tools pass it in every mode
	// but ModeAgent. Nil: such calls are refused.
	Redact func(ctx context.Context, text string) (string, error)
	// Audit is told of every call after it ended, in the caller's goroutine. Nil: nobody is.
	Audit func(context.Context, Record)
	// Logger gets every call, refused ones as warnings with the full reason. Nil discards.
	Logger *slog.Logger

	mu    sync.Mutex
	known map[string]*entry     // all that was added, the disabled ones with live false
	shelf atomic.Pointer[shelf] // what is enabled; nil after a change, until the next View
	busy  running
}

// Limits bound what one view, and one call, may use.
type Limits struct {
	Calls     int           // calls through one view, its sub-views included; 0 means 8, negative no bound
	Arguments int           // bytes of a call's arguments; 0 means 64 KiB, negative no bound
	Result    int           // characters of a result; 0 means 4000, negative no bound
	Timeout   time.Duration // of a call of a tool without Timeout; 0 means 30 s, negative none
}

func (l Limits) orDefaults() Limits {
	if l.Calls == 0 {
		l.Calls = 8
	}
	if l.Arguments == 0 {
		l.Arguments = 64 << 10
	}
	if l.Result == 0 {
		l.Result = 4000
	}
	if l.Timeout == 0 {
		l.Timeout = 30 * time.Second
	}
	return l
}

// An entry is a tool from when it was added or enabled until it is disabled or removed: coming
// back makes a new entry, so that views made before the change never reach it again.
type entry struct {
	*definition
	live atomic.Bool
}

func newEntry(d *definition) *entry {
	e := &entry{definition: d}
	e.live.Store(true)
	return e
}

// Add puts tools in, enabled. If one is the zero Tool or has a name that is taken, none is added.
func (r *Registry) Add(tools ...Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := make(map[string]*entry, len(tools))
	for _, t := range tools {
		if t.d == nil {
			return errors.New("nit: add: a zero Tool")
		}
		if r.known[t.d.name] != nil || fresh[t.d.name] != nil {
			return fmt.Errorf("nit: add: there is a tool %s already", t.d.name)
		}
		fresh[t.d.name] = newEntry(t.d)
	}
	if r.known == nil {
		r.known = make(map[string]*entry)
	}
	maps.Copy(r.known, fresh)
	r.shelf.Store(nil)
	return nil
}

// Remove takes tools out; names that are not there are passed over. When it returns, every call of theirs, also through views
// made before, is answered as unknown; those that run already end as they do.
func (r *Registry) Remove(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		if e := r.known[name]; e != nil {
			e.live.Store(false)
			delete(r.known, name)
		}
	}
	r.shelf.Store(nil)
}

// Disable does as Remove does, but keeps the tool for Enable. It tells whether there is such a tool.
func (r *Registry) Disable(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.known[name]
	if e == nil {
		return false
	}
	e.live.Store(false)
	r.shelf.Store(nil)
	return true
}

// Enable brings a disabled tool back, for views made from now on. It tells whether there is such a tool.
func (r *Registry) Enable(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.known[name]
	if e == nil {
		return false
	}
	if !e.live.Load() {
		r.known[name] = newEntry(e.definition)
		r.shelf.Store(nil)
	}
	return true
}

// Wait waits until no tool runs any more, also those that outlived the timeout of their call, or until ctx ends.
// It is for the end of a program, when nothing calls any more.
func (r *Registry) Wait(ctx context.Context) error { return r.busy.wait(ctx) }

// View makes what p sees, as it is now. It is cheap: views of the same mode and tiers share their tables.
func (r *Registry) View(p Principal) *View {
	s := r.current()
	if !s.modes[p.Mode] && r.Logger != nil {
		r.Logger.Warn("view in a mode that no tool knows", slog.String("mode", p.Mode), slog.String("turn", p.Turn))
	}
	return &View{
		reg: r, principal: p, limits: r.Limits.orDefaults(), table: s.table(p.Mode, p.reach()),
		redact: r.Redact, audit: r.Audit, log: r.Logger, calls: new(atomic.Int64),
	}
}

// current gives the shelf, built anew if there was a change.
func (r *Registry) current() *shelf {
	if s := r.shelf.Load(); s != nil {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.shelf.Load(); s != nil {
		return s
	}
	s := &shelf{modes: map[string]bool{ModePersona: true, ModeAgent: true}, tables: make(map[tableKey]*table)}
	for _, name := range slices.Sorted(maps.Keys(r.known)) {
		e := r.known[name]
		if !e.live.Load() {
			continue
		}
		s.entries = append(s.entries, e)
		for _, m := range e.only {
			s.modes[m] = true
		}
		for m := range e.in {
			s.modes[m] = true
		}
	}
	r.shelf.Store(s)
	return s
}

// why tells the operator why v does not have a live tool of that name.
func (r *Registry) why(v *View, name string) Why {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.known[name]
	switch {
	case v.table.entries[name] != nil:
		return Unloaded
	case e == nil:
		return Absent
	case !e.live.Load():
		return Disabled
	case e.tier&v.principal.reach() == 0:
		return Hidden
	case !e.shownIn(v.principal.Mode):
		return OffMode
	}
	return Narrowed // or added since
}
