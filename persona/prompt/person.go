package prompt

import "strings"

// A Person is what a being thinks of somebody in one chat.
type Person struct {
	ID         string
	Name       string     // as they are shown there; may be ""
	Relation   int        // −2 hostile, −1 cold, 0 neutral, 1 friendly, 2 fond, 3 close; others count as the nearest
	Nicknames  []Nickname // what people there call them
	Impression string     // may be ""
}

// A Nickname is what some people call somebody.
type Nickname struct {
	Name string
	By   []string // ids of who does, as far as known
}

var relations = [...]string{"hostile", "cold", "neutral", "friendly", "fond", "close"}

// callers is how many of those who use a nickname are shown.
const callers = 5

func (d *draft) people(ps []Person) {
	d.list("<people>\n", len(ps), "</people>\n", people, func(i int) {
		p := &ps[i]
		d.raw("<person")
		d.attr(` id="`, p.ID, maxName)
		d.optional(` name="`, p.Name, maxName)
		d.raw(` relation="` + relations[min(max(p.Relation+2, 0), len(relations)-1)] + `">`)
		for _, n := range p.Nicknames {
			d.raw("<nickname")
			d.optional(` by="`, strings.Join(n.By[:min(len(n.By), callers)], ","), callers*maxName)
			d.raw(">")
			d.text(n.Name, maxName)
			d.raw("</nickname>")
		}
		d.block("<impression>", p.Impression, "</impression>")
		d.raw("</person>\n")
	})
}
