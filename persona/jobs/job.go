package jobs

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/enum"
)

// A Job is a durable unit of work that makes the bot act: a batch of messages, a timer, a task or a request. It is
// stored as a row. After a crash the row shows whether the job may run again.
type Job struct {
	ID         string          `json:"id"`             // unique and permanent, derived from the job's content; required
	Kind       string          `json:"kind,omitempty"` // "batch", "timer", …
	Chat       persona.Chat    `json:"chat,omitzero"`  // the chat of the cursor; zero means no cursor
	At         time.Time       `json:"at,omitzero"`    // time of the event, such as the last message of a batch; zero means now
	ExpiresAt  time.Time       `json:"until,omitzero"` // after this time the job is stale and does not run again; zero means never
	LastRecord string          `json:"last,omitempty"` // record id for the chat's cursor; "" does not move the cursor
	Payload    json.RawMessage `json:"payload,omitempty"`

	Status   Status    `json:"status"`            // set by [Queue]
	Outbox   []Entry   `json:"outbox,omitempty"`  // messages of the job; set by [Queue]
	Outcome  string    `json:"outcome,omitempty"` // result as passed to [Queue.Done]
	Finished time.Time `json:"finished,omitzero"` // time of [Queue.Done]; zero if not finished
}

// An Entry is an outgoing message of a job. It is stored before it is sent.
type Entry struct {
	Chat      persona.Chat `json:"chat,omitzero"` // target chat; zero means the chat of the job
	Text      string       `json:"text"`
	ReplyTo   string       `json:"reply_to,omitempty"`
	MessageID string       `json:"message_id,omitempty"` // the platform's message id after the send
	Status    SendStatus   `json:"status"`
	Error     string       `json:"error,omitempty"` // reason for Failed or Unclear
	At        time.Time    `json:"at,omitzero"`     // time of the last change of Status
	Label     string       `json:"label,omitempty"` // label of Text, in the caller's form; "" means that of the chat
}

// A Status is the progress of a job. It never goes back while the program runs.
type Status uint8

// The statuses of a job. After a crash, an [Open] or [Claimed] job may run again. A [Committed] or [Done] job never
// runs again.
const (
	Open      Status = iota // waiting to run
	Claimed                 // running, without a side effect so far
	Committed               // a side effect may have happened
	Done                    // finished
)

// A SendStatus is the delivery status of an [Entry].
type SendStatus uint8

// The statuses of an entry.
const (
	Pending SendStatus = iota // not sent yet, or the result is not known yet
	Sent                      // confirmed by the platform
	Failed                    // certainly not sent
	Unclear                   // possibly sent; look it up or report it, but never send it again
)

// A Cursor marks the last handled message of a chat.
type Cursor struct {
	RecordID string    `json:"last"` // record id of that message
	At       time.Time `json:"at"`   // time of that message
}

// The errors of [Queue].
var (
	ErrClaimed    = errors.New("jobs: job is already running")
	ErrDone       = errors.New("jobs: job is finished")
	ErrNotClaimed = errors.New("jobs: job is not running")
	ErrCommitted  = errors.New("jobs: job is committed and cannot be released")
)

var (
	statusWords     = []string{"open", "taken", "committed", "done"}
	sendStatusWords = []string{"pending", "sent", "failed", "unclear"}
)

// String returns "open", "taken", "committed" or "done".
func (s Status) String() string { return enum.Name(statusWords, int(s)) }

// MarshalText encodes [Status.String].
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses [Status.String].
func (s *Status) UnmarshalText(b []byte) error { return enum.Parse(s, statusWords, b) }

// String returns "pending", "sent", "failed" or "unclear".
func (s SendStatus) String() string { return enum.Name(sendStatusWords, int(s)) }

// MarshalText encodes [SendStatus.String].
func (s SendStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses [SendStatus.String].
func (s *SendStatus) UnmarshalText(b []byte) error { return enum.Parse(s, sendStatusWords, b) }
