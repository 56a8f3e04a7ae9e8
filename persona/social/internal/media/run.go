package media

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A run opens the parts of the messages of one turn.
type run struct {
	*Opener
	turn     *engine.Turn
	messages []*message // the newest first
	forwards []forward  // opened one after the other, because they share limits

	mu   sync.Mutex
	left limits
}

// limits are the parts that a turn may still open.
type limits struct{ pictures, voices, files, quotes, forwarded, forwardBytes int }

// Limits of one turn, beside that of pictures.
const (
	maxVoices    = 5
	maxFiles     = 3
	maxQuotes    = 3
	maxForwarded = 100      // messages of all forwards
	maxBytes     = 32 << 10 // of their texts
)

// A message is a message whose parts are being opened. Jobs write to different parts.
type message struct {
	persona.Message
	changed bool // run.mu guards it
}

// take reports whether one more part may be opened, and counts it.
func (r *run) take(left *int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	*left--
	return *left >= 0
}

func (r *run) setChanged(m *message) {
	r.mu.Lock()
	m.changed = true
	r.mu.Unlock()
}

// plan returns the jobs that open the parts of a message.
func (r *run) plan(ctx context.Context, m *message) (jobs []func()) {
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if open := r.opener(ctx, m.Message, p); open != nil {
			jobs = append(jobs, func() {
				if p := open(); p != nil {
					m.Parts[i] = p
					r.setChanged(m)
				}
			})
		}
		if f, ok := p.(persona.Forward); ok {
			r.forwards = append(r.forwards, forward{m, m.Message, i, f})
		}
	}
	if m.ReplyTo != "" && r.engine.Options.Features.Message != nil && needsOpening(m.Quote) && r.take(&r.left.quotes) {
		jobs = append(jobs, func() { r.openQuote(ctx, m) })
	}
	return jobs
}

// opener returns a function that opens a picture, a voice message or a file, or nil if the part is complete or of another
// kind. The function returns nil for a part that cannot be had.
func (r *run) opener(ctx context.Context, m persona.Message, p persona.Part) func() persona.Part {
	switch p := p.(type) {
	case persona.Picture:
		if r.pictureOptions != nil && p.URL != "" && r.take(&r.left.pictures) {
			return func() persona.Part { return r.look(ctx, p) }
		}
	case persona.Voice:
		canOpen := r.engine.Options.Features.OpenPart != nil || r.transcriber != nil && (p.URL != "" || p.Audio.Data != nil)
		if p.Transcript == "" && canOpen && r.take(&r.left.voices) {
			return func() persona.Part { return r.listen(ctx, m, p) }
		}
	case persona.File:
		if p.Excerpt == "" && isTextFile(p) && r.take(&r.left.files) {
			return func() persona.Part { return r.readFile(ctx, m, p) }
		}
	}
	return nil
}

// openPart asks the link for the content of a part.
func openPart[P persona.Part](ctx context.Context, r *run, m persona.Message, p P) (P, error) {
	open := r.engine.Options.Features.OpenPart
	if open == nil {
		return p, nil
	}
	opened, err := open(ctx, m, p)
	if same, ok := opened.(P); ok && err == nil {
		return same, nil
	}
	return p, err
}

// needsOpening reports whether the text of a quote may stand for more than text.
func needsOpening(q *persona.Quote) bool { return q == nil || strings.Contains(q.Text, "[") }

// openQuote fetches a quoted message and opens its parts.
func (r *run) openQuote(ctx context.Context, m *message) {
	chat := r.turn.Chat
	quoted, err := r.engine.Options.Features.Message(ctx, m.Chat, m.ReplyTo)
	if err != nil {
		r.count(m.Chat, "quote", err)
		return
	}
	quoted.Chat = m.Chat
	r.engine.Identify(&quoted)
	if !chat.IsValid(r.engine, quoted) || r.isBanned(quoted.Name) {
		return
	}
	parts := slices.Clone(quoted.Parts)
	for i, p := range parts {
		if open := r.opener(ctx, quoted, p); open != nil {
			if p := open(); p != nil {
				parts[i] = p
			}
		} else if f, ok := p.(persona.Forward); ok {
			if f, ok := r.openForward(ctx, quoted, f, 1); ok {
				parts[i] = f
			}
		}
	}
	if quoted.Parts = parts; parts != nil {
		quoted.Text = persona.TextOf(parts)
	}
	q := r.engine.QuoteOf(quoted)
	if r.isBanned(q.Text) {
		return
	}
	m.Quote = &q
	r.setChanged(m)
	r.count(m.Chat, "quote", nil)
}

// finish returns the messages that changed, by key.
func (r *run) finish() map[string]persona.Message {
	opened := map[string]persona.Message{}
	for _, m := range r.messages {
		if !m.changed {
			continue
		}
		before := persona.TextOf(r.original(m.Key))
		if after := persona.TextOf(m.Parts); after != before {
			if r.isBanned(after) {
				continue
			}
			m.Text = after
		}
		opened[m.Key] = m.Message
	}
	return opened
}

// original returns the parts of a message before they were opened.
func (r *run) original(key string) []persona.Part {
	i := slices.IndexFunc(r.turn.Items, func(m persona.Message) bool { return m.Key == key })
	if i < 0 {
		return nil
	}
	return r.turn.Items[i].Parts
}

// isBanned reports whether a text has a word that is banned in the chat.
func (r *run) isBanned(text string) bool {
	words := r.turn.Chat.Banned()
	if words == nil {
		return false
	}
	_, bad := words.Banned(text)
	return bad
}
