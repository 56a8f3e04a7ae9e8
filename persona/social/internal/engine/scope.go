package engine

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

// A scope says what the turns of one conversation may read, show and do. There are three: a chat among people, the owner's
// talk in agent mode, and the bot by itself. The zero scope has the least rights.
type scope struct {
	space   memory.Space
	origin  persona.Maker // on whose behalf its turns act; without a person
	shown   persona.Chat  // the chat that prompts name; zero names none
	session string        // as tools name it; "" for none
	mode    string        // nit's mode of its turns
	tiers   nit.Tier      // of the tools that its turns see

	people    bool // prompts show what the bot thinks of people
	energy    bool // prompts show its energy
	inner     bool // prompts show its inner state
	reflects  bool // prompts show its global reflection
	documents bool // prompts show its documents, and background turns may patch them
	sources   bool // prompts show general notes that were made from messages, and what turns write keeps its sources
	inChat    bool // people hear it: turns ask attention, and their words leave through the link
	toOwner   bool // its words are brought to the owner; where neither holds, they are archived
}

func chatScope(chat persona.Chat) scope {
	return scope{
		space: memory.Space(chat.String()), origin: persona.Maker{Chat: chat}, shown: chat, session: chat.SourceID(),
		mode: nit.ModePersona, tiers: nit.L1 | nit.L2,
		people: true, energy: true, inner: true, reflects: true, sources: true, inChat: true,
	}
}

func ownerScope(chat persona.Chat) scope {
	return scope{
		space: memory.Owner, origin: persona.Maker{Mode: persona.Agent}, shown: chat, session: persona.SessionMaster,
		mode: nit.ModeAgent, tiers: nit.L1 | nit.L2 | nit.L3,
		inner: true, documents: true, toOwner: true,
	}
}

// selfScope has no inner state to show: its inner state is the global reflection.
func selfScope() scope {
	return scope{space: memory.Self, mode: self.ModeLife, tiers: nit.L1 | nit.L2, people: true, reflects: true, sources: true}
}

// principal is who calls the tools of a turn; background: of one that is never said.
func (s scope) principal(background bool) nit.Principal {
	p := nit.Principal{Mode: s.mode, Sees: s.tiers, Session: s.session}
	if background {
		p.Mode, p.Sees = self.ModeBackground, nit.L1|nit.L2
	}
	return p
}

// agent reports that its turns are the owner's.
func (s scope) agent() bool { return s.origin.Mode == persona.Agent }
