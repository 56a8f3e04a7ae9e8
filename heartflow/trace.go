package heartflow

import (
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TraceKind is the kind of decision that a [Trace] records.
type TraceKind string

const (
	KindJudge    TraceKind = "judge"    // a verdict on received messages
	KindSpeak    TraceKind = "speak"    // a message that was permitted (Do is Speak) or refused (Do is Silent)
	KindSkip     TraceKind = "skip"     // a turn that ended without a reply
	KindState    TraceKind = "state"    // a change of state, mute or sleep
	KindPlan     TraceKind = "plan"     // what a model chose to do, in Why, with its reason in Text: see [Attention.LogPlan]
	KindFeedback TraceKind = "feedback" // how people took a message of the bot, in Why and Score: see [Attention.LogFeedback]
	KindModel    TraceKind = "model"    // a model call, in Call: see [Attention.LogModel]
)

// A Gate is one check on the way to a decision.
type Gate struct {
	Code      Code
	Value     float64 // measured value; for a gate with a Draw, the chance to pass
	Threshold float64 // limit for Value; 0 if the Code implies it
	Draw      float64 // random draw, above 0 and below 1; 0: the gate is not random
	Pass      bool
}

func gateBelow(c Code, n, limit int) Gate {
	return Gate{Code: c, Value: float64(n), Threshold: float64(limit), Pass: n < limit}
}

// String returns a text like "capped_window 2/6" or "active_window 0.8 draw 0.35". A failed gate begins with "!".
func (g Gate) String() string {
	var b []byte
	if !g.Pass {
		b = append(b, '!')
	}
	b = append(b, g.Code...)
	if g.Value == 0 && g.Threshold == 0 && g.Draw == 0 {
		return string(b) // the gate has no numbers
	}
	b = appendNumber(append(b, ' '), g.Value)
	if g.Threshold != 0 {
		b = appendNumber(append(b, '/'), g.Threshold)
	}
	if g.Draw != 0 {
		b = appendNumber(append(b, " draw "...), g.Draw)
	}
	return string(b)
}

// appendNumber writes a whole number in full and another with three digits. More digits differ between machines.
func appendNumber(b []byte, f float64) []byte {
	if f == float64(int64(f)) {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', 3, 64)
}

// A Trace records one decision with its reasons and gates. The receiver may keep it.
type Trace struct {
	At    time.Time
	Chat  string // the key formatted by fmt.Sprint; empty for the whole account
	Kind  TraceKind
	State State     // after the decision
	Gates []Gate    // in the order of the checks, up to the one that failed
	Do    Decision  // for judge and speak
	Score float64   // for judge and feedback
	Why   []Code    // read only
	Text  string    // for speak: the beginning of the message; for plan: the beginning of the model's reason
	Next  time.Time // when the state expires or a closed gate opens; zero: not at a known time

	Call *ModelCall `json:",omitempty"` // for model; read only
}

// String returns one line: time, chat, kind, outcome, reasons, text, gates and next change.
func (t Trace) String() string {
	var b strings.Builder
	b.WriteString(t.At.Format("15:04:05 "))
	if t.Chat != "" {
		b.WriteString(t.Chat + " ")
	}
	b.WriteString(string(t.Kind))
	switch {
	case t.Kind == KindJudge:
		b.WriteString(" " + t.Do.String())
	case t.Kind == KindSpeak && t.Do == Speak:
		b.WriteString(" permitted")
	case t.Kind == KindSpeak:
		b.WriteString(" refused")
	case t.Kind == KindState:
		b.WriteString(" " + t.State.String())
	case t.Kind == KindFeedback:
		b.Write(appendNumber([]byte(" "), t.Score))
	case t.Call != nil:
		b.WriteString(" " + t.Call.String())
	}
	for i, c := range t.Why {
		b.WriteString([]string{": ", " "}[min(i, 1)] + string(c))
	}
	if t.Text != "" {
		b.WriteString(" " + strconv.Quote(t.Text))
	}
	for i, g := range t.Gates {
		b.WriteString([]string{" [", ", "}[min(i, 1)] + g.String())
	}
	if len(t.Gates) > 0 {
		b.WriteString("]")
	}
	if !t.Next.IsZero() {
		b.WriteString(t.Next.Format(" next 15:04:05"))
	}
	return b.String()
}

// LogValue returns the fields as a group.
func (t Trace) LogValue() slog.Value {
	as := []slog.Attr{
		slog.Time("at", t.At), slog.String("chat", t.Chat), slog.String("kind", string(t.Kind)),
		slog.String("state", t.State.String()), slog.Any("why", t.Why),
	}
	if t.Kind == KindJudge || t.Kind == KindSpeak {
		as = append(as, slog.String("do", t.Do.String()))
	}
	if t.Kind == KindJudge || t.Kind == KindFeedback {
		as = append(as, slog.Float64("score", t.Score))
	}
	if t.Text != "" {
		as = append(as, slog.String("text", t.Text))
	}
	if t.Call != nil {
		as = append(as, slog.String("call", t.Call.String()))
	}
	for _, g := range t.Gates {
		as = append(as, slog.String("gate_"+string(g.Code), strings.TrimPrefix(g.String(), string(g.Code)+" ")))
	}
	if !t.Next.IsZero() {
		as = append(as, slog.Time("next", t.Next))
	}
	return slog.GroupValue(as...)
}

// A ring keeps the newest traces of a chat. It grows on demand, and then reuses its slots and their gates.
type ring struct {
	slots []Trace
	next  int // the slot to write next when all are in use
}

func (r *ring) add(size int, t *Trace) {
	if len(r.slots) < size {
		r.slots = append(r.slots, *t)
		slot := &r.slots[len(r.slots)-1]
		slot.Gates = slices.Clone(t.Gates)
		return
	}
	slot := &r.slots[r.next]
	if r.next++; r.next == size {
		r.next = 0
	}
	gates := append(slot.Gates[:0], t.Gates...)
	*slot = *t
	slot.Gates = gates
}

// all returns a copy of the traces, oldest first.
func (r *ring) all() []Trace {
	list := slices.Concat(r.slots[r.next:], r.slots[:r.next])
	for i := range list {
		list[i].Gates = slices.Clone(list[i].Gates)
	}
	return list
}

// AddTrace records a trace of KindState for a change made by a caller of the Attention. at may be in the past. It
// changes nothing else and ignores an unknown chat.
func (a *Attention[K]) AddTrace(at time.Time, chat K, gates []Gate, why ...Code) {
	a.mu.Lock()
	defer a.leave()
	if c := a.chats[chat]; c != nil {
		a.record(c, a.now, &Trace{At: at, Kind: KindState, Gates: gates, Why: why})
	}
}
