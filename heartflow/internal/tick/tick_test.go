package tick

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTick_Conversions(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 1, time.FixedZone("", 3600))
	assert.Equal(t, noon, Of(noon).Time(noon.Location()))
	assert.Equal(t, noon.Round(0), Of(noon).End(noon.Location()))
	for _, test := range []struct {
		at   time.Time
		want Tick
	}{
		{time.Time{}, 1}, {time.Unix(0, 999), 1}, {time.Unix(1, 0), Tick(time.Second)}, {time.Unix(1<<33, 5), 1 << 33 * Tick(time.Second)},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 1 << 33 * Tick(time.Second)},
	} {
		assert.Equal(t, test.want, Of(test.at), "%v", test.at)
	}
	assert.Equal(t, Forever, End(time.Time{}))
	assert.Equal(t, Of(noon), End(noon))
}

// Sums do not overflow, and differences are never negative. Only Tick.End converts Forever to the zero time.
func TestTick_Arithmetic(t *testing.T) {
	assert.Equal(t, Forever, Forever.Add(0))
	assert.Equal(t, Forever, (Forever - 1).Add(1))
	assert.Equal(t, Forever, (Forever - 1).Add(2))
	assert.Equal(t, Forever-2, Forever.Add(-2))
	assert.Equal(t, Tick(3), Tick(1).Add(2))
	assert.Equal(t, time.Duration(2), Tick(3).Since(1))
	assert.Zero(t, Tick(1).Since(3))
	assert.True(t, Forever.End(time.UTC).IsZero())
	assert.Equal(t, 2262, Forever.Time(time.UTC).Year())
	for _, never := range []Tick{0, -1} {
		assert.True(t, never.Time(time.UTC).IsZero())
		assert.True(t, never.End(time.UTC).IsZero())
	}
}
