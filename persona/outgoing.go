package persona

import (
	"cmp"
	"strings"
)

// An Outgoing is a message to send, or an act such as a poke. Text is sent as plain text and never parsed as markup.
//
// A link always sends Text, ReplyTo, Mentions and MentionEveryone, and Image if it has LinkFeatures.EncodeImage. The bot calls
// [Outgoing.Degrade] for the rest: see [Sends].
type Outgoing struct {
	Text            string
	ReplyTo         string   // id of the message to quote; "" for none
	Mentions        []string // ids to mention before the text
	MentionEveryone bool     // mention everybody before the text; only for the owner's orders
	Image           string   // a picture after the text in the platform's form; "" for none
	ImageText       string   // what Image shows, for the bot's memory; not sent
	Face            Face     // a face after the text; the zero Face for none
	Voice           Audio    // a voice message in place of Text, which has the spoken words; zero for none
	File            SentFile // a file in place of Text; zero for none
	// Forward is a merged forward in place of Text. Only Name, From and Text of the messages are used; nil for none.
	Forward  []Message
	Reaction Reaction // a reaction to a message, and nothing else; zero for none
	Poke     string   // id of a user to poke, and nothing else; "" for none
}

// A SentFile is a file to send.
type SentFile struct {
	Name string
	Data []byte
}

// A Reaction is a face that somebody adds to a message, or removes from it.
type Reaction struct {
	MessageID string
	Face      Face
}

// Sends says what a link can send beside text, mentions, quotes and pictures.
type Sends struct {
	Face, Voice, File, Forward, Reaction, Poke bool
}

// Degrade replaces what a platform cannot send. A face becomes its name in brackets, a voice message its text, and a forward
// the text of its messages. A file, a reaction and a poke are dropped, since no text can stand for them: [Outgoing.IsEmpty]
// reports whether anything is left.
func (o Outgoing) Degrade(can Sends) Outgoing {
	if name := cmp.Or(o.Face.Name, o.Face.ID); name != "" && !can.Face {
		o.Text, o.Face = o.Text+"["+name+"]", Face{}
	}
	if !can.Voice {
		o.Voice = Audio{}
	}
	if o.Forward != nil && !can.Forward {
		o.Text, o.Forward = cmp.Or(o.Text, strings.TrimSpace(lines(o.Forward))), nil
	}
	if !can.File {
		o.File = SentFile{}
	}
	if !can.Reaction {
		o.Reaction = Reaction{}
	}
	if !can.Poke {
		o.Poke = ""
	}
	return o
}

// IsEmpty reports whether there is nothing to send.
func (o Outgoing) IsEmpty() bool {
	return o.Text == "" && o.Image == "" && o.Face == Face{} && o.Voice.Data == nil && o.File.Data == nil && o.Forward == nil &&
		o.Reaction == Reaction{} && o.Poke == ""
}

// CanQuote reports whether the message can quote another one: it is no voice message, file, forward, reaction or poke.
func (o Outgoing) CanQuote() bool {
	return o.Voice.Data == nil && o.File.Data == nil && o.Forward == nil && o.Reaction == Reaction{} && o.Poke == ""
}

// Content returns what the message looks like in the chat, without quote and mentions of single people.
func (o Outgoing) Content() string {
	var parts []Part
	add := func(is bool, p Part) {
		if is {
			parts = append(parts, p)
		}
	}
	add(o.MentionEveryone, Mention{})
	add(o.MentionEveryone, Text(" "))
	switch {
	case o.Voice.Data != nil:
		add(true, Voice{Transcript: o.Text})
	case o.Forward != nil:
		add(true, Forward{Messages: o.Forward})
	case o.File.Data != nil:
		add(true, File{Name: o.File.Name, Size: int64(len(o.File.Data))})
	default:
		add(true, Text(o.Text))
	}
	add(o.Face != Face{}, o.Face)
	add(o.Image != "", Picture{Description: o.ImageText})
	add(o.Reaction != Reaction{}, Other{Label: "回应了 " + cmp.Or(o.Reaction.Face.Name, o.Reaction.Face.ID)})
	add(o.Poke != "", Other{Label: "戳了戳 " + o.Poke})
	return TextOf(parts)
}

// lines returns messages as text, one a line.
func lines(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(cmp.Or(m.Name, m.From) + ": " + m.Text + "\n")
	}
	return b.String()
}
