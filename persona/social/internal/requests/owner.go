package requests

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	decideKind     = "decide"
	maxAnswerBytes = 400 // longer messages are no answers
)

// An order is an answer of the owner to a request, by a message in the owner's private chat.
type order struct {
	chat    *engine.Chat
	m       persona.Message
	code    string
	approve bool
	reason  string
}

// howToAnswer tells the owner how to answer a request.
func howToAnswer(code string) string {
	return "\n引用这条回复「同意」或「拒绝」，或者发「同意 " + code + "」「拒绝 " + code + "」；后面可以写理由。一周内有效。"
}

// handleMessage reports whether a message of the owner answers a request, and queues the answer. Only the quoted message
// or the code says which request is meant. Without one of them the message is an ordinary one.
func (h *Handler) handleMessage(c *engine.Chat, m persona.Message) bool {
	if m.Own || m.Bot || !h.engine.Router.IsOwnersChat(m.Chat) || m.From != m.Chat.ID || len(m.Text) > maxAnswerBytes {
		return false
	}
	approve, rest, ok := parseAnswer(m.Text)
	if !ok {
		return false
	}
	o := order{chat: c, m: m, approve: approve, reason: rest}
	if code, reason := cutCode(rest); code != "" {
		o.code, o.reason = code, reason
	} else if o.code = h.decisions.quoted(m); o.code == "" {
		return false
	}
	h.orders.Add(o)
	return true
}

// answerWords begin an answer of the owner.
var answerWords = []struct {
	word    string
	approve bool
}{{"同意", true}, {"通过", true}, {"接受", true}, {"approve", true}, {"accept", true}, {"拒绝", false}, {"不同意", false}, {"不通过", false}, {"reject", false}, {"decline", false}}

// parseAnswer splits an answer into the decision and the rest. The word stands alone or before a space or punctuation.
func parseAnswer(text string) (approve bool, rest string, ok bool) {
	text = strings.TrimSpace(text)
	for _, w := range answerWords {
		if len(text) < len(w.word) || !strings.EqualFold(text[:len(w.word)], w.word) {
			continue
		}
		rest := text[len(w.word):]
		trimmed := strings.TrimLeftFunc(rest, isSeparator)
		if rest == "" || len(trimmed) < len(rest) {
			return w.approve, strings.TrimSpace(trimmed), true
		}
	}
	return false, "", false
}

func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("，,。.：:；;、！!", r)
}

// cutCode returns the code at the beginning of a text, or "", and the text after it.
func cutCode(text string) (code, rest string) {
	end := strings.IndexFunc(text, isSeparator)
	if end < 0 {
		end = len(text)
	}
	if code = strings.ToUpper(text[:end]); !isCode(code) {
		return "", text
	}
	return code, strings.TrimSpace(strings.TrimLeftFunc(text[end:], isSeparator))
}

// runOrders executes the answers of the owner, one at a time.
func (h *Handler) runOrders(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.orders.Wake:
		}
		for _, o := range h.orders.Take() {
			if ctx.Err() == nil {
				h.execute(ctx, o)
			}
		}
	}
}

// execute answers a request for the owner and confirms it in the chat. It calls no model. If a crash interrupts it, the
// fresh message is executed again: the decision is marked before the answer, and an answer is committed before it is sent.
func (h *Handler) execute(ctx context.Context, o order) {
	j := &engine.Job{Chat: o.chat, Caller: o.m, OwnerOrder: true}
	j.Job = jobs.Job{
		ID: decideKind + "/" + o.chat.ID.String() + "/" + o.m.Key, Kind: decideKind, Chat: o.chat.ID, At: o.m.At, ExpiresAt: o.m.At.Add(h.engine.Options.MaxAge),
	}
	j.Ask = func(ctx context.Context, _ *engine.Turn) (engine.Answer, error) {
		h.engine.Attention.ResetConsecutive(time.Now(), o.chat.ID)
		text, err := h.decide(ctx, o)
		return engine.Answer{Outgoing: persona.Outgoing{Text: text}}, err
	}
	j.Deliver = func(ctx context.Context, t *engine.Turn, w *engine.Answer, err error) (string, error) {
		if err != nil {
			return "error: " + err.Error(), err
		}
		u := &engine.Utterance{Turn: t, Chat: o.chat.ID, FullText: w.Text}
		if _, err = u.Send(ctx, w.Outgoing); err != nil && ctx.Err() != nil && !t.IsDurable() {
			return "", err
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, engine.ErrUnclear) {
			h.engine.NotifyOwner(ctx, engine.Notice{Text: w.Text, Chat: o.chat.ID}) // for example while the bot sleeps
		}
		return "done", nil
	}
	if _, err := h.engine.Do(ctx, j); err != nil && !errors.Is(err, jobs.ErrDone) && !errors.Is(err, jobs.ErrClaimed) && ctx.Err() == nil {
		h.engine.Log.Error("could not execute the owner's answer to a request", "err", err)
	}
}

// decide answers a request as the owner ordered, and returns the confirmation. An error means that ctx has ended.
func (h *Handler) decide(ctx context.Context, o order) (string, error) {
	one, again, known, ok, err := h.decisions.take(ctx, time.Now(), o.code, o.m.Key)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", err
	case err != nil:
		h.engine.Log.Error("could not store the owner's answer to a request", "err", err)
		return "没能记下来，所以没有处理。请再说一遍。", nil
	case !known:
		return "没有等着决定的这个申请：码不对，或者已经过期了。", nil
	case !ok:
		return "这个申请已经答过了，没有再答。", nil
	}
	err = h.Answer(ctx, one.Request, o.approve, o.reason)
	if again && errors.Is(err, ErrAnswered) {
		err = h.earlierResult(one.Request, o.approve)
	}
	what := map[string]string{persona.FriendRequest: "的好友申请", persona.GroupInvite: "的入群邀请"}[one.Request.Kind]
	who := engine.QuoteLine(one.Request.Name) + "（" + engine.QuoteLine(one.Request.From.ID) + "）"
	switch {
	case err == nil:
		return "好，已" + verb(o.approve) + who + what + "。", nil
	case errors.Is(err, ErrAnswered):
		return "这个申请已经答过了，没有再答。", nil
	case errors.Is(err, engine.ErrUnclear):
		return verb(o.approve) + who + what + "，不知道成了没有，没有再答。", nil
	case ctx.Err() != nil:
		return "", err
	}
	h.engine.Log.Error("could not answer a request for the owner", "kind", one.Request.Kind, "err", err)
	if err := h.decisions.reopen(ctx, o.code); err != nil {
		return "", err
	}
	return "没有办成：申请可能过期了，或者已经在别处处理过。", nil
}

// earlierResult returns the result of an answer that an earlier run of the program sent.
func (h *Handler) earlierResult(r persona.Request, approve bool) error {
	for n := 0; ; n++ {
		job, ok := h.engine.Jobs.Lookup(answerID(r, n))
		if !ok {
			return ErrAnswered
		}
		if len(job.Outbox) == 0 || job.Outbox[0].Status == jobs.Failed {
			continue
		}
		if job.Outbox[0].Status == jobs.Sent && job.Outbox[0].Text == word(approve) {
			return nil
		}
		return engine.ErrUnclear
	}
}

// word returns the text of an answer in the outbox.
func word(approve bool) string {
	if approve {
		return prompt.Approve.String()
	}
	return prompt.Reject.String()
}
