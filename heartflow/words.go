package heartflow

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
)

// searched is how many bytes of a text are looked through for words: whoever calls does so near the beginning.
const searched = 16 << 10

// maxWords bounds each list of words.
const maxWords = 1000

// A lexicon finds names, wake words and keywords in texts. It does not change.
type lexicon struct {
	first [16]uint64 // bit n: a word begins with a rune whose last ten bits are n
	words map[rune][]word
}

type word struct {
	text        string // folded
	call        calls
	left, right bool // its edge is of a script that separates words: no such rune may stand beside it
}

// newLexicon compiles the lists. Every word must have something left once folded.
func newLexicon(names, wakeWords, keywords []string) (*lexicon, error) {
	l := &lexicon{words: map[rune][]word{}}
	for _, list := range []struct {
		what  string
		words []string
		call  calls
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
				return nil, fmt.Errorf("heartflow: %s[%d] %q has nothing to look for: it must have a character that can be seen", list.what, i, w)
			}
			l.add(folded, list.call)
			if wide := widePunctuation.Replace(folded); wide != folded {
				l.add(wide, list.call)
			}
		}
	}
	return l, nil
}

// widePunctuation is what a Chinese keyboard gives for a name like "Yahoo!".
var widePunctuation = strings.NewReplacer("!", "！", "?", "？", ",", "，", ":", "：", ";", "；", "(", "（", ")", "）", "~", "～")

func (l *lexicon) add(folded string, call calls) {
	first, _ := utf8.DecodeRuneInString(folded)
	last, _ := utf8.DecodeLastRuneInString(folded)
	l.first[first>>6&15] |= 1 << (first & 63)
	l.words[first] = append(l.words[first], word{text: folded, call: call, left: fold.Spaced(first), right: fold.Spaced(last)})
}

func (l *lexicon) empty() bool { return l == nil || len(l.words) == 0 }

// find says which kinds of words text has. A word in a link or an e-mail address is none, nor is one in the @name of
// somebody; an @name that is exactly a word counts only where ats is true.
func (l *lexicon) find(text string, ats bool) (found calls) {
	if l.empty() {
		return 0
	}
	if len(text) > searched {
		text = clip.Bytes(text, searched)
	}
	var scratch [1024]byte
	buf := fold.Append(scratch[:0], text)
	var links linkFinder
	for i := 0; i < len(buf); {
		r, n := rune(buf[i]), 1
		switch {
		case r >= 0xe0 && r < 0xf0: // folded text is sound
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

// at tests the words that begin with r at i. It returns how far the text is of no interest, where it is not.
func (l *lexicon) at(buf []byte, i int, r rune, links *linkFinder, ats bool) (found calls, skip int) {
	for _, w := range l.words[r] {
		end := i + len(w.text)
		if w.call&^found == 0 || len(buf) < end || string(buf[i:end]) != w.text || !w.stands(buf, i, end) {
			continue
		}
		if s, in := links.inLink(buf, i); in {
			return found, s
		}
		if s, in := inAt(buf, i, end, ats); in {
			skip = max(skip, s)
			continue
		}
		found |= w.call
	}
	if found != 0 {
		return found, 0
	}
	return 0, skip
}

// stands reports that the word at buf[i:end] does not go on at an edge that needs a border.
func (w *word) stands(buf []byte, i, end int) bool {
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
