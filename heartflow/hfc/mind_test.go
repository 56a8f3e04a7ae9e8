package hfc

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMindShares holds the shares of the states over 10 000 days, against those measured on the original.
func TestMindShares(t *testing.T) {
	o := MindOptions{Unloaded: -1}.withDefaults()
	const days = 10_000
	for seed := range uint64(5) {
		dice := rand.NewPCG(seed, 1)
		var m mind
		m.begin(o, 0)
		var minutes [4]int
		changes := 0
		for range days * 24 * 60 {
			if was, _ := m.decide(o, dice, 0); was != m.State {
				changes++
			}
			minutes[m.State]++
		}
		share := func(s MindState) float64 { return float64(minutes[s]) / (days * 24 * 60) }
		t.Logf("seed %d: peeking %.3f normal %.3f focused %.3f, %.1f changes a day", seed, share(Peeking), share(NormalChat), share(FocusedChat), float64(changes)/days)
		assert.InDelta(t, .568, share(Peeking), .02)
		assert.InDelta(t, .165, share(NormalChat), .02)
		assert.InDelta(t, .267, share(FocusedChat), .02)
		assert.InDelta(t, 161, float64(changes)/days, 4)
	}
}
