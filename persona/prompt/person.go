package prompt

import "strings"

// A Person is the bot's view of a person in one chat.
type Person struct {
	ID         string
	Name       string     // display name in the chat; may be ""
	Relation   int        // −2 hostile, −1 cold, 0 neutral, 1 friendly, 2 fond, 3 close; clamped to this range
	Nicknames  []Nickname // nicknames in this chat
	Impression string     // may be ""
	Facts      []string   // what is known about the person, such as "工作 = 程序员（3月5日起，本人说）", most important first
}

// A Nickname is a name that some people use for a person.
type Nickname struct {
	Name string
	By   []string // ids of these people, as far as known
}

var relations = [...]string{"hostile", "cold", "neutral", "friendly", "fond", "close"}

// maxNicknameUsers is the maximum number of users shown for a nickname.
const maxNicknameUsers = 5

func (w *contextWriter) people(ps []Person) {
	w.list("<people>\n", len(ps), "</people>\n", people, func(i int) {
		p := &ps[i]
		w.raw("<person")
		w.attr(` id="`, p.ID, maxName)
		w.optional(` name="`, p.Name, maxName)
		w.raw(` relation="` + relations[min(max(p.Relation+2, 0), len(relations)-1)] + `">`)
		for _, n := range p.Nicknames {
			w.raw("<nickname")
			w.optional(` by="`, strings.Join(n.By[:min(len(n.By), maxNicknameUsers)], ","), maxNicknameUsers*maxName)
			w.raw(">")
			w.text(n.Name, maxName)
			w.raw("</nickname>")
		}
		w.block("<impression>", p.Impression, "</impression>")
		for _, fact := range p.Facts {
			w.block("<fact>", fact, "</fact>")
		}
		w.raw("</person>\n")
	})
}
