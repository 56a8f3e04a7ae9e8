package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/memory"
)

// contents are the counts and the digest of all that a store has, except the mark of a half copy.
type contents struct {
	spaces, records, rows int
	digest                [sha256.Size]byte
}

// text returns the counts and the beginning of the digest.
func (c contents) text() lang.Text {
	return lang.T("%d 个空间，%d 条记录，%d 行状态，SHA-256 %x…", "%d spaces, %d records, %d rows, SHA-256 %x…", c.spaces, c.records, c.rows, c.digest[:8])
}

// compare reads both stores and returns an error if they differ, or if another program has taken one of them over meanwhile.
func (m *mover) compare(ctx context.Context, from, to store) error {
	want, err := read(ctx, from)
	if err != nil {
		return err
	}
	m.say(lang.T("来源：%s", "source: %s", want.text()))
	got, err := read(ctx, to)
	if err != nil {
		return err
	}
	m.say(lang.T("目标：%s", "target: %s", got.text()))
	if got != want {
		return lang.Errorf("两边的内容不一样", "the contents differ")
	}
	return from.Apply(ctx, map[string][]byte{outside.Unfinished: nil}) // removes nothing; fails if the lease was lost
}

// read reads a whole store.
func read(ctx context.Context, s store) (c contents, err error) {
	spaces, err := s.Spaces(ctx)
	if err != nil {
		return c, err
	}
	slices.Sort(spaces)
	h := sha256.New()
	for _, space := range spaces {
		c.spaces++
		for r, err := range s.Scan(ctx, space, 0) {
			if err != nil {
				return c, err
			}
			c.records++
			add(h, &r)
		}
	}
	rows, err := s.Load(ctx, "")
	if err != nil {
		return c, err
	}
	delete(rows, outside.Unfinished)
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		c.rows++
		fmt.Fprintf(h, "%q %q\n", k, rows[k])
	}
	h.Sum(c.digest[:0])
	return c, nil
}

// add adds all fields of a record to the digest.
func add(h hash.Hash, r *memory.Record) {
	at := int64(math.MinInt64)
	if !r.At.IsZero() {
		at = r.At.UnixNano()
	}
	fmt.Fprintf(h, "%d %q %q %q %q %q %q %q %t %q %x %d %q %q %q", r.Seq, r.Space, r.ID, r.Kind, r.Text, r.Person, r.Name, r.ReplyTo, r.Own,
		r.Tags, math.Float64bits(r.Importance), at, r.Sources, r.Label.String(), r.Embedder)
	for _, x := range r.Vector {
		fmt.Fprintf(h, " %x", math.Float32bits(x))
	}
	fmt.Fprintln(h)
}
