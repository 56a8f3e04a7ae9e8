package engine

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A scope says what the turns of one conversation may read, show and do. There are three: a chat among people, the owner's
// talk in agent mode, and the bot by itself. The zero scope has the least rights.
type Scope struct {
	Space   memory.Space
	Label   memory.Label    // that its turns begin with; the zero one makes what they write the owner's alone
	Origin  schedule.Origin // on whose behalf its turns act; without a person
	Shown   persona.Chat    // the chat that prompts name; zero names none
	Session string          // as tools name it; "" for none
	Mode    string          // nit's mode of its turns
	Tiers   nit.Tier        // of the tools that its turns see

	People    bool // prompts show what the bot thinks of people
	Energy    bool // prompts show its energy
	Inner     bool // prompts show its inner state
	Reflects  bool // prompts show its global reflection
	Documents bool // prompts show its documents, and background turns may patch them
	Sources   bool // what turns write down keeps the messages that it was made of
	InChat    bool // people hear it: turns ask attention, and their words leave through the link
	ToOwner   bool // its words are brought to the owner; where neither holds, they are archived
}

// Agent reports that its turns are the owner's.
func (s Scope) Agent() bool { return s.Origin.Mode == persona.Agent }

// Principal is who calls the tools of a turn; background: of one that is never said.
func (s Scope) Principal(background bool) nit.Principal {
	p := nit.Principal{Mode: s.Mode, Tiers: s.Tiers, Session: s.Session}
	if background {
		p.Mode, p.Tiers = self.ModeBackground, s.Tiers&(nit.L1|nit.L2)
	}
	return p
}

func chatScope(chat persona.Chat) Scope {
	return Scope{
		Space: memory.Space(chat.String()), Label: memory.Untrusted(memory.Space(chat.String())), Origin: schedule.Origin{Chat: chat}, Shown: chat, Session: chat.SourceID(),
		Mode: nit.ModePersona, Tiers: nit.L1 | nit.L2,
		People: true, Energy: true, Inner: true, Reflects: true, Sources: true, InChat: true,
	}
}

func ownerScope(chat persona.Chat) Scope {
	return Scope{
		Space: memory.Owner, Label: memory.Trusted(memory.Owner), Origin: schedule.Origin{Mode: persona.Agent}, Shown: chat, Session: persona.OwnerSession,
		Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3,
		Inner: true, Documents: true, ToOwner: true,
	}
}

// selfScope has no inner state to show: its inner state is the global reflection.
func selfScope() Scope {
	return Scope{Space: memory.Self, Label: memory.Untrusted(), Mode: self.ModeAutonomous, Tiers: nit.L1 | nit.L2, People: true, Reflects: true, Sources: true}
}
