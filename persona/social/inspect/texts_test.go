package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A key has one text, in both languages.
func TestTexts_OneForEachKey(t *testing.T) {
	seen := map[string]bool{}
	for _, texts := range allTexts {
		for key, both := range texts {
			assert.False(t, seen[key], "%s is in two maps", key)
			seen[key] = true
			assert.Equal(t, both[0] == "", both[1] == "", "%s has a text in one language only", key)
		}
	}
}
