package social

import "time"

// Excuses says why the bot does not answer a person who addressed it by anything but a keyword.
//
// If a cap of When.Attention is reached, a text of Capped or CappedPerson is sent once in a window of a chat. If the model
// fails, or writes an empty reply, the turn is tried once more: after 20 s or the Retry-After, while its messages are younger
// than When.MaxAge. New messages join it. While a server on this machine or in a private network loads its model, the turn is tried
// every 5 s until then. A prompt that is too long is cut to half and sent again at once. A failure that would come again, such as a wrong key, is not tried again. After
// that a text of Failed is sent, at most once in Every for a chat. The owner is told what to do about the model, once in
// six hours for each cause, and the command for the state (状态) says what is wrong until the model answers again.
//
// All texts pass the limits of replies. In a group they quote the message. When a chat was told is stored before the text is
// sent, so a kill does not repeat it. For each list nil means Chinese texts, of which one is drawn. An empty list says nothing.
type Excuses struct {
	Capped       []string      // the chat has got enough replies
	CappedPerson []string      // one person in a group has got enough replies
	Failed       []string      // the model failed
	Every        time.Duration // 0 means 10 minutes
}
