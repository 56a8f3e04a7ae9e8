package social_test

import "github.com/hearth-bot/hearth/heartflow"

// newBudget is heartflow.NewBudget with options that are valid.
func newBudget(o heartflow.BudgetOptions) *heartflow.Budget {
	b, err := heartflow.NewBudget(o)
	if err != nil {
		panic(err)
	}
	return b
}
