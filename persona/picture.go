package persona

import (
	"encoding/base64"
)

// maxPicture bounds what is said of one picture, in runes.
const maxPicture = 500

// A Picture is one of a message. Whoever brings the message tells its URL; whoever looks at it fills in Data or Text.
// A Picture that has neither is not in a context: the message's text says that it is there.
type Picture struct {
	URL  string // where the platform keeps it, for a time; of strangers, so to be fetched with care
	Data []byte // the picture itself: it stands beside the context ([Scene.Pictures]), which names it by a number
	Type string // media type of Data, such as "image/png"
	Text string // what it shows, in words: data, as the message's own text is
}

// DataURL gives Data as a data: URL, for models that take no bytes.
func (p Picture) DataURL() string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// Pictures are those of the messages to answer that have Data, in the order in which the context numbers them from 1.
func (s Scene) Pictures() (all []Picture) {
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
func (d *draft) pictures(all []Picture) {
	for _, p := range all {
		numbered := d.answering && len(p.Data) > 0
		if !numbered && p.Text == "" {
			continue
		}
		d.raw("<picture")
		if numbered {
			d.numbered++
			d.count(` n="`, d.numbered)
		}
		d.raw(">")
		if d.text(p.Text, maxPicture) {
			d.text("…（后文略）", maxPicture)
		}
		d.raw("</picture>")
	}
}
