package engine

import "github.com/hearth-bot/hearth/persona"

// censor reports that a message must not be heard, for its text. A banned name or quote is taken out of a message that
// may be: neither reaches a prompt.
func (r *Chat) censor(m *persona.Message) (banned bool) {
	if r.Banned == nil || m.Own {
		return false
	}
	if _, bad := r.Banned.Banned(m.Name); bad {
		m.Name = ""
	}
	if m.Quote != nil {
		_, text := r.Banned.Banned(m.Quote.Text)
		_, name := r.Banned.Banned(m.Quote.Name)
		if text || name {
			m.Quote = nil
		}
	}
	_, banned = r.Banned.Banned(m.Text)
	return banned
}
