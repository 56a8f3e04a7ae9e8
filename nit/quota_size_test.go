package nit

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A flood of names creates at most MaxKeys keys, and existing callers keep their own rate.
func TestQuota_MemoryIsBounded(t *testing.T) {
	rate := Rate{Calls: 5, Per: time.Hour}
	q, err := NewQuota(QuotaOptions{PerPerson: rate, PerSession: rate, PerTool: rate, MaxKeys: 100})
	require.NoError(t, err)
	now := time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)
	passed := 0
	for i := range 50_000 {
		p := Principal{Platform: "qq", Person: fmt.Sprint(i), Session: fmt.Sprint(i)}
		if q.Allow(now, p) && q.AllowTool(now, fmt.Sprint(i)) {
			passed++
		}
		if len(q.availableAt) > 100+3+2 {
			t.Fatalf("%d keys", len(q.availableAt))
		}
	}
	assert.Less(t, passed, 100, "the surplus ones share a rate")
	require.True(t, q.Allow(now, Principal{Platform: "qq", Person: "0", Session: "0"}), "one who was there before")
	now = now.Add(2 * time.Hour)
	require.True(t, q.Allow(now, Principal{Platform: "qq", Person: "49999", Session: "49999"}))
	assert.LessOrEqual(t, len(q.availableAt), 5, "who has not called for long is forgotten")
}
