package hfc

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/fold"
)

// emojiOnly reports whether the text is empty or one tag in brackets: [图片], [sticker:猫].
func emojiOnly(m heartflow.Message) bool {
	s := strings.TrimSpace(m.Text)
	return s == "" || s[0] == '[' && strings.IndexByte(s, ']') == len(s)-1
}

const (
	sharedWordInterest = .5 // per word shared with the bot's topics, up to four words
	addressedInterest  = 1
)

// textInterest returns the interest of a message by its words. likes are the bot's topics, and topic is its last
// message.
func textInterest(text string, addressed bool, likes, topic []uint32) float64 {
	v := 0.
	if addressed {
		v = addressedInterest
	}
	return v + sharedWordInterest*float64(fold.Shared(text, likes, topic))
}

// topicTerms returns the terms of texts, sorted and without duplicates.
func topicTerms(texts []string) []uint32 {
	var all []uint32
	for _, s := range texts {
		all = append(all, fold.Terms(nil, s)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
