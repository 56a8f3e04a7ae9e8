package self

import (
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// chatKey returns the chat of a principal, or "" in the owner's session.
func chatKey(p nit.Principal) string {
	if p.Session == "" || p.Session == persona.OwnerSession {
		return ""
	}
	return p.Platform + "\x00" + persona.SessionSource(p.Session)
}

// originChatKey returns the chat of an origin in the form of home.
func originChatKey(m schedule.Origin) string {
	return chatKey(nit.Principal{Platform: m.Chat.Platform, Session: m.Chat.SourceID()})
}

// canAccess reports whether a turn may list and cancel the work of another turn.
func canAccess(p nit.Principal, maker schedule.Origin) bool {
	switch {
	case p.Mode == nit.ModeAgent:
		return true
	case p.Mode == nit.ModePersona && (maker.Mode == persona.Agent || chatKey(p) == ""):
		return false
	}
	return chatKey(p) == originChatKey(maker)
}

// inOwnerSession reports whether a turn belongs to the owner. Turns that come from a chat do not.
func inOwnerSession(p nit.Principal) bool {
	return p.Mode == nit.ModeAgent || p.Mode != nit.ModePersona && chatKey(p) == ""
}

func principal(ctx context.Context) nit.Principal {
	p, _ := nit.PrincipalFrom(ctx)
	return p
}
