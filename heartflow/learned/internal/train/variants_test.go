package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A variant has whole conversations of its log, and no names at the start.
func TestVariant(t *testing.T) {
	l := &whentospeak.Log{Chat: "2024-05-01"}
	l.Lines = append(l.Lines, whentospeak.Line{ID: "old", Sender: "ann", Text: "bob: without labels"})
	for i := range 200 {
		people := []string{"ann", "Bob"}
		question, answer := fmt.Sprint("q", i), fmt.Sprint("a", i)
		l.Lines = append(l.Lines,
			whentospeak.Line{ID: question, Sender: people[i%2], Text: "does it work?", ReplyTo: []string{question}, Labeled: true},
			whentospeak.Line{ID: answer, Sender: people[1-i%2], Text: people[i%2] + ": try again: now", ReplyTo: []string{question}, Labeled: true})
	}
	assert.Len(t, variant(l, manner{keep: 1, named: 1}).Lines, 400)
	all := variant(l, manner{keep: 1})
	require.Len(t, all.Lines, 400)
	for i, line := range all.Lines {
		assert.Equal(t, []string{"does it work?", "try again: now"}[i%2], line.Text)
	}
	some := variant(l, manner{keep: .25, named: .5})
	require.Equal(t, some, variant(l, manner{keep: .25, named: .5}))
	assert.InDelta(t, 100, len(some.Lines), 40)
	named := 0
	for i, line := range some.Lines {
		assert.Equal(t, some.Lines[i/2*2].ID, line.ReplyTo[0], "a conversation is whole")
		if strings.Contains(line.Text, ": try") {
			named++
		}
	}
	assert.InDelta(t, len(some.Lines)/4, named, 20)
	assert.Equal(t, "ann: try again: now", l.Lines[2].Text, "the log is unchanged")
}
