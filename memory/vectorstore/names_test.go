package vectorstore

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
)

// TestNames_AreUnique: different addresses have different names and keys, even if one is a part or the counterpart of
// the other.
func TestNames_AreUnique(t *testing.T) {
	v := []float32{1, 0}
	names, keys := map[string]bool{}, map[string]bool{}
	for _, s := range []string{"a", "ab", "a!", "A", "%"} {
		names[nameOf(memory.Space(s))] = true
		for _, id := range []string{"bc", "c", "b", "!c", ""} {
			keys[keyOf(memory.Space(s), id, v)] = true
		}
	}
	keys[keyOf("a", "c", []float32{1, 1})] = true
	assert.Len(t, names, 5)
	assert.Len(t, keys, 26)
}
