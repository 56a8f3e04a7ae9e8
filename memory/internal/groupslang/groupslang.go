package groupslang

import (
	"cmp"
	"embed"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed testdata/tuning.txt testdata/unseen.txt
var files embed.FS

// Phrasings are the words and sentences of a chat, by section.
type Phrasings map[string][]string

// Tuning returns the phrasings for those who write rules.
func Tuning() Phrasings { return read("tuning") }

// Unseen returns the held-out phrasings. Measure with them, and do not read them.
func Unseen() Phrasings { return read("unseen") }

// read parses a file of sections. The values of a section with "=" are words, and those of another lines.
func read(name string) Phrasings {
	text, err := files.ReadFile(path.Join("testdata", name+".txt"))
	if err != nil {
		panic(err) // the file is embedded
	}
	p, section, words := Phrasings{}, "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
			section, words = strings.CutPrefix(section, "=")
		case words:
			p[section] = append(p[section], strings.Fields(line)...)
		default:
			p[section] = append(p[section], line)
		}
	}
	return p
}

// Options choose a world. Seed and Phrasings are enough.
type Options struct {
	Seed      uint64
	Phrasings Phrasings
	English   bool
	Groups    int // 0 means 4, or 2 in English
	People    int // of a group; 0 means 10, or 8 in English
	Messages  int // of a group; 0 means 3,000
	// OwnTopics gives each group a lasting topic that no other group has.
	OwnTopics bool
}

// Days is the length of every chat.
const Days = 28

// Start is the beginning of every chat.
var Start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// A World is a set of groups.
type World struct{ Groups []Group }

// A Group is one chat.
type Group struct {
	Messages []Message
	Labels   []Label
}

// A Message is a message of a group.
type Message struct {
	ID, Person, Name, Text string
	At                     time.Time
	Uses                   string // the form of the label that it uses, or ""
}

// A Label is an expression of a group.
type Label struct {
	Form      string
	Situation string // "": a word
	Ending    bool
	people    []int
	from, to  int // days
	rate      float64
}

// New generates a world. Equal options make equal worlds.
func New(o Options) World {
	groups, people, prefix := 4, 10, ""
	if o.English {
		groups, people, prefix = 2, 8, "en."
	}
	o.Groups, o.People, o.Messages = cmp.Or(o.Groups, groups), cmp.Or(o.People, people), cmp.Or(o.Messages, 3000)
	v := voice{Phrasings: Phrasings{}, prefix: prefix, rng: rand.New(rand.NewPCG(o.Seed, 47))}
	for section, texts := range o.Phrasings {
		v.Phrasings[section] = slices.Clone(texts)
	}
	for _, section := range slices.Sorted(mapKeys(v.Phrasings)) {
		list := v.Phrasings[section]
		v.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	var w World
	for g := range o.Groups {
		w.Groups = append(w.Groups, newGroup(&v, o, g))
	}
	return w
}

func mapKeys(p Phrasings) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range p {
			if !yield(k) {
				return
			}
		}
	}
}

// A voice picks phrasings.
type voice struct {
	Phrasings
	prefix string
	rng    *rand.Rand
}

func (v *voice) all(section string) []string { return v.Phrasings[v.prefix+section] }

func (v *voice) pick(section string) string {
	all := v.all(section)
	return all[v.rng.IntN(len(all))]
}

// share returns the part of a section that belongs to one of n groups.
func (v *voice) share(section string, g, n, most int) []string {
	all := v.all(section)
	k := min(most, len(all)/n)
	return all[g*k : (g+1)*k]
}

// A group is a group while it is made.
type group struct {
	*voice
	Group
	names      []string
	id         int
	topics     []string
	people     int
	situations int
}

var situationNames = []string{"joke", "bad_news", "good_news", "greeting", "night", "food", "invite"}

func newGroup(v *voice, o Options, id int) Group {
	g := &group{voice: v, id: id, people: o.People}
	g.names = v.share("name", id, o.Groups, o.People)
	for len(g.names) < o.People {
		g.names = append(slices.Clone(g.names), fmt.Sprint(g.names[len(g.names)%len(v.share("name", id, o.Groups, o.People))], len(g.names)))
	}
	topics := v.all("topic")
	for i := range 2 { // each topic belongs to two groups, or with OwnTopics to one
		n := (id + i) % min(o.Groups, len(topics))
		if o.OwnTopics {
			n = id % len(topics)
		}
		g.topics = append(g.topics, strings.Fields(topics[n])...)
	}
	for _, form := range v.share("jargon", id, o.Groups, 8) {
		g.Labels = append(g.Labels, g.label(form, ""))
	}
	for _, s := range situationNames {
		if len(v.all(s+".trigger")) == 0 {
			break
		}
		g.situations++
		for _, form := range v.share(s+".saying", id, o.Groups, 2) {
			g.Labels = append(g.Labels, g.label(form, s))
		}
	}
	for _, form := range v.share("ending", id, o.Groups, 1) {
		l := g.label(form, "")
		l.Ending = true
		g.Labels = append(g.Labels, l)
	}
	perDay := o.Messages / Days
	bursts := v.share("burst", id, o.Groups, 2)
	tics := v.share("tic", id, o.Groups, 2)
	for day := range Days {
		g.day(day, perDay, bursts, tics)
	}
	slices.SortStableFunc(g.Messages, func(a, b Message) int { return a.At.Compare(b.At) })
	for i := range g.Messages {
		g.Messages[i].ID = fmt.Sprintf("g%d-%d", id, i)
	}
	return g.Group
}

// label draws how an expression is used.
func (g *group) label(form, situation string) Label {
	l := Label{Form: form, Situation: situation, to: Days, rate: .15 + 1.2*g.rng.ExpFloat64()/1.5}
	switch x := g.rng.IntN(60); {
	case x < 10:
		l.to = 14
	case x < 20:
		l.from = 14
	case x < 26:
		l.from = 21
	}
	l.people = g.rng.Perm(g.people)[:2+g.rng.IntN(5)]
	return l
}

func (g *group) say(at time.Time, person int, text, uses string) {
	g.Messages = append(g.Messages, Message{Person: fmt.Sprint(1000*(g.id+1) + person), Name: g.names[person], Text: text, At: at, Uses: uses})
}

// fill replaces the slots of a sentence.
func (g *group) fill(text, jargon string) string {
	for {
		from := strings.IndexByte(text, '{')
		if from < 0 {
			return text
		}
		end := from + strings.IndexByte(text[from:], '}')
		value := ""
		switch slot := text[from+1 : end]; slot {
		case "who":
			value = g.names[g.rng.IntN(len(g.names))]
		case "jargon":
			value = jargon
		case "topic":
			value = g.topics[g.rng.IntN(len(g.topics))]
		default:
			value = g.pick(slot)
		}
		text = text[:from] + value + text[end+1:]
	}
}

// moment draws a time of the day.
func (g *group) moment(day int) time.Time {
	return Start.AddDate(0, 0, day).Add(time.Duration(8*3600+g.rng.IntN(15*3600)) * time.Second)
}

// times draws how often something with a mean happens.
func (g *group) times(mean float64) (n int) {
	for mean > 0 && n < 12 {
		mean -= g.rng.ExpFloat64()
		if mean > 0 {
			n++
		}
	}
	return n
}

func (g *group) day(day, n int, bursts, tics []string) {
	ending := slices.IndexFunc(g.Labels, func(l Label) bool { return l.Ending })
	begin := len(g.Messages)
	for _, l := range g.Labels {
		if day < l.from || day >= l.to || l.Ending {
			continue
		}
		for range g.times(l.rate) {
			g.use(day, l)
		}
	}
	for i, text := range bursts {
		if day == 4+7*i+g.id%3 {
			for range 15 {
				g.say(g.moment(day), g.rng.IntN(g.people), g.fill(g.pick("jargon.talk"), text), "")
			}
		}
	}
	for i, text := range tics {
		for range g.times(1.5) {
			person := i
			if g.rng.IntN(12) == 0 {
				person = g.rng.IntN(g.people)
			}
			g.say(g.moment(day), person, text+"，"+g.fill(g.pick("talk"), ""), "")
		}
	}
	for i, text := range g.all("copypasta") {
		switch {
		case i%2 == 0 && g.rng.IntN(2) == 0:
			g.say(g.moment(day), 2, text, "")
		case i%2 == 1 && day == 10:
			at := g.moment(day)
			for p := range min(g.people, 7) {
				g.say(at.Add(time.Duration(p)*time.Second), p, text, "")
			}
		}
	}
	for _, text := range g.all("slang") {
		for range g.times(.5) {
			g.say(g.moment(day), g.rng.IntN(g.people), g.fill(g.pick("jargon.talk"), text), "")
		}
	}
	for len(g.Messages)-begin < n {
		text, uses, person := g.fill(g.pick("talk"), ""), "", g.rng.IntN(g.people)
		switch g.rng.IntN(24) {
		case 0, 1:
			text = g.fill(g.pick("topic.talk"), "")
		case 2, 3:
			text = g.pick(situationNames[g.rng.IntN(g.situations)] + ".trigger")
		}
		if ending >= 0 {
			if l := g.Labels[ending]; day >= l.from && day < l.to && slices.Contains(l.people, person) && g.rng.IntN(8) == 0 {
				text, uses = text+l.Form, l.Form
			}
		}
		g.say(g.moment(day), person, text, uses)
	}
}

// use says an expression once: a word in a sentence, and a reply after a message that calls for it.
func (g *group) use(day int, l Label) {
	person, at := l.people[g.rng.IntN(len(l.people))], g.moment(day)
	if l.Situation == "" {
		g.say(at, person, g.fill(g.pick("jargon.talk"), l.Form), l.Form)
		return
	}
	other := (person + 1 + g.rng.IntN(g.people-1)) % g.people
	if g.rng.IntN(6) > 0 { // otherwise it is said out of place
		g.say(at.Add(-time.Duration(5+g.rng.IntN(40))*time.Second), other, g.pick(l.Situation+".trigger"), "")
	}
	text := l.Form
	switch g.rng.IntN(6) {
	case 0:
		text += "！"
	case 1:
		text += "哈哈"
		if g.prefix != "" {
			text = l.Form + " haha"
		}
	}
	g.say(at, person, text, l.Form)
}
