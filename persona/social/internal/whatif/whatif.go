// Package whatif replays the messages of a chat under other settings. It shows what attention would have decided. Nothing is
// sent, no model is asked, nothing is stored, and the running bot does not change: the replay has an attention of its own.
package whatif

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Limits of a replay.
const (
	DefaultMessages = 300
	MaxMessages     = 2000
)

// A Query asks for a replay.
type Query struct {
	Chat     persona.Chat
	Until    time.Time          // later messages are left out; zero means none
	Messages int                // the last ones before Until; 0 means DefaultMessages
	Current  engine.ChatOptions // in effect
	Changed  engine.ChatOptions // to try
	State    string             // fixes the state of the chat in a Flow, with Changed; "": as it was
	Events   []trace.Event      // of the chat and of the account, oldest first; may be nil
}

// A Result is a replay under both settings.
type Result struct {
	Messages []Message // oldest first
	Moment   int       // index of the last message that was to be judged; -1 without one
	Compared int       // messages whose decision in fact is known
	Agreed   int       // of them, those that the replay under the current settings decided alike
}

// A Message is one message with the decisions about it.
type Message struct {
	persona.Message
	ReceivedAt time.Time
	Fact       Decision
	Current    Decision
	Changed    Decision
}

// Differs reports whether the other settings change whether a model is asked.
func (m Message) Differs() bool { return m.Current.Asks() != m.Changed.Asks() }

// A Decision is what was decided about a message, with the other messages of its batch.
type Decision struct {
	Known   bool            // it was judged
	Trace   heartflow.Trace // of the verdict
	Dropped heartflow.Code  // why it was not to be judged: WhyBanned, WhyCommand, …; "" if it was
	Spoke   bool            // a reply followed
	Refused heartflow.Code  // why a reply was refused; "" if it was not
}

// Asks reports whether the decision lets a model be asked.
func (d Decision) Asks() bool { return d.Known && d.Trace.Do != heartflow.Silent }

// Reasons for which a message is not judged, beside heartflow.WhyOff and WhyStale.
const (
	WhyBanned  heartflow.Code = "banned"
	WhyCommand heartflow.Code = "command"
	WhyOwn     heartflow.Code = "own"
	WhyAct     heartflow.Code = "act"
)

// States of Query.State.
const (
	StateAbsent  = string(hfc.WhyAbsent)
	StateChat    = string(hfc.WhyChat)
	StateFocused = string(hfc.WhyFocused)
)

// ErrNoChat is returned for a conversation that attention does not judge.
var ErrNoChat = errors.New("social: attention judges no messages of this conversation")

// Run replays a chat.
func Run(ctx context.Context, e *engine.Engine, q Query) (Result, error) {
	if q.Messages < 0 || q.Messages > MaxMessages {
		return Result{}, fmt.Errorf("social: WhatIf.Messages is %d: it must be from 0 to %d", q.Messages, MaxMessages)
	}
	if q.Messages == 0 {
		q.Messages = DefaultMessages
	}
	if q.Chat == (persona.Chat{}) || q.Chat == e.OwnerChat.ID || q.Chat == e.SelfChat.ID {
		return Result{}, ErrNoChat
	}
	l, err := newLog(ctx, e, q)
	if err != nil {
		return Result{}, err
	}
	current, err := play(e, l, q.Chat, q.Current, "")
	if err != nil {
		return Result{}, err
	}
	changed, err := play(e, l, q.Chat, q.Changed, q.State)
	if err != nil {
		return Result{}, err
	}
	return l.result(current, changed), nil
}

// result joins the decisions.
func (l *log) result(current, changed []Decision) Result {
	r := Result{Moment: -1}
	for i := l.first; i < l.shown; i++ {
		m := Message{Message: l.messages[i].Message, ReceivedAt: l.messages[i].at, Fact: l.facts[i], Current: current[i], Changed: changed[i]}
		if m.Fact.Known && m.Current.Known {
			r.Compared++
			if m.Fact.Asks() == m.Current.Asks() {
				r.Agreed++
			}
		}
		if m.Fact.Known || m.Current.Known || m.Changed.Known {
			r.Moment = i - l.first
		}
		r.Messages = append(r.Messages, m)
	}
	return r
}
