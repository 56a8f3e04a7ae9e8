package hfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWaitingMessages_KeepTen(t *testing.T) {
	var r waitingMessages
	for i := range 25 {
		m := WaitingMessage{ID: fmt.Sprint(i), Interest: float64(i) / 2, Addressed: i%3 == 0}
		r.Add(m)
		assert.Len(t, r, min(i+1, 10))
		assert.Equal(t, m, r[len(r)-1], "with all its fields")
	}
	assert.Equal(t, WaitingMessage{ID: "15", Interest: 7.5, Addressed: true}, r[0])
}

func TestWaitingMessages_Outliers(t *testing.T) {
	for name, test := range map[string]struct {
		interest []float64
		want     []string
	}{
		"none":                     {nil, nil},
		"one":                      {[]float64{9}, nil},
		"all the same":             {[]float64{2, 2, 2}, nil},
		"one stands out":           {[]float64{0, 0, 5, 0, .2}, []string{"2"}},
		"two, in order":            {[]float64{0, 4, 0, 0, 5, 0, 0, 0}, []string{"1", "4"}},
		"the two highest of three": {[]float64{6, 0, 0, 5, 0, 0, 0, 7, 0, 0}, []string{"0", "7"}},
		"newest among equals":      {[]float64{6, 0, 0, 6, 0, 0, 0, 6, 0, 0}, []string{"3", "7"}},
		"below one deviation":      {[]float64{1, 3}, nil},
		"of a sample":              {[]float64{1, 1, 2, 2, 2.2}, nil},
	} {
		var r waitingMessages
		for i, v := range test.interest {
			r.Add(WaitingMessage{ID: fmt.Sprint(i), Interest: v})
		}
		var got []string
		for _, n := range r.Outliers() {
			got = append(got, n.ID)
		}
		assert.Equal(t, test.want, got, name)
	}
}
