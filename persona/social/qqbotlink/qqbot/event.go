package qqbot

import (
	"context"
	"encoding/json"
	"time"
)

// An Event is something that the platform reports. Use a type switch.
type Event interface {
	// Base returns what all events have in common.
	Base() *Common
	// conversation is the chat of the event: events of one chat are handled in order.
	conversation() string
}

// Common has the fields of every event.
type Common struct {
	EventID string          // for Out.EventID, where the platform permits it; "" for events of this package
	Name    string          // the platform's name, such as GROUP_MESSAGE_CREATE; "" for events of this package
	Time    time.Time       // the platform's time, or that of the arrival if there is none
	Raw     json.RawMessage // the event's data; do not modify it
}

// Base returns c.
func (c *Common) Base() *Common { return c }

func (c *Common) conversation() string { return "" }

// A Handler receives events. Events of one chat are handled one after the other, in order. Those of different chats are handled
// concurrently, on at most Options.Workers goroutines. A handler may call the API and may take long. ctx is done when the
// context of Run is.
type Handler func(ctx context.Context, e Event)

// Ready is the beginning of a new session with the gateway.
type Ready struct {
	Common
	User User // the bot
}

// Resumed is the continuation of a session after the link dropped. The events between were delivered before it.
type Resumed struct{ Common }

// Gap means that events were lost and will not come. The platform has no call to read them.
type Gap struct {
	Common
	Reason GapReason
	Since  time.Time // about when the first one was lost
	Count  int       // how many; 0 means that it is unknown
}

// A GapReason is why events were lost.
type GapReason string

// Reasons.
const (
	GapSession  GapReason = "session"  // the session ended, and a new one began
	GapOverflow GapReason = "overflow" // handlers were too slow, and the queue was full
)

// Unknown is an event without a type here, or one whose data is malformed.
type Unknown struct{ Common }

// A frame is a payload of the gateway or of a webhook.
type frame struct {
	op   int64
	seq  int64
	name string
	id   string
	data json.RawMessage
	raw  []byte // the whole frame, from a webhook
}

func parseFrame(raw []byte) (frame, bool) {
	o, err := parseObject(raw)
	if err != nil {
		return frame{}, false
	}
	op, ok := o.number("op")
	return frame{op: op, seq: o.whole("s"), name: o.text("t"), id: o.text("id"), data: o["d"]}, ok
}
