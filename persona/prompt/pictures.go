package prompt

import "github.com/hearth-bot/hearth/persona"

// Pictures returns the pictures with Data in the messages to answer. Those of the message that one quotes come first. The
// context numbers them in this order, from 1.
func (s Scene) Pictures() (all []persona.Picture) {
	for i := range s.Recent {
		all = append(all, quotedPictures(&s.Recent[i])...)
		all = append(all, pictures(s.Recent[i].Parts)...)
	}
	return all
}

// quotedPictures returns the pictures with Data in the message that m quotes.
func quotedPictures(m *persona.Message) []persona.Picture {
	if m.Quote == nil {
		return nil
	}
	return pictures(m.Quote.Parts)
}

// pictures returns the pictures with Data.
func pictures(parts []persona.Part) (all []persona.Picture) {
	for _, part := range parts {
		if p, ok := part.(persona.Picture); ok && len(p.Data) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// pictures numbers the pictures of a message to answer.
func (w *contextWriter) pictures(m *persona.Message) {
	if !w.inRecent {
		return
	}
	quoted := len(quotedPictures(m))
	for i := range quoted + len(pictures(m.Parts)) {
		w.pictureCount++
		w.raw("<picture")
		w.count(` n="`, w.pictureCount)
		w.flag(` quoted="true"`, i < quoted)
		w.raw("></picture>")
	}
}
