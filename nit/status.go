package nit

import (
	"maps"
	"slices"
)

// A ToolStatus says where a tool can be called. Show it to people who administer the tools, and not to a model.
type ToolStatus struct {
	Name                 string
	Description          string // for the first of Modes
	Tier                 Tier
	Modes                []string // modes that the tool is made for; "" is [ModePersona]
	On                   []string // modes of these in which a [Principal] with its tier sees it now
	ReadOnly             bool
	RequiresConfirmation bool
}

// Status returns all tools of the registry, sorted by name, also those that are switched off.
func (r *Registry) Status() []ToolStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]ToolStatus, 0, len(r.slots))
	for _, name := range slices.Sorted(maps.Keys(r.slots)) {
		s := r.slots[name]
		status := Tool{s.definition}.Status()
		for _, m := range status.Modes {
			if s.live[m] != nil && (Principal{Mode: m, Tiers: allTiers}).reach()&s.tier != 0 {
				status.On = append(status.On, m)
			}
		}
		all = append(all, status)
	}
	return all
}

// Status returns the status of a tool that no registry has: it is on in no mode. That of the zero Tool is zero.
func (t Tool) Status() ToolStatus {
	d := t.d
	if d == nil {
		return ToolStatus{}
	}
	s := ToolStatus{Name: d.name, Tier: d.tier, Modes: slices.Clone(d.modes), ReadOnly: d.readOnly, RequiresConfirmation: d.confirm}
	slices.Sort(s.Modes)
	s.Description = d.describe(slices.Min(d.modes))
	return s
}
