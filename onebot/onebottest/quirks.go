package onebottest

import "iter"

// Quirks are the differences between implementations. The zero value is [NapCat]. [LLBot], [SnowLuma], [Lagrange] and
// [GoCQHTTP] are the others with their default settings. To change a single one, modify a copy:
//
//	q := onebottest.GoCQHTTP
//	q.CQStrings = false
type Quirks struct {
	// RejectBeforeUpgrade refuses a bot before the upgrade by 401 (no token) or 403 (wrong token), as go-cqhttp and Lagrange
	// do; Lagrange always uses 403. Otherwise the bot is accepted (101), receives retcode 1403 and is disconnected;
	// SnowLuma only disconnects it, by status 1008.
	RejectBeforeUpgrade bool

	// IDs is the range of message ids.
	IDs IDRange

	// PushOwnMessages pushes a message_sent event for each message of the account itself, including the bot's sends. With
	// Events LikeLagrange the event is an ordinary message.
	PushOwnMessages bool

	// CQStrings pushes messages as CQ strings instead of arrays of segments.
	CQStrings bool

	// MillisEvery sends the time of every n-th message in milliseconds, as NapCat does if QQ sends no time: 1 is every
	// message, 0 is none.
	MillisEvery int

	// DummyGroup gives temporary sessions the group 284840486 instead of the real one, as NapCat does for an unknown
	// group. It needs Events LikeNapCat.
	DummyGroup bool

	// WebSocket selects the behavior over WebSocket: paths for actions and events, token checks, the first frame, the
	// encoding of JSON, headers and roles of reverse links.
	WebSocket Implementation

	// HTTP selects the behavior of the HTTP API and of [Server.Post]: statuses, refusals, parameter formats, headers,
	// retries.
	HTTP Implementation

	// Actions selects the actions, their responses (retcodes, fields, a missing echo), and the supported quick
	// operations.
	Actions Implementation

	// Events selects the events and the fields of events and messages.
	Events Implementation
}

// Implementation names an implementation to imitate.
type Implementation uint8

// The implementations.
const (
	LikeNapCat   Implementation = iota // NapCat
	LikeLLBot                          // LLBot, formerly LLOneBot, LuckyLilliaBot
	LikeSnowLuma                       // SnowLuma
	LikeLagrange                       // Lagrange.OneBot
	LikeGoCQHTTP                       // go-cqhttp
)

// Presets of the implementations. Copy them; do not modify them.
var (
	// NapCat accepts wrong tokens and then disconnects, responds to actions on every path, and uses status 200 for
	// failures over HTTP.
	NapCat = Quirks{}

	// LLBot has signed ids, names in mentions, and real sequence numbers.
	LLBot = Quirks{IDs: IDsInt32, WebSocket: LikeLLBot, HTTP: LikeLLBot, Actions: LikeLLBot, Events: LikeLLBot}

	// SnowLuma sends three frames at first and a heartbeat every 30 s, has ids of its own for the bot's private messages,
	// fails with retcode 100, drops segments that it does not know, and answers #sl by itself. Each path has a WebSocket
	// server of its own, as in a configuration for split links.
	SnowLuma = Quirks{IDs: IDsSHA1, WebSocket: LikeSnowLuma, HTTP: LikeSnowLuma, Actions: LikeSnowLuma, Events: LikeSnowLuma}

	// Lagrange escapes all non-ASCII characters, reports failures by retcode only, and sends no group for temporary
	// sessions.
	Lagrange = Quirks{RejectBeforeUpgrade: true, IDs: IDsInt32, WebSocket: LikeLagrange, HTTP: LikeLagrange, Actions: LikeLagrange, Events: LikeLagrange}

	// GoCQHTTP pushes CQ strings, ends frames with a line feed, and fails with retcode 100.
	GoCQHTTP = Quirks{RejectBeforeUpgrade: true, IDs: IDsInt32, CQStrings: true,
		WebSocket: LikeGoCQHTTP, HTTP: LikeGoCQHTTP, Actions: LikeGoCQHTTP, Events: LikeGoCQHTTP}
)

// Presets yields the quirks of all implementations with their names, in the order of their use today, to run a test
// against each:
//
//	for name, quirks := range onebottest.Presets() {
//		t.Run(name, func(t *testing.T) { … })
//	}
func Presets() iter.Seq2[string, Quirks] {
	return func(yield func(string, Quirks) bool) {
		_ = yield("NapCat", NapCat) && yield("LLBot", LLBot) && yield("SnowLuma", SnowLuma) &&
			yield("Lagrange", Lagrange) && yield("GoCQHTTP", GoCQHTTP)
	}
}

// IDRange is a range of message ids. The ids of a Server are distinct, also modulo 2³².
type IDRange uint8

const (
	IDsHash31 IDRange = iota // positive and below 2³¹: NapCat's usual ids
	IDsInt32                 // signed 32 bits: go-cqhttp, Lagrange, LLBot
	IDsUint32                // unsigned 32 bits: seen from NapCat
	IDsInt64                 // positive and below 2⁶³, most beyond the precision of a float64: seen from others

	// IDsSHA1 are signed 32 bits of a hash of the chat and the number in it: SnowLuma. Servers with equal chats have equal
	// ids, as after a restart. A private message of the bot has one id in the response of its send, which is also that of
	// ChatMessage, and another one in events and histories. Actions accept both.
	IDsSHA1
)
