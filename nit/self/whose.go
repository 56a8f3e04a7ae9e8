package self

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
)

// sessionMaster is the session of the owner's own talk, as persona names it.
const sessionMaster = "session_master"

// home is the chat of a principal; "" is none, which is the owner's side.
func home(p nit.Principal) string {
	if p.Session == "" || p.Session == sessionMaster {
		return ""
	}
	return p.Platform + "\x00" + p.Session
}

// mayTouch reports whether a turn may see and end what another turn made.
func mayTouch(p, maker nit.Principal) bool {
	switch {
	case p.Mode == nit.ModeAgent:
		return true
	case p.Mode == nit.ModePersona && (maker.Mode == nit.ModeAgent || home(p) == ""):
		return false
	}
	return home(p) == home(maker)
}

// ofOwner reports whether a turn is on the owner's side: no chat that others read made it.
func ofOwner(p nit.Principal) bool {
	return p.Mode == nit.ModeAgent || p.Mode != nit.ModePersona && home(p) == ""
}

func who(ctx context.Context) nit.Principal {
	p, _ := nit.PrincipalFrom(ctx)
	return p
}
