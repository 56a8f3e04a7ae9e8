package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hearth-bot/hearth/internal/lookback"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// Speakers of a log, and names that occur in few logs, have no weight.
func TestLearnWords_NoNames(t *testing.T) {
	var list []saying
	for i := range 20 {
		l := &whentospeak.Log{}
		for range 3 {
			text := "ann: does the disk work?"
			if i < 10 {
				text += " says wilee-42"
			}
			l.Lines = append(l.Lines, whentospeak.Line{ID: "1", Sender: "bob", Text: text, Labeled: true}, whentospeak.Line{ID: "2", Sender: "ann"})
		}
		list = append(list, sayings(l)...)
	}
	words, _ := learnWords(list)
	assert.Contains(t, words, lookback.WordKey('u', "disk"))
	for _, name := range []string{"ann", "wilee", "wilee-42"} {
		assert.NotContains(t, words, lookback.WordKey('u', name))
	}
}
