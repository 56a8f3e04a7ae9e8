package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// hear is what a link calls, in order for each chat.
func (b *Engine) hear(ctx context.Context, e persona.Event) {
	b.link.first.Do(func() {
		if _, out := e.(persona.Disconnected); !out { // chats do not wait for one another: it may come before the connection
			b.Attention.UnmuteAll(time.Now())
		}
	})
	defer b.link.meet() // what waits for the link finds open what the event opens
	for _, p := range b.parts {
		if p.Event != nil {
			p.Event(ctx, e)
		}
	}
	switch e := e.(type) {
	case persona.Message:
		b.Identify(&e)
		if err := b.perceive(ctx, e); err != nil {
			b.Log.Error("a message was not kept, and so is not handled", "chat", e.Chat, "id", e.ID, "err", err)
		}
	case persona.Retracted:
		if err := b.unhear(ctx, e); err != nil {
			b.Log.Error("a recalled message could not be taken out", "chat", e.Chat, "id", e.MessageID, "err", err)
		}
	case persona.MessagesLost:
		b.Counters.lost.Add(int64(e.Count))
		if r := b.Met(e.Chat); r != nil {
			r.openGap()
		}
		b.gaps.add(e.Chat)
	case persona.Connected:
		b.selfID.Store(&e.Self.ID)
		b.Attention.UnmuteAll(time.Now())
		b.openGaps()
	case persona.Disconnected:
		b.Attention.MuteAll(time.Now(), time.Time{})
		b.NotifyOwner(ctx, "账号掉线了，暂时不能说话。"+e.Reason)
	}
}

// perceive journals a message, and lets it call or wait in the buffer.
func (b *Engine) perceive(ctx context.Context, m persona.Message) error {
	b.Counters.received.Add(1)
	r, err := b.Chat(ctx, m.Chat)
	if err != nil {
		b.Counters.failed.Add(1)
		return err
	}
	if r.Off {
		b.Counters.off.Add(1)
		return nil
	}
	if err := r.Hearing.Lock(ctx); err != nil {
		b.Counters.failed.Add(1)
		return err
	}
	defer r.Hearing.Unlock()

	if b.Tombstones.Cover(m.Chat, m.From, m.At) {
		b.Counters.forgot.Add(1)
		return nil
	}
	m.Name, m.ChatName = clip.Bytes(m.Name, NameBytes), clip.Bytes(m.ChatName, NameBytes)
	r.entitle(m.ChatName)
	if !b.isNew(r, m) {
		b.Counters.seen.Add(1)
		return nil
	}
	b.quote(ctx, r, &m)
	banned := r.censor(&m)
	if err := b.keep(ctx, r, m, banned); err != nil {
		b.Counters.failed.Add(1)
		return err
	}
	if banned {
		b.Counters.banned.Add(1)
		return nil
	}
	if m.Own {
		b.Counters.own.Add(1)
		if time.Since(m.At) <= b.Options.MaxAge {
			b.Attention.Observe(time.Now(), r.ID, b.observed(m, false)) // perhaps its owner said it by hand
		}
		return nil
	}
	if time.Since(m.At) > b.Options.MaxAge {
		b.Counters.old.Add(1)
		b.Router.Observe(time.Now(), m)
		return nil
	}
	b.attend(r, m, false)
	return nil
}

// isNew knows a message from now on. One that was taken back before it came is not new.
func (b *Engine) isNew(r *Chat, m persona.Message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.seen.recalled.Has(messageID(m.Key)) && r.seen.first(m.Key, m.Own)
}

// keep journals a message. What could not be kept is forgotten, so that it is new when it comes again. It may have been
// written all the same, and would keep its place in the journal, before what was answered since: so that place goes first.
// A banned one is kept where no turn looks.
func (b *Engine) keep(ctx context.Context, r *Chat, m persona.Message, banned bool) error {
	rec := record(r, m)
	if l := heard(b, r, m); l != r.Label {
		rec.Label = l
	}
	if banned {
		rec.Space = rec.Space.Secret()
	}
	r.mu.Lock()
	torn := r.seen.torn.Has(m.Key)
	r.mu.Unlock()
	var err error
	if torn {
		err = b.Memory.Delete(ctx, rec.Space, rec.ID)
	}
	if err == nil {
		err = b.Memory.Put(ctx, rec)
	}
	if errors.Is(err, memory.ErrNotIndexed) { // it is kept, and found by words
		b.Log.Warn("a message is kept and not indexed", "chat", r.ID, "err", err)
		return nil
	}
	if err != nil {
		r.mu.Lock()
		r.seen.lose(m.Key)
		r.mu.Unlock()
	}
	return err
}

// attend lets a journaled message call, or wait to be judged. again: it was heard before, and the being has spoken since.
func (b *Engine) attend(r *Chat, m persona.Message, again bool) {
	now := time.Now()
	m.Text = ClipPrompt(m.Text)
	b.Router.Observe(now, m)
	if b.handled(r, m) {
		return
	}
	notice := b.Attention.Observe(now, r.ID, b.observed(m, again))
	h := Incoming{Message: m, Called: notice.Addressed}
	for _, p := range b.parts {
		if p.Reason != nil {
			h.Reason = cmp.Or(h.Reason, p.Reason(now, m))
		}
	}
	if notice.Addressed {
		r.call()
		b.Buffer.AddUrgent(r.ID, h)
	} else {
		b.Buffer.Add(r.ID, h)
	}
	if notice.Supersedes {
		r.supersede()
	}
}

// observed is the message as attention hears it.
func (b *Engine) observed(m persona.Message, again bool) heartflow.Message {
	return heartflow.Message{
		ID: messageID(m.Key), From: m.From, Text: m.Text, At: m.At, Addressees: m.Mentions, FromBot: m.Bot, Own: m.Own,
		AtMe: m.AtMe, ReplyToMe: m.Quote != nil && m.Quote.Own, Private: m.Chat.Kind == persona.Private, QuoteID: b.key(m.ReplyTo),
		Replayed: again,
	}
}

// quote finds what a message answers to, in memory.
func (b *Engine) quote(ctx context.Context, r *Chat, m *persona.Message) {
	forgotten := m.Quote != nil && b.Tombstones.Has(m.Chat, m.Quote.From) // perhaps it was said since then: what memory has may be quoted
	if m.ReplyTo == "" || m.Quote != nil && !forgotten {
		return
	}
	m.Quote = nil
	key := b.key(m.ReplyTo)
	past, err := b.Memory.Recent(ctx, r.Space, Remembered)
	if err != nil {
		b.Log.Warn("a quote was not found", "chat", r.ID, "err", err)
	}
	for i := len(past) - 1; i >= 0; i-- {
		if messageID(past[i].ID) == key {
			m.Quote = &persona.Quote{ID: m.ReplyTo, Key: key, From: past[i].Person, Name: past[i].Name, Text: ClipPrompt(past[i].Text), Own: past[i].Own}
			return
		}
	}
}

// unhear takes a recalled message out of everything that would bring it up again.
func (b *Engine) unhear(ctx context.Context, e persona.Retracted) error {
	r, err := b.Chat(ctx, e.Chat)
	if err != nil || r.Off {
		return err
	}
	if err := r.Hearing.Lock(ctx); err != nil {
		return err
	}
	defer r.Hearing.Unlock()

	key := b.key(e.MessageID)
	b.Counters.recalled.Add(1)
	r.mu.Lock()
	r.seen.recalled.Add(key)
	row, err := json.Marshal(r.seen.recalled.All())
	r.mu.Unlock()
	if err != nil {
		return err
	}
	b.Buffer.Drop(r.ID, func(m Incoming) bool { return m.Wanted == "" && messageID(m.Key) == key })
	b.Attention.Retract(time.Now(), r.ID, key)
	r.withdraw(key)
	if err := b.Options.Store.Apply(ctx, map[string][]byte{recalledKey(r.ID): row}); err != nil {
		return err
	}
	for _, space := range []memory.Space{r.Space, r.Space.Secret()} {
		past, err := b.Memory.Recent(ctx, space, Remembered)
		if err == nil {
			err = b.forget(ctx, r, space, past)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
