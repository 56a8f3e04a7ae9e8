package jobs

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/enum"
)

// An Job is one thing that makes the being act: a batch to answer, a timer, a task, a request. It is kept as a row,
// so that after any crash it is known whether it may run again.
type Job struct {
	ID         string          `json:"id"`             // unique for ever, made from what the errand is about; not empty
	Kind       string          `json:"kind,omitempty"` // "batch", "timer", …
	Chat       persona.Chat    `json:"chat,omitzero"`  // whose cursor it moves; zero for none
	At         time.Time       `json:"at,omitzero"`    // when what it is about happened: the last message of a batch; zero means now
	ExpiresAt  time.Time       `json:"until,omitzero"` // after it, it is not worth running anew; zero means always
	LastRecord string          `json:"last,omitempty"` // record id that the chat's cursor moves to; "" moves none
	Payload    json.RawMessage `json:"payload,omitempty"`

	Status   Status    `json:"status"`            // kept by [Queue]
	Outbox   []Entry   `json:"outbox,omitempty"`  // what it says; kept by [Queue]
	Outcome  string    `json:"outcome,omitempty"` // how it ended, as given to [Queue.Done]
	Finished time.Time `json:"finished,omitzero"` // when; zero while it has not
}

// An Entry is one thing that an errand says, written down before it is said.
type Entry struct {
	Chat      persona.Chat `json:"chat,omitzero"` // where; zero means the errand's own chat
	Text      string       `json:"text"`
	ReplyTo   string       `json:"reply_to,omitempty"`
	MessageID string       `json:"message_id,omitempty"` // what the platform made of it, once sent
	Status    SendStatus   `json:"status"`
	Error     string       `json:"error,omitempty"` // why it failed or is unclear
	At        time.Time    `json:"at,omitzero"`     // when its status last changed
}

// A Status says how far an errand has come. It only ever grows.
type Status uint8

// The states of an errand. Up to [Claimed] it may run anew after a crash; from [Committed] on nothing of it ever does.
const (
	Open      Status = iota // known, to be run
	Claimed                 // being run; nothing of it has had an effect
	Committed               // its first effect may have happened
	Done                    // over
)

// A SendStatus says what became of an [Entry].
type SendStatus uint8

// The states of an entry.
const (
	Pending SendStatus = iota // about to be said
	Sent                      // said, and the platform confirmed it
	Failed                    // certainly not said
	Unclear                   // perhaps said: looked up or told, never said again
)

// A Cursor says up to where a chat has been dealt with.
type Cursor struct {
	RecordID string    `json:"last"` // record id of the last message dealt with
	At       time.Time `json:"at"`   // when that message was said
}

// What can be wrong with an errand.
var (
	ErrClaimed    = errors.New("persona: errand is already being run")
	ErrDone       = errors.New("persona: errand is over")
	ErrNotClaimed = errors.New("persona: errand is not being run")
	ErrCommitted  = errors.New("persona: errand has begun to act and cannot be given back")
)

var (
	statusWords  = []string{"open", "taken", "committed", "done"}
	sendingWords = []string{"pending", "sent", "failed", "unclear"}
)

// String gives "open", "taken", "committed" or "done".
func (s Status) String() string { return enum.Name(statusWords, int(s)) }

// MarshalText gives [Status.String].
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads [Status.String].
func (s *Status) UnmarshalText(b []byte) error { return enum.Parse(s, statusWords, b) }

// String gives "pending", "sent", "failed" or "unclear".
func (s SendStatus) String() string { return enum.Name(sendingWords, int(s)) }

// MarshalText gives [SendStatus.String].
func (s SendStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads [SendStatus.String].
func (s *SendStatus) UnmarshalText(b []byte) error { return enum.Parse(s, sendingWords, b) }
