package memory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLineBytes is more than the JSON of a record with MaxText bytes of text.
const maxLineBytes = 64 << 20

// Import adds the data of an export. A record with the same address is replaced, and so is a row with the same key.
// Import first reads r to the end and validates it. If the export is incomplete ([ErrFormat]) or contains an invalid
// record, nothing changes. Import then seeks back, reads r again and writes in batches, in order of arrival. After each
// batch it calls progress with the numbers of lines, unless progress is nil. After a crash or an error, import again to
// complete it.
//
// Import returns the number of stored records. As with [Memory.Put], [ErrNotIndexed] means that all records were
// stored.
//
// Records get a new Seq. Summaries and dreams continue at the same messages.
func (m *Memory) Import(ctx context.Context, r io.ReadSeeker, progress func(done, total int)) (records int, err error) {
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, fmt.Errorf("memory: import: %w", err)
	}
	check := m.embed.checker()
	n, err := readLines(ctx, r, check.checkLine)
	if err != nil {
		return 0, fmt.Errorf("memory: import: %w", err)
	}
	if n.Rows > 0 && m.state.State == nil {
		return 0, fmt.Errorf("memory: import: %w", ErrNoState)
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return 0, fmt.Errorf("memory: import: %w", err)
	}
	in := importer{m: m, total: n.Records + n.Rows, progress: progress}
	_, err = readLines(ctx, r, func(l *exportLine) error { return in.addLine(ctx, l) })
	if err == nil {
		err = in.flush(ctx)
	}
	if err != nil {
		return in.records, fmt.Errorf("memory: import: %w", err)
	}
	return in.records, in.failed
}

// readLines reads a complete export and yields its records and rows.
func readLines(ctx context.Context, r io.Reader, yield func(*exportLine) error) (n trailer, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLineBytes)
	begun, ended := false, false
	for number := 1; s.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		bad := func(why any) error { return fmt.Errorf("line %d: %v: %w", number, why, ErrFormat) }
		var l exportLine
		d := json.NewDecoder(bytes.NewReader(s.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return n, bad(err)
		}
		if d.InputOffset() != int64(len(bytes.TrimRight(s.Bytes(), " \r\t"))) {
			return n, bad("more than one value")
		}
		switch first := !begun; {
		case first && (l.Version < 1 || l.Version > exportVersion):
			return n, bad(fmt.Sprintf("version %d, known up to %d", l.Version, exportVersion))
		case first:
			begun = true
		case ended:
			return n, bad("after the end")
		case l.Record != nil && l.Row == nil && l.End == nil:
			n.Records++
		case l.Row != nil && l.Record == nil && l.End == nil:
			n.Rows++
		case l.End != nil && l.Record == nil && l.Row == nil && *l.End == n:
			ended = true
			continue
		default:
			return n, bad("not a record, a row or the right end")
		}
		if l.Record == nil && l.Row == nil {
			continue
		}
		if err := yield(&l); err != nil {
			return n, fmt.Errorf("line %d: %w", number, err)
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return n, fmt.Errorf("a line of more than %d bytes: %w", maxLineBytes, ErrFormat)
	case err != nil:
		return n, err
	case !ended:
		return n, fmt.Errorf("truncated: %w", ErrFormat)
	}
	return n, nil
}

// checkLine validates a line before anything is written.
func (c *checker) checkLine(l *exportLine) error {
	if l.Row != nil {
		return l.Row.check()
	}
	r, err := l.Record.unpack()
	if err != nil {
		return err
	}
	return c.record(&r)
}

func (r *stateRow) value() []byte {
	if r.JSON != nil {
		return r.JSON
	}
	return append([]byte{}, r.Raw...)
}

// check rejects rows of other packages and values that do not fit their key.
func (r *stateRow) check() error {
	bad := fmt.Errorf("row %q: %w", r.Key, ErrFormat)
	if !strings.HasPrefix(r.Key, keyPrefix) || ValidateKey(r.Key) != nil || r.JSON != nil && r.Raw != nil {
		return bad
	}
	s, path := splitKey(r.Key)
	if s != "" && s.Validate() != nil || len(path) == 0 || row(s, path...) != r.Key {
		return bad
	}
	var v any
	switch path[0] {
	case "summary":
		v = new(RollingSummary)
	case "dream":
		if v = new(dreamState); s == "" {
			v = new(dreamSchedule)
		}
	case "person":
		v = new(Person)
	case "note":
		v = new(Note)
	case "forget":
		v = new([]Space)
	case "release":
		v = new(LabelOverride)
	case "config":
		return nil
	default:
		return bad
	}
	if json.Unmarshal(r.value(), v) != nil {
		return bad
	}
	return nil
}

// An importer writes validated lines.
type importer struct {
	m             *Memory
	records, done int
	total         int
	progress      func(done, total int)
	recs          []Record
	rows          map[string][]byte
	space         Space
	order         []exportedRecord // records of the space, by Seq in the export
	failed        error            // index errors
}

// An exportedRecord is a record's ID with its Seq in the export.
type exportedRecord struct {
	seq uint64
	id  string
}

func (in *importer) addLine(ctx context.Context, l *exportLine) error {
	if l.Record != nil {
		r, err := l.Record.unpack()
		if err != nil {
			return err
		}
		if r.Space != in.space {
			in.space, in.order = r.Space, nil
		}
		in.order = append(in.order, exportedRecord{l.Record.Seq, r.ID})
		in.recs = append(in.recs, r)
	} else {
		b, err := in.remapSeqs(ctx, l.Row)
		if err != nil {
			return err
		}
		if in.rows == nil {
			in.rows = map[string][]byte{}
		}
		in.rows[l.Row.Key] = b
	}
	if len(in.recs)+len(in.rows) < 256 {
		return nil
	}
	return in.flush(ctx)
}

func (in *importer) flush(ctx context.Context) error {
	if err := in.m.Put(ctx, in.recs...); err != nil && !errors.Is(err, ErrNotIndexed) {
		return err
	} else if err != nil {
		in.failed = err
	}
	if err := in.m.state.apply(ctx, in.rows); err != nil {
		return err
	}
	for key := range in.rows {
		if strings.HasPrefix(key, row("", "release")) {
			in.m.overrides.Store(nil) // load them again
		}
	}
	in.records += len(in.recs)
	in.done += len(in.recs) + len(in.rows)
	in.recs, in.rows = in.recs[:0], nil
	if in.progress != nil {
		in.progress(in.done, in.total)
	}
	return nil
}

// remapSeqs returns the value of a row with the Seqs of this store. A row follows the records of its space.
func (in *importer) remapSeqs(ctx context.Context, r *stateRow) ([]byte, error) {
	s, path := splitKey(r.Key)
	if s == "" || path[0] != "summary" && path[0] != "dream" {
		return r.value(), nil
	}
	if err := in.flush(ctx); err != nil {
		return nil, err
	}
	if s != in.space {
		in.space, in.order = s, nil
	}
	if path[0] == "dream" {
		var d dreamState
		err := decode(r.Key, r.value(), &d)
		if err == nil {
			d.Plan = nil
			d.Last, err = in.newSeq(ctx, d.Last)
		}
		return encode(d), err
	}
	var d RollingSummary
	err := decode(r.Key, r.value(), &d)
	if err == nil {
		d.FirstSeq, err = in.newSeq(ctx, d.FirstSeq)
	}
	if err == nil {
		d.LastSeq, err = in.newSeq(ctx, d.LastSeq)
	}
	return encode(d), err
}

// newSeq returns the new Seq of the last record at or before seq.
func (in *importer) newSeq(ctx context.Context, seq uint64) (uint64, error) {
	var last string
	for _, p := range in.order {
		if p.seq > seq {
			break
		}
		last = p.id
	}
	if last == "" {
		return 0, nil
	}
	recs, err := in.m.store.Get(ctx, in.space, last)
	if err != nil || len(recs) == 0 {
		return 0, err
	}
	return recs[0].Seq, nil
}
