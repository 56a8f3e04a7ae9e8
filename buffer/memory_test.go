package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBuffer_FreesMemoryAfterDrain(t *testing.T) {
	keys := 1_000_000
	if testing.Short() {
		keys = 100_000
	}
	waiting, left := idleKeys(t, keys)
	t.Logf("%.1f B a key while they wait, %d B left", float64(waiting)/float64(keys), left)
	assert.LessOrEqual(t, waiting/int64(keys), int64(200))
	assert.LessOrEqual(t, left, int64(1<<20))
}
