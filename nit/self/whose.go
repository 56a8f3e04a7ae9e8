package self

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// home is the chat of a principal; "" is none, which is the owner's side.
func home(p nit.Principal) string {
	if p.Session == "" || p.Session == persona.OwnerSession {
		return ""
	}
	return p.Platform + "\x00" + p.Session
}

// homeOf is the chat of a maker, likewise.
func homeOf(m schedule.Origin) string {
	return home(nit.Principal{Platform: m.Chat.Platform, Session: m.Chat.SourceID()})
}

// mayTouch reports whether a turn may see and end what another turn made.
func mayTouch(p nit.Principal, maker schedule.Origin) bool {
	switch {
	case p.Mode == nit.ModeAgent:
		return true
	case p.Mode == nit.ModePersona && (maker.Mode == persona.Agent || home(p) == ""):
		return false
	}
	return home(p) == homeOf(maker)
}

// ofOwner reports whether a turn is on the owner's side: no chat that others read made it.
func ofOwner(p nit.Principal) bool {
	return p.Mode == nit.ModeAgent || p.Mode != nit.ModePersona && home(p) == ""
}

func who(ctx context.Context) nit.Principal {
	p, _ := nit.PrincipalFrom(ctx)
	return p
}
