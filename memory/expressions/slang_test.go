package expressions_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/memory/internal/groupslang"
)

// learned is the end of the weeks that are read. The fourth week is what they are measured by.
var learned = groupslang.Start.AddDate(0, 0, 21)

func messagesOf(g groupslang.Group, until time.Time) (messages []expressions.Message) {
	for _, m := range g.Messages {
		if m.At.Before(until) {
			messages = append(messages, expressions.Message{ID: m.ID, Person: m.Person, Name: m.Name, Text: m.Text, At: m.At})
		}
	}
	return messages
}

// A measure counts expressions over groups.
type measure struct {
	offered, right  int // expressions, and those that are labelled and used in the last week
	used, found     int // labels that are used in the last week, and those that were learned
	placed, correct int // sayings that answer a situation, and those with the right one
}

func (m *measure) precision() float64 { return float64(m.right) / float64(max(1, m.offered)) }
func (m *measure) recall() float64    { return float64(m.found) / float64(max(1, m.used)) }
func (m *measure) situations() float64 {
	return float64(m.correct) / float64(max(1, m.placed))
}

func (m *measure) add(t *testing.T, o groupslang.Options, alone, show bool) {
	w := groupslang.New(o)
	var corpus expressions.Corpus
	for _, g := range w.Groups {
		corpus.Add(messagesOf(g, learned))
	}
	for i, g := range w.Groups {
		options := expressions.Options{Corpus: &corpus}
		if alone {
			options.Corpus = nil
		}
		found := expressions.Learn(learned, messagesOf(g, learned), options)
		used := map[string]int{}
		for _, one := range g.Messages {
			if one.Uses != "" && !one.At.Before(learned) {
				used[one.Uses]++
			}
		}
		for _, e := range found {
			m.offered++
			at := slices.IndexFunc(g.Labels, func(l groupslang.Label) bool { return l.Form == e.Form })
			if used[e.Form] > 0 {
				m.right++
			} else if show {
				t.Logf("seed %d group %d wrong: %s %q %q count %d people %d confidence %.2f labelled %v", o.Seed, i, e.Kind, e.Form, e.Situation, e.Count, e.People, e.Confidence, at >= 0)
			}
			if at >= 0 && g.Labels[at].Situation != "" {
				m.placed++
				if g.Labels[at].Situation == string(e.Situation) {
					m.correct++
				}
			}
		}
		for form, n := range used {
			m.used++
			if slices.ContainsFunc(found, func(e expressions.Expression) bool { return e.Form == form }) {
				m.found++
			} else if show {
				before := 0
				for _, one := range g.Messages {
					if one.At.Before(learned) && strings.Contains(one.Text, form) {
						before++
					}
				}
				t.Logf("seed %d group %d missed: %q used %d times before, %d after", o.Seed, i, form, before, n)
			}
		}
	}
}

func measured(t *testing.T, o groupslang.Options, seeds int, alone, show bool) (m measure) {
	if testing.Short() {
		seeds = 1
	}
	for range seeds {
		m.add(t, o, alone, show)
		o.Seed++
	}
	t.Logf("precision %.3f of %d, recall %.3f of %d, situation %.3f of %d", m.precision(), m.offered, m.recall(), m.used, m.situations(), m.placed)
	return m
}

func TestGroups_Tuning(t *testing.T) {
	m := measured(t, groupslang.Options{Seed: 1, Phrasings: groupslang.Tuning()}, 2, false, testing.Verbose())
	assert.Greater(t, m.precision(), .8)
	assert.Greater(t, m.recall(), .5)
}

func TestGroups_TuningEnglish(t *testing.T) {
	m := measured(t, groupslang.Options{Seed: 1, Phrasings: groupslang.Tuning(), English: true}, 2, false, testing.Verbose())
	assert.Greater(t, m.precision(), .8)
	assert.Greater(t, m.recall(), .5)
}

// TestGroups_Unseen measures with the held-out phrasings and seeds. It shows numbers only.
func TestGroups_Unseen(t *testing.T) {
	for _, one := range []struct {
		name           string
		o              groupslang.Options
		alone          bool
		precise, found float64
	}{
		{"chinese", groupslang.Options{}, false, .8, .5},
		{"english", groupslang.Options{English: true}, false, .8, .5},
		{"one group", groupslang.Options{}, true, .8, .5},
		{"own topics", groupslang.Options{OwnTopics: true}, false, 0, .5},
	} {
		t.Run(one.name, func(t *testing.T) {
			one.o.Seed, one.o.Phrasings = 1000, groupslang.Unseen()
			m := measured(t, one.o, 10, one.alone, false)
			assert.Greater(t, m.precision(), one.precise)
			assert.Greater(t, m.recall(), one.found)
		})
	}
}
