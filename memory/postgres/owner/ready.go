package owner

import "context"

type readyKey struct{}

// Ready tells [Run] that the bot of Options.Act acts now, for example when it has connected to its platform. ctx is that of Act. Run
// takes a few beings over at once from a process that gives them away, and the next ones when those are ready, so that each is
// without a bot for a short time only. A call is not required: a bot counts as ready after Timing.Retry.
func Ready(ctx context.Context) {
	if tell, ok := ctx.Value(readyKey{}).(func()); ok {
		tell()
	}
}

// withReady returns a context for Act.
func (r *runner) withReady(ctx context.Context, start Action) context.Context {
	return context.WithValue(ctx, readyKey{}, func() {
		select {
		case r.readies <- start:
		case <-ctx.Done():
		}
	})
}
