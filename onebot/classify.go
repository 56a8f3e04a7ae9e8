package onebot

// EventClass classifies events for bots that follow a chat as a person does.
type EventClass uint8

const (
	// ClassIgnored is any event that is not a chat message: recalls, joins and all other notices, requests, meta events,
	// unknown kinds, system lines sent as messages, and messages without readable content.
	ClassIgnored EventClass = iota
	// ClassReceived is a message from another user: text, placeholders of pictures, mentions and quotes ([Message.Text]).
	ClassReceived
	// ClassOwn is a message from the bot's own account, sent by this program or on another device. It belongs to the
	// history of the chat but is never a reason to reply.
	ClassOwn
)

// String returns "ignored", "received" or "own".
func (p EventClass) String() string {
	switch p {
	case ClassReceived:
		return "received"
	case ClassOwn:
		return "own"
	}
	return "ignored"
}

// Classify returns the class of e. A bot stores events of the classes [ClassReceived] and [ClassOwn] in its history and
// decides whether to reply only for [ClassReceived].
//
// A [*Dropped] is [ClassIgnored]: fetch the missing messages and classify them.
func Classify(e Event) EventClass {
	switch e := e.(type) {
	case *GroupMessage:
		return e.classify()
	case *PrivateMessage:
		return classifyMessage(e.Message, e.Own())
	case *GuildMessage:
		return classifyMessage(e.Message, e.Own())
	}
	return ClassIgnored
}

func (e *GroupMessage) classify() EventClass {
	if e.SubType == "notice" { // a system line, such as "…撤回了一条消息"
		return ClassIgnored
	}
	return classifyMessage(e.Message, e.Own())
}

func classifyMessage(m Message, own bool) EventClass {
	switch {
	case m.Text() == "":
		return ClassIgnored
	case own:
		return ClassOwn
	}
	return ClassReceived
}
