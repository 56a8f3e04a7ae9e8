package heartflow

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
)

// maxSearched is the maximum length of a searched text, in bytes. People write the bot's name near the beginning.
const maxSearched = 16 << 10

// maxWords bounds each list of words.
const maxWords = 1000

// A lexicon finds names, wake words and keywords in texts. It is immutable.
type lexicon struct {
	first [16]uint64 // bit n: a word begins with a rune that ends in the ten bits n
	words map[rune][]word
}

type word struct {
	text        string // folded
	kind        reasons
	left, right bool // this edge is in a script with spaces, so no such rune may be next to it
}

// newLexicon compiles the lists. Every word must be non-empty after folding.
func newLexicon(names, wakeWords, keywords []string) (*lexicon, error) {
	l := &lexicon{words: map[rune][]word{}}
	for _, list := range []struct {
		what  string
		words []string
		call  reasons
	}{{"Names", names, isName}, {"WakeWords", wakeWords, isWakeWord}, {"Keywords", keywords, isKeyword}} {
		if len(list.words) > maxWords {
			return nil, fmt.Errorf("heartflow: %s has %d words: at most %d are allowed", list.what, len(list.words), maxWords)
		}
		for i, w := range list.words {
			if len(w) > 256 || !utf8.ValidString(w) {
				return nil, fmt.Errorf("heartflow: %s[%d] is %.40q: it must be UTF-8, and at most 256 bytes", list.what, i, w)
			}
			folded := strings.TrimSpace(string(fold.Append(nil, w)))
			if folded == "" {
				return nil, fmt.Errorf("heartflow: %s[%d] %q has no visible character", list.what, i, w)
			}
			l.add(folded, list.call)
			if wide := widePunctuation.Replace(folded); wide != folded {
				l.add(wide, list.call)
			}
		}
	}
	return l, nil
}

// widePunctuation converts punctuation as a Chinese keyboard does in a name like "Yahoo!".
var widePunctuation = strings.NewReplacer("!", "！", "?", "？", ",", "，", ":", "：", ";", "；", "(", "（", ")", "）", "~", "～")

func (l *lexicon) add(folded string, call reasons) {
	first, _ := utf8.DecodeRuneInString(folded)
	last, _ := utf8.DecodeLastRuneInString(folded)
	l.first[first>>6&15] |= 1 << (first & 63)
	l.words[first] = append(l.words[first], word{text: folded, kind: call, left: fold.Spaced(first), right: fold.Spaced(last)})
}

func (l *lexicon) empty() bool { return l == nil || len(l.words) == 0 }

// find returns the kinds of words in text. It ignores words in links, e-mail addresses and @names of other people. If
// ats is true, an @name that is exactly a word counts.
func (l *lexicon) find(text string, ats bool) (found reasons) {
	if l.empty() {
		return 0
	}
	if len(text) > maxSearched {
		text = clip.Bytes(text, maxSearched)
	}
	var scratch [1024]byte
	buf := fold.Append(scratch[:0], text)
	var links linkFinder
	for i := 0; i < len(buf); {
		r, n := rune(buf[i]), 1
		switch {
		case r >= 0xe0 && r < 0xf0: // folded text is valid UTF-8
			r, n = r&15<<12|rune(buf[i+1]&63)<<6|rune(buf[i+2]&63), 3
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeRune(buf[i:])
		}
		if l.first[r>>6&15]&(1<<(r&63)) != 0 {
			call, skip := l.at(buf, i, r, &links, ats)
			found |= call
			n = max(n, skip-i)
		}
		i += n
	}
	return found
}

// at checks the words that begin with r at i. skip is the end of a link or an @name around i, or 0.
func (l *lexicon) at(buf []byte, i int, r rune, links *linkFinder, ats bool) (found reasons, skip int) {
	for _, w := range l.words[r] {
		end := i + len(w.text)
		if w.kind&^found == 0 || len(buf) < end || string(buf[i:end]) != w.text || !w.isolated(buf, i, end) {
			continue
		}
		if s, in := links.inLink(buf, i); in {
			return found, s
		}
		if s, in := inAt(buf, i, end, ats); in {
			skip = max(skip, s)
			continue
		}
		found |= w.kind
	}
	if found != 0 {
		return found, 0
	}
	return 0, skip
}

// isolated reports whether the word at buf[i:end] has a border at both edges that need one.
func (w *word) isolated(buf []byte, i, end int) bool {
	if w.left {
		if before, _ := utf8.DecodeLastRune(buf[:i]); fold.Spaced(before) {
			return false
		}
	}
	if w.right {
		if after, _ := utf8.DecodeRune(buf[end:]); fold.Spaced(after) {
			return false
		}
	}
	return true
}
