package vectors_test

import (
	"math"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/vectors"
	"github.com/stretchr/testify/assert"
)

func TestCheck(t *testing.T) {
	dims := func(s memory.Space) int { return map[memory.Space]int{"three": 3}[s] }
	rec := func(s memory.Space, v ...float32) memory.Record { return memory.Record{ID: "x", Space: s, Vector: v} }
	for name, tt := range map[string]struct {
		recs []memory.Record
		want error
		says string
	}{
		"nothing":               {nil, nil, ""},
		"no vectors":            {[]memory.Record{rec("a"), rec("three")}, nil, ""},
		"each space its own":    {[]memory.Record{rec("a", 1, 2), rec("b", 1), rec("a", 2, 1), rec("three", 1, 2, 3)}, nil, ""},
		"no ID":                 {[]memory.Record{{Space: "a"}}, memory.ErrInvalid, `mine: record "" in space "a": `},
		"no space":              {[]memory.Record{rec("", 1)}, memory.ErrInvalid, `mine: record "x" in space "": `},
		"no direction":          {[]memory.Record{rec("a", 0, 0)}, memory.ErrVector, `mine: record "x": `},
		"other than the space":  {[]memory.Record{rec("three", 1, 2)}, memory.ErrVector, `mine: record "x": 2 dimensions, its space has 3: `},
		"other than the former": {[]memory.Record{rec("a", 1, 2), rec("a"), rec("a", 1)}, memory.ErrVector, `mine: record "x": 1 dimensions, its space has 2: `},
	} {
		err := vectors.Check("mine", tt.recs, dims)
		assert.ErrorIs(t, err, tt.want, name)
		if err != nil {
			assert.Contains(t, err.Error(), tt.says, name)
		}
	}
}

func TestUnit(t *testing.T) {
	assert.Equal(t, []float32{.6, -.8}, vectors.Unit([]float32{3, -4}))
	v := []float32{math.MaxFloat32, math.MaxFloat32}
	assert.InDeltaSlice(t, []float32{math.Sqrt2 / 2, math.Sqrt2 / 2}, vectors.Unit(v), 1e-7)
	assert.Equal(t, float32(math.MaxFloat32), v[0], "it is a copy")
	assert.InDelta(t, 1, vectors.Unit([]float32{math.SmallestNonzeroFloat32})[0], 1e-7)
}
