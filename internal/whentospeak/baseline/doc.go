// Package baseline has simple policies for package heartflow, for comparison with other policies.
package baseline

import (
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/internal/lookback"
)

type source = lookback.Source

// newSource returns a source with the trained weights, and with the pace of the chat if the policy needs it.
func newSource(needsPace bool) (source, error) {
	p, err := learned.New(learned.Options{})
	if err != nil {
		return source{}, err
	}
	m := *lookback.ModelOf(p)
	m.NeedsPace = needsPace
	return lookback.NewSource(&m), nil
}
