package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// keyPrefix begins the keys of all State rows of this package. The escaped space and the kind of row follow:
//
//	memory/SPACE/summary            a RollingSummary
//	memory/SPACE/dream              progress of dreams, and a plan that is being applied
//	memory/SPACE/person/PERSON      a Person
//	memory/SPACE/note/KIND/…        a Note
//	memory/SPACE/position/READER    the Seq of a Position
//	memory//release/ID              a LabelOverride
//	memory//…                       rows without a space; "" is no valid space
//
// All derived data of a space thus has one prefix. The data of its secret counterpart has another.
const keyPrefix = "memory/"

var (
	escapes   = strings.NewReplacer("%", "%25", "/", "%2F")
	unescapes = strings.NewReplacer("%2F", "/", "%25", "%")
)

// row returns the key of a row in a space.
func row(s Space, parts ...string) string {
	var b strings.Builder
	b.WriteString(keyPrefix)
	b.WriteString(escapes.Replace(string(s)))
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(escapes.Replace(p))
	}
	return b.String()
}

// splitKey is the inverse of row.
func splitKey(key string) (s Space, rest []string) {
	rest = strings.Split(strings.TrimPrefix(key, keyPrefix), "/")
	for i := range rest {
		rest[i] = unescapes.Replace(rest[i])
	}
	return Space(rest[0]), rest[1:]
}

// A stateTable is a State or nil. A nil State rejects rows with [ErrNoState].
type stateTable struct{ State }

// loadRows loads the rows under a prefix.
func (t stateTable) loadRows(ctx context.Context, prefix string) (map[string][]byte, error) {
	if t.State == nil {
		return nil, fmt.Errorf("memory: %w", ErrNoState)
	}
	rows, err := t.Load(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("memory: state: %w", err)
	}
	return rows, nil
}

// loadRowsIfState is loadRows, but without a State it returns no rows and no error.
func (t stateTable) loadRowsIfState(ctx context.Context, prefix string) (map[string][]byte, error) {
	if t.State == nil {
		return nil, nil
	}
	return t.loadRows(ctx, prefix)
}

// loadRow loads one row; nil: it does not exist.
func (t stateTable) loadRow(ctx context.Context, key string) ([]byte, error) {
	rows, err := t.loadRows(ctx, key)
	return rows[key], err
}

// decodeRow loads one row into v and returns its bytes. A missing row leaves v unchanged.
func (t stateTable) decodeRow(ctx context.Context, key string, v any) ([]byte, error) {
	b, err := t.loadRow(ctx, key)
	if err == nil {
		err = decode(key, b, v)
	}
	return b, err
}

// decodeAll loads all rows of one kind in a space.
func decodeAll[T any](ctx context.Context, m *Memory, s Space, sort ...string) ([]T, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	rows, err := m.state.loadRows(ctx, row(s, sort...)+"/")
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
func (t stateTable) apply(ctx context.Context, rows map[string][]byte) error {
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

// decode parses a row. Nil leaves v unchanged.
func decode(key string, b []byte, v any) error {
	if b == nil {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("memory: row %q: %w", key, err)
	}
	return nil
}

// encode makes a row. Its callers pass only types that JSON can encode.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // keeps the text searchable in the database file
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// updateRow loads a row, calls f to change it, and stores it, with the space locked. It deletes the row if f returns
// false.
func updateRow[T any](ctx context.Context, m *Memory, s Space, key string, f func(v *T) (keep bool, err error)) (v T, err error) {
	if err := s.Validate(); err != nil {
		return v, err
	}
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return v, err
	}
	defer unlock()
	old, err := m.state.decodeRow(ctx, key, &v)
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

// deletePrefix deletes the rows with a prefix.
func (t stateTable) deletePrefix(ctx context.Context, prefix string) error {
	rows, err := t.loadRows(ctx, prefix)
	if err != nil {
		return err
	}
	for key := range rows {
		rows[key] = nil
	}
	return t.apply(ctx, rows)
}
