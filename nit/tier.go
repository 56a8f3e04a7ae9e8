package nit

import (
	"context"
)

// A Tier is the reach of a tool. Tiers are bits, so a [Principal] can see several. Every tool has exactly one, an
// argument of [Define].
type Tier uint8

const (
	L1 Tier = 1 << iota // social: talks to people
	L2                  // context: reads data of the owner
	L3                  // acts on the owner's computer
)

const allTiers = L1 | L2 | L3

// String returns "L1", "L1|L3", or "none".
func (t Tier) String() string {
	names := [8]string{"none", "L1", "L2", "L1|L2", "L3", "L1|L3", "L2|L3", "L1|L2|L3"}
	return names[t&allTiers]
}

// Modes. A tool is shown in both if it names none. Other modes exist as soon as a tool names them with [DescribeIn] or [OnlyIn].
// Nothing is visible in a mode that no tool names.
const (
	ModePersona = "" // a persona in chats: L3 is hidden and L2 results are redacted
	ModeAgent   = "agent"
)

// A Principal identifies the caller for whom tools are listed and called. Your code decides it from ids and the input
// source, never from text. The zero Principal sees nothing.
type Principal struct {
	Mode     string // zero is ModePersona
	Tiers    Tier   // visible tiers; zero means none, and L3 counts in ModeAgent only
	Platform string // "qq"
	Person   string // id of the person in the conversation, on that platform
	Session  string // "group_123" or "user_987"; empty outside a chat
	Turn     string // id of the turn, for the log
}

// reach returns the tiers that p can see in its mode.
func (p Principal) reach() Tier {
	if p.Mode != ModeAgent {
		return p.Tiers & (L1 | L2)
	}
	return p.Tiers & allTiers
}

type principalKey struct{}

// PrincipalFrom returns the Principal of the view that runs the current tool. Outside a call it returns false.
func PrincipalFrom(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(*Principal)
	if !ok {
		return Principal{}, false
	}
	return *p, true
}

// modesOf returns the modes in which a tool is shown: those of OnlyIn if given, otherwise the two default modes and
// those with a description.
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

// describe returns the description for mode.
func (d *definition) describe(mode string) string {
	if s, ok := d.in[mode]; ok {
		return s
	}
	return d.description
}
