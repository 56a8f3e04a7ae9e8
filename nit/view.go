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
	table     *table
	guards    []Guard
	redact    func(context.Context, string) (string, error)
	audit     func(context.Context, Record)
	log       *slog.Logger
	calls     *atomic.Int64 // made so far; shared with all sub-views
}

// Info is what guards and filters are told of a tool.
type Info struct {
	Name        string
	Description string // in the view's mode
	Tier        Tier
	ReadOnly    bool
	Commits     bool
}

// A Guard is asked before a tool runs that is neither ReadOnly nor Commits, after its arguments were found good:
// the place to write down that an effect is coming. ctx carries the Principal. An error or a panic refuses the call.
type Guard func(ctx context.Context, tool Info) error

// Tools lists the tools in the order of their names, so that prompts made of it can be cached. The slice is the
// caller's; what its elements point to is shared by all views and must not be changed.
func (v *View) Tools() []llms.Tool {
	if v == nil || v.table == nil {
		return nil
	}
	return slices.Clone(v.table.list())
}

// Guarded gives a view that asks guard, too, after those that v asks. It shares v's quota. A nil guard refuses.
func (v *View) Guarded(guard Guard) *View {
	if v == nil || v.table == nil {
		return v
	}
	w := *v
	w.guards = append(slices.Clip(v.guards), guard)
	return &w
}

// Narrow gives a view of those tools of v that keep says yes to. It shares v's quota and guards, and can never see more than v.
func (v *View) Narrow(keep func(Info) bool) *View {
	if v == nil || v.table == nil {
		return v
	}
	var some []*entry
	for _, e := range v.table.sorted {
		if keep(e.info(v.principal.Mode)) {
			some = append(some, e)
		}
	}
	w := *v
	w.table = newTable(v.principal.Mode, some)
	return &w
}

func (e *entry) info(mode string) Info {
	return Info{Name: e.name, Description: e.describe(mode), Tier: e.tier, ReadOnly: e.readOnly, Commits: e.commits}
}

// A shelf is what is enabled in a registry at one time, with the tables made of it so far.
type shelf struct {
	entries []*entry // by name
	modes   map[string]bool

	mu     sync.Mutex
	tables map[tableKey]*table // few: one for each mode that a tool knows and each set of tiers
}

type tableKey struct {
	mode  string
	tiers Tier
}

// table gives what is seen in mode with these tiers; nothing in a mode that no tool knows.
func (s *shelf) table(mode string, tiers Tier) *table {
	if !s.modes[mode] {
		return newTable(mode, nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := tableKey{mode, tiers}
	if t := s.tables[key]; t != nil {
		return t
	}
	var seen []*entry
	for _, e := range s.entries {
		if e.tier&tiers != 0 && e.shownIn(mode) {
			seen = append(seen, e)
		}
	}
	t := newTable(mode, seen)
	s.tables[key] = t
	return t
}

// A table is the tools of a view, for listing and for calling. It does not change.
type table struct {
	entries map[string]*entry
	sorted  []*entry
	list    func() []llms.Tool // made when first asked for
}

func newTable(mode string, sorted []*entry) *table {
	t := &table{entries: make(map[string]*entry, len(sorted)), sorted: sorted}
	for _, e := range sorted {
		t.entries[e.name] = e
	}
	t.list = sync.OnceValue(func() []llms.Tool {
		tools := make([]llms.Tool, len(sorted))
		for i, e := range sorted {
			tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
				Name: e.name, Description: e.describe(mode), Parameters: e.listed,
			}}
		}
		return tools
	})
	return t
}
