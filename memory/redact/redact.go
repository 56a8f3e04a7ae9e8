package redact

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Matcher finds what only the host knows of: staff numbers, code names.
type Matcher interface {
	// Kind is what it finds; it must not change.
	Kind() Kind
	// Match yields start and end of each find, in bytes of one line of the text as people wrote it. It may be called concurrently.
	// Finds that touch a placeholder or a CQ code, and such that are out of range, are left out; cut runes are taken as a whole.
	Match(line string) iter.Seq2[int, int]
}

// Options of a Redactor.
type Options struct {
	// Words are what must not leave the owner: names, addresses, employers, aliases. They are found whatever the case and width of their
	// letters, with zero-width characters in them, and with blanks or a "·" between their characters.
	//
	//   - One character ("柚", "K") is only found where it stands alone, with no letter, digit or Chinese character next to it.
	//   - A word of letters and digits that are fewer than six is only found as a whole word: "Mia" not in "Miami". From six on it is found
	//     everywhere: "zhangsan" in "zhangsan1990".
	//   - Words with a Chinese character, from two on, are found everywhere: "小满" also in "小满意了".
	Words []string
	// Matchers of the host.
	Matchers []Matcher
	// SkipKinds leaves out kinds: their findings are dropped, and what else was found there stays.
	SkipKinds []Kind
	// PrivateIPs finds private, link-local and shared IP addresses too. Loopback ones are never found.
	PrivateIPs bool
}

// A Redactor finds and masks personal data and secrets. It is immutable and may be used concurrently.
// The zero Redactor finds all of [Kinds].
type Redactor struct {
	matchers []Matcher
	words    *trie
	skip     []Kind
	own      []string // kinds besides Kinds, for their placeholders
	lan      bool
}

// New makes a Redactor. It fails for a Matcher whose kind cannot stand in a placeholder: empty, longer than 48 bytes, with
// brackets, commas, colons and the like. The error does not tell a word.
func New(o Options) (*Redactor, error) {
	r := &Redactor{matchers: slices.Clone(o.Matchers), skip: slices.Clone(o.SkipKinds), lan: o.PrivateIPs}
	for i, m := range r.matchers {
		if m == nil || !m.Kind().fit() {
			return nil, fmt.Errorf("redact: matcher %d has no kind that can be shown", i)
		}
		r.own = append(r.own, string(m.Kind()))
	}
	for i, w := range o.Words {
		if r.words == nil {
			r.words = &trie{}
		}
		if !r.words.add(w) {
			return nil, fmt.Errorf("redact: word %d has no letter and no digit, or more than %d", i, longestWord)
		}
	}
	return r, nil
}

// Redact masks what it finds: each finding becomes its kind in brackets. What was redacted once is not changed by a second time.
// A text without findings comes back as it is; if it is in plain width and has no escapes, that costs no allocation.
func (r *Redactor) Redact(text string) string {
	found := r.Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteByte('[')
		b.WriteString(string(f.Kind))
		b.WriteByte(']')
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// RedactContext is [Redactor.Redact] in the form that hooks want (nit.Registry.Redact, persona/social's Options.Redact).
// It fails when ctx has ended.
func (r *Redactor) RedactContext(ctx context.Context, text string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return r.Redact(text), nil
}

// Find tells what [Redactor.Redact] would mask, in order; findings do not overlap.
func (r *Redactor) Find(text string) []Finding {
	c := scanner{lan: r.lan}
	r.find(&c, text)
	return c.all
}

func (r *Redactor) find(c *scanner, text string) {
	for at := 0; at < len(text); {
		n := segment(text[at:])
		r.segment(c, text[at:at+n], at)
		at += n
	}
}

// segment finds in one segment, which starts at base.
func (r *Redactor) segment(c *scanner, text string, base int) {
	sh := shadow{text: text}
	if strings.IndexByte(text, '[') >= 0 {
		sh.fence(r.own)
	}
	if hasEscape(text) || !c.scan(sh.text) {
		sh.fold()
		c.scan(sh.text)
	}
	r.vocabulary(c, sh.text)
	if len(r.matchers) > 0 {
		r.host(c, text, &sh)
	}
	if len(c.found) == 0 {
		return
	}
	found := r.settle(c.found)
	// What was found changes what stands around the rest, as it will in the redacted text: look again, until there is nothing new.
	for round := 0; round < 8; round++ {
		sh.mask(found)
		c.found = c.found[:0]
		c.scan(sh.text)
		r.vocabulary(c, sh.text)
		more := r.settle(c.found)
		if len(more) == 0 {
			break
		}
		found = settle(append(slices.Clone(found), more...))
	}
	for _, f := range found {
		f.Start, f.End = base+sh.origin(f.Start), base+sh.origin(f.End)
		c.all = append(c.all, f)
	}
	c.found = c.found[:0]
}

func (r *Redactor) settle(found []Finding) []Finding {
	if len(r.skip) > 0 {
		found = slices.DeleteFunc(found, func(f Finding) bool { return slices.Contains(r.skip, f.Kind) })
	}
	return slices.Clone(settle(found))
}

// host adds what the host's matchers find, unless it touches what is fenced.
func (r *Redactor) host(c *scanner, text string, sh *shadow) {
	for _, f := range r.ask(text) {
		f.Start, f.End = sh.at(f.Start), sh.at(f.End)
		if f.Start < f.End && strings.IndexByte(sh.text[f.Start:f.End], fenced) < 0 {
			c.found = append(c.found, f)
		}
	}
}

// ask asks the host's matchers about a line; what is out of range is left out.
func (r *Redactor) ask(line string) (found []Finding) {
	for _, m := range r.matchers {
		kind := m.Kind()
		for start, end := range m.Match(line) {
			if start < 0 || start >= end || end > len(line) {
				continue
			}
			for start > 0 && !utf8.RuneStart(line[start]) {
				start--
			}
			for end < len(line) && !utf8.RuneStart(line[end]) {
				end++
			}
			found = append(found, Finding{kind, start, end})
		}
	}
	return found
}
