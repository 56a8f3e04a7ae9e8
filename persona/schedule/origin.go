package schedule

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hearth-bot/hearth/persona"
)

// An Origin describes the turn that created a timer or a task. The timer or task runs later with the rights of that
// turn: in its mode, for its person, in its session. The zero Origin is the bot itself in persona mode, with the least
// authority.
type Origin struct {
	Mode   persona.Mode
	Person persona.Account // the person of the turn; zero means nobody
	Chat   persona.Chat    // the chat of the turn; always zero in agent mode
	// Restricted means that the turn had read untrusted text and lost its tools with side effects. A restricted timer
	// or task may only read, notify the owner and plan.
	Restricted bool
	// Label is the label of the turn in text form. This package stores it and never parses it. "" means the default
	// label for Mode, Chat and Restricted.
	Label string
}

var errAgentChat = errors.New("schedule: an origin in agent mode must not have a chat")

func (m Origin) check() error {
	if m.Mode > persona.Agent || m.Mode == persona.Agent && m.Chat != (persona.Chat{}) {
		return errAgentChat
	}
	return nil
}

// Session returns the id of the session to run in. It returns "" for the bot itself.
func (m Origin) Session() string {
	switch {
	case m.Mode == persona.Agent:
		return persona.OwnerSession
	case m.Chat == (persona.Chat{}):
		return ""
	}
	return m.Chat.SessionID()
}

// canSee reports whether a turn with origin m may list and cancel work of origin of. The agent sees everything. A persona
// turn sees the work of its own chat.
func (m Origin) canSee(of Origin) bool {
	return m.Mode == persona.Agent || of.Mode == persona.Persona && m.Chat == of.Chat
}

// belongsTo reports whether the origin belongs to person. An empty Platform matches all platforms.
func (m Origin) belongsTo(who persona.Account) bool {
	return who.ID != "" && m.Person.ID == who.ID && (who.Platform == "" || m.Person.Platform == who.Platform)
}

// A sessionKey is the key of the limits per session. A SessionID is not enough, because it has no platform.
type sessionKey struct {
	mode persona.Mode
	chat persona.Chat
}

// A principalKey is the key of the limits per principal: the person, or the chat if there is no person.
type principalKey struct {
	mode   persona.Mode
	person persona.Account
	chat   persona.Chat
}

func (m Origin) sessionKey() sessionKey { return sessionKey{m.Mode, m.Chat} }

func (m Origin) principalKey() principalKey {
	if m.Person != (persona.Account{}) {
		return principalKey{mode: m.Mode, person: m.Person}
	}
	return principalKey{mode: m.Mode, chat: m.Chat}
}

type originRow struct {
	Mode     string       `json:"mode,omitempty"`
	Platform string       `json:"platform,omitempty"`
	Person   string       `json:"person,omitempty"`
	Chat     persona.Chat `json:"chat,omitzero"`
	Shed     bool         `json:"shed,omitempty"`
	Label    string       `json:"label,omitempty"`
	Trusted  bool         `json:"trusted,omitempty"` // for rows without Label: only the owner contributed to the text
}

// trustedLabel is the label of old rows with Trusted and without Label.
const trustedLabel = "T owner"

// MarshalJSON encodes the origin for a row.
func (m Origin) MarshalJSON() ([]byte, error) {
	return json.Marshal(originRow{Mode: m.Mode.String(), Platform: m.Person.Platform, Person: m.Person.ID, Chat: m.Chat, Shed: m.Restricted, Label: m.Label})
}

// UnmarshalJSON decodes the output of [Origin.MarshalJSON]. Every mode except "agent" becomes persona.
func (m *Origin) UnmarshalJSON(b []byte) error {
	var row originRow
	if err := json.Unmarshal(b, &row); err != nil {
		return fmt.Errorf("schedule: origin: %w", err)
	}
	*m = Origin{Person: persona.Account{Platform: row.Platform, ID: row.Person}, Chat: row.Chat, Restricted: row.Shed, Label: row.Label}
	if row.Trusted && row.Label == "" {
		m.Label = trustedLabel
	}
	if row.Mode == persona.Agent.String() {
		m.Mode = persona.Agent
	}
	return m.check()
}
