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

// longestLine is what a record of MaxText may come to as JSON, and more.
const longestLine = 64 << 20

// Import keeps what an export holds, beside what is there: a record of the same address is replaced, and so is a row of the same key. It reads twice, and
// to the end before it writes anything: what is no whole export ([ErrFormat]), or holds a record that no store would take, changes nothing. Then it writes some
// at a time, in the order of arrival, and tells progress, if that is not nil, how many lines of how many are done; what was stopped or failed there is finished
// by importing again. It returns how many records were kept. As with [Memory.Put], [ErrNotIndexed] means that all of them were.
//
// Places in the order of arrival are given anew; summaries and dreams go on where they were.
func (m *Memory) Import(ctx context.Context, r io.ReadSeeker, progress func(done, total int)) (records int, err error) {
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, fmt.Errorf("memory: import: %w", err)
	}
	check := m.embed.checker()
	n, err := readLines(ctx, r, check.line)
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
	_, err = readLines(ctx, r, func(l *line) error { return in.line(ctx, l) })
	if err == nil {
		err = in.flush(ctx)
	}
	if err != nil {
		return in.records, fmt.Errorf("memory: import: %w", err)
	}
	return in.records, in.failed
}

// readLines reads a whole export and yields its records and rows.
func readLines(ctx context.Context, r io.Reader, yield func(*line) error) (n end, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	begun, ended := false, false
	for number := 1; s.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		bad := func(why any) error { return fmt.Errorf("line %d: %v: %w", number, why, ErrFormat) }
		var l line
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
		return n, fmt.Errorf("a line of more than %d bytes: %w", longestLine, ErrFormat)
	case err != nil:
		return n, err
	case !ended:
		return n, fmt.Errorf("it was cut off: %w", ErrFormat)
	}
	return n, nil
}

// line checks what Import would write.
func (c *checker) line(l *line) error {
	if l.Row != nil {
		return l.Row.check()
	}
	r, err := l.Record.unpack()
	if err != nil {
		return err
	}
	return c.record(&r)
}

func (r *kv) value() []byte {
	if r.JSON != nil {
		return r.JSON
	}
	return append([]byte{}, r.Raw...)
}

// check refuses rows that are not of this package, or not what their key says.
func (r *kv) check() error {
	bad := fmt.Errorf("row %q: %w", r.Key, ErrFormat)
	if !strings.HasPrefix(r.Key, rowsOf) || ValidateKey(r.Key) != nil || r.JSON != nil && r.Raw != nil {
		return bad
	}
	s, path := parts(r.Key)
	if s != "" && s.Validate() != nil || len(path) == 0 || row(s, path...) != r.Key {
		return bad
	}
	var v any
	switch path[0] {
	case "summary":
		v = new(RollingSummary)
	case "dream":
		if v = new(dreamt); s == "" {
			v = new(dreams)
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

// An importer writes what was checked.
type importer struct {
	m             *Memory
	records, done int
	total         int
	progress      func(done, total int)
	recs          []Record
	rows          map[string][]byte
	space         Space
	places        []place // of the records of space, by the order of arrival in the export
	failed        error   // of indexes
}

// A place is where a record was.
type place struct {
	seq uint64
	id  string
}

func (in *importer) line(ctx context.Context, l *line) error {
	if l.Record != nil {
		r, err := l.Record.unpack()
		if err != nil {
			return err
		}
		if r.Space != in.space {
			in.space, in.places = r.Space, nil
		}
		in.places = append(in.places, place{l.Record.Seq, r.ID})
		in.recs = append(in.recs, r)
	} else {
		b, err := in.moved(ctx, l.Row)
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
			in.m.releases.Store(nil) // they are read again
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

// moved is the value of a row where places in it are those of this store. Rows come behind the records of their space.
func (in *importer) moved(ctx context.Context, r *kv) ([]byte, error) {
	s, path := parts(r.Key)
	if s == "" || path[0] != "summary" && path[0] != "dream" {
		return r.value(), nil
	}
	if err := in.flush(ctx); err != nil {
		return nil, err
	}
	if s != in.space {
		in.space, in.places = s, nil
	}
	if path[0] == "dream" {
		var d dreamt
		err := decode(r.Key, r.value(), &d)
		if err == nil {
			d.Plan = nil
			d.Last, err = in.place(ctx, d.Last)
		}
		return encode(d), err
	}
	var d RollingSummary
	err := decode(r.Key, r.value(), &d)
	if err == nil {
		d.FirstSeq, err = in.place(ctx, d.FirstSeq)
	}
	if err == nil {
		d.LastSeq, err = in.place(ctx, d.LastSeq)
	}
	return encode(d), err
}

// place is where the last record is now that was not behind seq.
func (in *importer) place(ctx context.Context, seq uint64) (uint64, error) {
	var last string
	for _, p := range in.places {
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
