package social

// Stats counts what a being did since it was made.
type Stats struct {
	Received     int64 // messages that the link brought
	OwnMessages  int64 // of them, the being's own, said elsewhere or echoed
	Duplicates   int64 // dropped: known already
	ChatOff      int64 // dropped: the chat is off
	TooOld       int64 // kept as context only: too old when first seen
	Erased       int64 // dropped: said before its author, or its chat, was forgotten
	Banned       int64 // journaled and not heard, for what they say
	Failed       int64 // dropped: could not be journaled
	LinkOverflow int64 // the link could not queue them
	Retracted    int64 // taken back

	SilentBatches     int64 // batches that were judged silent, without a model
	Turns             int64 // turns of a model
	ReportTurns       int64 // turns that could only report to the owner
	ModelFailed       int64 // turns that ended in an error
	ReplyRejected     int64 // messages that came too late or over a cap
	Sent              int64 // messages sent
	SendFailed        int64 // messages whose send failed or is unclear
	Truncated         int64 // replies whose rest was not said
	Requests          int64 // friend requests, group invites and requests to join that were taken up
	RequestsApproved  int64 // of them, by the being
	RequestsRejected  int64
	RequestsEscalated int64 // left to the owner
	Pictures          int64 // pictures that turns were shown, or were told of
	PicturesFailed    int64 // pictures that could not be
	ModelCalls        int64 // model calls
	Tokens            int64 // tokens of them, estimated where the provider tells none
	AutonomousRuns    int64 // what it did by itself: timers, tasks, talks of the background, reflections
	BackgroundCalls   int64 // of the calls, those of Options.Background.Digest and of what Options.Background.Autonomy never says
	BackgroundTokens  int64 // tokens of them
}
