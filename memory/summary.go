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

// A Digest is the hot summary of a space: what the stretch of its messages from First to Last came to since the last dream.
// It is kept in State, in the space that it was made from.
type Digest struct {
	Text  string    `json:"text"`
	At    time.Time `json:"at,omitzero"`    // when it was made
	First uint64    `json:"first"`          // Seq of the first message that is in it
	Last  uint64    `json:"last"`           // and of the last; what came later is still to be summed up
	Label Label     `json:"label,omitzero"` // where it came from, and by whose hand; set in each summary that is read
}

// Summary is the hot summary of a space; its Text is "" before there is one.
func (m *Memory) Summary(ctx context.Context, s Space) (d Digest, err error) {
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
func (m *Memory) SetSummary(ctx context.Context, s Space, d Digest) error {
	d.Text, d.At = mend(d.Text), d.At.Round(0)
	if d.First > d.Last {
		return fmt.Errorf("memory: summary from %d to %d: %w", d.First, d.Last, ErrInvalid)
	}
	if len(d.Text) > MaxText {
		return fmt.Errorf("memory: summary of %d bytes: %w", len(d.Text), ErrTooLong)
	}
	_, err := change(ctx, m, s, row(s, "summary"), func(v *Digest) (bool, error) { *v = d.of(s); return true, nil })
	return err
}

// of is the digest as its row has it.
func (d Digest) of(s Space) Digest {
	if d.Label == labeled(Label{}, s, nil) {
		d.Label = Label{}
	}
	return d
}

// SummaryOptions says when a summary is due and what it may hold. The zero value is ready.
type SummaryOptions struct {
	Turns  int                                 // due with so many turns; 0 means 20; negative: never for that
	Shift  func(before, latest []Record) bool  // a summary is also due when Shift reports a new topic; nil: after half an hour of silence, or when hardly a word is shared
	Latest int                                 // messages that Shift is shown as the latest; 0 means 6; negative: Shift is never asked
	Most   int                                 // messages summed up at once, and due with so many in any case; 0 means 200
	Max    int                                 // runes of summary kept; 0 means 2000; negative: all
	Append bool                                // the answer becomes a new paragraph, and the oldest go when it gets too long; otherwise it takes the place of the old summary
	Turn   func(last Record, next Record) bool // reports whether next begins a turn; nil: the first message after one of the bot, or after a pause of more than a minute
}

// A Summariser makes the new summary of old and raw. With SummaryOptions.Append its answer is about raw alone.
// It is given what was said in one space, and its answer is told only there.
type Summariser func(ctx context.Context, old string, raw []Record) (string, error)

// Summaries keeps the summaries of all spaces of a Memory up to date. Nothing of what it does holds up anybody: messages are read from
// the store, so that a summary that failed, or a process that died, costs nothing but time. All methods may be called concurrently.
type Summaries struct {
	m    *Memory
	f    Summariser
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

// Summaries returns summaries that f makes. If f is nil, [Summaries.Update] fails.
func (m *Memory) Summaries(f Summariser, o SummaryOptions) *Summaries {
	s := &Summaries{m: m, f: f, o: o, busy: map[Space]bool{}, rest: map[Space]backoff{}}
	s.o.Turns, s.o.Latest, s.o.Most, s.o.Max = cmp.Or(s.o.Turns, 20), cmp.Or(s.o.Latest, 6), cmp.Or(max(s.o.Most, 0), 200), cmp.Or(s.o.Max, 2000)
	if s.o.Shift == nil {
		s.o.Shift = topicShift
	}
	if s.o.Turn == nil {
		s.o.Turn = turnBegins
	}
	return s
}

// Due reports whether Update would sum up.
func (s *Summaries) Due(ctx context.Context, space Space) (bool, error) {
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
func (s *Summaries) Update(ctx context.Context, now time.Time, space Space) (bool, error) {
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

func (s *Summaries) enter(now time.Time, space Space) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[space] || s.rest[space].rests(now) {
		return false
	}
	s.busy[space] = true
	return true
}

func (s *Summaries) leave(now time.Time, space Space, failed, done bool) {
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

func (s *Summaries) update(ctx context.Context, now time.Time, space Space) (bool, error) {
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
	if same := bytes.Equal(b, encode(old.of(space))) || b == nil && old.of(space) == (Digest{}); !same {
		return false, nil // somebody else made one, or had to take it back
	}
	if ok, err := s.m.unchanged(ctx, space, raw); err != nil || !ok {
		return false, err
	}
	return true, s.m.state.apply(ctx, map[string][]byte{key: encode(next.of(space))})
}

// next asks for the summary behind old. That of the owner's talk is made of what only the owner had a hand in.
func (s *Summaries) next(ctx context.Context, now time.Time, space Space, old Digest, raw []Record) (Digest, error) {
	rel, err := s.m.released(ctx)
	if err != nil {
		return Digest{}, err
	}
	given := make([]Record, 0, len(raw))
	for i := range raw {
		if space.Plain() != Owner || rel.endorsed(raw[i].Labeled()).IsTrusted() {
			given = append(given, raw[i].Clone())
		}
	}
	if space.Plain() == Owner && !rel.endorsed(old.Label).IsTrusted() {
		old.Text = ""
	}
	label := rel.joined(space, given)
	next := Digest{Text: old.Text, At: now.Round(0), First: old.First, Last: raw[len(raw)-1].Seq}
	if old.Text == "" {
		next.First = raw[0].Seq
	} else {
		label = label.Join(rel.counted(space, old.Label))
	}
	if next.Label = label; len(given) == 0 {
		return next, nil
	}
	next.Label = s.m.bearing(LabelSummary, label)
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
func (s *Summaries) pending(ctx context.Context, space Space, d Digest) ([]Record, error) {
	var raw []Record
	turns := 0
	for r, err := range s.m.store.Scan(ctx, space, d.Last) {
		if err != nil {
			return nil, fmt.Errorf("memory: summary of %q: %w", string(space), err)
		}
		if r.Kind != Message {
			continue
		}
		r.Vector = nil
		if len(raw) == 0 || s.o.Turn(raw[len(raw)-1], r) {
			turns++
		}
		if raw = append(raw, r); len(raw) >= s.o.Most {
			return raw, nil
		}
	}
	if s.o.Turns > 0 && turns >= s.o.Turns {
		return raw, nil
	}
	if n := len(raw) - s.o.Latest; s.o.Latest > 0 && n >= s.o.Latest && s.o.Shift(raw[:n:n], raw[n:]) {
		return raw[:n], nil
	}
	return nil, nil
}

// joined is the summary after an answer.
func (s *Summaries) joined(old, text string) string {
	text = strings.TrimSpace(mend(text))
	switch {
	case text == "":
		text = old
	case s.o.Append && old != "":
		text = old + "\n" + text
	}
	if s.o.Max < 0 {
		return text
	}
	for utf8.RuneCountInString(text) > s.o.Max {
		_, rest, more := strings.Cut(text, "\n")
		if !s.o.Append || !more { // one text is cut where it ends
			return clip.Runes(text, s.o.Max)
		}
		text = rest
	}
	return text
}
