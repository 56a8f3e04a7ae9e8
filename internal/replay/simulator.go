package replay

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// An Attention is a heartflow.Attention, or an hfc.Flow over one.
type Attention interface {
	Observe(now time.Time, chat string, m heartflow.Message) heartflow.Notice
	State(now time.Time, chat string) heartflow.State
	JudgeUpTo(now time.Time, chat, last string) heartflow.Verdict
	BeginTurn(now time.Time, chat string, why heartflow.Code) heartflow.Verdict
	Speak(now time.Time, chat, text string, reasons ...heartflow.Code) error
	SkipTurn(now time.Time, chat string, why heartflow.Code)
	Retract(now time.Time, chat, id string)
	Mute(now time.Time, chat string, until time.Time)
	Unmute(now time.Time, chat string)
}

// Options configure a Simulator. T is what the caller knows of a message. Attention, Answer and OnTurn are required.
type Options[T any] struct {
	Attention Attention
	Flow      *hfc.Flow[string]     // Attention, if it is a Flow
	Buffer    buffer.Options        // Workers and Logger have no effect
	MaxAge    time.Duration         // an older message is not judged; 0 means 2 minutes
	Supersede bool                  // a message that supersedes an open turn cancels it, as in package social
	Answer    func(*Turn[T]) Answer // called when a verdict lets a model be asked
	OnJudge   func(*Turn[T])        // called before a batch is judged; may be nil
	OnTurn    func(Turn[T])         // called with each finished turn
}

// An Answer is what the model does in a turn.
type Answer struct {
	Say  []Saying  // replies, in order of time; none means that the model is silent
	Ends time.Time // end of the turn; with replies the last reply may also end it
}

// A Saying is one reply. It may be sent in several pieces.
type Saying struct {
	At   time.Time
	Text string
}

// A Turn is the result of a batch, or of a turn that a Flow wanted.
type Turn[T any] struct {
	Chat    string
	Batch   []T       // messages; empty if the Flow wanted the turn
	Last    T         // last message of the batch or of the chat
	At      time.Time // of the verdict
	Verdict heartflow.Verdict
	Trace   heartflow.Trace // of the verdict; zero if nobody calls [Simulator.Trace]
	Asked   bool            // the model was asked
	Spoke   time.Time       // time of the last reply; zero without one
	Refused error           // error of Speak
	State   string          // of the chat
	Level   float64         // interest in the chat, for a Flow

	step   uint64 // step of the cycle that wants the reply; 0 means none
	answer Answer
	said   int // replies of answer that were permitted
	batch  buffer.Batch[string, item[T]]
}

// Superseded reports whether a newer message cancelled the turn. Its messages are judged again.
func (t *Turn[T]) Superseded() bool { return t.Refused == errSuperseded }

// An item is a message in the buffer, or a turn that a Flow wants.
type item[T any] struct {
	value  T
	id     string
	wanted heartflow.Code // reason for which a Flow wants a turn; empty for a message
}

// A Simulator runs a bot on virtual time. It is not safe for concurrent use.
type Simulator[T any] struct {
	o         Options[T]
	buffer    *buffer.Buffer[string, item[T]]
	scheduled []scheduled[T] // earliest first
	last      map[string]T
	now       time.Time
	lastJudge heartflow.Trace // trace of the last verdict
}

// A scheduled turn continues at its time.
type scheduled[T any] struct {
	at    time.Time
	batch *buffer.Batch[string, item[T]] // to judge
	turn  *Turn[T]                       // else to continue
}

const defaultMaxAge = 2 * time.Minute

// New returns a Simulator.
func New[T any](o Options[T]) *Simulator[T] {
	if o.MaxAge == 0 {
		o.MaxAge = defaultMaxAge
	}
	return &Simulator[T]{o: o, buffer: buffer.New[string, item[T]](o.Buffer), last: map[string]T{}}
}

// Now returns the virtual time.
func (s *Simulator[T]) Now() time.Time { return s.now }

// Trace takes a trace of the Attention. Call it from Options.OnTrace of the Attention to have the traces in the turns.
func (s *Simulator[T]) Trace(t heartflow.Trace) {
	if t.Kind == heartflow.KindJudge {
		s.lastJudge = t
	}
}

// Message runs everything that is due before at, and then receives a message. v is passed to the turn that judges it.
func (s *Simulator[T]) Message(at time.Time, chat string, m heartflow.Message, v T) {
	s.RunUntil(at)
	notice := s.o.Attention.Observe(s.now, chat, m)
	if m.Own {
		return
	}
	if !m.At.IsZero() && s.now.Sub(m.At) > s.o.MaxAge {
		s.reportStale(chat, v)
		return
	}
	s.last[chat] = v
	one := item[T]{value: v, id: m.ID}
	if notice.Addressed {
		s.buffer.AddUrgent(s.now, chat, one)
	} else {
		s.buffer.Add(s.now, chat, one)
	}
	if notice.Supersedes && s.o.Supersede {
		s.supersede(chat)
	}
}

// reportStale reports a message that arrived too late for a decision.
func (s *Simulator[T]) reportStale(chat string, v T) {
	t := &Turn[T]{Chat: chat, Batch: []T{v}, Last: v, At: s.now}
	t.Verdict.Why = []heartflow.Code{heartflow.WhyStale}
	t.Verdict.State = s.o.Attention.State(s.now, chat)
	t.State, t.Level = s.state(t)
	s.o.OnTurn(*t)
}

// Retract runs everything that is due before at, and then retracts the message with that id.
func (s *Simulator[T]) Retract(at time.Time, chat, id string) {
	s.RunUntil(at)
	s.o.Attention.Retract(s.now, chat, id)
	s.buffer.Drop(chat, func(b item[T]) bool { return b.wanted == "" && b.id == id })
}

// Mute runs everything that is due before at, and then mutes the bot in a chat until that time. A zero time ends it.
func (s *Simulator[T]) Mute(at time.Time, chat string, until time.Time) {
	s.RunUntil(at)
	if until.IsZero() {
		s.o.Attention.Unmute(s.now, chat)
	} else {
		s.o.Attention.Mute(s.now, chat, until)
	}
}

// RunUntil runs everything that is due until then. The zero time means everything that follows from the messages.
func (s *Simulator[T]) RunUntil(then time.Time) {
	for {
		at, due := s.buffer.Next()
		do := s.judgeBatches
		if len(s.scheduled) > 0 && (!due || !s.scheduled[0].at.After(at)) {
			at, due, do = s.scheduled[0].at, true, s.resume
		}
		if s.o.Flow != nil && (due || !then.IsZero()) { // a Flow always has a next time
			if next, ok := s.o.Flow.Next(); ok && (!due || next.Before(at)) {
				at, due, do = next, true, s.runFlow
			}
		}
		if !due || !then.IsZero() && at.After(then) {
			break
		}
		s.now = Later(s.now, at)
		do()
	}
	s.now = Later(s.now, then)
}

func (s *Simulator[T]) judgeBatches() {
	for b := range s.buffer.Due(s.now) {
		s.judge(b)
	}
}

// resume continues the next scheduled turn.
func (s *Simulator[T]) resume() {
	w := s.scheduled[0]
	s.scheduled = s.scheduled[1:]
	if w.batch != nil {
		s.judge(*w.batch)
		return
	}
	s.advance(w.turn)
}

// schedule inserts a turn in order of time.
func (s *Simulator[T]) schedule(w scheduled[T]) {
	i := len(s.scheduled)
	for i > 0 && s.scheduled[i-1].at.After(w.at) {
		i--
	}
	s.scheduled = slices.Insert(s.scheduled, i, w)
}

// Later returns the later time.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
