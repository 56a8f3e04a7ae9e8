package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/speech"
)

const (
	maxContent = 2000 // characters of a reply
	maxAt      = 10
	sendTime   = 5 * time.Minute // of a whole reply, with its typing
)

// typing is the pace of what follows the first part of a reply; that one is not waited for, since the model has thought.
var typing = speech.Pace{Han: 80 * time.Millisecond, Other: 80 * time.Millisecond, Min: 300 * time.Millisecond, Jitter: .3}

type sendIn struct {
	aim
	Content string   `json:"content" jsonschema:"消息内容，纯文本；群里写 @QQ号 就会 @ 那个人。只发图片时可以是空的"`
	ReplyTo nit.ID   `json:"reply_to,omitempty" jsonschema:"要引用回复的 message_id"`
	At      []nit.ID `json:"at,omitempty" jsonschema:"要 @ 的 QQ 号，只在群里有用"`
	Image   string   `json:"image,omitempty" jsonschema:"附上一张图片：公网图片的网址，或者图片目录（启动参数 --images）里的相对路径"`
}

// sendOut is what became of a reply: the seed's fields in the seed's order, then what is said of a failure.
type sendOut struct {
	Success   bool   `json:"success"`
	MessageID string `json:"message_id" jsonschema:"of the first part; empty when nothing was sent"`
	Target    string `json:"target"`
	Timestamp string `json:"timestamp"`

	Parts      []string `json:"parts,omitempty" jsonschema:"message_ids, where the reply was sent in several parts"`
	Error      string   `json:"error,omitempty" jsonschema:"rate_limited, duplicate, offline, refused, unclear or interrupted"`
	Message    string   `json:"message,omitempty" jsonschema:"what to do about it"`
	RetryAfter float64  `json:"retry_after,omitempty" jsonschema:"seconds"`
}

func (p *program) sendTool() (nit.Tool, error) {
	return nit.Define("send_message", nit.L1,
		"在群聊或私聊里发一条消息。长的会按句子分成几条，像打字一样一条条发。发得太快会马上返回 retry_after，不会排队；60 秒内重复的话不发。"+
			"结果是 unclear 时可能已经发出，不要重发。",
		p.send, nit.SelfCommitting(), nit.Timeout(sendTime), targetType(func(s *jsonschema.Schema) {
			s.Properties["at"].MaxItems = new(maxAt)
		}))
}

func (p *program) send(ctx context.Context, in sendIn) (sendOut, error) {
	r, err := p.find(in.aim)
	if err != nil {
		return sendOut{}, err
	}
	text := strings.TrimSpace(visible(in.Content))
	switch {
	case text == "" && in.Image == "":
		return sendOut{}, nit.ModelError("content 是空的，没有可以发的内容")
	case utf8.RuneCountInString(text) > maxContent:
		return sendOut{}, nit.ModelError(fmt.Sprintf("content 有 %d 个字，最多 %d 个；写短一些", utf8.RuneCountInString(text), maxContent))
	case silent(text):
		return sendOut{}, nit.ModelError("这是沉默的意思，什么都没有发。不想说话就不要调用 send_message")
	}
	out := sendOut{Target: r.chat.target()}
	if why := p.account.away(); why != "" {
		return p.refuse(out, "offline", "没有发："+why, 0), nil
	}
	select {
	case r.speaking <- struct{}{}:
		defer func() { <-r.speaking }()
	default:
		return p.refuse(out, "rate_limited", "这个聊天里上一条还没有发完", time.Second), nil
	}
	if wait := r.repeats.left(time.Now(), text+"\x00"+in.Image); wait > 0 {
		return p.refuse(out, "duplicate", "60 秒内在这里说过同样的话，没有再发", wait), nil
	}
	parts, err := p.compose(ctx, r, in, text)
	if err != nil {
		return sendOut{}, err
	}
	if wait, ok := p.turn(time.Now(), r); !ok {
		return p.refuse(out, "rate_limited", "发得太快，没有发；过 retry_after 秒再试", wait), nil
	}
	r.repeats.add(time.Now(), text+"\x00"+in.Image)
	return p.say(ctx, r, out, parts, text+"\x00"+in.Image), nil
}

// turn takes the turn to speak in a chat, if it is there: parts of one reply count as one, and the pause begins with the last of them.
func (p *program) turn(now time.Time, r *room) (wait time.Duration, ok bool) {
	if wait = r.spoke.Add(p.o.pace).Sub(now); wait > 0 && wait <= p.o.pace {
		return wait, false
	}
	return p.limiter.Try(now, r.chat.String())
}

// say sends the parts of a reply.
func (p *program) say(ctx context.Context, r *room, out sendOut, parts []part, what string) sendOut {
	var last time.Time
	var ids []string
	for i, part := range parts {
		if i > 0 && !p.typed(ctx, typing.Wait(part.text, time.Time{}, last, time.Now())) {
			return p.partly(out, ids, len(parts), "interrupted", "程序在结束，后面的没有发")
		}
		id, err := p.account.say(ctx, r, part.message)
		last = time.Now()
		r.spoke = last
		if err == nil {
			ids = append(ids, strconv.FormatInt(id, 10))
			continue
		}
		code, why := reason(err)
		p.log.Warn("a message was not sent", "chat", r.chat, "reason", code, "err", err)
		if i == 0 && code != "unclear" {
			r.repeats.forget(what)
		}
		return p.partly(out, ids, len(parts), code, why)
	}
	out.Success, out.MessageID, out.Timestamp = true, ids[0], stamp(last, p.zone)
	if len(ids) > 1 {
		out.Parts = ids
	}
	return out
}

// typed waits as long as typing takes. It is false when it is broken off.
func (p *program) typed(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.leaving:
	case <-ctx.Done():
	}
	return false
}

// refuse says why nothing was sent.
func (p *program) refuse(out sendOut, code, why string, retry time.Duration) sendOut {
	out.Error, out.Message, out.Timestamp = code, why, stamp(time.Now(), p.zone)
	out.RetryAfter = math.Ceil(retry.Seconds()*10) / 10
	return out
}

// partly says how far it came.
func (p *program) partly(out sendOut, ids []string, parts int, code, why string) sendOut {
	if len(ids) > 0 {
		out.MessageID, out.Parts = ids[0], ids
		why = fmt.Sprintf("%d 条里前 %d 条已经发出，不要重发。%s", parts, len(ids), why)
	}
	return p.refuse(out, code, why, 0)
}

// reason sorts what a send failed with.
func reason(err error) (code, why string) {
	var api *onebot.APIError
	switch {
	case errors.Is(err, onebot.ErrUnclear):
		return "unclear", "可能已经发出，没有得到确认。不要重发，先用 get_recent_context 看它在不在"
	case errors.As(err, &api):
		if w := line(visible(api.Wording), 200); w != "" {
			return "refused", "QQ 没有接受：" + w
		}
		return "refused", fmt.Sprintf("QQ 没有接受（retcode %d）", api.Code)
	}
	return "offline", "没有发出：QQ 现在连不上，稍后再试"
}

// silent tells whether a text is how models say that they have nothing to say.
func silent(text string) bool {
	switch fold(strings.Trim(text, "[]【】()（） 。.")) {
	case "skip", "沉默", "silence", "潜水":
		return strings.ContainsAny(text, "[]【】()（）") || fold(text) == "skip"
	}
	return false
}

// say sends one message, now, and keeps it as said.
func (a *account) say(ctx context.Context, r *room, m onebot.Message) (id int64, err error) {
	text := a.render(ctx, r, m, new(int)) // before it is sent: what it quotes may have to be asked for, and somebody may answer it meanwhile
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if r.chat.private {
		id, err = a.bot.SendPrivateMsg(ctx, r.chat.id, m)
	} else {
		id, err = a.bot.SendGroupMsg(ctx, r.chat.id, m)
	}
	if err != nil {
		return 0, err
	}
	self, name := a.self()
	own := message{id: id, sender: self, name: name, self: true, at: time.Now().Unix(), text: text}
	for _, s := range m {
		if q, ok := s.QuotedID(); ok {
			own.quotes = q
		}
	}
	r.hear(own) // its echo, sooner or later, is known then
	a.compress(r)
	return id, nil
}
