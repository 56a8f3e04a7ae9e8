package main

import (
	"strings"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A way is what somebody of the script does.
type way uint8

const (
	says    way = iota
	talksOn     // says it unless the bot has spoken in the group since the first of such lines
	hurries     // says it, and the next one does not wait for the answer

	speaks       // a voice message; the text is its transcript
	showsPicture // the text is its name
	forwards     // a chat: the text has the messages, with / between them
	sharesCard   // a mini program with this title
	sendsFile    // the text is its name
	quotes       // says it as a reply to the last message
	pokes        // the bot
	reacts       // to the last message of the bot; the text is the id of the face
	joins        // the group; the text is the nickname
)

// perform lets somebody do what a line of the script says.
func (w *simulation) perform(l scriptLine) {
	g := w.hearthGroup
	switch l.how {
	case speaks:
		w.send(l, w.Voice("voice.amr", []byte("#!AMR"), l.text))
	case showsPicture:
		w.send(l, w.Image(l.text, []byte("\x89PNG\r\n\x1a\n")))
	case forwards:
		var nodes []onebottest.Node
		for i, text := range strings.Split(l.text, "/") {
			nodes = append(nodes, onebottest.Node{UserID: []int64{che, man}[i%2], Message: onebot.Message{onebot.Text(text)}})
		}
		w.send(l, w.Forward(nodes...))
	case sharesCard:
		w.send(l, onebottest.Card{Kind: onebottest.MiniProgramCard, Title: l.text, Source: "天气"}.Message())
	case sendsFile:
		f := w.File(l.text, []byte("姓名,几个人\n小满,2\n"))
		w.send(l, onebot.Message{onebot.File(f.Name, f.Name).With("file_id", f.ID).With("file_size", len(f.Data))})
	case quotes:
		if past := w.History(g.Chat()); len(past) > 0 {
			w.send(l, append(onebot.Message{onebot.Reply(past[len(past)-1].MessageID)}, w.message(l.text)...))
		}
	case pokes:
		g.Poke(l.who, self)
	case reacts:
		if last, ok := w.lastOwn(g.Chat()); ok {
			g.React(last, l.who, l.text, true)
		}
	case joins:
		g.Join(l.who, l.text)
	default:
		w.say(l.to, l.who, l.text)
	}
}

// lastOwn returns the id of the bot's last message in a chat.
func (w *simulation) lastOwn(chat onebottest.Chat) (id int64, ok bool) {
	for _, m := range w.History(chat) {
		if m.UserID == self {
			id, ok = m.MessageID, true
		}
	}
	return id, ok
}

// send sends a message of any kind.
func (w *simulation) send(l scriptLine, m onebot.Message) {
	if l.to == 0 {
		w.friend.Say(m)
		return
	}
	w.hearthGroup.Say(l.who, m)
}
