package memorytest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestState checks an implementation of [memory.State].
func TestState(t *testing.T, open func(t *testing.T) memory.State) {
	for _, c := range []struct {
		name string
		test func(*testing.T, memory.State)
	}{
		{"Rows", stateRows}, {"Prefix", statePrefix}, {"AllOrNone", stateAllOrNone}, {"Copies", stateCopies}, {"Model", stateModel}, {"Race", stateRace},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func load(t *testing.T, s memory.State, prefix string) map[string][]byte {
	t.Helper()
	rows, err := s.Load(t.Context(), prefix)
	require.NoError(t, err)
	return rows
}

func stateRows(t *testing.T, s memory.State) {
	ctx := t.Context()
	assert.Empty(t, load(t, s, ""))
	assert.NoError(t, s.Apply(ctx, nil))
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	big := bytes.Repeat([]byte("x"), 1<<20)
	require.NoError(t, s.Apply(ctx, map[string][]byte{"all": all, "empty": {}, "big": big, "gone": nil}))
	rows := load(t, s, "")
	assert.Len(t, rows, 3)
	assert.Equal(t, all, rows["all"], "arbitrary bytes")
	assert.NotNil(t, rows["empty"], "an empty value is not nil")
	assert.Empty(t, rows["empty"])
	assert.True(t, bytes.Equal(big, rows["big"]))
	require.NoError(t, s.Apply(ctx, map[string][]byte{"all": []byte("new"), "big": nil, "never": nil}))
	assert.Equal(t, map[string][]byte{"all": []byte("new"), "empty": {}}, load(t, s, ""))
}

func statePrefix(t *testing.T, s memory.State) {
	rows := map[string][]byte{}
	for _, o := range unusualStrings {
		rows["p/"+o] = []byte(o)
		rows["q/"+o+"/x"] = []byte(o)
	}
	rows["p"] = []byte("p")
	rows["\U0010FFFF"] = []byte("last")
	require.NoError(t, s.Apply(t.Context(), rows))
	assert.Equal(t, rows, load(t, s, ""))
	for _, prefix := range append([]string{"p", "p/", "q", "q/", "P", "p%", "_", "\U0010FFFF", "\xff", "p/\xe9", "no"}, "q/' OR '1'='1", "q/%", "q/e") {
		want := map[string][]byte{}
		for k, v := range rows {
			if strings.HasPrefix(k, prefix) {
				want[k] = v
			}
		}
		assert.Equal(t, want, load(t, s, prefix), "prefix %q", prefix)
	}
}

func stateAllOrNone(t *testing.T, s memory.State) {
	require.NoError(t, s.Apply(t.Context(), map[string][]byte{"a": []byte("1")}))
	for _, key := range []string{"", "a\x00", "\xff", strings.Repeat("k", 1<<20)} {
		err := s.Apply(t.Context(), map[string][]byte{"a": []byte("2"), "b": []byte("2"), key: []byte("2")})
		assert.ErrorIs(t, err, memory.ErrInvalid)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Apply(ctx, map[string][]byte{"a": []byte("2")}), context.Canceled)
	assert.Equal(t, map[string][]byte{"a": []byte("1")}, load(t, s, ""))
}

func stateCopies(t *testing.T, s memory.State) {
	v := []byte("value")
	require.NoError(t, s.Apply(t.Context(), map[string][]byte{"k": v}))
	v[0] = 'X'
	got := load(t, s, "k")
	assert.Equal(t, "value", string(got["k"]))
	got["k"][0] = 'X'
	assert.Equal(t, "value", string(load(t, s, "k")["k"]))
}

// stateRace writes pairs of rows and never sees one without the other.
func stateRace(t *testing.T, s memory.State) {
	require.NoError(t, s.Apply(t.Context(), map[string][]byte{"pair/a": []byte("-"), "pair/b": []byte("-")}))
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range 30 {
				v := fmt.Appendf(nil, "%d-%d", w, i)
				assert.NoError(t, s.Apply(t.Context(), map[string][]byte{"pair/a": v, "pair/b": v, fmt.Sprint("own/", w): v}))
				rows, err := s.Load(t.Context(), "pair/")
				assert.NoError(t, err)
				assert.Equal(t, string(rows["pair/a"]), string(rows["pair/b"]))
			}
		})
	}
	wg.Wait()
	assert.Len(t, load(t, s, "own/"), 3)
}
