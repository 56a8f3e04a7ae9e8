package groupchat

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

//go:embed testdata
var files embed.FS

// Phrasings are texts by kind, and values for their slots.
type Phrasings struct {
	Name   string
	texts  map[string][]string // by kind, such as "job.self"
	values map[string][]string // by slot, such as "city"
}

// Tuning returns the sets of whole chats from which package facts learns, each by another author.
func Tuning() []*Phrasings { return sets("tuning*.txt") }

// Learned returns more sets from which package facts learns. Some have no phrasings of some kinds.
func Learned() []*Phrasings { return sets("learned/*.txt") }

// Unseen returns the held-out sets, each without the phrasings from which package facts learns. Measure with them, and do not read them.
func Unseen() []*Phrasings {
	learned := learnedTexts()
	all := sets("heldout*.txt")
	for _, p := range all {
		for kind, texts := range p.texts {
			p.texts[kind] = slices.DeleteFunc(texts, func(text string) bool { return learned[kind+text] })
		}
	}
	return all
}

// learnedTexts returns the phrasings from which package facts learns, each after its kind.
func learnedTexts() map[string]bool {
	learned := map[string]bool{}
	for _, p := range append(Tuning(), Learned()...) {
		for kind, texts := range p.texts {
			for _, text := range texts {
				learned[kind+text] = true
			}
		}
	}
	return learned
}

// sets reads all files whose name has a pattern.
func sets(pattern string) (all []*Phrasings) {
	names, err := fs.Glob(files, path.Join("testdata", pattern))
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // the file is embedded
		}
		all = append(all, Parse(strings.TrimSuffix(path.Base(name), ".txt"), string(text)))
	}
	return all
}

// Parse parses a text of sections. "#" begins a comment.
func Parse(name, text string) *Phrasings {
	p := &Phrasings{Name: name, texts: map[string][]string{}, values: map[string][]string{}}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		title, isTitle := strings.CutPrefix(line, "[")
		switch slot, isSlot := strings.CutPrefix(section, "="); {
		case line == "" || line[0] == '#':
		case isTitle && strings.HasSuffix(title, "]"):
			section = strings.TrimSuffix(title, "]")
		case isSlot && strings.Contains(line, "|"):
			p.values[slot] = append(p.values[slot], strings.Split(line, "|")...)
		case isSlot:
			p.values[slot] = append(p.values[slot], strings.Fields(line)...)
		default:
			p.texts[section] = append(p.texts[section], line)
		}
	}
	return p
}

// Speaks reports whether the set has phrasings in a language.
func (p *Phrasings) Speaks(english bool) bool {
	if english {
		return len(p.values["en.name"]) > 0
	}
	return len(p.values["name"]) > 0
}

// A voice picks phrasings and values in one language.
type voice struct {
	*Phrasings
	prefix string // of the names of sections: "" or "en."
	rng    *rand.Rand
}

// has reports whether there are phrasings of a kind.
func (v *voice) has(kind string) bool { return len(v.texts[v.prefix+kind]) > 0 }

// text picks a phrasing of a kind.
func (v *voice) text(kind string) string { return pick(v.rng, v.texts[v.prefix+kind]) }

// value picks a value of a slot that is not among the values in not.
func (v *voice) value(slot string, not ...string) string {
	all := v.values[v.prefix+slot]
	if len(all) == 0 {
		panic("groupchat: no values for the slot " + slot)
	}
	for {
		if one := pick(v.rng, all); !contains(not, one) || len(not) >= len(all) {
			return one
		}
	}
}

// date picks a day of the year, as people write it and as a fact has it.
func (v *voice) date() (said, fact string) {
	month, day := 1+v.rng.IntN(12), 1+v.rng.IntN(28)
	fact = fmt.Sprintf("%d月%d日", month, day)
	if v.prefix != "" {
		return fmt.Sprintf("%s %d", englishMonths[month-1], day), fact
	}
	if v.rng.IntN(3) == 0 {
		return fact, fact
	}
	return fmt.Sprintf("%d月%d号", month, day), fact
}

var englishMonths = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// fill replaces the slots of a phrasing.
func fill(text string, slots map[string]string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		slot, after, _ := strings.Cut(rest, "}")
		value, known := slots[slot]
		if !known {
			panic("groupchat: unknown slot " + slot + " in " + text)
		}
		b.WriteString(value)
		text = after
	}
}

func pick[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}
