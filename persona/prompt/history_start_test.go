package prompt

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHistoryStart(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	// messages returns n messages at the seconds from, from+1…, each with 100 tokens of text and markup.
	messages := func(from, n int) (ms []persona.Message) {
		for i := range n {
			ms = append(ms, persona.Message{At: at(from + i), Text: strings.Repeat("字", 80)})
		}
		return ms
	}
	same := messages(1, 30)
	for i := range same {
		same[i].At = at(1 + i/10*10)
	}
	for name, c := range map[string]struct {
		messages      []persona.Message
		previous      time.Time
		least, budget int
		want          int
	}{
		"none":                                {nil, at(5), 10, 0, 0},
		"no previous prompt":                  {messages(1, 30), time.Time{}, 20, 0, 10},
		"fewer than least":                    {messages(1, 5), time.Time{}, 20, 0, 0},
		"stays":                               {messages(1, 30), at(3), 20, 0, 2},
		"stays at the first":                  {messages(1, 30), at(1), 20, 0, 0},
		"the old start is no longer there":    {messages(10, 30), at(9), 20, 0, 10},
		"fewer than least after a cut":        {messages(1, 30), at(25), 20, 0, 24},
		"four fifths":                         {messages(1, 16), at(1), 10, 2000, 0},
		"above four fifths: least fit":        {messages(1, 17), at(1), 3, 2000, 14},
		"above four fifths: least are long":   {messages(1, 17), at(1), 4, 2000, 15},
		"80 messages":                         {messages(1, 80), at(1), 40, 12000, 0},
		"above two fifths, above 80 messages": {messages(1, 81), at(1), 40, 12000, 69},
		"two fifths":                          {messages(1, 90), at(1), 40, 22500, 0},
		"one message above the whole":         {messages(1, 1), time.Time{}, 7, 50, 1},
		"no limit":                            {messages(1, 3000), at(1), 7, -1, 0},
		"the default budget":                  {messages(1, 113), at(1), 40, 0, 73},
		"several messages at the same second": {same, time.Time{}, 15, 0, 10},
		"an erased message":                   {messages(1, 30)[3:], at(2), 20, 0, 7},
		"a future start":                      {messages(1, 30), at(100), 20, 0, 30},
	} {
		assert.Equal(t, c.want, HistoryStart(c.messages, c.previous, c.least, c.budget), name)
	}
}

// While messages arrive, the start never moves back, and stays for many messages. After a move the history has at least
// a tenth of the budget, less a message, and it never has more than four fifths.
func TestHistoryStart_GrowingHistory(t *testing.T) {
	const least, most, budget = 100, 175, 12000
	for _, long := range []int{5, 20, 50, 100, 250} {
		r := rand.New(rand.NewPCG(1, uint64(long)))
		var all []persona.Message
		var previous time.Time
		now, moves := time.Unix(1_700_000_000, 0), 0
		for range 3000 {
			now = now.Add(time.Duration(1+r.IntN(40)) * time.Second)
			all = append(all, persona.Message{At: now, Name: "群友", Text: strings.Repeat("字", long/2+r.IntN(long+1))})
			window := all[max(len(all)-most, 0):]
			i := HistoryStart(window, previous, least, budget)
			require.Less(t, i, len(window))
			require.False(t, window[i].At.Before(previous), "the start moved back")
			require.True(t, fits(window[i:], budget/5*4))
			if !window[i].At.Equal(previous) {
				moves++
			}
			if len(all) > most {
				require.True(t, len(window)-i >= least || !fits(window[max(i-1, 0):], budget/10), "too few messages")
			}
			previous = window[i].At
		}
		each := long + 25 // tokens
		perMove := min(most-least, (max(budget*2/5, min(fewMessages*each, budget*4/5))-budget/10)/each)
		assert.LessOrEqual(t, moves, 3000*5/4/perMove+2, "%d runes", long)
	}
}
