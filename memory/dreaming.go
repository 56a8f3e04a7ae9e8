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

	"github.com/hearth-bot/hearth/internal/clip"
)

// dreamt is how far the dreams of a space have come.
type dreamt struct {
	Last uint64 `json:"last"`          // Seq of the last message that was dreamed of
	Plan *plan  `json:"plan,omitzero"` // what is being written down
}

var errUnsettled = errors.New("what was said keeps changing")

// A dreaming is one [Memory.Dream].
type dreaming struct {
	*Memory
	ask  DreamFunc
	opts DreamOptions
	day  string
	fell time.Time // when the night did
	did  DreamResult
}

// of dreams of one space.
func (d *dreaming) of(ctx context.Context, s Space) error {
	key := row(s, "dream")
	for changes, nights := 0, 0; ; {
		var so dreamt
		old, err := d.state.read(ctx, key, &so)
		if err != nil {
			return err
		}
		if so.Plan != nil {
			if err := d.write(ctx, s, key, old, so.Plan); err != nil {
				return err
			}
			continue
		}
		if nights == d.opts.MaxInputs {
			break
		}
		var hot RollingSummary
		digest, err := d.state.read(ctx, row(s, "summary"), &hot)
		if err != nil {
			return err
		}
		msgs, err := d.stretch(ctx, s, so.Last)
		if err != nil {
			return err
		}
		if len(msgs) == 0 {
			break
		}
		known, err := d.knownOf(ctx, s, msgs)
		if err != nil {
			return err
		}
		insights, err := d.askEach(ctx, s, hot, msgs, known)
		if err != nil {
			return err
		}
		near, err := d.nearOf(ctx, s, known, insights)
		if err != nil {
			return err
		}
		p, tally := planOf(s, msgs, known, near, insights)
		p.Digest = digest
		noted, err := d.note(ctx, s, key, old, slices.Concat(msgs, known, near), dreamt{so.Last, p})
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
		d.did.Added += tally.Added
		d.did.Updated += tally.Updated
		d.did.Deleted += tally.Deleted
		d.did.Rejected += tally.Rejected
	}
	n, err := d.fade(ctx, s)
	if d.did.Deleted += n; err != nil || d.opts.Quota == (Quota{}) {
		return err
	}
	n, err = d.Trim(ctx, s, d.opts.Quota)
	d.did.Deleted += n
	return err
}

// An answer is an insight with what the dreamer was given.
type answer struct {
	Insight
	from  []Record // messages of one label
	known []Record // and made of no more
	label Label    // that what is made of them bears
}

// askEach asks the dreamer about the messages of each label apart, so that what only the owner had a hand in stays so. With
// them it is given what is known and was made of no more.
func (d *dreaming) askEach(ctx context.Context, s Space, hot RollingSummary, msgs, known []Record) (all []answer, err error) {
	rel, err := d.released(ctx)
	if err != nil {
		return nil, err
	}
	of := func(r *Record) Label { return rel.counted(s, r.LabelOrDefault()) }
	var labels []Label
	for i := range msgs {
		if l := of(&msgs[i]); !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	for _, l := range labels {
		from := slices.DeleteFunc(slices.Clone(msgs), func(r Record) bool { return of(&r) != l })
		fitting := slices.DeleteFunc(slices.Clone(known), func(r Record) bool { return !l.fits(of(&r)) })
		summary := hot.Text
		if !l.fits(rel.counted(s, labeled(hot.Label, s, nil))) {
			summary = ""
		}
		insights, err := d.ask(ctx, d.night(s, summary, from, fitting))
		if err != nil {
			return nil, err
		}
		for _, in := range insights {
			all = append(all, answer{in, from, fitting, d.bearing(DerivedDream, l)})
		}
	}
	return all, nil
}

// stretch reads the messages behind a place, as many as a Night may hold.
func (d *dreaming) stretch(ctx context.Context, s Space, after uint64) (msgs []Record, err error) {
	runes := d.opts.MaxRunes
	for r, err := range d.store.Scan(ctx, s, after) {
		if err != nil {
			return nil, err
		}
		if r.Kind != KindMessage {
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
func (d *dreaming) knownOf(ctx context.Context, s Space, msgs []Record) ([]Record, error) {
	n := d.opts.MaxKnown
	if n <= 0 {
		return nil, nil
	}
	var text strings.Builder
	for i := range msgs {
		text.WriteString(msgs[i].Text)
		text.WriteByte('\n')
	}
	known, err := d.permanent(ctx, s, nil, Query{Text: text.String(), Limit: n})
	asked := map[string]bool{"": true}
	for i := range msgs {
		if who := &msgs[i]; err == nil && !asked[who.Person] && !who.Own && len(known) < n {
			asked[who.Person] = true
			known, err = d.permanent(ctx, s, known, Query{Person: who.Person, Limit: n})
		}
	}
	return known[:min(n, len(known))], err
}

// nearOf recalls what may say the same as the insights and is not known yet.
func (d *dreaming) nearOf(ctx context.Context, s Space, known []Record, insights []answer) (near []Record, err error) {
	near = known
	for _, in := range insights {
		if near, err = d.permanent(ctx, s, near, Query{Text: clip.Runes(in.Text, maxInsight), Person: in.Person, Limit: 3}); err != nil {
			return nil, err
		}
	}
	return near[len(known):], nil
}

// permanent adds permanent records to those in recs. It goes by the night, not by the clock, so that it finds the same when it is asked again.
func (d *dreaming) permanent(ctx context.Context, s Space, recs []Record, q Query) ([]Record, error) {
	if strings.TrimSpace(q.Text) == "" && q.Person == "" {
		return recs, nil
	}
	q.Kinds = []string{KindFact, KindSummary}
	hits, err := d.OwnerReader(s).Recall(ctx, d.fell, q)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range hits {
		if !slices.ContainsFunc(recs, func(r Record) bool { return r.ID == h.ID }) {
			ids = append(ids, h.ID)
		}
	}
	found, err := d.indexes.skim(ctx, s, ids) // as they are: a hit tells of others that say the same
	for _, r := range found {
		r.Embedder = ""
		recs = append(recs, r)
	}
	return recs, err
}

// night is what the dreamer is given: copies.
func (d *dreaming) night(s Space, summary string, msgs, known []Record) DreamInput {
	n := DreamInput{Space: s, Day: d.day, Summary: summary}
	for i := range msgs {
		r := msgs[i].Clone()
		r.Text = clip.Runes(r.Text, d.opts.MaxRunes)
		n.Messages = append(n.Messages, r)
	}
	for i := range known {
		n.Known = append(n.Known, known[i].Clone())
	}
	return n
}

// note keeps a plan, unless something that it was made from has changed.
func (d *dreaming) note(ctx context.Context, s Space, key string, old []byte, from []Record, next dreamt) (bool, error) {
	leave, err := d.rooms.enter(ctx, s)
	if err != nil {
		return false, err
	}
	defer leave()
	if now, err := d.state.one(ctx, key); err != nil || !bytes.Equal(now, old) {
		return false, err
	}
	if ok, err := d.unchanged(ctx, s, from); err != nil || !ok {
		return false, err
	}
	if digest, err := d.state.one(ctx, row(s, "summary")); err != nil || !bytes.Equal(digest, next.Plan.Digest) {
		return false, err
	}
	return true, d.state.apply(ctx, map[string][]byte{key: encode(next)})
}

// write does what a plan says and moves on. Whatever of it was done before is done again, which changes nothing.
func (d *dreaming) write(ctx context.Context, s Space, key string, old []byte, p *plan) error {
	leave, err := d.rooms.enter(ctx, s)
	if err != nil {
		return err
	}
	defer leave()
	if now, err := d.state.one(ctx, key); err != nil || !bytes.Equal(now, old) {
		return err // dropped meanwhile: something of it was forgotten
	}
	recs := make([]Record, len(p.Put))
	for i := range p.Put {
		if recs[i], err = p.Put[i].unpack(); err != nil {
			return err
		}
	}
	if len(recs) > 0 {
		if err := d.store.Put(ctx, recs...); err != nil {
			return err
		}
		if err := d.indexes.put(ctx, recs); err != nil { // they are kept: the index is mended when they are kept again
			d.o.Logger.WarnContext(ctx, "memory: an index did not take what was dreamed", "space", string(s), "err", err)
		}
		d.embed.list(recs)
	}
	if _, err := d.remove(ctx, s, p.Delete); err != nil {
		return err
	}
	rows := map[string][]byte{key: encode(dreamt{Last: p.Last})}
	var hot RollingSummary
	digest, err := d.state.read(ctx, row(s, "summary"), &hot)
	if err != nil {
		return err
	}
	if digest != nil && bytes.Equal(digest, p.Digest) && hot.LastSeq <= p.Last { // what it holds was dreamed of as a whole
		rows[row(s, "summary")] = encode(RollingSummary{LastSeq: hot.LastSeq})
	}
	return d.state.apply(ctx, rows)
}

// fade forgets what earlier dreams wrote and time has worn away.
func (d *dreaming) fade(ctx context.Context, s Space) (int, error) {
	if d.opts.HalfLife < 0 {
		return 0, nil
	}
	leave, err := d.rooms.enter(ctx, s)
	if err != nil {
		return 0, err
	}
	defer leave()
	var ids []string
	for r, err := range d.store.Scan(ctx, s, 0) {
		if err != nil {
			return 0, err
		}
		if dreamed(&r) && r.Importance < d.opts.FadeBelow && strength(&r, d.fell, d.opts.HalfLife) < .05 {
			ids = append(ids, r.ID)
		}
	}
	_, err = d.remove(ctx, s, ids)
	return len(ids), err
}

// strength is what time has left of a record: 1 when it is new, half after a half-life, which is up to ten times as long for what is important.
func strength(r *Record, now time.Time, halfLife time.Duration) float64 {
	if r.At.IsZero() {
		return 1
	}
	return math.Exp2(-max(0, now.Sub(r.At).Hours()) / (halfLife.Hours() * (1 + 9*r.Importance)))
}
