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
	KindJudge TraceKind = "judge" // a verdict on what was heard
	KindSpeak TraceKind = "speak" // a message permitted (Do is Speak) or refused (Do is Silent)
	KindSkip  TraceKind = "skip"  // a judged turn that ended without words
	KindState TraceKind = "state" // a change of state, of muting, of sleep
)

// A Gate is one test on the way to a decision.
type Gate struct {
	Code      Code
	Value     float64 // what was measured; for a gate with a Draw, the chance to pass
	Threshold float64 // what it was measured against; 0 where the code says it
	Draw      float64 // what chance drew, above 0 and below 1; 0: no chance in it
	Pass      bool
}

func gateBelow(c Code, n, limit int) Gate {
	return Gate{Code: c, Value: float64(n), Threshold: float64(limit), Pass: n < limit}
}

// String is "capped_window 2/6" or "active_window 0.8 draw 0.35", with "!" in front where the gate did not pass.
func (g Gate) String() string {
	var b []byte
	if !g.Pass {
		b = append(b, '!')
	}
	b = append(b, g.Code...)
	if g.Value == 0 && g.Threshold == 0 && g.Draw == 0 {
		return string(b) // open or closed is all there is to say
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

// appendNumber writes whole numbers whole, and others with three digits: more differ between machines.
func appendNumber(b []byte, f float64) []byte {
	if f == float64(int64(f)) {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', 3, 64)
}

// A Trace records one decision: what it was, why, and by which gates. It is a value of its own, and may be kept.
type Trace struct {
	At    time.Time
	Chat  string // the key as fmt.Sprint writes it; empty where it concerns the whole account
	Kind  TraceKind
	State State     // after the decision
	Gates []Gate    // in the order tested; none after the one that closed
	Do    Decision  // of judge and speak
	Score float64   // of judge
	Why   []Code    // read only
	Text  string    // of speak: the beginning of what was said or refused
	Next  time.Time // when this chat changes by itself, or a closed gate opens; zero: not before something happens
}

// String is one line: time, chat, kind, outcome, reasons, text, gates, what is next.
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

// LogValue lists the fields as a group.
func (t Trace) LogValue() slog.Value {
	as := []slog.Attr{
		slog.Time("at", t.At), slog.String("chat", t.Chat), slog.String("kind", string(t.Kind)),
		slog.String("state", t.State.String()), slog.Any("why", t.Why),
	}
	if t.Kind == KindJudge || t.Kind == KindSpeak {
		as = append(as, slog.String("do", t.Do.String()))
	}
	if t.Kind == KindJudge {
		as = append(as, slog.Float64("score", t.Score))
	}
	if t.Text != "" {
		as = append(as, slog.String("text", t.Text))
	}
	for _, g := range t.Gates {
		as = append(as, slog.String("gate_"+string(g.Code), strings.TrimPrefix(g.String(), string(g.Code)+" ")))
	}
	if !t.Next.IsZero() {
		as = append(as, slog.Time("next", t.Next))
	}
	return slog.GroupValue(as...)
}

// A ring keeps the newest traces of a chat. It grows as far as it is used, and then reuses its slots and their gates.
type ring struct {
	slots []Trace
	next  int // the slot to be written next, once all are in use
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

// all copies the traces, oldest first.
func (r *ring) all() []Trace {
	list := slices.Concat(r.slots[r.next:], r.slots[:r.next])
	for i := range list {
		list[i].Gates = slices.Clone(list[i].Gates)
	}
	return list
}
