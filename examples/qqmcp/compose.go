package main

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/examples/qqmcp/internal/mention"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/speech"
)

// A part is one message of a reply.
type part struct {
	text    string // the typed text
	message onebot.Message
}

// compose returns the messages of a reply: one, or with --split one for each sentence. The quote and mentions are at the
// beginning of the first one, and a picture is at the end of the last one.
func (p *program) compose(ctx context.Context, r *chatState, in sendIn, text string) (parts []part, err error) {
	var head onebot.Message
	if in.ReplyTo != "" {
		id, err := in.ReplyTo.Int64()
		if err != nil {
			return nil, nit.ModelError("reply_to 不是消息编号")
		}
		if !p.account.inChat(ctx, r, id) {
			return nil, nit.ModelError("reply_to：这个聊天里没有这条消息")
		}
		head = append(head, onebot.Reply(id))
	}
	for _, a := range in.At {
		id, err := a.Int64()
		if err != nil || id <= 0 {
			return nil, nit.ModelError("at 里应当是 QQ 号")
		}
		if !r.chat.private {
			head = append(head, onebot.At(id), onebot.Text(" "))
		}
	}
	if text != "" {
		texts := []string{text}
		if p.o.split {
			texts = speech.Split(text, speech.SplitOptions{SplitChance: 1, DropPeriod: -1})
		}
		for _, t := range texts {
			m := onebot.Message{onebot.Text(t)}
			if !r.chat.private {
				m = mention.Split(t)
			}
			parts = append(parts, part{t, m})
		}
	}
	if in.Image != "" {
		picture, err := p.pictures.read(ctx, in.Image)
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			parts = []part{{}}
		}
		last := &parts[len(parts)-1]
		last.message = append(last.message, onebot.Image(onebot.FileFromBytes(picture)))
	}
	if len(parts) == 0 {
		return nil, nit.ModelError("content 里没有可以发的内容")
	}
	parts[0].message = append(head, parts[0].message...)
	if countMentions(parts) > maxAt {
		return nil, nit.ModelError(fmt.Sprintf("一条回复最多 @ %d 次，content 里的也算", maxAt))
	}
	return parts, nil
}

// countMentions returns the number of mentions.
func countMentions(parts []part) (n int) {
	for _, p := range parts {
		for _, s := range p.message {
			if s.Type == "at" {
				n++
			}
		}
	}
	return n
}

// inChat reports whether a message belongs to a chat. A message of another or an unknown chat is not quoted.
func (a *account) inChat(ctx context.Context, r *chatState, id int64) bool {
	if _, ok := r.message(onebot.MessageKey(id)); ok {
		return true
	}
	c, _, ok := a.fetchMessage(ctx, id)
	return ok && c == r.chat
}
