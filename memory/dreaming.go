package memory

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// dreamt is how far the dreams of a space have come.
type dreamt struct {
	Last uint64 `json:"last"`          // Seq of the last message that was dreamed of
	Plan *plan  `json:"plan,omitzero"` // what is being written down
}

// A plan is the answer to a night, before it is written down. Each of its steps may be done twice.
type plan struct {
	Put    []packed `json:"put,omitzero"`
	Delete []string `json:"delete,omitzero"`
	Last   uint64   `json:"last"`
	Digest []byte   `json:"digest,omitzero"` // the row of the summary that was read
}

var errUnsettled = errors.New("what was said keeps changing")

// dreamOf dreams of one space.
func (m *Memory) dreamOf(ctx context.Context, s Space, day string, fell time.Time, f Dreamer, o *DreamOptions, did *Dreamt) error {
	key := row(s, "dream")
	for changes, nights := 0, 0; ; {
		var d dreamt
		old, err := m.one(ctx, key)
		if err == nil {
			err = decode(key, old, &d)
		}
		if err != nil {
			return err
		}
		if d.Plan != nil {
			if err := m.write(ctx, s, key, old, d.Plan); err != nil {
				return err
			}
			continue
		}
		if nights == o.Nights {
			break
		}
		digest, err := m.one(ctx, row(s, "summary"))
		if err != nil {
			return err
		}
		var hot Digest
		if err := decode(row(s, "summary"), digest, &hot); err != nil {
			return err
		}
		msgs, err := m.stretch(ctx, s, d.Last, o.Most)
		if err != nil {
			return err
		}
		if len(msgs) == 0 {
			break
		}
		known, err := m.knownOf(ctx, s, fell, msgs, o.Known)
		if err != nil {
			return err
		}
		insights, err := f(ctx, night(s, day, hot.Text, msgs, known, o.Most))
		if err != nil {
			return err
		}
		near, err := m.nearOf(ctx, s, fell, known, insights)
		if err != nil {
			return err
		}
		p, tally := planOf(s, msgs, known, near, insights)
		p.Digest = digest
		noted, err := m.note(ctx, s, key, old, slices.Concat(msgs, known, near), dreamt{d.Last, p})
		if err != nil {
			return err
		}
		if !noted {
			if changes++; changes == 3 {
				return errUnsettled
			}
			continue
		}
		nights++
		did.Kept, did.Updated, did.Forgotten, did.Refused = did.Kept+tally.Kept, did.Updated+tally.Updated, did.Forgotten+tally.Forgotten, did.Refused+tally.Refused
	}
	n, err := m.fade(ctx, s, fell, o)
	if did.Forgotten += n; err != nil || o.Quota == (Quota{}) {
		return err
	}
	n, err = m.Trim(ctx, s, o.Quota)
	did.Forgotten += n
	return err
}

// stretch reads the messages behind a place, up to so many runes.
func (m *Memory) stretch(ctx context.Context, s Space, after uint64, runes int) (msgs []Record, err error) {
	for r, err := range m.store.Scan(ctx, s, after) {
		if err != nil {
			return nil, err
		}
		if r.Kind != Message {
			continue
		}
		if runes -= utf8.RuneCountInString(r.Text); runes < 0 && len(msgs) > 0 {
			break
		}
		r.Vector, r.Embedder = nil, ""
		msgs = append(msgs, r)
	}
	return msgs, nil
}

// knownOf recalls what is known about the same, and fills up with what is known of the people who spoke.
func (m *Memory) knownOf(ctx context.Context, s Space, fell time.Time, msgs []Record, n int) ([]Record, error) {
	if n <= 0 {
		return nil, nil
	}
	var text strings.Builder
	for i := range msgs {
		text.WriteString(msgs[i].Text)
		text.WriteByte('\n')
	}
	known, err := m.permanent(ctx, s, fell, nil, Query{Text: text.String(), Limit: n})
	asked := map[string]bool{"": true}
	for i := range msgs {
		if who := &msgs[i]; err == nil && !asked[who.Person] && !who.Own && len(known) < n {
			asked[who.Person] = true
			known, err = m.permanent(ctx, s, fell, known, Query{Person: who.Person, Limit: n})
		}
	}
	return known[:min(n, len(known))], err
}

// nearOf recalls what may say the same as the insights and is not known yet.
func (m *Memory) nearOf(ctx context.Context, s Space, fell time.Time, known []Record, insights []Insight) (near []Record, err error) {
	near = known
	for _, in := range insights {
		if near, err = m.permanent(ctx, s, fell, near, Query{Text: head(in.Text, maxInsight), Person: in.Person, Limit: 3}); err != nil {
			return nil, err
		}
	}
	return near[len(known):], nil
}

// permanent adds permanent records to those in recs. It goes by the night, not by the clock, so that it finds the same when it is asked again.
func (m *Memory) permanent(ctx context.Context, s Space, fell time.Time, recs []Record, q Query) ([]Record, error) {
	if strings.TrimSpace(q.Text) == "" && q.Person == "" {
		return recs, nil
	}
	q.Kinds = []string{Fact, Summary}
	hits, err := m.OwnerReader(s).Recall(ctx, fell, q)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range hits {
		if !slices.ContainsFunc(recs, func(r Record) bool { return r.ID == h.ID }) {
			ids = append(ids, h.ID)
		}
	}
	found, err := m.skim(ctx, s, ids) // as they are: a hit tells of others that say the same
	for _, r := range found {
		r.Embedder = ""
		recs = append(recs, r)
	}
	return recs, err
}

// night is what the dreamer is given: copies.
func night(s Space, day, summary string, msgs, known []Record, most int) Night {
	n := Night{Space: s, Day: day, Summary: summary}
	for i := range msgs {
		r := msgs[i].Clone()
		r.Text = head(r.Text, most)
		n.Messages = append(n.Messages, r)
	}
	for i := range known {
		n.Known = append(n.Known, known[i].Clone())
	}
	return n
}

// note keeps a plan, unless something that it was made from has changed.
func (m *Memory) note(ctx context.Context, s Space, key string, old []byte, from []Record, d dreamt) (bool, error) {
	leave, err := m.rooms.enter(ctx, []Record{{Space: s}})
	if err != nil {
		return false, err
	}
	defer leave()
	if now, err := m.one(ctx, key); err != nil || !bytes.Equal(now, old) {
		return false, err
	}
	if ok, err := m.unchanged(ctx, s, from); err != nil || !ok {
		return false, err
	}
	if digest, err := m.one(ctx, row(s, "summary")); err != nil || !bytes.Equal(digest, d.Plan.Digest) {
		return false, err
	}
	return true, m.apply(ctx, map[string][]byte{key: encode(d)})
}

// write does what a plan says and moves on. Whatever of it was done before is done again, which changes nothing.
func (m *Memory) write(ctx context.Context, s Space, key string, old []byte, p *plan) error {
	leave, err := m.rooms.enter(ctx, []Record{{Space: s}})
	if err != nil {
		return err
	}
	defer leave()
	if now, err := m.one(ctx, key); err != nil || !bytes.Equal(now, old) {
		return err // dropped meanwhile: something of it was forgotten
	}
	recs := make([]Record, len(p.Put))
	for i := range p.Put {
		if recs[i], err = p.Put[i].unpack(); err != nil {
			return err
		}
	}
	if len(recs) > 0 {
		if err := m.store.Put(ctx, recs...); err != nil {
			return err
		}
		if err := m.index(ctx, recs); err != nil { // they are kept: the index is mended when they are kept again
			m.o.Logger.WarnContext(ctx, "memory: an index did not take what was dreamed", "space", string(s), "err", err)
		}
		m.list(recs)
	}
	if _, err := m.remove(ctx, s, p.Delete); err != nil {
		return err
	}
	rows := map[string][]byte{key: encode(dreamt{Last: p.Last})}
	digest, err := m.one(ctx, row(s, "summary"))
	if err != nil {
		return err
	}
	if digest != nil && bytes.Equal(digest, p.Digest) {
		var hot Digest
		if err := decode(key, digest, &hot); err != nil {
			return err
		}
		if hot.Last <= p.Last { // what it holds was dreamed of as a whole
			rows[row(s, "summary")] = encode(Digest{Last: hot.Last})
		}
	}
	return m.apply(ctx, rows)
}

// fade forgets what earlier dreams wrote and time has worn away.
func (m *Memory) fade(ctx context.Context, s Space, fell time.Time, o *DreamOptions) (int, error) {
	if o.HalfLife < 0 {
		return 0, nil
	}
	leave, err := m.rooms.enter(ctx, []Record{{Space: s}})
	if err != nil {
		return 0, err
	}
	defer leave()
	var ids []string
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return 0, err
		}
		if dreamed(&r) && r.Importance < o.Floor && strength(&r, fell, o.HalfLife) < .05 {
			ids = append(ids, r.ID)
		}
	}
	_, err = m.remove(ctx, s, ids)
	return len(ids), err
}

// strength is what time has left of a record: 1 when it is new, half after a half-life, which is up to ten times as long for what is important.
func strength(r *Record, now time.Time, halfLife time.Duration) float64 {
	if r.At.IsZero() {
		return 1
	}
	return math.Exp2(-max(0, now.Sub(r.At).Hours()) / (halfLife.Hours() * (1 + 9*r.Importance)))
}
