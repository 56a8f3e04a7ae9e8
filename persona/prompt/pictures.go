package prompt

import "github.com/hearth-bot/hearth/persona"

// maxPicture bounds what is said of one picture, in runes.
const maxPicture = 500

// Pictures are those of the messages to answer that have Data, in the order in which the context numbers them from 1.
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

// pictures writes what is known of a message's pictures. Only those of the messages to answer are numbered.
func (d *draft) pictures(all []persona.Picture) {
	for _, p := range all {
		numbered := d.answering && len(p.Data) > 0
		if !numbered && p.Description == "" {
			continue
		}
		d.raw("<picture")
		if numbered {
			d.numbered++
			d.count(` n="`, d.numbered)
		}
		d.raw(">")
		if d.text(p.Description, maxPicture) {
			d.text("…（后文略）", maxPicture)
		}
		d.raw("</picture>")
	}
}
