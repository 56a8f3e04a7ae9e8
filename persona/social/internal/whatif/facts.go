package whatif

import (
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A factTurn is a verdict in fact with what followed.
type factTurn struct {
	trace    heartflow.Trace
	messages []int
	started  bool // by BeginTurn, without messages
	unknown  bool // its messages arrived before the first known event
	ends     time.Time
}

// decide finds which decision was about which message. A judgement takes all messages since the one before. Some skipped turns
// give their messages back.
func (l *log) decide(e *engine.Engine, q Query) {
	l.facts = make([]Decision, len(l.messages))
	turns, seqs := turnsOf(q.Events), decisionSeqs(q.Events)
	words := engine.FilterOf(e, q.Current)
	var waiting []int
	var turn factTurn
	next := 0
	for _, t := range l.traces {
		for next < len(l.messages) && cmpTimes(l.messages[next].at, t.At) < 0 {
			m := l.messages[next].Message
			if why := dropped(e, words, &m); why != "" {
				l.facts[next].Dropped = why
			} else if !l.since.IsZero() && !l.messages[next].at.Before(l.since) {
				waiting = append(waiting, next)
			}
			next++
		}
		switch {
		case t.Chat == "":
		case t.Kind == heartflow.KindJudge:
			first := turn.trace.At.IsZero()
			turn = factTurn{trace: t}
			of := turns[seqs[t.At.UnixNano()]]
			if of != nil {
				turn.ends = of.Ended
			}
			if len(waiting) == 0 || of != nil && of.Kind != batchKind {
				turn.unknown = first && of == nil
				turn.started = !turn.unknown
				break
			}
			turn.messages, waiting = waiting, nil
			l.set(turn, Decision{Known: true, Trace: t})
		case t.Kind == heartflow.KindSkip && len(t.Why) > 0 && returns(t.Why[0]):
			waiting = append(slices.Clone(turn.messages), waiting...)
		case t.Kind == heartflow.KindSpeak:
			l.spoke(turn, t)
		}
	}
	for ; next < len(l.messages); next++ {
		m := l.messages[next].Message
		l.facts[next].Dropped = dropped(e, words, &m)
	}
}

// batchKind is the kind of a job that answers messages.
const batchKind = "batch"

// returns reports whether a skipped turn gives its messages back.
func returns(why heartflow.Code) bool {
	return why == heartflow.WhySuperseded || why == heartflow.WhyModelRetry || why == heartflow.WhyRetracted
}

func (l *log) set(turn factTurn, d Decision) {
	for _, i := range turn.messages {
		l.facts[i] = d
		if !turn.ends.IsZero() {
			l.ends[i] = turn.ends
		}
	}
}

// spoke adds a permitted or refused message to the decisions of its turn.
func (l *log) spoke(turn factTurn, t heartflow.Trace) {
	d := Decision{Known: true, Trace: turn.trace, Spoke: t.Do == heartflow.Speak}
	if !d.Spoke && len(t.Why) > 0 {
		d.Refused = t.Why[len(t.Why)-1]
	}
	s := saying{at: t.At, text: t.Text, answers: turn.messages}
	switch {
	case len(t.Why) > 0:
		s.unprompted = t.Why[0]
	case turn.unknown || turn.trace.At.IsZero():
	case turn.started:
		s.unprompted = "unprompted"
	default:
		l.set(turn, d)
	}
	if d.Spoke {
		l.sayings = append(l.sayings, s)
	}
}

// sayingGap is the longest pause between the messages of one reply.
const sayingGap = 2 * time.Minute

// listSayings adds the texts of the journal to the known replies, and the replies of the time before the first known decision.
// There, own messages in a row count as one reply.
func (l *log) listSayings() {
	texts := make([][]string, len(l.sayings))
	var older []saying
	last := -1 // index of the own message before
	for i, m := range l.messages {
		if !m.Own {
			continue
		}
		inRow := last >= 0 && last == i-1 && m.at.Sub(l.messages[last].at) < sayingGap
		last = i
		of := l.sayingBefore(m.at)
		switch before := l.since.IsZero() || m.at.Before(l.since); {
		case of >= 0:
			texts[of] = append(texts[of], m.Text)
		case before && inRow && len(older) > 0:
			older[len(older)-1].text += "\n" + m.Text
		default:
			older = append(older, saying{at: m.at, text: m.Text, typed: !before})
		}
	}
	for i, t := range texts {
		if len(t) > 0 {
			l.sayings[i].text = strings.Join(t, "\n")
		}
	}
	l.sayings = append(l.sayings, older...)
	slices.SortStableFunc(l.sayings, func(a, b saying) int { return a.at.Compare(b.at) })
}

// sayingBefore returns the known reply that a message of the bot belongs to, or -1.
func (l *log) sayingBefore(at time.Time) int {
	for i := len(l.sayings) - 1; i >= 0; i-- {
		if s := l.sayings[i]; !s.at.After(at) {
			if at.Sub(s.at) < sayingGap {
				return i
			}
			return -1
		}
	}
	return -1
}
