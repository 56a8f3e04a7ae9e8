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
	maxContent  = 2000 // characters of a reply
	maxAt       = 10
	sendTimeout = 5 * time.Minute // of a whole reply with its typing
)

// replyPace is the pace of the parts after the first one with --split. The first part is sent immediately, because the model
// took its time.
var replyPace = speech.Pace{Han: 80 * time.Millisecond, Other: 80 * time.Millisecond, Max: 3 * time.Second, Jitter: .3}

type sendIn struct {
	chatTarget
	Content string   `json:"content" jsonschema:"消息内容，纯文本，原样发出，只去掉首尾空白和看不见的控制字符；群里前后不连着字母数字的 @QQ号（如 @10001）会变成真正的 @。只发图片时可以是空的"`
	ReplyTo nit.ID   `json:"reply_to,omitempty" jsonschema:"要引用回复的 message_id"`
	At      []nit.ID `json:"at,omitempty" jsonschema:"要 @ 的 QQ 号，放在消息最前面；私聊里不起作用"`
	Image   string   `json:"image,omitempty" jsonschema:"在消息末尾附上一张图片：公网图片的网址，或者图片目录（启动参数 --images）里的相对路径"`
}

// sendOut is the result of a reply: the fields of the specification in order, then the details of a failure.
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
	how := "在群聊或私聊里发一条消息。"
	if p.o.split {
		how = "在群聊或私聊里发消息。长的会按句子分成几条，像打字一样一条条发，两条之间隔 1 到 3 秒，全部发完才返回。"
	}
	return nit.Define("send_message", nit.L1, how+"发得太快会马上返回 retry_after，不会排队；60 秒内重复的话不发；只写 [skip] 表示沉默，也不发。"+
		"结果是 unclear 时可能已经发出，不要重发。",
		p.send, nit.SelfCommitting(), nit.Timeout(sendTimeout), targetType(func(s *jsonschema.Schema) {
			s.Properties["at"].MaxItems = new(maxAt)
		}))
}

func (p *program) send(ctx context.Context, in sendIn) (sendOut, error) {
	r, err := p.findChat(in.chatTarget)
	if err != nil {
		return sendOut{}, err
	}
	text := strings.TrimSpace(visible(in.Content))
	switch {
	case text == "" && in.Image == "":
		return sendOut{}, nit.ModelError("content 是空的，没有可以发的内容")
	case utf8.RuneCountInString(text) > maxContent:
		return sendOut{}, nit.ModelError(fmt.Sprintf("content 有 %d 个字，最多 %d 个；写短一些", utf8.RuneCountInString(text), maxContent))
	case isSilence(text):
		return sendOut{}, nit.ModelError("这是沉默的意思，什么都没有发。不想说话就不要调用 send_message")
	}
	out := sendOut{Target: r.chat.target()}
	if why := p.account.sendProblem(); why != "" {
		return p.rejected(out, "offline", "没有发："+why, 0), nil
	}
	select {
	case r.sending <- struct{}{}:
		defer func() { <-r.sending }()
	default:
		return p.rejected(out, "rate_limited", "这个聊天里上一条还没有发完", time.Second), nil
	}
	if wait := r.repeats.remaining(time.Now(), text+"\x00"+in.Image); wait > 0 {
		return p.rejected(out, "duplicate", "60 秒内在这里说过同样的话，没有再发", wait), nil
	}
	parts, err := p.compose(ctx, r, in, text)
	if err != nil {
		return sendOut{}, err
	}
	if wait, ok := p.takeTurn(time.Now(), r); !ok {
		return p.rejected(out, "rate_limited", "发得太快，没有发；过 retry_after 秒再试", wait), nil
	}
	r.repeats.add(time.Now(), text+"\x00"+in.Image)
	return p.sendParts(ctx, r, out, parts, text+"\x00"+in.Image), nil
}

// takeTurn takes the permission to send in a chat. Parts of one reply count as one, and the pause begins after the last one.
func (p *program) takeTurn(now time.Time, r *chatState) (wait time.Duration, ok bool) {
	if wait = r.lastSent.Add(p.o.pace).Sub(now); wait > 0 && wait <= p.o.pace {
		return wait, false
	}
	return p.limiter.Try(now, r.chat.String())
}

// sendParts sends the parts of a reply. Between two parts it waits for the typing and for the rate limit of the account.
func (p *program) sendParts(ctx context.Context, r *chatState, out sendOut, parts []part, what string) sendOut {
	var last time.Time
	var ids []string
	for i, part := range parts {
		if i > 0 && (!p.waitTyping(ctx, replyPace.Wait(part.text, time.Time{}, last, time.Now())) || p.limiter.WaitPart(ctx, r.chat.String()) != nil) {
			return p.incomplete(out, ids, len(parts), "interrupted", "程序在结束，后面的没有发")
		}
		id, err := p.account.send(ctx, r, part.message)
		last = time.Now()
		r.lastSent = last
		if err == nil {
			ids = append(ids, strconv.FormatInt(id, 10))
			continue
		}
		code, why := errorCode(err)
		p.log.Warn("a message was not sent", "chat", r.chat, "reason", code, "err", err)
		if i == 0 && code != "unclear" {
			r.repeats.forget(what)
		}
		return p.incomplete(out, ids, len(parts), code, why)
	}
	out.Success, out.MessageID, out.Timestamp = true, ids[0], formatTime(last, p.zone)
	if len(ids) > 1 {
		out.Parts = ids
	}
	return out
}

// waitTyping waits for the typing time. It returns false if it is interrupted.
func (p *program) waitTyping(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.closing:
	case <-ctx.Done():
	}
	return false
}

// rejected returns the result of a reply that was not sent.
func (p *program) rejected(out sendOut, code, why string, retry time.Duration) sendOut {
	out.Error, out.Message, out.Timestamp = code, why, formatTime(time.Now(), p.zone)
	out.RetryAfter = math.Ceil(retry.Seconds()*10) / 10
	return out
}

// incomplete returns the result of a partly sent reply.
func (p *program) incomplete(out sendOut, ids []string, parts int, code, why string) sendOut {
	if len(ids) > 0 {
		out.MessageID, out.Parts = ids[0], ids
		why = fmt.Sprintf("%d 条里前 %d 条已经发出，不要重发。%s", parts, len(ids), why)
	}
	return p.rejected(out, code, why, 0)
}

// errorCode classifies the error of a send.
func errorCode(err error) (code, why string) {
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

// isSilence reports whether a text is a model's way to say nothing.
func isSilence(text string) bool {
	switch normalizeText(strings.Trim(text, "[]【】()（） 。.")) {
	case "skip", "沉默", "silence", "潜水":
		return strings.ContainsAny(text, "[]【】()（）") || normalizeText(text) == "skip"
	}
	return false
}

// send sends one message and stores it.
func (a *account) send(ctx context.Context, r *chatState, m onebot.Message) (id int64, err error) {
	text := a.render(ctx, r, m, new(int)) // before sending, because a quote may need a request and an answer may arrive meanwhile
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
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
	r.add(own) // a later echo is then a duplicate
	a.summarizeDue(r)
	return id, nil
}
