package prompt

import "github.com/hearth-bot/hearth/persona"

// maxPicture is the maximum length of a picture's description in runes.
const maxPicture = 500

// Pictures returns the pictures with Data in the messages to answer. The context numbers them in this order, from 1.
func (s Scene) Pictures() (all []persona.Picture) {
	for _, m := range s.Recent {
		for _, p := range m.Pictures {
			if len(p.Data) > 0 {
				all = append(all, p)
			}
		}
	}
	return all
}

// pictures writes the pictures of a message. Only pictures of messages to answer are numbered.
func (w *contextWriter) pictures(all []persona.Picture) {
	for _, p := range all {
		numbered := w.inRecent && len(p.Data) > 0
		if !numbered && p.Description == "" {
			continue
		}
		w.raw("<picture")
		if numbered {
			w.pictureCount++
			w.count(` n="`, w.pictureCount)
		}
		w.raw(">")
		if w.text(p.Description, maxPicture) {
			w.text("…（后文略）", maxPicture)
		}
		w.raw("</picture>")
	}
}
