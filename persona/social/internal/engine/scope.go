package engine

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A Scope holds the rights of a conversation: the data that its turns may read, show and change. There are three: a
// chat, the owner's conversation in agent mode, and the bot itself. The zero scope has the least rights.
type Scope struct {
	Space   memory.Space
	Label   memory.Label    // initial label of its turns; zero makes their output readable by the owner only
	Origin  schedule.Origin // principal of its turns, without a person
	Shown   persona.Chat    // chat named in prompts; zero: none
	Session string          // key of stored data of the session; tools see it in the form of persona.Chat.SessionID; "": none
	Mode    string          // nit's mode of its turns
	Tiers   nit.Tier        // of the tools of its turns

	People    bool // prompts show impressions of people
	Energy    bool // prompts show the bot's energy
	Inner     bool // prompts show its inner state
	Reflects  bool // prompts show its global reflection
	Documents bool // prompts show its documents, and background turns may patch them
	Sources   bool // notes keep the ids of their source messages
	InChat    bool // turns ask attention, and the link sends their replies
	ToOwner   bool // replies go to the owner; without InChat and ToOwner they are archived
}

// Agent reports whether the turns run in agent mode, for the owner.
func (s Scope) Agent() bool { return s.Origin.Mode == persona.Agent }

// Principal returns the caller of a turn's tools. A background turn has its own mode and no tools of tier L3.
func (s Scope) Principal(background bool) nit.Principal {
	p := nit.Principal{Mode: s.Mode, Tiers: s.Tiers, Session: s.Session}
	if s.InChat {
		p.Session = s.Shown.SessionID()
	}
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

// selfScope returns the scope of turns without a chat. It has no inner state: the global reflection is that.
func selfScope() Scope {
	return Scope{Space: memory.Self, Label: memory.Untrusted(), Mode: self.ModeAutonomous, Tiers: nit.L1 | nit.L2, People: true, Reflects: true, Sources: true}
}
