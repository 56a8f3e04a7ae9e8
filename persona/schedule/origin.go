package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
)

// A Origin is the turn in which a timer or a task was made. What it set going runs later with the rights of that turn:
// in its mode, for its person, in its session, and with nothing else. The zero Maker is the persona by itself, with
// the least authority.
type Origin struct {
	Mode   persona.Mode
	Person persona.Account // on whose behalf; zero means nobody's
	Chat   persona.Chat    // where; always zero in agent mode, whose session is the owner's own
	// Restricted says that the turn had given up what acts on the world: it had read what strangers may have written. What it set
	// going may read, tell the owner, and plan; no more.
	Restricted bool
	// Label is the text of the label that its words bear, which this package keeps and does not read: what the turn that
	// made it had read. "" is the label of whoever has this Mode, Chat and Shed.
	Label string
}

var errMaker = errors.New("persona: an agent's turn is in no chat")

func (m Origin) check() error {
	if m.Mode > persona.Agent || m.Mode == persona.Agent && m.Chat != (persona.Chat{}) {
		return errMaker
	}
	return nil
}

// Session gives the session to run in; "" for the persona by itself.
func (m Origin) Session() string {
	switch {
	case m.Mode == persona.Agent:
		return persona.OwnerSession
	case m.Chat == (persona.Chat{}):
		return ""
	}
	return m.Chat.SessionID()
}

// sees reports whether a turn may list and cancel what another one made: the agent all, the persona what was made in
// the same chat.
func (m Origin) sees(of Origin) bool {
	return m.Mode == persona.Agent || of.Mode == persona.Persona && m.Chat == of.Chat
}

// isOf reports whether it was made on somebody's behalf, on any platform where who names none.
func (m Origin) isOf(who persona.Account) bool {
	return who.ID != "" && m.Person.ID == who.ID && (who.Platform == "" || m.Person.Platform == who.Platform)
}

// place is what limits per session count by. A SessionID would not do: it holds no platform.
type place struct {
	mode persona.Mode
	chat persona.Chat
}

// who is what limits per principal count by: the person if there is one, else the place.
type who struct {
	mode   persona.Mode
	person persona.Account
	chat   persona.Chat
}

func (m Origin) place() place { return place{m.Mode, m.Chat} }

func (m Origin) who() who {
	if m.Person != (persona.Account{}) {
		return who{mode: m.Mode, person: m.Person}
	}
	return who{mode: m.Mode, chat: m.Chat}
}

type makerRow struct {
	Mode     string       `json:"mode,omitempty"`
	Platform string       `json:"platform,omitempty"`
	Person   string       `json:"person,omitempty"`
	Chat     persona.Chat `json:"chat,omitzero"`
	Shed     bool         `json:"shed,omitempty"`
	Label    string       `json:"label,omitempty"`
	Trusted  bool         `json:"trusted,omitempty"` // of rows without labels: only the owner had a hand in the words
}

// trustedLabel is the label of rows that say no more than Trusted.
const trustedLabel = "T owner"

// MarshalJSON writes the maker as a row holds it.
func (m Origin) MarshalJSON() ([]byte, error) {
	return json.Marshal(makerRow{Mode: m.Mode.String(), Platform: m.Person.Platform, Person: m.Person.ID, Chat: m.Chat, Shed: m.Restricted, Label: m.Label})
}

// UnmarshalJSON reads what [Origin.MarshalJSON] wrote. A mode that is not "agent" is the persona's.
func (m *Origin) UnmarshalJSON(b []byte) error {
	var row makerRow
	if err := json.Unmarshal(b, &row); err != nil {
		return fmt.Errorf("persona: maker: %w", err)
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
