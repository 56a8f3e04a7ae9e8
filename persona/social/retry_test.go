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

// A busy model is called three times in all, and only once after a tool has run in the same conversation. That holds
// for a single model, for a chain, and for tool calls written as text.
func TestBot_NoRetryAfterTool(t *testing.T) {
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
			withFixture(t, model, change, func(f *fixture) {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				require.Equal(t, []string{"在"}, f.sent(f.group.Chat()))
				require.Equal(t, 3, len(model.Prompts()))

				acts = true
				f.group.Say(alice, at(botID, "戳我"))
				f.advance(2 * time.Minute)
				assert.Len(t, f.qq.Calls("group_poke"), 1)
				assert.Equal(t, 3+2, len(model.Prompts()), "a tool ran")
				assert.Len(t, f.sent(f.group.Chat()), 1)
				assert.EqualValues(t, 1, f.bot.Stats().ModelFailed)
				f.checkAccounts()
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
