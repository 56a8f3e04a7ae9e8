package synthetic

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChat(t *testing.T) {
	began := time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)
	busy := Usual
	busy.Overlap, busy.Members = 1, 20
	for _, shape := range []Shape{Usual, busy} {
		lines := Chat(Unseen, shape, 3, began)
		require.Equal(t, lines, Chat(Unseen, shape, 3, began), "the same seed gives the same chat")
		require.NotEqual(t, lines, Chat(Unseen, shape, 4, began))
		answers, mentions := 0, 0
		for i, l := range lines {
			assert.Equal(t, l.To != "", strings.HasPrefix(l.Text, "@"+l.To+" "))
			if l.To != "" {
				mentions++
			}
			if i > 0 {
				assert.False(t, l.At.Before(lines[i-1].At))
			}
			if l.Answers >= 0 {
				answers++
				require.Less(t, l.Answers, i)
				assert.NotEqual(t, l.From, lines[l.Answers].From)
			}
		}
		assert.Greater(t, answers, len(lines)/3)
		assert.Positive(t, mentions)
		assert.Less(t, mentions, len(lines)/5, "people mention nobody, as a rule")
	}
}
