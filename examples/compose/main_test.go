package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

var profile = persona.Profile{Name: "小炉", About: "爱坐在炉边的人"}

// The packages wired by hand make the same decisions as social, in a seeded day with three groups and two private chats.
func TestSameTraceAsSocial(t *testing.T) {
	if testing.Short() {
		t.Skip("lives a day twice")
	}
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	byHand := day(t, func(client *onebot.Client, trace func(heartflow.Trace)) func(context.Context) error {
		b, err := newBot(profile, counted{}, client, 7, trace)
		require.NoError(t, err)
		return b.run
	})
	assembled := day(t, func(client *onebot.Client, trace func(heartflow.Trace)) func(context.Context) error {
		being, err := social.New(social.Options{
			Profile: profile, Model: counted{}, Link: onebotlink.New(client, onebotlink.Options{}),
			When: social.When{Attention: heartflow.Options{Seed: 7}}, Hooks: social.Hooks{Trace: trace},
		})
		require.NoError(t, err)
		return being.Run
	})
	require.Greater(t, len(byHand), 200)
	spoke := 0
	for _, line := range byHand {
		if line.kind == heartflow.KindSpeak {
			spoke++
		}
	}
	assert.Greater(t, spoke, 50)
	assert.Equal(t, len(assembled), len(byHand))
	for i := range min(len(assembled), len(byHand)) {
		require.Equal(t, assembled[i].text, byHand[i].text, "decision %d", i)
	}
}

// counted is the offline model with a provider's token counts. The two bots write different prompts, so estimates would spend
// the budget differently. The day takes more than the budget of one.
type counted struct{ offline.Model }

func (m counted) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	resp, err := m.Model.GenerateContent(ctx, messages, options...)
	if err == nil {
		resp.Choices[0].GenerationInfo = map[string]any{"PromptTokens": 196_000, "CompletionTokens": 4_000}
	}
	return resp, err
}

type decision struct {
	kind heartflow.TraceKind
	text string
}

// day runs a bot for a seeded day on a virtual clock and returns its decisions in order.
func day(t *testing.T, wire func(*onebot.Client, func(heartflow.Trace)) func(context.Context) error) (trace []decision) {
	synctest.Test(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{Seed: 3, Nickname: profile.Name})
		defer qq.Close()
		rng := rand.New(rand.NewPCG(4, 2))
		var places []func(onebot.Message)
		for i := range int64(3) {
			g := qq.Group(100+i, fmt.Sprintf("群%d", i))
			for who := range int64(4) {
				g.Member(1000+who, fmt.Sprintf("群友%d", who))
			}
			places = append(places, func(m onebot.Message) { g.Say(1000+rng.Int64N(4), m) })
		}
		for i := range int64(2) {
			f := qq.Friend(2000+i, fmt.Sprintf("好友%d", i))
			places = append(places, func(m onebot.Message) { f.Say(m) })
		}
		var mu sync.Mutex
		run := wire(qq.Client(onebot.Options{}), func(d heartflow.Trace) {
			if d.Kind == heartflow.KindState || d.Kind == heartflow.KindModel {
				return // social also traces its own checks and its model calls
			}
			mu.Lock()
			defer mu.Unlock()
			trace = append(trace, decision{d.Kind, d.String()})
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- run(ctx) }()
		synctest.Wait()

		lines := []string{"今天吃什么", "哈哈哈", "小炉在吗", "你们看那个番了吗", "明天降温", "小炉，还记得谁养猫吗", "我养了一只橘猫", "好的", "散了散了"}
		for evening := time.Now().Add(24 * time.Hour); time.Now().Before(evening); {
			m := onebot.Message{onebot.Text(lines[rng.IntN(len(lines))])}
			if rng.IntN(8) == 0 {
				m = append(onebot.Message{onebot.At(qq.SelfID())}, m...)
			}
			places[rng.IntN(len(places))](m)
			synctest.Wait()
			// Not a whole second, because the order of items that are due at the same instant is undefined.
			time.Sleep(time.Duration(rng.IntN(240_000))*time.Millisecond + time.Duration(1+rng.IntN(999))*time.Microsecond)
		}
		synctest.Wait()
		cancel()
		require.NoError(t, <-ended)
	})
	return trace
}
