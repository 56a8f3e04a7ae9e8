package nit

import (
	"context"
)

// A Tier is how far a tool reaches. Tiers are bits, so that a [Principal] can see several.
// Every tool is in exactly one, given to [Define]; a Principal without any sees nothing.
type Tier uint8

const (
	L1 Tier = 1 << iota // social: talks to people
	L2                  // context: reads what the owner keeps or does
	L3                  // the owner's computer
)

const allTiers = L1 | L2 | L3

// String gives "L1", "L1|L3", or "none".
func (t Tier) String() string {
	names := [8]string{"none", "L1", "L2", "L1|L2", "L3", "L1|L3", "L2|L3", "L1|L2|L3"}
	return names[t&allTiers]
}

// The modes that a tool is shown in when it names none. Further modes exist once a tool
// names them by [DescribeIn] or [OnlyIn]; in a mode that no tool names, nothing is seen.
const (
	ModePersona = "" // an individual among people; blind to L3, and L2 results are redacted
	ModeAgent   = "agent"
)

// A Principal is on whose behalf tools are listed and called. It is decided by code, from ids and
// the input source, never from text. The zero Principal sees nothing.
type Principal struct {
	Mode     string // zero is ModePersona
	Tiers    Tier   // the tiers that it may see; zero sees nothing, and L3 counts in ModeAgent only
	Platform string // "qq"
	Person   string // id of the one who is talked to on that platform
	Session  string // where: "group_123" or "user_987"; empty outside any chat
	Turn     string // id of the turn, for the log
}

// reach is what p really sees: without the agent mode never L3.
func (p Principal) reach() Tier {
	if p.Mode != ModeAgent {
		return p.Tiers & (L1 | L2)
	}
	return p.Tiers & allTiers
}

type principalKey struct{}

// PrincipalFrom gives the Principal of the view through which the running tool was called.
// Outside a call it is the zero Principal, and false.
func PrincipalFrom(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(*Principal)
	if !ok {
		return Principal{}, false
	}
	return *p, true
}

// modesOf gives those that a tool is shown in: the modes of Only when there are any,
// otherwise the two that every tool knows and those that it has a description for.
func modesOf(d *definition) []string {
	if d.only != nil {
		return d.only
	}
	modes := []string{ModePersona, ModeAgent}
	for mode := range d.in {
		if mode != ModePersona && mode != ModeAgent {
			modes = append(modes, mode)
		}
	}
	return modes
}

// describe gives the description for mode.
func (d *definition) describe(mode string) string {
	if s, ok := d.in[mode]; ok {
		return s
	}
	return d.description
}
