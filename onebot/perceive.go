package onebot

// Perception is what becomes of an event when a bot follows a talk as a person would.
type Perception uint8

const (
	// Ignored is no part of the talk: recalls, joins and all other notices, requests, meta events, unknown kinds,
	// system lines that come as messages, and messages in which nothing can be read. They have their own uses.
	Ignored Perception = iota
	// Heard was said by somebody else: text, descriptions of pictures, mentions and quotes ([Message.Text]).
	Heard
	// HeardOwn was said by the account itself, by this program or at another device: it belongs to the talk, marked
	// as its own, and is never new and never a reason to answer.
	HeardOwn
)

// String is "ignored", "heard" or "heard own".
func (p Perception) String() string {
	switch p {
	case Heard:
		return "heard"
	case HeardOwn:
		return "heard own"
	}
	return "ignored"
}

// Perceived tells what becomes of e. Whoever keeps a history of a talk keeps what was [Heard] and [HeardOwn], and
// judges only what was [Heard].
//
// A [*Dropped] is Ignored: what it stands for is to be fetched, and perceived then.
func Perceived(e Event) Perception {
	switch e := e.(type) {
	case *GroupMessage:
		return e.perceived()
	case *PrivateMessage:
		return perceived(e.Message, e.Own())
	case *GuildMessage:
		return perceived(e.Message, e.Own())
	}
	return Ignored
}

func (e *GroupMessage) perceived() Perception {
	if e.SubType == "notice" { // a line of the system, such as "…撤回了一条消息"
		return Ignored
	}
	return perceived(e.Message, e.Own())
}

func perceived(m Message, own bool) Perception {
	switch {
	case m.Text() == "":
		return Ignored
	case own:
		return HeardOwn
	}
	return Heard
}
