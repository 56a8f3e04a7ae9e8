package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of Names.
const (
	maxNames     = 4000
	maxNameRunes = 12
)

// Names knows the names and nicknames of the people of a space. A name that two people have had means nobody. The zero
// Names is empty.
type Names struct {
	ids   map[string]string // account by name; "": ambiguous
	last  map[string]string // latest name by account
	first map[rune]bool     // the first characters of all names
	maybe [16]uint64        // a bit for each of them modulo 1024
}

// Learn adds a name of a person.
func (n *Names) Learn(person, name string) {
	if person == "" || n.last[person] == name && name != "" {
		return
	}
	name = strings.TrimSpace(name)
	if !usableName(name) || len(n.ids) >= maxNames {
		return
	}
	if n.ids == nil {
		n.ids, n.last = map[string]string{}, map[string]string{}
	}
	n.last[person] = name
	n.add(person, name)
}

// AddAlias adds a nickname.
func (n *Names) AddAlias(person, alias string) {
	if !usableName(alias) || len(n.ids) >= maxNames {
		return
	}
	if n.ids == nil {
		n.ids, n.last = map[string]string{}, map[string]string{}
	}
	n.add(person, alias)
}

func (n *Names) add(person, name string) {
	key := strings.ToLower(name)
	c, _ := utf8.DecodeRuneInString(key)
	if n.first == nil {
		n.first = map[rune]bool{}
	}
	for _, c := range [...]rune{c, unicode.ToUpper(c)} {
		n.first[c] = true
		n.maybe[c>>6&15] |= 1 << (c & 63)
	}
	if old, known := n.ids[key]; known && old != person {
		person = "" // two people
	}
	n.ids[key] = person
}

// Forget removes all names of the people for which gone returns true.
func (n *Names) Forget(gone func(person string) bool) {
	for person := range n.last {
		if gone(person) {
			delete(n.last, person)
		}
	}
	for name, person := range n.ids {
		if person != "" && gone(person) {
			delete(n.ids, name)
		}
	}
}

// Of returns the latest name of a person.
func (n *Names) Of(person string) string { return n.last[person] }

// Meant returns the person with this name, or "".
func (n *Names) Meant(name string) string {
	if n == nil {
		return ""
	}
	return n.ids[strings.ToLower(strings.TrimSpace(name))]
}

// prefix returns the longest known name at the start of a text and its person. The person is "" if two people have that
// name.
func (n *Names) prefix(text string) (person, name string) {
	if n == nil || len(n.ids) == 0 {
		return "", ""
	}
	if c, _ := utf8.DecodeRuneInString(text); n.maybe[c>>6&15]&(1<<(c&63)) == 0 || !n.first[c] {
		return "", ""
	}
	end, ends := 0, [maxNameRunes]int{}
	runes := 0
	for runes < maxNameRunes && end < len(text) {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		ends[runes] = end
		runes++
	}
	for i := runes - 1; i > 0; i-- {
		part := text[:ends[i]]
		if id, ok := n.ids[lower(part)]; ok && !insideWord(text, ends[i]) {
			return id, part
		}
	}
	return "", ""
}

// insideWord reports whether a position is inside a Latin word.
func insideWord(text string, at int) bool {
	return at > 0 && at < len(text) && isLetter(text[at-1]) && isLetter(text[at])
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// lower is strings.ToLower without an allocation for Chinese text.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// Named returns the people whose names occur in a text, in the order of the text.
func (n *Names) Named(text string) (people []string) {
	seen := map[string]bool{"": true}
	for text != "" {
		id, name := n.prefix(text)
		if !seen[id] {
			seen[id] = true
			people = append(people, id)
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[max(size, len(name)):]
	}
	return people
}

// usableName reports whether a name can be found in a text: it has two characters at least, and is no common word.
func usableName(name string) bool {
	n := utf8.RuneCountInString(name)
	if n < 2 || n > maxNameRunes {
		return false
	}
	switch name {
	case "我们", "你们", "他们", "她们", "咱们", "大家", "今天", "昨天", "明天", "现在", "最近", "听说", "据说", "有人", "自己", "群主", "管理员", "匿名", "什么", "这个", "那个", "不是", "喜欢", "打算", "搬家":
		return false
	}
	return true
}
