package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A RollingSummary is the hot summary of a space: what the stretch of its messages from First to Last came to since the last dream.
// It is kept in State, in the space that it was made from.
type RollingSummary struct {
	Text     string    `json:"text"`
	At       time.Time `json:"at,omitzero"`    // when it was made
	FirstSeq uint64    `json:"first"`          // Seq of the first message that is in it
	LastSeq  uint64    `json:"last"`           // and of the last; what came later is still to be summed up
	Label    Label     `json:"label,omitzero"` // where it came from, and by whose hand; set in each summary that is read
}

// Summary is the hot summary of a space; its Text is "" before there is one.
func (m *Memory) Summary(ctx context.Context, s Space) (d RollingSummary, err error) {
	if err := s.Validate(); err != nil {
		return d, err
	}
	_, err = m.state.read(ctx, row(s, "summary"), &d)
	if d.Text != "" {
		d.Label = labeled(d.Label, s, nil)
	}
	return d, err
}

// SetSummary keeps a summary that the caller made, of a buffer.Window's fold for one. First and Last say what it was made from, so that it
// goes when one of these messages is forgotten or hidden.
func (m *Memory) SetSummary(ctx context.Context, s Space, d RollingSummary) error {
	d.Text, d.At = mend(d.Text), d.At.Round(0)
	if d.FirstSeq > d.LastSeq {
		return fmt.Errorf("memory: summary from %d to %d: %w", d.FirstSeq, d.LastSeq, ErrInvalid)
	}
	if len(d.Text) > MaxText {
		return fmt.Errorf("memory: summary of %d bytes: %w", len(d.Text), ErrTooLong)
	}
	_, err := change(ctx, m, s, row(s, "summary"), func(v *RollingSummary) (bool, error) { *v = d.of(s); return true, nil })
	return err
}

// of is the digest as its row has it.
func (d RollingSummary) of(s Space) RollingSummary {
	if d.Label == labeled(Label{}, s, nil) {
		d.Label = Label{}
	}
	return d
}

// SummaryOptions says when a summary is due and what it may hold. The zero value is ready.
type SummaryOptions struct {
	Turns        int                                 // due with so many turns; 0 means 20; negative: never for that
	TopicChanged func(before, latest []Record) bool  // a summary is also due when Shift reports a new topic; nil: after half an hour of silence, or when hardly a word is shared
	TopicWindow  int                                 // messages that Shift is shown as the latest; 0 means 6; negative: Shift is never asked
	MaxMessages  int                                 // messages summed up at once, and due with so many in any case; 0 means 200
	MaxRunes     int                                 // runes of summary kept; 0 means 2000; negative: all
	Append       bool                                // the answer becomes a new paragraph, and the oldest go when it gets too long; otherwise it takes the place of the old summary
	TurnBegins   func(last Record, next Record) bool // reports whether next begins a turn; nil: the first message after one of the bot, or after a pause of more than a minute
}

// A SummarizeFunc makes the new summary of old and raw. With SummaryOptions.Append its answer is about raw alone.
// It is given what was said in one space, and its answer is told only there.
type SummarizeFunc func(ctx context.Context, old string, raw []Record) (string, error)

// Summarizer keeps the summaries of all spaces of a Memory up to date. Nothing of what it does holds up anybody: messages are read from
// the store, so that a summary that failed, or a process that died, costs nothing but time. All methods may be called concurrently.
type Summarizer struct {
	m    *Memory
	f    SummarizeFunc
	o    SummaryOptions
	mu   sync.Mutex
	busy map[Space]bool
	rest map[Space]backoff // of spaces whose last try failed
}

// A backoff is how often something failed and until when it rests.
type backoff struct {
	Fails int       `json:"fails"`
	Until time.Time `json:"until"`
}

// next is the rest after one more failure: 1 minute, doubled up to an hour.
func (b backoff) next(now time.Time) backoff {
	return backoff{b.Fails + 1, now.Round(0).Add(min(time.Hour, time.Minute<<min(b.Fails, 6)))}
}

// Summarizer returns summaries that f makes. If f is nil, [Summarizer.Update] fails.
func (m *Memory) Summarizer(f SummarizeFunc, o SummaryOptions) *Summarizer {
	s := &Summarizer{m: m, f: f, o: o, busy: map[Space]bool{}, rest: map[Space]backoff{}}
	s.o.Turns, s.o.TopicWindow, s.o.MaxMessages, s.o.MaxRunes = cmp.Or(s.o.Turns, 20), cmp.Or(s.o.TopicWindow, 6), cmp.Or(max(s.o.MaxMessages, 0), 200), cmp.Or(s.o.MaxRunes, 2000)
	if s.o.TopicChanged == nil {
		s.o.TopicChanged = topicShift
	}
	if s.o.TurnBegins == nil {
		s.o.TurnBegins = turnBegins
	}
	return s
}

// Due reports whether Update would sum up.
func (s *Summarizer) Due(ctx context.Context, space Space) (bool, error) {
	d, err := s.m.Summary(ctx, space)
	if err != nil {
		return false, err
	}
	raw, err := s.pending(ctx, space, d)
	return len(raw) > 0, err
}

// Update sums up what is due: with every 20 turns, or 200 messages, all that came since the last summary (200 messages at a time), on a new topic what came before it. It reports whether
// there is a new summary; false without an error means that nothing is due, that another call is at it, or that what it read was meanwhile forgotten,
// hidden or changed: then its answer is not taken and the messages stay due. After an error the old summary stays, and the space rests
// for a minute, doubled up to an hour. Call it after each turn, in a goroutine of your own; no lock is held while f runs.
func (s *Summarizer) Update(ctx context.Context, now time.Time, space Space) (bool, error) {
	if s.f == nil {
		return false, errors.New("memory: Summaries without a function")
	}
	if !s.enter(now, space) {
		return false, nil
	}
	done, failed := false, true // also where f panics
	defer func() { s.leave(now, space, failed, done) }()
	done, err := s.update(ctx, now, space)
	failed = err != nil && ctx.Err() == nil
	return done, err
}

func (s *Summarizer) enter(now time.Time, space Space) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[space] || s.rest[space].rests(now) {
		return false
	}
	s.busy[space] = true
	return true
}

func (s *Summarizer) leave(now time.Time, space Space, failed, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, space)
	switch {
	case failed:
		s.rest[space] = s.rest[space].next(now)
	case done:
		delete(s.rest, space)
	}
}

func (s *Summarizer) update(ctx context.Context, now time.Time, space Space) (bool, error) {
	key := row(space, "summary")
	old, err := s.m.Summary(ctx, space)
	if err != nil {
		return false, err
	}
	raw, err := s.pending(ctx, space, old)
	if err != nil || len(raw) == 0 {
		return false, err
	}
	next, err := s.next(ctx, now, space, old, raw)
	if err != nil {
		return false, fmt.Errorf("memory: summary of %q: %w", string(space), err)
	}
	leave, err := s.m.rooms.enter(ctx, space)
	if err != nil {
		return false, err
	}
	defer leave()
	b, err := s.m.state.one(ctx, key)
	if err != nil {
		return false, err
	}
	if same := bytes.Equal(b, encode(old.of(space))) || b == nil && old.of(space) == (RollingSummary{}); !same {
		return false, nil // somebody else made one, or had to take it back
	}
	if ok, err := s.m.unchanged(ctx, space, raw); err != nil || !ok {
		return false, err
	}
	return true, s.m.state.apply(ctx, map[string][]byte{key: encode(next.of(space))})
}

// next asks for the summary behind old. That of the owner's talk is made of what only the owner had a hand in.
func (s *Summarizer) next(ctx context.Context, now time.Time, space Space, old RollingSummary, raw []Record) (RollingSummary, error) {
	rel, err := s.m.released(ctx)
	if err != nil {
		return RollingSummary{}, err
	}
	given := make([]Record, 0, len(raw))
	for i := range raw {
		if space.Base() != Owner || rel.endorsed(raw[i].LabelOrDefault()).IsTrusted() {
			given = append(given, raw[i].Clone())
		}
	}
	if space.Base() == Owner && !rel.endorsed(old.Label).IsTrusted() {
		old.Text = ""
	}
	label := rel.joined(space, given)
	next := RollingSummary{Text: old.Text, At: now.Round(0), FirstSeq: old.FirstSeq, LastSeq: raw[len(raw)-1].Seq}
	if old.Text == "" {
		next.FirstSeq = raw[0].Seq
	} else {
		label = label.Join(rel.counted(space, old.Label))
	}
	if next.Label = label; len(given) == 0 {
		return next, nil
	}
	next.Label = s.m.bearing(DerivedSummary, label)
	text, err := s.f(ctx, old.Text, given)
	next.Text = s.joined(old.Text, text)
	return next, err
}

// unchanged reports whether records still are what they were. A summary or an insight of what was forgotten meanwhile must not be kept.
func (m *Memory) unchanged(ctx context.Context, s Space, recs []Record) (bool, error) {
	now, err := m.store.Get(ctx, s, idsOf(recs)...)
	if err != nil || len(now) != len(recs) {
		return false, err
	}
	for i := range now {
		if now[i].Text != recs[i].Text || now[i].Name != recs[i].Name {
			return false, nil
		}
	}
	return true, nil
}

// pending is what is due to be summed up.
func (s *Summarizer) pending(ctx context.Context, space Space, d RollingSummary) ([]Record, error) {
	var raw []Record
	turns := 0
	for r, err := range s.m.store.Scan(ctx, space, d.LastSeq) {
		if err != nil {
			return nil, fmt.Errorf("memory: summary of %q: %w", string(space), err)
		}
		if r.Kind != KindMessage {
			continue
		}
		r.Vector = nil
		if len(raw) == 0 || s.o.TurnBegins(raw[len(raw)-1], r) {
			turns++
		}
		if raw = append(raw, r); len(raw) >= s.o.MaxMessages {
			return raw, nil
		}
	}
	if s.o.Turns > 0 && turns >= s.o.Turns {
		return raw, nil
	}
	if n := len(raw) - s.o.TopicWindow; s.o.TopicWindow > 0 && n >= s.o.TopicWindow && s.o.TopicChanged(raw[:n:n], raw[n:]) {
		return raw[:n], nil
	}
	return nil, nil
}

// joined is the summary after an answer.
func (s *Summarizer) joined(old, text string) string {
	text = strings.TrimSpace(mend(text))
	switch {
	case text == "":
		text = old
	case s.o.Append && old != "":
		text = old + "\n" + text
	}
	if s.o.MaxRunes < 0 {
		return text
	}
	for utf8.RuneCountInString(text) > s.o.MaxRunes {
		_, rest, more := strings.Cut(text, "\n")
		if !s.o.Append || !more { // one text is cut where it ends
			return clip.Runes(text, s.o.MaxRunes)
		}
		text = rest
	}
	return text
}
