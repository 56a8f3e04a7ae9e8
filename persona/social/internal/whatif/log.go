package whatif

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// warmUp is the number of messages that are replayed before those of the result.
const warmUp = 200

// A log is what happened in a chat.
type log struct {
	messages []logged          // oldest first, also those after the end of the replay
	first    int               // index of the first message of the result; those before bring the replay into the state of the bot
	shown    int               // messages until the end of the replay
	traces   []heartflow.Trace // known decisions about the chat and the account, oldest first
	since    time.Time         // from then on all decisions are known; zero: none is
	facts    []Decision        // what was decided about each message
	sayings  []saying          // what the bot said, oldest first
	ends     map[int]time.Time // end of the turn that answered the batch of a message, by the index of the message
}

// A logged message has the time of its arrival.
type logged struct {
	persona.Message
	at time.Time
}

// A saying is a reply, or a message that the bot sent for another reason.
type saying struct {
	at         time.Time
	text       string
	answers    []int          // messages of the batch that it answers; nil if that is unknown
	unprompted heartflow.Code // reason of a message that answers nobody; "": a reply
	typed      bool           // somebody typed it with the bot's account
}

// newLog reads the journal, and adds what the events know.
func newLog(ctx context.Context, e *engine.Engine, q Query) (*log, error) {
	l := &log{ends: map[int]time.Time{}}
	if err := l.read(ctx, e, q); err != nil {
		return nil, err
	}
	l.traces = knownTraces(e.Traces(q.Chat), q.Events)
	l.since = l.sinceOf(q)
	l.decide(e, q)
	l.listSayings()
	return l, nil
}

// read reads the messages of the journal until the end, and those after it whose decisions are of interest.
func (l *log) read(ctx context.Context, e *engine.Engine, q Query) error {
	c := engine.UnloadedChat(q.Chat)
	arrivals := arrivalsOf(q.Events)
	wanted := q.Messages + warmUp
	for limit := wanted; ; limit *= 4 {
		l.messages = l.messages[:0]
		full := false
		for _, space := range []memory.Space{c.Space, c.Space.Secret()} { // banned messages are in the secret space
			past, err := e.Memory.Recent(ctx, space, limit)
			if err != nil {
				return err
			}
			full = full || len(past) == limit
			var last time.Time
			for _, rec := range past {
				m := logged{Message: engine.MessageFromRecord(c, rec), at: rec.At}
				if seen, ok := arrivals[rec.ID]; ok {
					m = seen
				}
				m.at = later(m.at, last) // the journal is in the order of arrival
				last = m.at
				l.messages = append(l.messages, m)
			}
		}
		slices.SortStableFunc(l.messages, func(a, b logged) int { return a.at.Compare(b.at) })
		l.shown = len(l.messages)
		if !q.Until.IsZero() {
			l.shown, _ = slices.BinarySearchFunc(l.messages, q.Until, func(m logged, until time.Time) int {
				if m.at.After(until) {
					return 1
				}
				return -1
			})
		}
		if l.shown >= wanted || !full || limit > 8*MaxMessages {
			break
		}
	}
	if before := l.shown - wanted; before > 0 {
		l.messages, l.shown = l.messages[before:], wanted
	}
	l.first = max(l.shown-q.Messages, 0)
	list := make([]persona.Message, len(l.messages))
	for i, m := range l.messages {
		list[i] = m.Message
	}
	engine.ResolveQuotes(e, list)
	for i := range list {
		l.messages[i].Message = list[i]
	}
	return nil
}

// arrivalsOf returns the messages of events with their arrivals, by key.
func arrivalsOf(events []trace.Event) map[string]logged {
	all := map[string]logged{}
	for _, e := range events {
		if e.Message != nil {
			all[e.Message.Key] = logged{*e.Message, e.At}
		}
	}
	return all
}

// knownTraces returns the decisions of the events and those that attention keeps, oldest first.
func knownTraces(kept []heartflow.Trace, events []trace.Event) (all []heartflow.Trace) {
	for _, e := range events {
		if e.Decision != nil {
			all = append(all, *e.Decision)
		}
	}
	known := slices.Clone(all)
	for _, t := range kept {
		same := func(o heartflow.Trace) bool { return o.Kind == t.Kind && o.At.Equal(t.At) }
		if !slices.ContainsFunc(known, same) {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b heartflow.Trace) int { return a.At.Compare(b.At) })
	return all
}

// sinceOf returns the time from which on the decisions are known; zero: none is known.
func (l *log) sinceOf(q Query) (since time.Time) {
	for _, t := range l.traces {
		if t.Chat != "" {
			since = t.At
			break
		}
	}
	for _, e := range q.Events {
		if e.Chat == q.Chat && (since.IsZero() || e.At.Before(since)) {
			return e.At
		}
	}
	return since
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// dropped returns why a message is not to be judged under a filter; "" if it is.
func dropped(e *engine.Engine, words *heartflow.Filter, m *persona.Message) heartflow.Code {
	switch banned := engine.Filter(words, m); {
	case m.Own:
		return WhyOwn
	case banned:
		return WhyBanned
	case m.Action && !m.AtMe:
		return WhyAct
	case engine.IsCommand(e, *m):
		return WhyCommand
	}
	return ""
}

// turnsOf returns the turns of events by the sequence numbers of their decisions.
func turnsOf(events []trace.Event) map[uint64]*trace.Turn {
	all := map[uint64]*trace.Turn{}
	for _, e := range events {
		if e.Turn != nil && e.Turn.Decision != 0 {
			all[e.Turn.Decision] = e.Turn
		}
	}
	return all
}

// decisionSeqs returns the sequence numbers of decisions by their times.
func decisionSeqs(events []trace.Event) map[int64]uint64 {
	all := map[int64]uint64{}
	for _, e := range events {
		if e.Decision != nil && e.Decision.Kind == heartflow.KindJudge && e.Decision.Chat != "" {
			all[e.Decision.At.UnixNano()] = e.Seq
		}
	}
	return all
}

// cmpTimes orders messages before decisions of the same time.
func cmpTimes(message, decision time.Time) int { return cmp.Or(message.Compare(decision), -1) }
