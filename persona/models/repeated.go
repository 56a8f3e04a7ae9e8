package models

import "context"

type repeatedKey struct{}

// WithRepeated returns a context for calls whose prompt has a share, from 0 to 1, that is the start of an earlier request.
// [Observe] and [Meter] inside set Usage.Repeated.
func WithRepeated(ctx context.Context, share float64) context.Context {
	return context.WithValue(ctx, repeatedKey{}, share)
}

func withRepeated(ctx context.Context, u Usage) Usage {
	share, _ := ctx.Value(repeatedKey{}).(float64)
	u.Repeated = int(share * float64(u.Prompt))
	return u
}
