// Package models wraps language models. [Meter] tells what every call costs, so that one budget can hold them all:
//
//	budget := heartflow.NewBudget(heartflow.BudgetOptions{})
//	model := models.Meter(openaiModel, func(_ context.Context, u models.Usage) {
//		budget.Call(time.Now(), "", u.Total())
//	})
//
// # Time
//
// Nothing here looks at a clock or retries.
//
// # Concurrency
//
// A wrapped model may be called concurrently if the model can.
//
// # Caveats
//
// Where a provider does not tell its figures (many do not when streaming), tokens are estimated from the text:
// [Usage].Estimated says so. Hidden reasoning that a provider neither shows nor counts is not seen.
package models
