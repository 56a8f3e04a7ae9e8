package social_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCarriers_EachIsSeen lets worlds live in which all that one carrier writes bears the least label. Something that must
// not hold is found then: so it is the label alone that keeps what the carrier carries from the wrong prompts, and
// TestInformationFlow would see it if it did not. The dull ones lose theirs all at once.
func TestCarriers_EachIsSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a world or more for each carrier")
	}
	var dull []string
	for _, c := range carriers {
		if c.dull != "" {
			dull = append(dull, c.name)
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(12) {
				if s := inStream(t, seed, func(s *stream) { s.dropped = []string{c.name} }); len(s.wrong) > 0 {
					t.Logf("seed %d: %s", seed, s.wrong[0])
					return
				}
			}
			t.Errorf("the labels of %s are lost, and no world sees it", c.name)
		})
	}
	t.Run("dull", func(t *testing.T) {
		t.Parallel()
		s := inStream(t, 0, func(s *stream) { s.dropped = slices.Clone(dull) })
		assert.Empty(t, s.wrong, "one of %v leaks: say so in carriers", dull)
	})
}
