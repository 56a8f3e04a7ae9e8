package patch_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func TestHistory_UndoRedo(t *testing.T) {
	var h patch.History
	assert.ErrorIs(t, h.Undo(), patch.ErrNoVersion)
	require.NoError(t, h.Apply(t0, patchOf("@@ # A\n+空"), "first"))
	require.NoError(t, h.Apply(t0.Add(time.Hour), patchOf("@@ # A\n-空\n+满"), "second"))
	assert.Equal(t, patch.Version{Number: 2, At: t0.Add(time.Hour), Note: "second", Text: "# A\n满\n"}, h.Current())

	err := h.Apply(t0, patchOf("@@ # A\n+x\n@@ # A\n-空"), "conflict")
	require.ErrorIs(t, err, patch.ErrConflict)
	require.NoError(t, h.Apply(t0, patchOf("@@ # A\n 满"), "nothing"))
	assert.Equal(t, 2, h.Current().Number)

	require.NoError(t, h.Undo())
	assert.Equal(t, patch.Version{Number: 1, At: t0, Note: "first", Text: "# A\n空\n"}, h.Current())
	require.NoError(t, h.Undo())
	assert.Equal(t, patch.Version{}, h.Current())
	assert.ErrorIs(t, h.Undo(), patch.ErrNoVersion)
	require.NoError(t, h.Redo())
	require.NoError(t, h.Redo())
	assert.Equal(t, "# A\n满\n", h.Text())
	assert.ErrorIs(t, h.Redo(), patch.ErrNoVersion)

	require.NoError(t, h.Undo())
	require.NoError(t, h.Set(t0, "by hand\n", "owner"))
	assert.Equal(t, 3, h.Current().Number, "a number is never reused")
	assert.ErrorIs(t, h.Redo(), patch.ErrNoVersion, "undone versions are discarded")
	assert.ErrorIs(t, h.Set(t0, "\xff", ""), patch.ErrInvalidText)
	assert.ErrorIs(t, h.Set(t0, "\x00", ""), patch.ErrInvalidText)
	assert.ErrorIs(t, h.Set(t0, strings.Repeat("a", patch.MaxDocument+1), ""), patch.ErrTooLong)

	var texts []string
	for v := range h.Versions() {
		texts = append(texts, fmt.Sprint(v.Number, v.Text))
	}
	assert.Equal(t, []string{"3by hand\n", "1# A\n空\n", "0"}, texts)
	h.DropOldVersions()
	assert.ErrorIs(t, h.Undo(), patch.ErrNoVersion)
	assert.Equal(t, "by hand\n", h.Text())
	data, err := json.Marshal(&h)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "空")
}

func TestHistory_MaxVersions(t *testing.T) {
	for keep, want := range map[int]int{-1: 1, 3: 4, 0: 51} {
		h := patch.History{MaxVersions: keep}
		for i := range 100 {
			require.NoError(t, h.Set(t0, fmt.Sprint(i), ""))
		}
		n := 0
		for range h.Versions() {
			n++
		}
		assert.Equal(t, want, n)
	}
}

// TestHistory_EqualsFullCopies compares with full copies of all versions, also after storing and loading.
func TestHistory_EqualsFullCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := patch.History{MaxVersions: 1000}
	copies, at := []string{""}, 0
	for range 2000 {
		switch rng.IntN(4) {
		case 0:
			if err := h.Undo(); at > 0 {
				require.NoError(t, err)
				at--
			} else {
				require.ErrorIs(t, err, patch.ErrNoVersion)
			}
		case 1:
			if err := h.Redo(); at < len(copies)-1 {
				require.NoError(t, err)
				at++
			} else {
				require.ErrorIs(t, err, patch.ErrNoVersion)
			}
		case 2:
			data, err := json.Marshal(&h)
			require.NoError(t, err)
			h = patch.History{MaxVersions: 1000}
			require.NoError(t, json.Unmarshal(data, &h))
		default:
			var b strings.Builder
			for range rng.IntN(6) {
				b.WriteString([]string{"好", "妤", "a", "é", "è", "©", "\n", "好"}[rng.IntN(8)]) // characters with common first or last bytes
			}
			require.NoError(t, h.Set(t0, b.String(), ""))
			if b.String() != copies[at] {
				copies = append(copies[:at+1], b.String())
				at++
			}
		}
		require.Equal(t, copies[at], h.Text())
	}
	for v := range h.Versions() {
		require.Equal(t, copies[at], v.Text)
		at--
	}
	assert.Equal(t, -1, at)
}

func TestHistory_InvalidJSON(t *testing.T) {
	for name, data := range map[string]string{
		"not JSON":          `{`,
		"beyond the end":    `{"text":"abc","older":[{"off":2,"len":2}]}`,
		"before the start":  `{"text":"abc","older":[{"off":-1,"len":1}]}`,
		"negative length":   `{"text":"abc","newer":[{"off":1,"len":-1}]}`,
		"overflow":          `{"text":"abc","newer":[{"off":1,"len":9223372036854775807}]}`,
		"through a letter":  `{"text":"好","older":[{"off":1,"len":1}]}`,
		"the one before it": `{"text":"abc","older":[{"off":3,"len":1},{"off":0,"len":1}]}`,
	} {
		h := patch.History{}
		require.NoError(t, h.Set(t0, "kept", ""))
		assert.Error(t, h.UnmarshalJSON([]byte(data)), name)
		assert.Equal(t, "kept", h.Text(), name)
	}
}
