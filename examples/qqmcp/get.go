package main

import (
	"context"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

type getIn struct {
	MessageID nit.ID `json:"message_id" jsonschema:"消息编号，例如别的消息 reply_to 里的"`
}

type messageOut struct {
	Target     string `json:"target"`
	TargetType string `json:"target_type"`
	messageOutput
	Images []pictureOut `json:"images" jsonschema:"pictures in the message; their URLs work for a while"`
}

const (
	maxPictures = 50   // of a message
	maxAddress  = 4096 // bytes of a URL
)

type pictureOut struct {
	URL     string `json:"url"`
	Summary string `json:"summary,omitempty"`
}

func (p *program) getTool() (nit.Tool, error) {
	return nit.Define("get_message", nit.L1, "按 message_id 读一条消息：被引用的、已经不在最近消息里的，也能拿到图片的网址。",
		p.get, nit.ReadOnly())
}

var errNoMessage = nit.ModelError("没有这条消息，或者它不在允许的聊天里")

func (p *program) get(ctx context.Context, in getIn) (messageOut, error) {
	id, err := in.MessageID.Int64()
	if err != nil {
		return messageOut{}, nit.ModelError("message_id 应当是一串数字")
	}
	ask, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	e, err := p.account.bot.GetMsg(ask, id)
	if err != nil { // QQ no longer knows the message or is unavailable
		for _, r := range p.chats.list() {
			if m, ok := r.message(onebot.MessageKey(id)); ok {
				return messageOut{r.chat.target(), r.chat.kind(), m.output(p.zone), []pictureOut{}}, nil
			}
		}
		if why := p.account.problem(); why != "" {
			return messageOut{}, nit.ModelError("现在查不了这条消息：" + why)
		}
		return messageOut{}, errNoMessage
	}
	c, _, _ := chatOf(e)
	if c.id == 0 { // an own private message may lack its recipient; search all chats
		for _, r := range p.chats.list() {
			if _, ok := r.message(onebot.MessageKey(id)); ok {
				c = r.chat
			}
		}
	}
	if !p.o.allowed(c) || p.account.isOtherAccount(e.EventSelfID()) {
		return messageOut{}, errNoMessage
	}
	m := p.account.newMessage(ctx, p.chats.open(c), e, new(3))
	out := messageOut{c.target(), c.kind(), m.output(p.zone), []pictureOut{}}
	_, parts, _ := messageParts(e)
	for _, s := range parts {
		if len(out.Images) == maxPictures {
			break
		}
		media, ok := s.Media()
		if url := visible(media.URL); ok && len(url) <= maxAddress && s.Type == "image" && (strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")) {
			out.Images = append(out.Images, pictureOut{url, line(visible(media.Summary), maxName)})
		}
	}
	return out, nil
}
