package engine

import (
	"sync/atomic"
	"time"
)

// Counters are the engine's counters since its start.
type Counters struct {
	received, ownMessages, duplicates, chatOff, tooOld, banned, failed, linkOverflow, recalled atomic.Int64
	silentBatches, Asked, ModelFailed, rejected, sent, sendFailed, modelCalls                  atomic.Int64
	actsDropped, erased, backgroundCalls, backgroundTokens                                     atomic.Int64
	Reporting, doing                                                                           atomic.Int64 // doing: jobs that run now
	tokens, promptTokens, cachedTokens, repeatedTokens, ownerLines                             atomic.Int64
	lastAnswer                                                                                 atomic.Int64 // in Unix nanoseconds; 0: none yet
}

// LastAnswer returns the time of the last model call that did not fail.
func (c *Counters) LastAnswer() time.Time { return time.Unix(0, c.lastAnswer.Load()) }

// Opened counts the parts of messages that turns opened.
type Opened struct {
	Pictures       int64 // pictures shown or described to a model
	PicturesFailed int64 // pictures that could not be shown
	Parts          int64 // voice messages, files, forwards and quoted messages
	PartsFailed    int64 // those of them that could not be opened
}

// Stats is documented in package social, which adds the counters of the parts.
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
	Opened            Opened
	ModelCalls        int64 // model calls
	Tokens            int64 // tokens of ModelCalls, estimated if the provider reports none
	AutonomousRuns    int64 // timers, tasks, background turns and reflections that ran
	BackgroundCalls   int64 // of ModelCalls: those of Digest, and those of Autonomy that send nothing
	BackgroundTokens  int64 // tokens of BackgroundCalls
}

// Stats returns the counters.
func (e *Engine) Stats() Stats {
	c := &e.Counters
	return Stats{
		Received: c.received.Load(), OwnMessages: c.ownMessages.Load(), Duplicates: c.duplicates.Load(), ChatOff: c.chatOff.Load(), TooOld: c.tooOld.Load(), Erased: c.erased.Load(), Banned: c.banned.Load(),
		Failed: c.failed.Load(), LinkOverflow: c.linkOverflow.Load(), Retracted: c.recalled.Load(), Invalid: e.invalid.count.Load(), ActsDropped: c.actsDropped.Load(), SilentBatches: c.silentBatches.Load(),
		Turns: c.Asked.Load(), ReportTurns: c.Reporting.Load(), ModelFailed: c.ModelFailed.Load(), ReplyRejected: c.rejected.Load(), Sent: c.sent.Load(),
		SendFailed: c.sendFailed.Load(), ModelCalls: c.modelCalls.Load(), Tokens: c.tokens.Load(),
		BackgroundCalls: c.backgroundCalls.Load(), BackgroundTokens: c.backgroundTokens.Load(),
	}
}

// CacheShare is documented in package social.
func (e *Engine) CacheShare() (share float64, reported bool) {
	c := &e.Counters
	all, cached, repeated := c.promptTokens.Load(), c.cachedTokens.Load(), c.repeatedTokens.Load()
	switch {
	case all == 0:
		return 0, false
	case cached > 0:
		return float64(cached) / float64(all), true
	}
	return float64(repeated) / float64(all), false
}
