package social_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mixedMedia returns a function that writes three messages in ten as a picture, a sticker, a voice message, a card, a forward or
// a file. Otherwise they are those of a day of text.
func mixedMedia() func(qq *onebottest.Server, r *rand.Rand, topic int) onebot.Message {
	kinds := rand.New(rand.NewPCG(7, 2))
	return func(qq *onebottest.Server, r *rand.Rand, topic int) onebot.Message {
		return inMedia(qq, kinds, topic, livelyText(r, topic))
	}
}

func inMedia(qq *onebottest.Server, r *rand.Rand, topic int, text string) onebot.Message {
	switch n := r.IntN(100); {
	case n < 10:
		return onebot.Message{picture(fmt.Sprint(r.IntN(50)))}
	case n < 16:
		return onebot.Message{onebot.MarketFace(1, "e", "k", "[贴贴]")}
	case n < 21:
		return qq.Voice("a.amr", []byte("#!AMR"), text)
	case n < 26:
		return onebottest.Card{Kind: onebottest.NewsCard, Title: text, Text: livelyText(r, topic), Source: "知乎"}.Message()
	case n < 28:
		var nodes []onebottest.Node
		for range 1 + r.IntN(12) {
			nodes = append(nodes, onebottest.Node{UserID: 3001, Name: "小明", Message: say(livelyText(r, topic))})
		}
		return qq.Forward(nodes...)
	case n < 30:
		return onebot.Message{onebot.File("周末安排.xlsx", "周末安排.xlsx")}
	}
	return say(text)
}

// A day with 30 % of other messages than text costs at most 1.3 times the tokens of a day of text. With -v the test prints the
// ratio: go test ./persona/social -run TestBudget_MediaDay -v -whole-day
func TestBudget_MediaDay(t *testing.T) {
	from, to := 20, 22
	if *wholeDay {
		from, to = 0, 24
	} else if testing.Short() {
		t.Skip("slow: several hours of a lively group")
	}
	for _, strategy := range []struct {
		name   string
		change func(*social.Options)
	}{
		{"mention", func(o *social.Options) { o.When.Attention.Policy = heartflow.MentionOnly{} }},
		{"interject", func(o *social.Options) { o.When.Attention.Policy = heartflow.Interject{} }},
	} {
		text := livelyGroup(t, from, to, strategy.change)
		for _, see := range []string{"looks at pictures", "describes pictures", "no pictures"} {
			media, _ := livelyMessages(t, from, to, mixedMedia(), func(o *social.Options) {
				strategy.change(o)
				srv := &imageServer{}
				switch see {
				case "looks at pictures":
					srv.options(social.Pictures{})(o)
				case "describes pictures":
					srv.options(social.Pictures{})(o)
					o.Models.See = o.Model
				}
			})
			perMessage := func(s spending) float64 { return float64(s.tokens) / float64(s.messages) }
			ratio := perMessage(media) / perMessage(text)
			t.Logf("%-9s %-18s: %d messages, %d calls, %d tokens; text: %d calls, %d tokens; ratio %.2f", strategy.name, see, media.messages, media.calls, media.tokens, text.calls, text.tokens, ratio)
			require.Positive(t, media.spoken)
			assert.LessOrEqual(t, ratio, 1.3, "%s, %s", strategy.name, see)
		}
	}
}
