package social_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNothingIsAskedAgainAfterATool: a model that is busy is asked three times in all, and once where a tool ran in the same
// conversation: by itself, in a chain, and where it writes its calls as text.
func TestNothingIsAskedAgainAfterATool(t *testing.T) {
	for name, change := range map[string]func(*social.Options){
		"by itself": func(*social.Options) {},
		"chain":     chained,
		"scripts":   scripted,
		"scripts in a chain": func(o *social.Options) {
			chained(o)
			scripted(o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			fails, acts := 2, false
			model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
				switch {
				case fails > 0:
					fails--
					return modeltest.HTTPError(503, "busy")
				case !acts:
					return modeltest.Say("在")
				}
				acts, fails = false, 1
				if token := tokenOf(p); token != "" {
					return modeltest.Say(fmt.Sprintf("<nit-%[1]s>\nqq_poke(user_id=\"1001\")\n</nit-%[1]s>", token))
				}
				return modeltest.Call("qq_poke", `{"user_id":"1001"}`)
			})
			inBubble(t, model, change, func(b *bubble) {
				b.group.Say(alice, at(bot, "在吗"))
				b.pass(time.Minute)
				require.Equal(t, []string{"在"}, b.sent(b.group.Chat()))
				require.Equal(t, 3, len(model.Prompts()))

				acts = true
				b.group.Say(alice, at(bot, "戳我"))
				b.pass(2 * time.Minute)
				assert.Len(t, b.qq.Calls("group_poke"), 1)
				assert.Equal(t, 3+2, len(model.Prompts()), "a tool ran")
				assert.Len(t, b.sent(b.group.Chat()), 1)
				assert.EqualValues(t, 1, b.being.Stats().ModelFailed)
				b.accounted()
			})
		})
	}
}

func chained(o *social.Options) {
	c, err := models.NewChain([]models.Candidate{{Name: "model", Model: o.Model}}, models.ChainOptions{Seed: 1})
	if err != nil {
		panic(err)
	}
	o.Model = c
}
