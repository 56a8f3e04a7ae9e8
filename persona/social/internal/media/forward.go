package media

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

// maxDepth is the depth of forwards in forwards that are opened.
const maxDepth = 3

// A forward is a merged forward and its place.
type forward struct {
	message *message
	sent    persona.Message // as it was sent: other jobs write to message
	part    int
	persona.Forward
}

// openForwards opens the forwards one after the other, the newest first.
func (r *run) openForwards(ctx context.Context) {
	for _, f := range r.forwards {
		if opened, ok := r.openForward(ctx, f.sent, f.Forward, 1); ok {
			f.message.Parts[f.part] = opened
			r.setChanged(f.message)
		}
	}
}

// openForward returns a forward with its messages, and the forwards in these with theirs, as far as the limits last. ok is
// false if there are none.
func (r *run) openForward(ctx context.Context, m persona.Message, f persona.Forward, depth int) (_ persona.Forward, ok bool) {
	if depth > maxDepth || !r.hasRoom() {
		return f, false
	}
	var err error
	if f.Messages == nil {
		if f, err = openPart(ctx, r, m, f); err == nil && len(f.Messages) == 0 {
			err = errors.New("social: the forward has no messages")
		}
		r.count(r.turn.Chat.ID, "forward", err)
	}
	if err != nil || len(f.Messages) == 0 {
		return f, false
	}
	all := f.Messages
	f.Messages = nil
	for i, one := range all {
		if !r.takeRoom() {
			f.Messages = append(f.Messages, persona.Message{Name: "…", Text: fmt.Sprintf("后面还有 %d 条", len(all)-i)})
			break
		}
		one = r.openForwarded(ctx, m, one, depth)
		f.Messages = append(f.Messages, r.cut(one))
	}
	return f, true
}

// openForwarded opens the forwards in a message of a forward.
func (r *run) openForwarded(ctx context.Context, outer, m persona.Message, depth int) persona.Message {
	m.Chat, m.ID = outer.Chat, outer.ID
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if inner, ok := p.(persona.Forward); ok {
			inner, ok = r.openForward(ctx, m, inner, depth+1)
			if !ok { // too deep or too much, also if it arrived with its messages
				inner.Messages = nil
			}
			m.Parts[i] = inner
		}
	}
	if m.Parts != nil {
		m.Text = persona.TextOf(m.Parts)
	}
	return m
}

// hasRoom reports whether one more forwarded message may be read.
func (r *run) hasRoom() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left.forwarded > 0 && r.left.forwardBytes > 0
}

// takeRoom counts one more forwarded message, unless the limits are reached. It counts before the message is opened, because
// another job may read another forward at the same time.
func (r *run) takeRoom() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left.forwarded <= 0 || r.left.forwardBytes <= 0 {
		return false
	}
	r.left.forwarded--
	return true
}

// cut cuts the text of a forwarded message at the limit.
func (r *run) cut(m persona.Message) persona.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.Text = clip.Bytes(m.Text, r.left.forwardBytes)
	r.left.forwardBytes -= len(m.Text)
	return m
}
