package onebot

// EventClass is what becomes of an event when a bot follows a talk as a person would.
type EventClass uint8

const (
	// ClassIgnored is no part of the talk: recalls, joins and all other notices, requests, meta events, unknown kinds,
	// system lines that come as messages, and messages in which nothing can be read. They have their own uses.
	ClassIgnored EventClass = iota
	// ClassReceived was said by somebody else: text, descriptions of pictures, mentions and quotes ([Message.Text]).
	ClassReceived
	// ClassOwn was said by the account itself, by this program or at another device: it belongs to the talk, marked
	// as its own, and is never new and never a reason to answer.
	ClassOwn
)

// String is "ignored", "heard" or "heard own".
func (p EventClass) String() string {
	switch p {
	case ClassReceived:
		return "heard"
	case ClassOwn:
		return "heard own"
	}
	return "ignored"
}

// Classify tells what becomes of e. Whoever keeps a history of a talk keeps what was [ClassReceived] and [ClassOwn], and
// judges only what was [ClassReceived].
//
// A [*Dropped] is Ignored: what it stands for is to be fetched, and perceived then.
func Classify(e Event) EventClass {
	switch e := e.(type) {
	case *GroupMessage:
		return e.perceived()
	case *PrivateMessage:
		return perceived(e.Message, e.Own())
	case *GuildMessage:
		return perceived(e.Message, e.Own())
	}
	return ClassIgnored
}

func (e *GroupMessage) perceived() EventClass {
	if e.SubType == "notice" { // a line of the system, such as "…撤回了一条消息"
		return ClassIgnored
	}
	return perceived(e.Message, e.Own())
}

func perceived(m Message, own bool) EventClass {
	switch {
	case m.Text() == "":
		return ClassIgnored
	case own:
		return ClassOwn
	}
	return ClassReceived
}
