package prompt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keptText joins the segments that the model sees.
func keptText(all []Segment) string {
	var text strings.Builder
	for _, s := range all {
		if !s.Dropped {
			text.WriteString(s.Text)
		}
	}
	return text.String()
}

func TestContextSegments_AreTheContextAtEveryBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	p, now := persona.Profile{Name: "小炉"}, time.Date(2026, 1, 5, 10, 0, 30, 0, cst)
	dropped := 0
	for range 50 {
		s, _ := sized(r, func() int { return r.IntN(6) }, r.IntN(2) > 0)
		for _, s.Budget = range []int{-1, 1, 200 + r.IntN(400), 600 + r.IntN(2000)} {
			all := ContextSegments(p, now, s)
			require.Equal(t, Context(p, now, s), keptText(all))
			for _, one := range all {
				require.NotEmpty(t, one.Text)
				if one.Dropped {
					require.NotZero(t, one.Rank, one.Kind)
					dropped++
				}
			}
		}
	}
	assert.Positive(t, dropped)
}

func TestContextSegments_NameMessagesAndMemories(t *testing.T) {
	now := time.Date(2026, 1, 5, 10, 0, 30, 0, cst)
	s := Scene{
		Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Location: cst, Summary: "聊过猫",
		History:  []persona.Message{{Key: "qq/group/1/7", Name: "阿明", Text: "猫在哪", At: now}},
		Recent:   []persona.Message{{Key: "qq/group/1/8", Name: "小夏", Text: "在睡觉", At: now}},
		Memories: []Memory{{Key: "m1", Text: "阿明养了一只猫"}},
	}
	var named []string
	for _, one := range ContextSegments(persona.Profile{Name: "小炉"}, now, s) {
		if one.Kind != "" {
			named = append(named, fmt.Sprint(one.Rank, " ", one.Kind, " ", one.ID))
		}
		assert.Equal(t, Tokens(one.Text), one.Tokens)
		assert.NotContains(t, one.Text, "qq/group/1/", "the key is for programs")
	}
	assert.Equal(t, []string{"11 summary ", "10 history qq/group/1/7", "0 recent qq/group/1/8", "3 memory m1"}, named)
}
