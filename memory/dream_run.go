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

// A dreamState is the progress of dreams in a space.
type dreamState struct {
	Last uint64 `json:"last"`          // Seq of the last processed message
	Plan *plan  `json:"plan,omitzero"` // the plan that is being applied
}

var errKeepsChanging = errors.New("messages keep changing")

// A dreamRun is one call of [Memory.Dream].
type dreamRun struct {
	*Memory
	dream      DreamFunc
	opts       DreamOptions
	day        string
	nightStart time.Time // start of the night
	result     DreamResult
}

// dreamSpace processes one space.
func (d *dreamRun) dreamSpace(ctx context.Context, s Space) error {
	key := row(s, "dream")
	for changes, nights := 0, 0; ; {
		var so dreamState
		old, err := d.state.decodeRow(ctx, key, &so)
		if err != nil {
			return err
		}
		if so.Plan != nil {
			if err := d.applyPlan(ctx, s, key, old, so.Plan); err != nil {
				return err
			}
			continue
		}
		if nights == d.opts.MaxInputs {
			break
		}
		var hot RollingSummary
		digest, err := d.state.decodeRow(ctx, row(s, "summary"), &hot)
		if err != nil {
			return err
		}
		msgs, err := d.nextMessages(ctx, s, so.Last)
		if err != nil {
			return err
		}
		if len(msgs) == 0 {
			break
		}
		known, err := d.findKnown(ctx, s, msgs)
		if err != nil {
			return err
		}
		insights, err := d.dreamPerLabel(ctx, s, hot, msgs, known)
		if err != nil {
			return err
		}
		near, err := d.findSimilar(ctx, s, known, insights)
		if err != nil {
			return err
		}
		p, tally := planOf(s, msgs, known, near, insights)
		p.Digest = digest
		noted, err := d.savePlan(ctx, s, key, old, slices.Concat(msgs, known, near), dreamState{so.Last, p})
		if err != nil {
			return err
		}
		if !noted {
			if changes++; changes == 3 {
				return errKeepsChanging
			}
			continue
		}
		nights++
		d.result.Added += tally.Added
		d.result.Updated += tally.Updated
		d.result.Deleted += tally.Deleted
		d.result.Rejected += tally.Rejected
	}
	n, err := d.fade(ctx, s)
	if d.result.Deleted += n; err != nil || d.opts.Quota == (Quota{}) {
		return err
	}
	n, err = d.Trim(ctx, s, d.opts.Quota)
	d.result.Deleted += n
	return err
}

// A sourcedInsight is an insight with the input that it came from.
type sourcedInsight struct {
	Insight
	messages []Record // messages of one label
	known    []Record // records with no stricter label
	label    Label    // label of the derived record
}

// dreamPerLabel calls the function once for each label among the messages, so that trusted messages yield trusted
// insights. Each call gets only known records and a summary covered by its label.
func (d *dreamRun) dreamPerLabel(ctx context.Context, s Space, hot RollingSummary, msgs, known []Record) (all []sourcedInsight, err error) {
	overrides, err := d.loadOverrides(ctx)
	if err != nil {
		return nil, err
	}
	of := func(r *Record) Label { return overrides.sourceLabel(s, r.LabelOrDefault()) }
	var labels []Label
	for i := range msgs {
		if l := of(&msgs[i]); !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	for _, l := range labels {
		from := slices.DeleteFunc(slices.Clone(msgs), func(r Record) bool { return of(&r) != l })
		fitting := slices.DeleteFunc(slices.Clone(known), func(r Record) bool { return !l.covers(of(&r)) })
		summary := hot.Text
		if !l.covers(overrides.sourceLabel(s, labelOrDefault(hot.Label, s, nil))) {
			summary = ""
		}
		insights, err := d.dream(ctx, d.input(s, summary, from, fitting))
		if err != nil {
			return nil, err
		}
		for _, in := range insights {
			all = append(all, sourcedInsight{in, from, fitting, d.derivedLabel(DerivedDream, l)})
		}
	}
	return all, nil
}

// nextMessages reads the messages after a Seq, up to the size of one input.
func (d *dreamRun) nextMessages(ctx context.Context, s Space, after uint64) (msgs []Record, err error) {
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

// findKnown recalls known records with the same subject, then known records of the authors.
func (d *dreamRun) findKnown(ctx context.Context, s Space, msgs []Record) ([]Record, error) {
	n := d.opts.MaxKnown
	if n <= 0 {
		return nil, nil
	}
	var text strings.Builder
	for i := range msgs {
		text.WriteString(msgs[i].Text)
		text.WriteByte('\n')
	}
	known, err := d.addPermanent(ctx, s, nil, Query{Text: text.String(), Limit: n})
	asked := map[string]bool{"": true}
	for i := range msgs {
		if msg := &msgs[i]; err == nil && !asked[msg.Person] && !msg.Own && len(known) < n {
			asked[msg.Person] = true
			known, err = d.addPermanent(ctx, s, known, Query{Person: msg.Person, Limit: n})
		}
	}
	return known[:min(n, len(known))], err
}

// findSimilar recalls records that may repeat the insights and are not in known.
func (d *dreamRun) findSimilar(ctx context.Context, s Space, known []Record, insights []sourcedInsight) (near []Record, err error) {
	near = known
	for _, in := range insights {
		if near, err = d.addPermanent(ctx, s, near, Query{Text: clip.Runes(in.Text, maxInsight), Person: in.Person, Limit: 3}); err != nil {
			return nil, err
		}
	}
	return near[len(known):], nil
}

// addPermanent appends the permanent records that match q. It uses the start of the night and not the clock, so that a
// repeated call finds the same records.
func (d *dreamRun) addPermanent(ctx context.Context, s Space, recs []Record, q Query) ([]Record, error) {
	if strings.TrimSpace(q.Text) == "" && q.Person == "" {
		return recs, nil
	}
	q.Kinds = []string{KindFact, KindSummary}
	hits, err := d.OwnerReader(s).Recall(ctx, d.nightStart, q)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range hits {
		if !slices.ContainsFunc(recs, func(r Record) bool { return r.ID == h.ID }) {
			ids = append(ids, h.ID)
		}
	}
	found, err := d.indexes.getWithoutVectors(ctx, s, ids) // read them unmerged; a hit stands for its near duplicates
	for _, r := range found {
		r.Embedder = ""
		recs = append(recs, r)
	}
	return recs, err
}

// input returns copies of its arguments.
func (d *dreamRun) input(s Space, summary string, msgs, known []Record) DreamInput {
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

// savePlan stores a plan, unless one of its sources has changed.
func (d *dreamRun) savePlan(ctx context.Context, s Space, key string, old []byte, from []Record, next dreamState) (bool, error) {
	unlock, err := d.locks.lock(ctx, s)
	if err != nil {
		return false, err
	}
	defer unlock()
	if now, err := d.state.loadRow(ctx, key); err != nil || !bytes.Equal(now, old) {
		return false, err
	}
	if ok, err := d.unchanged(ctx, s, from); err != nil || !ok {
		return false, err
	}
	if digest, err := d.state.loadRow(ctx, row(s, "summary")); err != nil || !bytes.Equal(digest, next.Plan.Digest) {
		return false, err
	}
	return true, d.state.apply(ctx, map[string][]byte{key: encode(next)})
}

// applyPlan applies a plan and advances the progress. Repeating a step changes nothing.
func (d *dreamRun) applyPlan(ctx context.Context, s Space, key string, old []byte, p *plan) error {
	unlock, err := d.locks.lock(ctx, s)
	if err != nil {
		return err
	}
	defer unlock()
	if now, err := d.state.loadRow(ctx, key); err != nil || !bytes.Equal(now, old) {
		return err // the plan was dropped, because one of its sources was deleted
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
		if err := d.indexes.put(ctx, recs); err != nil { // the store has them; the index is repaired when they are put again
			d.o.Logger.WarnContext(ctx, "memory: an index rejected records of a dream", "space", string(s), "err", err)
		}
		d.embed.enqueue(recs)
	}
	if _, err := d.removeRecords(ctx, s, p.Delete); err != nil {
		return err
	}
	rows := map[string][]byte{key: encode(dreamState{Last: p.Last})}
	var hot RollingSummary
	digest, err := d.state.decodeRow(ctx, row(s, "summary"), &hot)
	if err != nil {
		return err
	}
	if digest != nil && bytes.Equal(digest, p.Digest) && hot.LastSeq <= p.Last { // all its messages are processed
		rows[row(s, "summary")] = encode(RollingSummary{LastSeq: hot.LastSeq})
	}
	return d.state.apply(ctx, rows)
}

// fade deletes old unimportant records of earlier dreams.
func (d *dreamRun) fade(ctx context.Context, s Space) (int, error) {
	if d.opts.HalfLife < 0 {
		return 0, nil
	}
	unlock, err := d.locks.lock(ctx, s)
	if err != nil {
		return 0, err
	}
	defer unlock()
	var ids []string
	for r, err := range d.store.Scan(ctx, s, 0) {
		if err != nil {
			return 0, err
		}
		if isDreamRecord(&r) && r.Importance < d.opts.FadeBelow && retention(&r, d.nightStart, d.opts.HalfLife) < .05 {
			ids = append(ids, r.ID)
		}
	}
	_, err = d.removeRecords(ctx, s, ids)
	return len(ids), err
}

// retention returns the remaining strength of a record: 1 when new, and half after each half-life. Importance extends
// the half-life up to tenfold.
func retention(r *Record, now time.Time, halfLife time.Duration) float64 {
	if r.At.IsZero() {
		return 1
	}
	return math.Exp2(-max(0, now.Sub(r.At).Hours()) / (halfLife.Hours() * (1 + 9*r.Importance)))
}
