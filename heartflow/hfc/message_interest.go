package hfc

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
)

// emojiOnly reports whether a message is only a picture, a sticker or a face: the text is empty or one tag in brackets, such as
// [图片] or [sticker:猫]. A voice message, a file and a forward are tags too, and may want an answer, as may an act that mentions
// the bot, such as a poke.
func emojiOnly(m heartflow.Message) bool {
	s := strings.TrimSpace(m.Text)
	for _, content := range []string{"[语音", "[文件", "[聊天记录"} {
		if strings.HasPrefix(s, content) {
			return false
		}
	}
	return !m.AtMe && (s == "" || s[0] == '[' && strings.IndexByte(s, ']') == len(s)-1)
}

const (
	sharedWordInterest = .5 // per word shared with the bot's topics
	maxSharedWords     = 4
	addressedInterest  = 1
)

// A topicWords has the words of the bot's topics. It is immutable.
type topicWords struct {
	terms []uint32 // sorted
	short []string // folded topics that are too short for a term: one Han character, a word of up to three letters
}

func newTopicWords(topics []string) (w topicWords) {
	for _, s := range topics {
		folded := strings.TrimSpace(string(fold.Append(nil, s)))
		switch terms := fold.Terms(nil, s); {
		case len(terms) > 0:
			w.terms = append(w.terms, terms...)
		case folded != "" && !slices.Contains(w.short, folded):
			w.short = append(w.short, folded)
		}
	}
	slices.Sort(w.terms)
	w.terms = slices.Compact(w.terms)
	return w
}

// textInterest returns the interest of a message by its words. likes are the bot's topics, and topic has the terms of
// its last message.
func textInterest(text string, addressed bool, likes topicWords, topic []uint32) float64 {
	v := 0.
	if addressed {
		v = addressedInterest
	}
	return v + sharedWordInterest*float64(min(fold.Shared(text, likes.terms, topic)+likes.countShort(text), maxSharedWords))
}

// countShort counts the short topics in a text.
func (w topicWords) countShort(text string) (n int) {
	if len(w.short) == 0 {
		return 0
	}
	folded := string(fold.Append(nil, clip.Bytes(text, 2048)))
	for _, s := range w.short {
		if containsWord(folded, s) {
			n++
		}
	}
	return n
}

// containsWord reports whether word is in text. In a script with spaces it must not be a part of another word.
func containsWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !(fold.Spaced(first) && fold.Spaced(before)) && !(fold.Spaced(last) && fold.Spaced(after)) {
			return true
		}
		from = at + len(word)
	}
}
