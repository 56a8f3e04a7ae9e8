package social

// A Strategy is how a turn comes to its words, once attention has let it think. Both work on the same batch, with the
// same context.
type Strategy uint8

const (
	// SingleCall decides and writes in one conversation, which may call tools.
	SingleCall Strategy = iota
	// ThinkPlanReply is Heart Flow Chat's: a thought, which may call tools that only read; of it a plan, as JSON, which may
	// call all tools of the turn; and where the plan says so and no tool has spoken, the words. It costs two or three calls,
	// and leaves a thought that the next one follows on.
	ThinkPlanReply
)
