package heartflow

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/fold"
)

// A Filter finds banned words and patterns, so that a caller can drop messages before Observe. It is immutable and
// may be used concurrently. A nil Filter bans nothing.
type Filter struct {
	words    *lexicon
	patterns []*regexp.Regexp
}

// NewFilter compiles banned words and banned patterns. Words are compared like names (see the caveats of the
// package), but also match inside links and @names. Patterns are Go regular expressions and match the original text
// in linear time. An invalid or empty word or pattern is an error.
func NewFilter(words, patterns []string) (*Filter, error) {
	f := &Filter{}
	var err error
	if f.words, err = newLexicon(nil, nil, words); err != nil {
		return nil, fmt.Errorf("heartflow: banned words: %w", err)
	}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err == nil && strings.TrimSpace(p) == "" {
			err = fmt.Errorf("it is empty and would ban everything")
		}
		if err != nil {
			return nil, fmt.Errorf("heartflow: banned pattern %q: %w", p, err)
		}
		f.patterns = append(f.patterns, re)
	}
	return f, nil
}

// Banned returns the first banned word or pattern in text.
func (f *Filter) Banned(text string) (what string, banned bool) {
	if f == nil {
		return "", false
	}
	if what, banned = f.words.anywhere(text); banned {
		return what, true
	}
	for _, p := range f.patterns {
		if p.MatchString(text) {
			return p.String(), true
		}
	}
	return "", false
}

// anywhere finds the first word of l that stands alone in text.
func (l *lexicon) anywhere(text string) (found string, ok bool) {
	if l.empty() {
		return "", false
	}
	var scratch [1024]byte
	buf := fold.Append(scratch[:0], text)
	for i := 0; i < len(buf); {
		r, n := utf8.DecodeRune(buf[i:])
		if l.first[r>>6&15]&(1<<(r&63)) != 0 {
			for _, w := range l.words[r] {
				if bytes.HasPrefix(buf[i:], []byte(w.text)) && w.isolated(buf, i, i+len(w.text)) {
					return w.text, true
				}
			}
		}
		i += n
	}
	return "", false
}
