package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// rowsOf is the prefix of all rows of State that this package keeps. Behind it stand the space and what the row is, each escaped:
//
//	memory/SPACE/summary            a Digest
//	memory/SPACE/dream              how far dreams have come, and the one that is being written down
//	memory/SPACE/person/PERSON      a Person
//	memory/SPACE/note/KIND/…        a Note
//	memory//release/ID              a Release
//	memory//…                       what belongs to no space: "" is none
//
// So all that was derived in a space lies under one prefix, and that of its secret twin under another.
const rowsOf = "memory/"

var (
	escapes   = strings.NewReplacer("%", "%25", "/", "%2F")
	unescapes = strings.NewReplacer("%2F", "/", "%25", "%")
)

// row is the key of a row of a space.
func row(s Space, parts ...string) string {
	var b strings.Builder
	b.WriteString(rowsOf)
	b.WriteString(escapes.Replace(string(s)))
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(escapes.Replace(p))
	}
	return b.String()
}

// parts takes a key apart again.
func parts(key string) (s Space, rest []string) {
	rest = strings.Split(strings.TrimPrefix(key, rowsOf), "/")
	for i := range rest {
		rest[i] = unescapes.Replace(rest[i])
	}
	return Space(rest[0]), rest[1:]
}

// A table is a State, or none: then its rows are refused with [ErrNoState].
type table struct{ State }

// rows loads the rows under a prefix. Nothing else may be under it.
func (t table) rows(ctx context.Context, prefix string) (map[string][]byte, error) {
	if t.State == nil {
		return nil, fmt.Errorf("memory: %w", ErrNoState)
	}
	rows, err := t.Load(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("memory: state: %w", err)
	}
	return rows, nil
}

// held is rows, where to have no State is no error: there are none.
func (t table) held(ctx context.Context, prefix string) (map[string][]byte, error) {
	if t.State == nil {
		return nil, nil
	}
	return t.rows(ctx, prefix)
}

// one loads a single row; nil: there is none.
func (t table) one(ctx context.Context, key string) ([]byte, error) {
	rows, err := t.rows(ctx, key)
	return rows[key], err
}

// read loads a single row into v, and returns it as it stands; none leaves v as it is.
func (t table) read(ctx context.Context, key string, v any) ([]byte, error) {
	b, err := t.one(ctx, key)
	if err == nil {
		err = decode(key, b, v)
	}
	return b, err
}

// values loads the values of all rows of a space that are of one sort.
func values[T any](ctx context.Context, m *Memory, s Space, sort ...string) ([]T, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	rows, err := m.state.rows(ctx, row(s, sort...)+"/")
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(rows))
	for key, b := range rows {
		var v T
		if err := decode(key, b, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// apply writes rows.
func (t table) apply(ctx context.Context, rows map[string][]byte) error {
	if len(rows) == 0 {
		return nil
	}
	if t.State == nil {
		return fmt.Errorf("memory: %w", ErrNoState)
	}
	if err := t.Apply(ctx, rows); err != nil {
		return fmt.Errorf("memory: state: %w", err)
	}
	return nil
}

// decode reads a row; none leaves v as it is.
func decode(key string, b []byte, v any) error {
	if b == nil {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("memory: row %q: %w", key, err)
	}
	return nil
}

// encode makes a row. What is put in is made of types that JSON takes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // who searches the file for words must find them
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// change reads a row, lets f change its value, and writes it, while nobody else writes to the space. Where f does not keep it, the row goes.
func change[T any](ctx context.Context, m *Memory, s Space, key string, f func(v *T) (keep bool, err error)) (v T, err error) {
	if err := s.Validate(); err != nil {
		return v, err
	}
	leave, err := m.rooms.enter(ctx, s)
	if err != nil {
		return v, err
	}
	defer leave()
	old, err := m.state.read(ctx, key, &v)
	if err != nil {
		return v, err
	}
	keep, err := f(&v)
	if err != nil {
		return v, err
	}
	var b []byte
	if keep {
		if b = encode(v); bytes.Equal(b, old) {
			return v, nil
		}
	} else if old == nil {
		return v, nil
	}
	return v, m.state.apply(ctx, map[string][]byte{key: b})
}

// clear deletes the rows with a prefix.
func (t table) clear(ctx context.Context, prefix string) error {
	rows, err := t.rows(ctx, prefix)
	if err != nil {
		return err
	}
	for key := range rows {
		rows[key] = nil
	}
	return t.apply(ctx, rows)
}
