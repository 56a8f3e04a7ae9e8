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

// A RollingSummary summarizes the messages of a space from FirstSeq to LastSeq. It covers the time since the last
// dream. It is stored in State, in the same space.
type RollingSummary struct {
	Text     string    `json:"text"`
	At       time.Time `json:"at,omitzero"`    // time of creation
	FirstSeq uint64    `json:"first"`          // Seq of the first covered message
	LastSeq  uint64    `json:"last"`           // Seq of the last one; later messages are not summarized yet
	Label    Label     `json:"label,omitzero"` // provenance; set in results
}

// Summary returns the rolling summary of a space. Without one, its Text is "".
func (m *Memory) Summary(ctx context.Context, s Space) (d RollingSummary, err error) {
	if err := s.Validate(); err != nil {
		return d, err
	}
	_, err = m.state.decodeRow(ctx, row(s, "summary"), &d)
	if d.Text != "" {
		d.Label = labelOrDefault(d.Label, s, nil)
	}
	return d, err
}

// SetSummary stores a summary that the caller has made, such as by the fold of a buffer.Window. FirstSeq and LastSeq
// name the covered messages. Deleting or hiding one of them discards the summary.
func (m *Memory) SetSummary(ctx context.Context, s Space, d RollingSummary) error {
	d.Text, d.At = sanitize(d.Text), d.At.Round(0)
	if d.FirstSeq > d.LastSeq {
		return fmt.Errorf("memory: summary from %d to %d: %w", d.FirstSeq, d.LastSeq, ErrInvalid)
	}
	if len(d.Text) > MaxText {
		return fmt.Errorf("memory: summary of %d bytes: %w", len(d.Text), ErrTooLong)
	}
	_, err := updateRow(ctx, m, s, row(s, "summary"), func(v *RollingSummary) (bool, error) { *v = d.withoutDefaultLabel(s); return true, nil })
	return err
}

// withoutDefaultLabel returns the summary as stored in its row.
func (d RollingSummary) withoutDefaultLabel(s Space) RollingSummary {
	if d.Label == labelOrDefault(Label{}, s, nil) {
		d.Label = Label{}
	}
	return d
}

// SummaryOptions configures a [Summarizer]. The zero value is ready to use.
type SummaryOptions struct {
	Turns        int                                 // due after this many turns; 0 means 20; negative: turns do not count
	TopicChanged func(before, latest []Record) bool  // also due if it returns true; nil: after half an hour of silence, or if the messages share hardly any words
	TopicWindow  int                                 // number of latest messages for TopicChanged; 0 means 6; negative: TopicChanged is not called
	MaxMessages  int                                 // maximum messages per summary, and due after this many; 0 means 200
	MaxRunes     int                                 // maximum runes of a summary; 0 means 2000; negative: no limit
	Append       bool                                // append the result as a new paragraph and drop the oldest beyond MaxRunes; otherwise the result replaces the old summary
	TurnBegins   func(last Record, next Record) bool // reports whether next begins a turn; nil: the first message of another person after one of the bot, or after a pause of more than a minute
}

// A SummarizeFunc returns a new summary from the old one and new messages. With SummaryOptions.Append it summarizes
// only raw. Its input comes from one space, and its result is used only there.
type SummarizeFunc func(ctx context.Context, old string, raw []Record) (string, error)

// A Summarizer maintains the summaries of all spaces of a Memory. It reads messages from the store, so an error or a
// crash only delays a summary. All methods may be called concurrently.
type Summarizer struct {
	m        *Memory
	f        SummarizeFunc
	o        SummaryOptions
	mu       sync.Mutex
	busy     map[Space]bool
	backoffs map[Space]backoff // of spaces after an error
}

// A backoff delays retries.
type backoff struct {
	Fails int       `json:"fails"`
	Until time.Time `json:"until"`
}

// next returns the backoff after another failure: 1 minute, doubled up to an hour.
func (b backoff) next(now time.Time) backoff {
	return backoff{b.Fails + 1, now.Round(0).Add(min(time.Hour, time.Minute<<min(b.Fails, 6)))}
}

// Summarizer returns a summarizer that calls f. If f is nil, [Summarizer.Update] fails.
func (m *Memory) Summarizer(f SummarizeFunc, o SummaryOptions) *Summarizer {
	s := &Summarizer{m: m, f: f, o: o, busy: map[Space]bool{}, backoffs: map[Space]backoff{}}
	s.o.Turns, s.o.TopicWindow, s.o.MaxMessages, s.o.MaxRunes = cmp.Or(s.o.Turns, 20), cmp.Or(s.o.TopicWindow, 6), cmp.Or(max(s.o.MaxMessages, 0), 200), cmp.Or(s.o.MaxRunes, 2000)
	if s.o.TopicChanged == nil {
		s.o.TopicChanged = topicChanged
	}
	if s.o.TurnBegins == nil {
		s.o.TurnBegins = turnBegins
	}
	return s
}

// Due reports whether Update would make a summary.
func (s *Summarizer) Due(ctx context.Context, space Space) (bool, error) {
	d, err := s.m.Summary(ctx, space)
	if err != nil {
		return false, err
	}
	raw, err := s.pending(ctx, space, d)
	return len(raw) > 0, err
}

// Update makes a summary if one is due. It covers all messages since the last summary, at most 200 at a time. After a
// change of topic it covers the messages before the change. Update reports whether there is a new summary.
//
// False without an error means one of three things. No summary is due, another call is running for the space, or a
// source message was deleted, hidden or changed meanwhile. In the last case the result of f is discarded, and the
// messages stay due.
//
// After an error the old summary stays, and Update does nothing in this space for a minute, doubled up to an hour. Call
// it after each turn in your own goroutine. It holds no lock while f runs.
func (s *Summarizer) Update(ctx context.Context, now time.Time, space Space) (bool, error) {
	if s.f == nil {
		return false, errors.New("memory: Summarizer needs a function")
	}
	if !s.begin(now, space) {
		return false, nil
	}
	done, failed := false, true // for a panic of f
	defer func() { s.end(now, space, failed, done) }()
	done, err := s.update(ctx, now, space)
	failed = err != nil && ctx.Err() == nil
	return done, err
}

func (s *Summarizer) begin(now time.Time, space Space) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[space] || s.backoffs[space].active(now) {
		return false
	}
	s.busy[space] = true
	return true
}

func (s *Summarizer) end(now time.Time, space Space, failed, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, space)
	switch {
	case failed:
		s.backoffs[space] = s.backoffs[space].next(now)
	case done:
		delete(s.backoffs, space)
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
	unlock, err := s.m.locks.lock(ctx, space)
	if err != nil {
		return false, err
	}
	defer unlock()
	b, err := s.m.state.loadRow(ctx, key)
	if err != nil {
		return false, err
	}
	if same := bytes.Equal(b, encode(old.withoutDefaultLabel(space))) || b == nil && old.withoutDefaultLabel(space) == (RollingSummary{}); !same {
		return false, nil // another call has changed or discarded it
	}
	if ok, err := s.m.unchanged(ctx, space, raw); err != nil || !ok {
		return false, err
	}
	return true, s.m.state.apply(ctx, map[string][]byte{key: encode(next.withoutDefaultLabel(space))})
}

// next calls f and returns the summary after old. In the owner's space it uses trusted messages only.
func (s *Summarizer) next(ctx context.Context, now time.Time, space Space, old RollingSummary, raw []Record) (RollingSummary, error) {
	overrides, err := s.m.loadOverrides(ctx)
	if err != nil {
		return RollingSummary{}, err
	}
	given := make([]Record, 0, len(raw))
	for i := range raw {
		if space.Base() != Owner || overrides.endorsed(raw[i].LabelOrDefault()).IsTrusted() {
			given = append(given, raw[i].Clone())
		}
	}
	if space.Base() == Owner && !overrides.endorsed(old.Label).IsTrusted() {
		old.Text = ""
	}
	label := overrides.joinLabels(space, given)
	next := RollingSummary{Text: old.Text, At: now.Round(0), FirstSeq: old.FirstSeq, LastSeq: raw[len(raw)-1].Seq}
	if old.Text == "" {
		next.FirstSeq = raw[0].Seq
	} else {
		label = label.Join(overrides.sourceLabel(space, old.Label))
	}
	if next.Label = label; len(given) == 0 {
		return next, nil
	}
	next.Label = s.m.derivedLabel(DerivedSummary, label)
	text, err := s.f(ctx, old.Text, given)
	next.Text = s.merge(old.Text, text)
	return next, err
}

// unchanged reports whether records are still as they were read. Otherwise data derived from them must not be stored.
func (m *Memory) unchanged(ctx context.Context, s Space, recs []Record) (bool, error) {
	now, err := m.store.Get(ctx, s, recordIDs(recs)...)
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

// pending returns the messages of a due summary.
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

// merge returns the summary with the result of f.
func (s *Summarizer) merge(old, text string) string {
	text = strings.TrimSpace(sanitize(text))
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
		if !s.o.Append || !more { // a single text is cut at its end
			return clip.Runes(text, s.o.MaxRunes)
		}
		text = rest
	}
	return text
}
