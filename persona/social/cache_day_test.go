package social_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// longText writes messages of about n runes.
func longText(n int) func(r *rand.Rand, topic int) string {
	return func(r *rand.Rand, topic int) string {
		text := livelyText(r, topic)
		for least := n/2 + r.IntN(n+1); len([]rune(text)) < least; {
			text += "，" + livelyText(r, topic)
		}
		return text
	}
}

// mixedText writes a long message among five.
func mixedText(r *rand.Rand, topic int) string {
	if r.IntN(5) == 0 {
		return longText(250)(r, topic)
	}
	return livelyText(r, topic)
}

// A cacheShare counts prompt tokens, and those of them that a provider has read before.
type cacheShare struct{ calls, tokens, last, best int }

// add counts a request after the earlier ones: the start that it shares with the last one, and with any of the last
// eight, as caches of providers find it and [social.Bot.CacheShare] measures it.
func (c *cacheShare) add(request string, earlier []string) {
	best := 0
	for i := range earlier[max(len(earlier)-8, 0):] {
		n := prompt.Tokens(sameStart(earlier[len(earlier)-1-i], request))
		if best = max(best, n); i == 0 {
			c.last += n
		}
	}
	c.calls, c.tokens, c.best = c.calls+1, c.tokens+prompt.Tokens(request), c.best+best
}

func (c *cacheShare) share() float64 { return float64(c.best) / float64(c.tokens) }

func sameStart(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// requestText returns a request in the order in which providers read it: tools, then messages.
func requestText(p modeltest.Prompt) string {
	var b strings.Builder
	for _, tool := range p.Options.Tools {
		text, _ := json.Marshal(tool)
		b.Write(text)
	}
	for _, m := range p.Messages {
		b.WriteString(modeltest.Prompt{Messages: []llms.MessageContent{m}}.Text())
	}
	return b.String()
}

// isReply reports whether a call belongs to an answer in the chat, and not to background work.
func isReply(p modeltest.Prompt) bool {
	_, task, found := strings.Cut(p.Human(), "## 现在：")
	task, _, _ = strings.Cut(task, "\n")
	return !found || task == "想" || task == "决定" || task == "写"
}

// Over a day, at least 70 % of the prompt tokens of replies are a prefix of an earlier request of the chat, in groups of short
// and of long messages, with one call and with three. Bots have everything that presets turn on. With -v the test prints all
// figures: go test ./persona/social -run TestPromptCache_LivelyGroup -v -whole-day
func TestPromptCache_LivelyGroup(t *testing.T) {
	from, to, less := 19, 23, .02 // the evening alone varies more
	if *wholeDay {
		from, to, less = 0, 24, 0
	} else if testing.Short() {
		t.Skip("slow: several evenings")
	}
	table := fmt.Sprintf("%-7s %-10s %6s %9s %7s | %6s %7s %6s %6s", "length", "strategy", "calls", "tokens", "share", "reply", "tokens", "last", "share")
	for _, text := range []struct {
		name  string
		write func(r *rand.Rand, topic int) string
		least float64
	}{{"short", livelyText, .8}, {"mixed", mixedText, .7}, {"100", longText(100), .7}, {"250", longText(250), .7}} {
		for _, strategy := range []struct {
			name   string
			change func(*social.Options)
		}{{"one call", func(*social.Options) {}}, {"three", threeCalls}, {"HFC", nil}} {
			if strategy.change == nil && !*wholeDay {
				continue
			}
			spent, prompts := livelyHours(t, from, to, text.write, func(o *social.Options) {
				if strategy.change != nil {
					o.When.Attention.Policy = heartflow.Interject{}
					strategy.change(o)
				}
				full, err := preset.Group(t.Context(), *o)
				require.NoError(t, err)
				full.Reply.Speech, full.Reply.Excuses = nil, nil
				*o = full
			})
			var all, replies cacheShare
			var earlier []string
			for _, p := range prompts {
				request := requestText(p)
				all.add(request, earlier)
				if isReply(p) {
					replies.add(request, earlier)
				}
				earlier = append(earlier, request)
			}
			table += fmt.Sprintf("\n%-7s %-10s %6d %9d %6.1f%% | %6d %7d %5.1f%% %5.1f%%", text.name, strategy.name, all.calls, all.tokens, 100*all.share(),
				replies.calls, replies.tokens/max(replies.calls, 1), 100*float64(replies.last)/float64(replies.tokens), 100*replies.share())
			assert.Greater(t, replies.calls, 100)
			assert.InDelta(t, all.share(), spent.cacheShare, .05, "CacheShare measures the same in blocks")
			assert.GreaterOrEqual(t, replies.share(), text.least-less, "%s %s", text.name, strategy.name)
		}
	}
	t.Log("\n" + table)
}
