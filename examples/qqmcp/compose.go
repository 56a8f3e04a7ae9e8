package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/speech"
)

// A part is one message of a reply.
type part struct {
	text    string // what is typed of it; a picture has none
	message onebot.Message
}

// compose makes the messages of a reply: its text at the ends of sentences, what it quotes and whom it calls in the first one, a
// picture as the last.
func (p *program) compose(ctx context.Context, r *room, in sendIn, text string) (parts []part, err error) {
	var head onebot.Message
	if in.ReplyTo != "" {
		id, err := in.ReplyTo.Int64()
		if err != nil {
			return nil, nit.Tell("reply_to 不是消息编号")
		}
		if !p.account.inChat(ctx, r, id) {
			return nil, nit.Tell("reply_to：这个聊天里没有这条消息")
		}
		head = append(head, onebot.Reply(id))
	}
	for _, a := range in.At {
		id, err := a.Int64()
		if err != nil || id <= 0 {
			return nil, nit.Tell("at 里应当是 QQ 号")
		}
		if !r.chat.private {
			head = append(head, onebot.At(id), onebot.Text(" "))
		}
	}
	if text != "" {
		texts := []string{text}
		if !p.o.whole {
			texts = speech.Split(text, speech.Options{Chance: 1})
		}
		for _, t := range texts {
			parts = append(parts, part{t, mentions(t, !r.chat.private)})
		}
	}
	if in.Image != "" {
		picture, err := p.pictures.read(ctx, in.Image)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{"", onebot.Message{onebot.Image(onebot.FromBytes(picture))}})
	}
	if len(parts) == 0 {
		return nil, nit.Tell("content 里没有可以发的内容")
	}
	parts[0].message = append(head, parts[0].message...)
	if calls(parts) > maxAt {
		return nil, nit.Tell(fmt.Sprintf("一条回复最多 @ %d 次，content 里的也算", maxAt))
	}
	return parts, nil
}

// calls is how many mentions there are.
func calls(parts []part) (n int) {
	for _, p := range parts {
		for _, s := range p.message {
			if s.Type == "at" {
				n++
			}
		}
	}
	return n
}

// number is a mention by number: it begins a word, and is not the beginning of another one, as an address has it.
var number = regexp.MustCompile(`(^|[^\p{L}\p{N}_.])@([1-9][0-9]{4,10})($|[^0-9A-Za-z_.]|\.(?:$|[^0-9A-Za-z]))`)

// mentions makes mentions of the numbers in a text for a group.
func mentions(text string, group bool) (m onebot.Message) {
	for group {
		at := number.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		id, err := strconv.ParseInt(text[at[4]:at[5]], 10, 64)
		if err != nil {
			break
		}
		if before := text[:at[4]-1]; before != "" {
			m = append(m, onebot.Text(before))
		}
		m = append(m, onebot.At(id))
		text = text[at[5]:]
	}
	if text != "" || len(m) == 0 {
		m = append(m, onebot.Text(text))
	}
	return m
}

// inChat tells whether a message was said in a chat: another chat's is not quoted here, nor is one of which that cannot be told.
func (a *account) inChat(ctx context.Context, r *room, id int64) bool {
	if _, ok := r.message(onebot.MessageKey(id)); ok {
		return true
	}
	c, _, ok := a.fetch(ctx, id)
	return ok && c == r.chat
}
