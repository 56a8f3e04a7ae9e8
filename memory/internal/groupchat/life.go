package groupchat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A member is a person in the groups.
type member struct {
	id, name string
	groups   []int
	alias    string // a nickname, after it was introduced
	firm     string // the last one; "": the last job was an occupation
}

// A statement is one message that says something, or seems to.
type statement struct {
	at       time.Time
	group    int
	speaker  *member
	subject  *member
	relation string // "": it says nothing
	text     string
	values   []string // accepted spellings of the value; none with ends: all values of the relation
	ends     bool
	alias    string // subject introduces this nickname
}

// A world plans the statements of all lives.
type world struct {
	Options
	voice
	members []*member
	said    []statement
}

// day returns a time on a day of the chat, at an hour at which people write.
func (w *world) day(n int) time.Time {
	return Start.AddDate(0, 0, n).Add(time.Duration(9*60+w.rng.IntN(14*60)) * time.Minute)
}

// other picks another member of a group.
func (w *world) other(group int, not ...*member) *member {
	for {
		if m := pick(w.rng, w.members); slices.Contains(m.groups, group) && !slices.Contains(not, m) {
			return m
		}
	}
}

// say plans a statement about a person. previous is the value before, if any.
func (w *world) say(at time.Time, group int, subject *member, kind, value, previous string) {
	relation, _, _ := strings.Cut(kind, ".")
	s := statement{at: at, group: group, subject: subject, speaker: subject, relation: relation, ends: strings.HasSuffix(kind, ".end")}
	if strings.HasSuffix(kind, ".other") {
		s.speaker = w.other(group, subject)
	}
	text := w.text(kind)
	for s.ends && subject.firm == "" && strings.Contains(text, "{firm0}") {
		text = w.text(kind)
	}
	w.state(s, text, value, previous)
}

// state completes a statement with a phrasing of its kind, and plans it.
func (w *world) state(s statement, text, value, previous string) {
	subject, relation := s.subject, s.relation
	slots := map[string]string{"n": w.nameOf(subject)}
	for _, slot := range [...]string{"like", "pet", "plan", "n2", "alias"} {
		slots[slot] = value
	}
	s.values = []string{value}
	switch {
	case strings.Contains(text, "{date}"):
		slots["date"] = value
		s.values = []string{factDate(value)}
	case relation == "place":
		slots["city"], slots["city0"] = value, previous
		if previous == "" {
			slots["city0"] = w.value("city", value)
		}
	case relation == "job":
		firm, role := w.value("firm", previous), w.value("role", previous)
		slots["firm"], slots["role"], slots["firm0"], slots["role0"] = firm, role, w.value("firm", firm), w.value("role", role)
		switch hasFirm, hasRole := strings.Contains(text, "{firm}"), strings.Contains(text, "{role}"); {
		case hasFirm && hasRole:
			s.values = []string{firm, role, firm + role, firm + " " + role, firm + "的" + role, "在" + firm + "做" + role}
		case hasFirm:
			s.values = []string{firm}
		case hasRole:
			s.values = []string{role}
		}
		if s.ends {
			s.values, slots["firm0"] = nil, subject.firm
		}
		if subject.firm = firm; !strings.Contains(text, "{firm}") {
			subject.firm = ""
		}
	case relation == "partner" && s.ends:
		s.values = nil
	case relation == "alias":
		s.alias = value
	}
	s.text = fill(text, slots)
	w.said = append(w.said, s)
}

// nameOf returns a name by which others call a person.
func (w *world) nameOf(m *member) string {
	if m.alias != "" && w.rng.IntN(3) == 0 {
		return m.alias
	}
	return m.name
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// tell plans a statement by the person or, in a fifth of the cases, by somebody else.
func (w *world) tell(day int, m *member, relation, value, previous string) {
	if day >= w.Days {
		return
	}
	kind := relation + ".self"
	if w.chance(20) && w.has(relation+".other") {
		kind = relation + ".other"
	}
	group := pick(w.rng, m.groups)
	w.say(w.day(day), group, m, kind, value, previous)
	if len(m.groups) > 1 && w.chance(30) {
		w.say(w.day(day), m.groups[0]+m.groups[1]-group, m, kind, value, previous)
	}
}

// end plans that something is over, in all groups of the person.
func (w *world) end(day int, m *member, relation, value string) {
	if day >= w.Days || !w.has(relation+".end") {
		return
	}
	for _, g := range m.groups {
		w.say(w.day(day), g, m, relation+".end", value, "")
	}
}

// live plans the life of a person.
func (w *world) live(m *member) {
	if w.chance(50) && w.has("alias.self") {
		alias := w.value("alias")
		if !slices.ContainsFunc(w.members, func(o *member) bool { return o.alias == alias }) {
			m.alias = alias
			for _, g := range m.groups {
				w.say(w.day(0), g, m, "alias.self", alias, "")
			}
		}
	}
	if w.chance(80) {
		said, _ := w.date()
		w.tell(2+w.rng.IntN(w.Days-2), m, "birthday", said, "")
	}
	w.career(m, "job")
	w.career(m, "place")
	likes := w.several("like", 2+w.rng.IntN(3))
	for _, value := range likes {
		day := 2 + w.rng.IntN(w.Days*2/3)
		w.tell(day, m, "like", value, "")
		if w.chance(35) {
			w.end(day+10+w.rng.IntN(30), m, "like", value)
		}
	}
	if w.chance(50) && w.has("dislike.self") {
		w.tell(2+w.rng.IntN(w.Days-2), m, "dislike", w.value("like", likes...), "")
	}
	for _, relation := range [...]string{"pet", "plan"} {
		for _, value := range w.several(relation, w.rng.IntN(3)) {
			day := 2 + w.rng.IntN(w.Days-2)
			w.tell(day, m, relation, value, "")
			if w.chance(40) {
				w.end(day+8+w.rng.IntN(20), m, relation, value)
			}
		}
	}
	for _, relation := range [...]string{"partner", "roommate"} {
		if w.chance(35) && w.has(relation+".self") {
			day := 2 + w.rng.IntN(w.Days-2)
			name := w.other(m.groups[0], m).name
			w.tell(day, m, relation, name, "")
			if w.chance(40) {
				w.end(day+10+w.rng.IntN(40), m, relation, name)
			}
		}
	}
}

// career plans jobs or places, each until the next, and wrong rumors about them.
func (w *world) career(m *member, relation string) {
	previous := ""
	for day := 2 + w.rng.IntN(25); day < w.Days; day += 15 + w.rng.IntN(31) {
		value := ""
		if relation == "place" {
			value = w.value("city", previous)
		}
		w.tell(day, m, relation, value, previous)
		previous = value
		if w.chance(20) && w.has(relation+".other") {
			g := pick(w.rng, m.groups)
			if relation == "place" {
				value = w.value("city", value)
			}
			w.say(w.day(min(day+1+w.rng.IntN(14), w.Days-1)), g, m, relation+".other", value, previous)
		}
		if w.chance(30) {
			break
		}
	}
	if w.chance(10) && relation == "job" {
		w.end(w.Days-1-w.rng.IntN(20), m, relation, "")
	}
}

// several picks n different values of a slot.
func (w *world) several(slot string, n int) (values []string) {
	for range n {
		values = append(values, w.value(slot, values...))
	}
	return values
}

// random fills all slots of a message by a person.
func (w *world) random(m *member) map[string]string {
	slots := map[string]string{"n": w.nameOf(w.other(m.groups[0], m))}
	for _, slot := range [...]string{"city", "firm", "role", "like", "pet", "plan"} {
		slots[slot] = w.value(slot)
	}
	slots["date"], _ = w.date()
	return slots
}

// seem plans messages that only look like statements.
func (w *world) seem(m *member) {
	add := func(at time.Time, g int, by *member, text string) {
		w.said = append(w.said, statement{at: at, group: g, speaker: by, text: text})
	}
	for range 3 {
		add(w.day(w.rng.IntN(w.Days)), pick(w.rng, m.groups), m, fill(w.text("joke"), w.random(m)))
	}
	if !w.has("question") {
		return
	}
	for range 6 {
		add(w.day(w.rng.IntN(w.Days)), m.groups[0], m, fill(w.text("question"), w.random(m)))
	}
	for _, kind := range [...]string{"place.self", "pet.self", "like.self"} { // said, and taken back
		at, slots, g := w.day(w.rng.IntN(w.Days)), w.random(m), pick(w.rng, m.groups)
		slots["city0"] = w.value("city")
		add(at, g, m, fill(w.text(kind), slots))
		add(at.Add(20*time.Second), g, w.other(g, m), w.text("noise"))
		add(at.Add(time.Duration(30+w.rng.IntN(60))*time.Second), g, m, w.text("taken_back"))
	}
	for range 3 { // the bot
		add(w.day(w.rng.IntN(w.Days)), pick(w.rng, m.groups), bot, fill(w.text("like.self"), w.random(m)))
	}
}

// bot is the author of the bot's own messages.
var bot = &member{id: "1", name: "bot"}

func space(group int) memory.Space { return memory.Space(fmt.Sprint("qq:group:", group+1)) }

// factDate returns a day as a fact has it.
func factDate(said string) string {
	var month, day int
	if n, _ := fmt.Sscanf(said, "%d月%d", &month, &day); n == 2 {
		return fmt.Sprintf("%d月%d日", month, day)
	}
	name, d, _ := strings.Cut(said, " ")
	return fmt.Sprintf("%d月%s日", 1+slices.Index(englishMonths[:], name), d)
}
