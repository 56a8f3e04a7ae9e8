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

// ErrFormat means that the input of Import is not an export, is truncated or damaged, or has a newer version.
var ErrFormat = errors.New("not a complete export of memory")

// exportVersion is the version of the format. Import rejects newer versions.
const exportVersion = 1

// An exportLine is one line of an export. The first line has Version and the last has End. All others have one record
// or row.
type exportLine struct {
	Version int           `json:"hearth_memory,omitzero"`
	Record  *packedRecord `json:"record,omitzero"`
	Row     *stateRow     `json:"row,omitzero"`
	End     *trailer      `json:"end,omitzero"`
}

// A stateRow is a row of State. JSON values are embedded, so that people can read them.
type stateRow struct {
	Key  string          `json:"key"`
	JSON json.RawMessage `json:"json,omitzero"`
	Raw  []byte          `json:"raw,omitzero"`
}

type trailer struct {
	Records int `json:"records"`
	Rows    int `json:"rows"`
}

// ExportOptions configures [Memory.Export]. The zero value exports everything.
type ExportOptions struct {
	Spaces   []Space               // only these spaces; name secret spaces explicitly; empty: all spaces, and rows without a space
	Progress func(done, total int) // called after each space; nil: none
}

// Export writes records, summaries, people, notes and configuration as JSON lines. The first line has the format
// version, and the last has the counts. Each other line has one record or one row. Records come in the order of arrival
// within their space.
//
// An export is not a consistent snapshot: it may or may not contain concurrent writes. It does not contain State rows
// of other packages.
func (m *Memory) Export(ctx context.Context, w io.Writer, o ExportOptions) error {
	spaces, err := m.exportSpaces(ctx, o.Spaces)
	if err != nil {
		return fmt.Errorf("memory: export: %w", err)
	}
	x := exporter{Memory: m, out: bufio.NewWriter(w)}
	if err := x.write(exportLine{Version: exportVersion}); err != nil {
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
	if err := errors.Join(x.write(exportLine{End: &x.n}), x.out.Flush()); err != nil {
		return fmt.Errorf("memory: export: %w", err)
	}
	return nil
}

// exportSpaces lists the spaces to export. "" means the rows without a space.
func (m *Memory) exportSpaces(ctx context.Context, only []Space) ([]Space, error) {
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
	homes, err := m.baseSpaces(ctx)
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
	n   trailer // counts so far
}

func (x *exporter) write(l exportLine) error {
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
			if err := x.write(exportLine{Record: &p}); err != nil {
				return err
			}
			x.n.Records++
		}
	}
	rows, err := x.state.loadRowsIfState(ctx, row(s)+"/")
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		b := rows[key]
		if key == row(s, "dream") && s != "" { // without the plan: Dream makes it again
			var d dreamState
			if err := decode(key, b, &d); err != nil {
				return err
			}
			b = encode(dreamState{Last: d.Last})
		}
		r := stateRow{Key: key, Raw: b}
		if plain := (bytes.Buffer{}); json.Compact(&plain, r.Raw) == nil && bytes.Equal(plain.Bytes(), r.Raw) {
			r = stateRow{Key: key, JSON: r.Raw}
		}
		if err := x.write(exportLine{Row: &r}); err != nil {
			return err
		}
		x.n.Rows++
	}
	return nil
}
