package onebottest

import "iter"

// Quirks are ways in which implementations differ. The zero value is [NapCat]; [LLBot], [Lagrange]
// and [GoCQHTTP] are the others', each as it is when it was just installed. To have one habit
// otherwise, change a copy:
//
//	h := onebottest.GoCQHTTP
//	h.CQStrings = false
type Quirks struct {
	// RejectBeforeUpgrade refuses a bot by 401 (no token) or 403 (a wrong one) before the upgrade, as
	// go-cqhttp and Lagrange do (Lagrange by 403 in both cases). Else it is let in (101), told
	// retcode 1403 and put out again.
	RejectBeforeUpgrade bool

	// IDs is the range of message ids.
	IDs IDRange

	// PushOwnMessages pushes a message_sent event for what the account itself says, the bot's sends
	// included. With Events LikeLagrange it is a message like any other.
	PushOwnMessages bool

	// CQStrings pushes messages as CQ strings, not as arrays of segments.
	CQStrings bool

	// MillisEvery gives one message in so many its time in milliseconds, as NapCat does where QQ does
	// not tell the time: 1 is each, 0 is none.
	MillisEvery int

	// DummyGroup gives temporary sessions the group 284840486 instead of the right one, as NapCat
	// does where it does not know it. It needs Events LikeNapCat.
	DummyGroup bool

	// WebSocket is how WebSocket goes: which paths answer actions and which push events, who is let
	// in, the first frame, how JSON is written, the headers and roles of reverse links.
	WebSocket Implementation

	// HTTP is how the HTTP API and [Server.Post] go: statuses, refusals, what is taken for
	// parameters, headers, retries.
	HTTP Implementation

	// Actions is which actions there are, how they are answered (retcodes, fields, a missing
	// echo), and which quick operations are carried out.
	Actions Implementation

	// Events is which events are pushed, and which fields they and messages have.
	Events Implementation
}

// Implementation names the implementation that has a habit.
type Implementation uint8

// The implementations.
const (
	LikeNapCat   Implementation = iota // NapCat
	LikeLLBot                          // LLBot, formerly LLOneBot, LuckyLilliaBot
	LikeLagrange                       // Lagrange.OneBot
	LikeGoCQHTTP                       // go-cqhttp
)

// The implementations' habits. They are values to copy, not to change.
var (
	// NapCat lets wrong tokens in and puts them out again, answers actions on every path, and
	// means 200 by "failed" over HTTP.
	NapCat = Quirks{}

	// LLBot has signed ids, names in @s, and real sequence numbers.
	LLBot = Quirks{IDs: IDsInt32, WebSocket: LikeLLBot, HTTP: LikeLLBot, Actions: LikeLLBot, Events: LikeLLBot}

	// Lagrange escapes all that is not ASCII, says nothing about failures but a retcode, and tells
	// no group of temporary sessions.
	Lagrange = Quirks{RejectBeforeUpgrade: true, IDs: IDsInt32, WebSocket: LikeLagrange, HTTP: LikeLagrange, Actions: LikeLagrange, Events: LikeLagrange}

	// GoCQHTTP pushes CQ strings, ends its frames with a line feed and fails with 100.
	GoCQHTTP = Quirks{RejectBeforeUpgrade: true, IDs: IDsInt32, CQStrings: true,
		WebSocket: LikeGoCQHTTP, HTTP: LikeGoCQHTTP, Actions: LikeGoCQHTTP, Events: LikeGoCQHTTP}
)

// Presets are the habits of all implementations with their names, to run a test against each:
//
//	for name, habits := range onebottest.Presets() {
//		t.Run(name, func(t *testing.T) { … })
//	}
func Presets() iter.Seq2[string, Quirks] {
	return func(yield func(string, Quirks) bool) {
		_ = yield("NapCat", NapCat) && yield("LLBot", LLBot) && yield("Lagrange", Lagrange) && yield("GoCQHTTP", GoCQHTTP)
	}
}

// IDRange is a range from which message ids are drawn. Each is another one, also modulo 2³².
type IDRange uint8

const (
	IDsHash31 IDRange = iota // positive and below 2³¹: NapCat's usual ones
	IDsInt32                 // signed 32 bits: go-cqhttp, Lagrange, LLBot
	IDsUint32                // unsigned 32 bits: seen of NapCat
	IDsInt64                 // positive and below 2⁶³, most beyond what a float64 holds: seen of others
)
