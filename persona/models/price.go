package models

// A Price is what a provider asks for a million tokens, in any currency. The zero value is free.
type Price struct {
	Prompt float64 // of prompts
	Cached float64 // of the part of prompts that the provider read from its cache
	Answer float64 // of answers, with hidden reasoning
}

// Cost returns what a usage costs.
func (p Price) Cost(u Usage) float64 {
	return (float64(u.Prompt-u.CacheRead)*p.Prompt + float64(u.CacheRead)*p.Cached + float64(u.Completion)*p.Answer) / 1e6
}

// Prices are the prices of models by name, all in one currency.
type Prices map[string]Price

// Cost returns what usages by the name of the model cost. A model without a price costs nothing.
func (p Prices) Cost(byModel map[string]Usage) (cost float64) {
	for name, u := range byModel {
		cost += p[name].Cost(u)
	}
	return cost
}
