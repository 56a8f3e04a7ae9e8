package redact

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Matcher finds data of the host's own formats, such as staff numbers.
type Matcher interface {
	// Kind is the kind of all matches. It must not change.
	Kind() Kind
	// Match yields the start and end of each match, in bytes of one segment of the original text. It may be called
	// concurrently. Matches that touch a placeholder or a CQ code, or are out of range, are ignored. Cut runes are
	// extended to whole ones.
	Match(line string) iter.Seq2[int, int]
}

// Options configures a Redactor.
type Options struct {
	// Words must not leave the owner: names, addresses, employers, aliases. They are found in any case and width, with
	// zero-width characters in them, and with blanks or "·" between their characters.
	//
	//   - A single character ("柚", "K") is found only if no letter, digit or Chinese character is next to it.
	//   - A word of fewer than six letters and digits is found only as a whole word: "Mia" but not "Miami".
	//   - A longer word is found everywhere: "zhangsan" in "zhangsan1990".
	//   - A word of at least two characters with a Chinese character is found everywhere: "小满" in "小满意了".
	Words []string
	// Matchers are custom matchers.
	Matchers []Matcher
	// SkipKinds lists kinds to ignore. Other findings at the same place remain.
	SkipKinds []Kind
	// PrivateIPs also finds private, link-local and shared IP addresses. Loopback addresses are never found.
	PrivateIPs bool
}

// A Redactor finds and masks PII and secrets. It is immutable and may be used concurrently. The zero Redactor finds all
// of [Kinds].
type Redactor struct {
	matchers   []Matcher
	words      *trie
	skip       []Kind
	hostKinds  []string // kinds of the matchers, for their placeholders
	privateIPs bool
}

// New creates a Redactor. It fails if a Matcher has a kind that is not valid in a placeholder. A valid kind has 1 to 48
// bytes without brackets, commas, colons and similar characters. The error contains no word of the options.
func New(o Options) (*Redactor, error) {
	r := &Redactor{matchers: slices.Clone(o.Matchers), skip: slices.Clone(o.SkipKinds), privateIPs: o.PrivateIPs}
	for i, m := range r.matchers {
		if m == nil || !m.Kind().validForPlaceholder() {
			return nil, fmt.Errorf("redact: matcher %d has an invalid kind", i)
		}
		r.hostKinds = append(r.hostKinds, string(m.Kind()))
	}
	for i, w := range o.Words {
		if r.words == nil {
			r.words = &trie{}
		}
		if !r.words.add(w) {
			return nil, fmt.Errorf("redact: word %d has no letter and no digit, or more than %d characters", i, maxWordRunes)
		}
	}
	return r, nil
}

// Redact replaces each finding with its kind in brackets. It is idempotent. A text without findings is returned
// unchanged. That costs no allocation if the text has plain width and no escapes.
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

// RedactContext is [Redactor.Redact] as a hook for nit.Registry.Redact and for Options.Redact of persona/social. It
// fails if ctx has ended.
func (r *Redactor) RedactContext(ctx context.Context, text string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return r.Redact(text), nil
}

// Find returns the findings of [Redactor.Redact], in order and without overlaps.
func (r *Redactor) Find(text string) []Finding {
	c := scanner{privateIPs: r.privateIPs}
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

// segment searches one segment, which starts at base.
func (r *Redactor) segment(c *scanner, text string, base int) {
	ft := folded{text: text}
	if strings.IndexByte(text, '[') >= 0 {
		ft.maskPlaceholders(r.hostKinds)
	}
	if hasEscape(text) || !c.scan(ft.text) {
		ft.fold()
		c.scan(ft.text)
	}
	columns := c.columns
	c.columns = c.table(ft.text, columns)
	r.findWords(c, ft.text)
	if len(r.matchers) > 0 {
		r.runMatchers(c, text, &ft)
	}
	if len(c.found) == 0 {
		return
	}
	found := r.mergeFindings(c.found)
	// A masked value changes the context of the rest, so search again until nothing new is found.
	for round := 0; round < 8; round++ {
		ft.maskFindings(found)
		c.found = c.found[:0]
		c.scan(ft.text)
		c.table(ft.text, columns)
		r.findWords(c, ft.text)
		more := r.mergeFindings(c.found)
		if len(more) == 0 {
			break
		}
		found = mergeFindings(append(slices.Clone(found), more...))
	}
	for _, f := range found {
		f.Start, f.End = base+ft.originalOffset(f.Start), base+ft.originalOffset(f.End)
		c.all = append(c.all, f)
	}
	c.found = c.found[:0]
}

func (r *Redactor) mergeFindings(found []Finding) []Finding {
	if len(r.skip) > 0 {
		found = slices.DeleteFunc(found, func(f Finding) bool { return slices.Contains(r.skip, f.Kind) })
	}
	return slices.Clone(mergeFindings(found))
}

// runMatchers adds the findings of the host's matchers, except those that touch a masked part.
func (r *Redactor) runMatchers(c *scanner, text string, ft *folded) {
	for _, f := range r.matchLine(text) {
		f.Start, f.End = ft.foldedOffset(f.Start), ft.foldedOffset(f.End)
		if f.Start < f.End && strings.IndexByte(ft.text[f.Start:f.End], maskByte) < 0 {
			c.found = append(c.found, f)
		}
	}
}

// matchLine calls the matchers with a segment and ignores invalid ranges.
func (r *Redactor) matchLine(line string) (found []Finding) {
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
