package social

// A Strategy says how a turn creates its reply. Both work on the same batch with the same prompt context.
type Strategy uint8

const (
	// SingleCall decides and writes in one conversation, which may call tools.
	SingleCall Strategy = iota
	// ThinkPlanReply is the strategy of Heart Flow Chat. The first call writes a thought and may use read-only tools.
	// The second turns it into a plan in JSON and may use all tools of the turn. The third writes the text if the
	// plan asks for one and no tool has replied. It may use the tools of the first. All requests list the same tools, so
	// that they begin alike, for prompt caches. This costs two or three calls. The last five thoughts about a chat are kept, and the next turn
	// continues them, in and outside of a focus.
	ThinkPlanReply
)
