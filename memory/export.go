package memory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// ErrFormat is that what is imported is no export, one of a newer version, or one that was cut off or changed.
var ErrFormat = errors.New("not a whole export of memory")

// exportVersion is that of the lines; what is newer is refused.
const exportVersion = 1

// A line of an export. The first has Version, the last End; each between them has one record or one row.
type line struct {
	Version int     `json:"hearth_memory,omitzero"`
	Record  *packed `json:"record,omitzero"`
	Row     *kv     `json:"row,omitzero"`
	End     *end    `json:"end,omitzero"`
}

// A kv is a row of State. A value that is JSON stands as it is, so that people can read it.
type kv struct {
	Key  string          `json:"key"`
	JSON json.RawMessage `json:"json,omitzero"`
	Raw  []byte          `json:"raw,omitzero"`
}

type end struct {
	Records int `json:"records"`
	Rows    int `json:"rows"`
}

// ExportOptions says what is exported. The zero value is everything.
type ExportOptions struct {
	Spaces   []Space              // and their secret twins, where they are named too; empty: all spaces, and what belongs to none
	Progress func(spaces, of int) // told after each space; nil: nobody
}

// Export writes records, summaries, people, notes and config as JSON lines: one of the version, one for each record, in the order of arrival within its
// space, one for each row, and one that says how many there were. It is not of one moment: what is kept meanwhile may or may not be in it. Rows of State that other
// packages keep are not.
func (m *Memory) Export(ctx context.Context, w io.Writer, o ExportOptions) error {
	spaces, err := m.exported(ctx, o.Spaces)
	if err != nil {
		return fmt.Errorf("memory: export: %w", err)
	}
	x := exporter{Memory: m, out: bufio.NewWriter(w)}
	if err := x.write(line{Version: exportVersion}); err != nil {
		return fmt.Errorf("memory: export: %w", err)
	}
	for i, s := range spaces {
		if err := x.space(ctx, s); err != nil {
			return fmt.Errorf("memory: export of %q: %w", string(s), err)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(spaces))
		}
	}
	if err := errors.Join(x.write(line{End: &x.n}), x.out.Flush()); err != nil {
		return fmt.Errorf("memory: export: %w", err)
	}
	return nil
}

// exported lists what to export; "" stands for what belongs to no space.
func (m *Memory) exported(ctx context.Context, only []Space) ([]Space, error) {
	if len(only) > 0 {
		only = slices.Clone(only)
		slices.Sort(only)
		for _, s := range only {
			if err := s.Validate(); err != nil {
				return nil, err
			}
		}
		return slices.Compact(only), nil
	}
	homes, err := m.homes(ctx)
	spaces := []Space{""}
	for _, s := range homes {
		spaces = append(spaces, s, s.Secret())
	}
	return spaces, err
}

// An exporter writes an export.
type exporter struct {
	*Memory
	out *bufio.Writer
	n   end // so far
}

func (x *exporter) write(l line) error {
	_, err := x.out.Write(append(encode(l), '\n'))
	return err
}

func (x *exporter) space(ctx context.Context, s Space) error {
	if s != "" {
		for r, err := range x.store.Scan(ctx, s, 0) {
			if err != nil {
				return err
			}
			p := pack(&r)
			p.Seq = r.Seq
			if err := x.write(line{Record: &p}); err != nil {
				return err
			}
			x.n.Records++
		}
	}
	rows, err := x.state.held(ctx, row(s)+"/")
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		b := rows[key]
		if key == row(s, "dream") && s != "" { // what is being written down is dreamed again
			var d dreamt
			if err := decode(key, b, &d); err != nil {
				return err
			}
			b = encode(dreamt{Last: d.Last})
		}
		r := kv{Key: key, Raw: b}
		if plain := (bytes.Buffer{}); json.Compact(&plain, r.Raw) == nil && bytes.Equal(plain.Bytes(), r.Raw) {
			r = kv{Key: key, JSON: r.Raw}
		}
		if err := x.write(line{Row: &r}); err != nil {
			return err
		}
		x.n.Rows++
	}
	return nil
}
