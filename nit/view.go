package nit

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"
)

// A View is what one [Principal] may list and call, as it was when the view was made: usually one is made for each turn.
// Tools that the principal may not see are not in it at all. Listing and calling use the same
// table, and [View.Call] and [View.Do] are the only way to a tool. All methods may be called concurrently.
// The zero View, and a nil one, see nothing.
type View struct {
	reg       *Registry
	principal Principal
	limits    Limits
	tools     *toolset
	dialect   Dialect
	policies  []Policy
	guards    []Guard
	redact    func(context.Context, string) (string, error)
	audits    []func(context.Context, Record)
	log       *slog.Logger
	state     *viewState // shared with all sub-views
}

// A viewState is shared by a view and all views derived from it.
type viewState struct {
	calls   atomic.Int64 // made so far
	revoked atomic.Int64 // tiers whose tools are revoked unless they are read-only
	replays replayTable
}

func (s *viewState) isRevoked(e *entry) bool {
	return !e.readOnly && Tier(s.revoked.Load())&e.tier != 0
}

// ToolInfo is what policies, guards and filters are told of a tool. Infos are comparable.
type ToolInfo struct {
	Name                 string
	Description          string // in the view's mode
	Tier                 Tier
	ReadOnly             bool
	SelfCommitting       bool
	RequiresConfirmation bool
	ResultIntegrity      Integrity // of what it gives
	OpenWorld            bool      // its arguments leave the machine
	Target               *Target   // on whom or what it acts; nil: it does not say. Shared, not to be changed

	args *arguments // of a tool of the open world, for GivenIn
}

// A Guard is asked before a tool runs that is neither ReadOnly nor Commits, after its arguments were found good:
// the place to write down that an effect is coming. ctx carries the Principal. An error or a panic refuses the call.
type Guard func(ctx context.Context, tool ToolInfo) error

// Tools lists the tools in the order of their names, so that prompts made of it can be cached. The slice is the
// caller's; what its elements point to is shared by all views and must not be changed.
func (v *View) Tools() []llms.Tool {
	if v == nil || v.tools == nil {
		return nil
	}
	tools := slices.Clone(v.tools.list(v.dialect))
	if v.state.revoked.Load() == 0 {
		return tools
	}
	return slices.DeleteFunc(tools, func(t llms.Tool) bool { return v.isRevoked(v.tools.entries[t.Function.Name]) })
}

// Tiers gives the tiers that can be reached now: those of the principal, less what was shed. Of a tier that was shed the tools
// that are ReadOnly can still be reached.
func (v *View) Tiers() Tier {
	if v == nil || v.tools == nil {
		return 0
	}
	return v.principal.reach() &^ Tier(v.state.revoked.Load())
}

// Has tells whether a call of that name would find a tool now: one that was removed or shed since the view was made is not
// found any more. It costs no quota, and so is for programs, not for models.
func (v *View) Has(name string) bool { return v != nil && v.tools != nil && v.find(name) != nil }

// find gives the tool of that name, if a call may reach it now.
func (v *View) find(name string) *entry {
	e := v.tools.entries[name]
	if e == nil || !e.live.Load() || v.isRevoked(e) {
		return nil
	}
	return e
}

// HasFunc tells whether the view has a tool that f says yes to, and a call could reach it now.
func (v *View) HasFunc(f func(ToolInfo) bool) bool {
	return v != nil && v.tools != nil && slices.ContainsFunc(v.tools.sorted, func(e *entry) bool {
		return e.live.Load() && !v.isRevoked(e) && f(e.info(v.principal.Mode))
	})
}

// Revoke makes the tools of these tiers go that are not ReadOnly, as a tool does that [RevokesAfterUse] them.
func (v *View) Revoke(tiers Tier) {
	if v != nil && v.state != nil {
		v.state.revoked.Or(int64(tiers))
	}
}

// WithGuard gives a view that asks guard, too, after those that v asks. It shares v's quota. A nil guard refuses.
func (v *View) WithGuard(guard Guard) *View {
	return v.with(func(w *View) { w.guards = append(slices.Clip(v.guards), guard) })
}

// Filter gives a view of those tools of v that keep says yes to. It shares v's quota and guards, and can never see more than v.
func (v *View) Filter(keep func(ToolInfo) bool) *View {
	return v.with(func(w *View) {
		mode := v.principal.Mode
		some := slices.DeleteFunc(slices.Clone(v.tools.sorted), func(e *entry) bool { return !keep(e.info(mode)) })
		w.tools = newToolset(mode, some)
	})
}

// WithAudit gives a view that tells audit, too, of each call after it ended, in the caller's goroutine: after Registry.Audit and
// those that v tells. It shares v's quota. A nil audit is told nothing.
func (v *View) WithAudit(audit func(context.Context, Record)) *View {
	if audit == nil {
		return v
	}
	return v.with(func(w *View) { w.audits = append(slices.Clip(v.audits), audit) })
}

// with is a changed copy of the view, or the view itself where it has no tools.
func (v *View) with(change func(*View)) *View {
	if v == nil || v.tools == nil {
		return v
	}
	w := *v
	change(&w)
	return &w
}

func (e *entry) info(mode string) ToolInfo {
	i := ToolInfo{
		Name: e.name, Description: e.describe(mode), Tier: e.tier, ReadOnly: e.readOnly, SelfCommitting: e.selfCommitting, RequiresConfirmation: e.confirm,
		ResultIntegrity: e.integrity, OpenWorld: e.openWorld, Target: e.target,
	}
	if e.openWorld {
		i.args = e.args
	}
	return i
}

// A snapshot is what is enabled in a registry at one time, with the tables made of it so far.
type snapshot struct {
	tools []registered // by name
	modes map[string]bool

	mu       sync.Mutex
	toolsets map[toolsetKey]*toolset // few: one for each mode that a tool knows and each set of tiers
}

type registered struct {
	*definition
	inFlight *callCounter
	live     map[string]*atomic.Bool
}

type toolsetKey struct {
	mode  string
	tiers Tier
}

// toolset gives what is seen in mode with these tiers; nothing in a mode that no tool knows.
func (s *snapshot) toolset(mode string, tiers Tier) *toolset {
	if !s.modes[mode] {
		return newToolset(mode, nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := toolsetKey{mode, tiers}
	if t := s.toolsets[key]; t != nil {
		return t
	}
	entries := make([]entry, 0, len(s.tools))
	var seen []*entry
	for _, t := range s.tools {
		if door := t.live[mode]; door != nil && t.tier&tiers != 0 { // open or not: a view shows all of a change or nothing
			entries = append(entries, entry{t.definition, t.inFlight, door})
			seen = append(seen, &entries[len(entries)-1])
		}
	}
	t := newToolset(mode, seen)
	s.toolsets[key] = t
	return t
}

// An entry is a tool in a table: from when it was added, enabled or switched on in the table's mode until its door is closed.
type entry struct {
	*definition
	inFlight *callCounter
	live     *atomic.Bool
}

// A toolset is the tools of a view, for listing and for calling. It does not change.
type toolset struct {
	mode    string
	entries map[string]*entry
	sorted  []*entry
	lists   [dialects]struct { // by dialect, each made when first asked for
		once  sync.Once
		tools []llms.Tool
	}
}

func newToolset(mode string, sorted []*entry) *toolset {
	t := &toolset{mode: mode, entries: make(map[string]*entry, len(sorted)), sorted: sorted}
	for _, e := range sorted {
		t.entries[e.name] = e
	}
	return t
}

func (t *toolset) list(d Dialect) []llms.Tool {
	l := &t.lists[d]
	l.once.Do(func() {
		l.tools = make([]llms.Tool, len(t.sorted))
		for i, e := range t.sorted {
			l.tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
				Name: e.name, Description: e.describe(t.mode), Parameters: e.parameters(d),
			}}
		}
	})
	return l.tools
}
