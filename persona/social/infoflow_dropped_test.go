package social_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A simulation must leak if one carrier loses its labels. This proves that the label alone protects the carrier, and
// that TestInformationFlow would notice a loss. The harmless carriers lose their labels together.
func TestCarriers_LostLabelsLeak(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: a simulation or more for each carrier")
	}
	var dull []string
	for _, c := range carriers {
		if c.harmless != "" {
			dull = append(dull, c.name)
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(12) {
				if s := runFlow(t, seed, func(s *flowSim) { s.dropped = []string{c.name} }); len(s.violations) > 0 {
					t.Logf("seed %d: %s", seed, s.violations[0])
					return
				}
			}
			t.Errorf("%s lost its labels and no simulation leaked", c.name)
		})
	}
	t.Run("dull", func(t *testing.T) {
		t.Parallel()
		s := runFlow(t, 0, func(s *flowSim) { s.dropped = slices.Clone(dull) })
		assert.Empty(t, s.violations, "one of %v leaks: correct carriers", dull)
	})
}
