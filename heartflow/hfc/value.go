package hfc

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/fold"
)

// emojiOnly reports a text that is nothing, or one tag in brackets: [图片], [sticker:猫].
func emojiOnly(m heartflow.Message) bool {
	s := strings.TrimSpace(m.Text)
	return s == "" || s[0] == '[' && strings.IndexByte(s, ']') == len(s)-1
}

const (
	sharedValue = .5 // of a word that a message shares with what the being cares for, four at most
	calledValue = 1
)

// value is the interest of a message by its words: likes is what the being cares for, topic what it last said there.
func value(text string, called bool, likes, topic []uint32) float64 {
	v := 0.
	if called {
		v = calledValue
	}
	return v + sharedValue*float64(fold.Shared(text, likes, topic))
}

// topicsOf are the terms of some texts.
func topicsOf(texts []string) []uint32 {
	var all []uint32
	for _, s := range texts {
		all = append(all, fold.Terms(nil, s)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
