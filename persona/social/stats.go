package social

import "github.com/hearth-bot/hearth/persona/social/internal/engine"

// OpenedStats count the parts of messages that turns opened.
type OpenedStats = engine.Opened

// Stats are the counters of a bot since [New].
type Stats struct {
	Received     int64 // messages received from the link
	OwnMessages  int64 // of Received: sent from the bot's account, by hand or as the echo of a send
	Duplicates   int64 // of Received: dropped as duplicates
	ChatOff      int64 // of Received: dropped because the chat is off
	TooOld       int64 // of Received: too old to answer, stored as context
	Erased       int64 // of Received: dropped because their author or chat was erased after they were sent
	Banned       int64 // of Received: stored, and neither answered nor shown, because a filter matched
	Failed       int64 // of Received: dropped because they could not be journaled
	LinkOverflow int64 // messages that the link dropped because its queue was full
	Retracted    int64 // messages that were retracted
	Invalid      int64 // events of the link that were dropped because they have no valid chat, no id or no time

	ActsDropped       int64 // pokes, reactions and the like beyond 10 a minute in a chat
	SilentBatches     int64 // batches judged silent, without a model call
	Turns             int64 // turns that asked the model
	ReportTurns       int64 // turns that could only report to the owner
	ModelFailed       int64 // turns that ended in an error
	ReplyRejected     int64 // messages rejected as stale or over a cap
	Sent              int64 // messages sent
	SendFailed        int64 // messages whose send failed or is unclear
	Truncated         int64 // replies whose rest was not sent
	Requests          int64 // friend requests, group invites and join requests handled
	RequestsApproved  int64 // of Requests: approved by the bot
	RequestsRejected  int64 // of Requests: rejected by the bot
	RequestsEscalated int64 // of Requests: left to the owner
	Opened            OpenedStats
	ModelCalls        int64 // model calls
	Tokens            int64 // tokens of ModelCalls, estimated if the provider reports none
	AutonomousRuns    int64 // timers, tasks, background turns and reflections that ran
	BackgroundCalls   int64 // of ModelCalls: those of Digest, and those of Autonomy that send nothing
	BackgroundTokens  int64 // tokens of BackgroundCalls
}
