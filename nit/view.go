package nit

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"
)

// A View is the set of tools that one [Principal] may list and call. It is a snapshot: usually you make one for each
// turn. Hidden tools are not in it. Listing and calling use the same toolset, and [View.Call] and [View.Do] are the only
// ways to run a tool. All methods may be called concurrently. The zero View and a nil View have no tools.
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
	state     *viewState // shared with all derived views
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

// ToolInfo describes a tool to policies, guards and filters. It is comparable.
type ToolInfo struct {
	Name                 string
	Description          string // for the view's mode
	Tier                 Tier
	ReadOnly             bool
	SelfCommitting       bool
	RequiresConfirmation bool
	ResultIntegrity      Integrity // integrity of the results
	OpenWorld            bool      // its arguments leave the machine
	Target               *Target   // target of the tool; nil if not declared. Shared, do not modify

	args *arguments // set for open-world tools, for ArgumentsFoundIn
}

// A Guard is a hook that runs before a tool with an effect, after its arguments were validated. Use it to commit to the
// effect durably. It is not called for tools that are ReadOnly or SelfCommitting. ctx carries the Principal. An error or
// a panic refuses the call.
type Guard func(ctx context.Context, tool ToolInfo) error

// Tools lists the tools sorted by name, so that prompts with them can be cached. The caller owns the slice. Its elements
// point to data that all views share: do not modify it.
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

// Tiers returns the tiers of the principal without the revoked ones. Read-only tools of a revoked tier stay callable.
func (v *View) Tiers() Tier {
	if v == nil || v.tools == nil {
		return 0
	}
	return v.principal.reach() &^ Tier(v.state.revoked.Load())
}

// Has reports whether a call of name would find a tool now. Tools that were removed or revoked after the view was made
// are not found. Has does not charge the quota, so use it in programs and not on behalf of a model.
func (v *View) Has(name string) bool { return v != nil && v.tools != nil && v.find(name) != nil }

// find returns the tool with this name if a call may reach it now.
func (v *View) find(name string) *entry {
	e := v.tools.entries[name]
	if e == nil || !e.live.Load() || v.isRevoked(e) {
		return nil
	}
	return e
}

// HasFunc reports whether f returns true for a tool that a call could reach now.
func (v *View) HasFunc(f func(ToolInfo) bool) bool {
	return v != nil && v.tools != nil && slices.ContainsFunc(v.tools.sorted, func(e *entry) bool {
		return e.live.Load() && !v.isRevoked(e) && f(e.info(v.principal.Mode))
	})
}

// Revoke revokes the tools of these tiers that are not read-only, like calling a tool with [RevokesAfterUse].
func (v *View) Revoke(tiers Tier) {
	if v != nil && v.state != nil {
		v.state.revoked.Or(int64(tiers))
	}
}

// WithGuard returns a view that also asks guard, after the guards of v. It shares the quota of v. A nil guard refuses
// every call.
func (v *View) WithGuard(guard Guard) *View {
	return v.with(func(w *View) { w.guards = append(slices.Clip(v.guards), guard) })
}

// Filter returns a view with the tools of v for which keep returns true. It shares the quota and guards of v and never
// has more tools than v.
func (v *View) Filter(keep func(ToolInfo) bool) *View {
	return v.with(func(w *View) {
		mode := v.principal.Mode
		some := slices.DeleteFunc(slices.Clone(v.tools.sorted), func(e *entry) bool { return !keep(e.info(mode)) })
		w.tools = newToolset(mode, some)
	})
}

// WithAudit returns a view that also reports each finished call to audit, on the caller's goroutine, after Registry.Audit
// and the audits of v. It shares the quota of v. A nil audit changes nothing.
func (v *View) WithAudit(audit func(context.Context, Record)) *View {
	if audit == nil {
		return v
	}
	return v.with(func(w *View) { w.audits = append(slices.Clip(v.audits), audit) })
}

// WithRedact returns a view that masks the results of L2 tools with redact. If [Registry.Redact] is set, the view keeps it.
func (v *View) WithRedact(redact func(ctx context.Context, text string) (string, error)) *View {
	return v.with(func(w *View) {
		if v.redact == nil {
			w.redact = redact
		}
	})
}

// WithCallLimit returns a view that allows at most calls calls, in place of the Calls of [Registry.Limits]. Calls that v has
// already made count. 0 changes nothing, a negative number removes the limit.
func (v *View) WithCallLimit(calls int) *View {
	return v.with(func(w *View) {
		if calls != 0 {
			w.limits.Calls = calls
		}
	})
}

// with returns a changed copy of the view. A view without tools is returned as it is.
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

// A snapshot holds the enabled tools of a registry at one moment, and the toolsets made from them so far.
type snapshot struct {
	tools []registered // sorted by name
	modes map[string]bool

	mu       sync.Mutex
	toolsets map[toolsetKey]*toolset // few: one for each pair of mode and tiers in use
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

// toolset returns the tools for a mode and tiers. A mode that no tool names has none.
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
		if live := t.live[mode]; live != nil && t.tier&tiers != 0 { // live or not: a view shows all of a change or nothing
			entries = append(entries, entry{t.definition, t.inFlight, live})
			seen = append(seen, &entries[len(entries)-1])
		}
	}
	t := newToolset(mode, seen)
	s.toolsets[key] = t
	return t
}

// An entry is a tool in a toolset. It can be called while live is true; after that it never becomes callable again.
type entry struct {
	*definition
	inFlight *callCounter
	live     *atomic.Bool
}

// A toolset is the immutable set of tools of a view.
type toolset struct {
	mode    string
	entries map[string]*entry
	sorted  []*entry
	lists   [dialects]struct { // by dialect, each built on first use
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
				Name: e.name, Description: e.describe(t.mode), Parameters: e.schemaIn(d),
			}}
		}
	})
	return l.tools
}
