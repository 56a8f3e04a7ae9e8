package qqbot

// A Kind is what a refusal means for the caller.
type Kind int

// Kinds of refusals.
const (
	KindOther       Kind = iota
	KindWindow           // the time to reply to the message or event is over, or all replies are used up
	KindCount            // all replies to the message or event are used up
	KindMsgID            // the MsgID or EventID is unknown here
	KindProactive        // the bot may not speak first here
	KindQuota            // too many messages without a MsgID or EventID
	KindDuplicate        // MsgID and Seq were used before
	KindMuted            // the bot is muted in the group
	KindRefused          // the user or group has switched the bot's messages off
	KindAbsent           // the bot is not in the group, or the user is not a friend
	KindTooLong          // the text is too long
	KindURL              // the text contains a URL that the console does not list
	KindContent          // the platform forbids the content
	KindMarkdown         // the bot may not send markdown or keyboards, or they are invalid
	KindMedia            // the file cannot be fetched, converted or stored
	KindInvalid          // a parameter is invalid
	KindTooOld           // the message is too old to be recalled
	KindForbidden        // the bot lacks a right
	KindRateLimited      // too many calls
	KindToken            // the access token was refused
	KindCredentials      // the app id or the secret is wrong, or the bot is banned
	KindTemporary        // the platform has a problem
)

// kinds are the platform's codes.
var kinds = map[int]Kind{
	40034128: KindWindow, 40034005: KindWindow, 304103: KindWindow, 40034026: KindWindow,
	22009:    KindCount,
	40034024: KindMsgID, 40034025: KindMsgID, 40034027: KindMsgID,
	40034102: KindProactive, 40034105: KindProactive,
	40034100: KindQuota, 40034122: KindQuota, 40034123: KindQuota,
	40054005: KindDuplicate,
	40054002: KindMuted, 850018: KindMuted,
	40054013: KindRefused,
	40054003: KindAbsent, 40054004: KindAbsent, 40034101: KindAbsent,
	40054007: KindTooLong, 40054018: KindTooLong,
	304003: KindURL, 40054010: KindURL,
	40034006: KindContent, 304061: KindContent,
	304036: KindMarkdown, 304037: KindMarkdown, 304057: KindMarkdown, 305007: KindMarkdown, 40034008: KindMarkdown,
	40034009: KindMarkdown, 40034010: KindMarkdown, 40034011: KindMarkdown, 40034029: KindMarkdown, 40034090: KindMarkdown,
	40034124: KindMarkdown, 40034127: KindMarkdown,
	304080: KindMedia, 304082: KindMedia, 304083: KindMedia, 850019: KindMedia, 850026: KindMedia, 850027: KindMedia,
	850031: KindMedia, 40093002: KindMedia,
	22006: KindInvalid, 50006: KindInvalid, 50059: KindInvalid, 304004: KindInvalid, 306009: KindInvalid,
	40061001: KindInvalid, 40061002: KindInvalid,
	40064004: KindTooOld, 306011: KindTooOld,
	40062003: KindForbidden, 11253: KindForbidden,
	100017: KindRateLimited, 40023001: KindRateLimited, 100001: KindRateLimited,
	11241: KindToken, 11242: KindToken, 11243: KindToken, 11244: KindToken,
	100016: KindCredentials, 100007: KindCredentials, 10004: KindCredentials, 11265: KindCredentials,
	40034004: KindTemporary, 40054016: KindTemporary, 50055001: KindTemporary, 50055002: KindTemporary,
	50065001: KindTemporary, 40093001: KindTemporary,
}

// advices has a name and an advice for each kind.
var advices = [...]struct{ name, advice string }{
	KindOther:       {"other", ""},
	KindWindow:      {"window over", "wait for the next message, or send without MsgID and EventID where the bot may speak first"},
	KindCount:       {"replies used up", "wait for the next message, or send without MsgID and EventID where the bot may speak first"},
	KindMsgID:       {"unknown message", "use a MsgID or EventID of this chat"},
	KindProactive:   {"may not speak first", "reply to a message instead; the group's owner can permit it in QQ"},
	KindQuota:       {"quota of proactive messages", "reply to a message instead, or wait"},
	KindDuplicate:   {"duplicate", "use the next Seq for another message; the first one was probably delivered"},
	KindMuted:       {"muted", "wait until the group's admins lift it"},
	KindRefused:     {"refused by the user", "send nothing until the matching event allows it again"},
	KindAbsent:      {"not a member", "the bot must join the group, or the user must add it"},
	KindTooLong:     {"too long", "split the text"},
	KindURL:         {"URL not allowed", "list the domain in the console, or remove the URL"},
	KindContent:     {"content not allowed", "change the content"},
	KindMarkdown:    {"markdown not allowed", "send plain text"},
	KindMedia:       {"bad media", "check format and size, and upload again"},
	KindInvalid:     {"invalid parameter", "correct the call"},
	KindTooOld:      {"too old", "messages can be recalled for two minutes"},
	KindForbidden:   {"no permission", "apply for it in the console, or make the bot an admin"},
	KindRateLimited: {"rate limited", "call less often"},
	KindToken:       {"token refused", "check that no other program uses this secret, then retry"},
	KindCredentials: {"bad credentials", "check the app id and secret in the console"},
	KindTemporary:   {"temporary", "retry later; a reply with the same MsgID and Seq"},
}

// String returns a short name.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(advices) {
		k = KindOther
	}
	return advices[k].name
}

// Advice says what the caller can do. It is "" for KindOther.
func (k Kind) Advice() string {
	if k < 0 || int(k) >= len(advices) {
		k = KindOther
	}
	return advices[k].advice
}
