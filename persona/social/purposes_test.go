package social_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// purposeTasks are parts of prompts by the task of the call.
var purposeTasks = map[string]string{
	"think": "## 现在：想\n", "plan": "## 现在：决定\n", "write": "## 现在：写\n", "summarize": "## 现在：记\n", "request": headJudge, "greet": headGreet, "picture": "图里有什么",
}

func purposeTask(p modeltest.Prompt) string {
	for name, text := range purposeTasks {
		if strings.Contains(p.Human(), text) {
			return name
		}
	}
	return "other"
}

// purposeServer is a model behind HTTP that can do everything.
func purposeServer() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		return modeltest.Say(map[string]string{
			"think": "有人让我看图", "plan": `{"action": "text_reply", "reasoning": "他在等我"}`, "write": "好可爱", "summarize": "聊了猫", "request": approve, "greet": "你好", "picture": "一只橘猫", "other": "[skip]",
		}[purposeTask(p)]).After(time.Second)
	})
}

// asked returns the tasks of a server, each once.
func asked(m *modeltest.Model) (all []string) {
	for _, p := range m.Prompts() {
		all = append(all, purposeTask(p))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// livePurposes lets a bot answer a picture, sum up and judge a friend request.
func livePurposes(f *fixture) {
	f.group.Say(alice, append(at(botID, "看"), picture("cat")))
	f.advance(time.Minute)
	f.qq.FriendRequest(3001, "小满", "我是隔壁群的小满")
	f.advance(time.Minute)
	require.Equal(f, []string{"好可爱"}, f.sent(f.group.Chat()))
	require.Equal(f, []string{"你好"}, f.sent(onebottest.PrivateChat(3001)))
}

// Each purpose asks its own server. Without Options.Models all ask the one.
func TestModels_ByPurpose(t *testing.T) {
	names := []string{"main", "judge", "plan", "reply", "background", "see"}
	for _, own := range []bool{false, true} {
		t.Run(fmt.Sprint(own), func(t *testing.T) {
			withFixture(t, purposeServer(), nil, func(f *fixture) {
				f.stop()
				servers, clients := map[string]*modeltest.Model{}, map[string]llms.Model{}
				for _, name := range names {
					servers[name] = purposeServer()
					client, end := overHTTP(f, servers[name])
					defer end()
					var o social.Options
					client(&o)
					var err error
					clients[name], err = models.Retry(o.Model, models.RetryOptions{Name: name})
					require.NoError(f, err)
				}
				web := &imageServer{}
				f.start(func(o *social.Options) {
					threeCalls(o)
					withDigest(func(l *social.Digest) { onlySummaries(l); l.Summary.Turns = 1 })(o)
					web.options(social.Pictures{ContentPart: func(p persona.Picture) llms.ContentPart { return llms.ImageURLPart(p.DataURL()) }})(o)
					o.Model = clients["main"]
					if own {
						o.Models = social.Models{Judge: clients["judge"], Plan: clients["plan"], Reply: clients["reply"], Background: clients["background"], See: clients["see"]}
					}
				})
				livePurposes(f)
				got := map[string][]string{}
				for name, server := range servers {
					if all := asked(server); all != nil {
						got[name] = all
					}
				}
				calls := map[models.Purpose]int{}
				sum := models.Usage{}
				for p, u := range f.bot.Usage() {
					calls[p] = u.Calls
					sum = sum.Add(u)
				}
				assert.EqualValues(t, f.bot.Stats().ModelCalls, sum.Calls)
				assert.EqualValues(t, f.bot.Stats().Tokens, sum.Total())
				byModel, named := models.Usage{}, []string{}
				for name, u := range f.bot.UsageByModel() {
					byModel, named = byModel.Add(u), append(named, name)
				}
				assert.Equal(t, sum, byModel)
				assert.ElementsMatch(t, slices.Collect(maps.Keys(got)), named)
				assert.Equal(t, sum.Total(), f.bot.Budget().Usage.DayTokens)
				traced := map[string][]string{}
				for _, tr := range f.tracesOf(heartflow.KindModel) {
					c := tr.Call
					traced[c.Purpose] = append(traced[c.Purpose], c.Model)
					assert.Equal(t, []time.Duration{time.Second, time.Second}, []time.Duration{c.FirstToken, c.Took})
					assert.Positive(t, c.Tokens)
					assert.Equal(t, []heartflow.ModelAttempt{{Model: c.Model, Took: time.Second}}, c.Attempts)
				}
				for p, all := range traced {
					assert.Len(t, all, calls[models.Purpose(p)], p)
					slices.Sort(all)
					traced[p] = slices.Compact(all)
				}
				if !own {
					assert.Equal(t, map[string][]string{"main": {"greet", "plan", "request", "summarize", "think", "write"}}, got)
					assert.Equal(t, map[string][]string{"judge": {"main"}, "plan": {"main"}, "reply": {"main"}, "background": {"main"}}, traced)
					assert.NotContains(t, calls, models.PurposeSee)
					return
				}
				assert.Equal(t, map[string][]string{
					"judge": {"request"}, "plan": {"plan", "think"}, "reply": {"greet", "write"}, "background": {"summarize"}, "see": {"picture"},
				}, got)
				assert.Equal(t, map[models.Purpose]int{"judge": 1, "plan": 2, "reply": 2, "background": len(servers["background"].Prompts()), "see": 1}, calls)
				assert.Equal(t, map[string][]string{"judge": {"judge"}, "plan": {"plan"}, "reply": {"reply"}, "background": {"background"}, "see": {"see"}}, traced)
				for _, p := range servers["plan"].Prompts() {
					assert.Contains(t, p.Human(), "[图片：一只橘猫]", "a description, which needs no vision")
				}
				assert.EqualValues(t, 1, f.bot.Stats().Opened.Pictures)
				for _, tr := range f.bot.Traces(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}) {
					if tr.Call != nil {
						assert.NotEqual(t, "judge", tr.Call.Purpose, "a request belongs to no group")
					}
				}
			})
		})
	}
}

// A purpose with two models uses the second if the first fails, and the trace names both.
func TestModels_Fallback(t *testing.T) {
	withFixture(t, purposeServer(), nil, func(f *fixture) {
		f.stop()
		broken, second, main := modeltest.Always(modeltest.HTTPError(http.StatusPaymentRequired, "balance sk-0123456789abcdefghij")), purposeServer(), purposeServer()
		var clients []llms.Model
		for _, server := range []*modeltest.Model{broken, second, main} {
			client, end := overHTTP(f, server)
			defer end()
			var o social.Options
			client(&o)
			clients = append(clients, o.Model)
		}
		chain, err := models.NewChain([]models.Candidate{{Name: "first", Model: clients[0]}, {Name: "second", Model: clients[1]}}, models.ChainOptions{Seed: 1})
		require.NoError(t, err)
		f.start(func(o *social.Options) {
			threeCalls(o)
			o.Model, o.Models.Plan = clients[2], chain
		})
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"好可爱"}, f.sent(f.group.Chat()))
		assert.Equal(t, []string{"plan", "think"}, asked(second))
		assert.Equal(t, []string{"write"}, asked(main))
		assert.Len(t, broken.Prompts(), 1, "then its breaker is open")
		traces := f.tracesOf(heartflow.KindModel)
		require.Len(t, traces, 3)
		var attempts []string
		for _, tr := range traces {
			assert.Equal(t, "qq:group:1", tr.Chat)
			for _, a := range tr.Call.Attempts {
				attempts = append(attempts, strings.TrimSpace(a.Model+" "+a.Error))
			}
			assert.NotContains(t, tr.String(), "sk-")
		}
		assert.Equal(t, []string{"first out of quota (402)", "second", "first breaker open", "second", "m"}, attempts)
		assert.Contains(t, traces[0].String(), "model plan second 1s ")
		assert.Contains(t, traces[0].String(), ", failed: first out of quota (402) 0s")
		assert.Equal(t, 1, f.bot.Usage()[models.PurposePlan].Failed)
	})
}

// A streamed reply has the time of its first token.
func TestModels_FirstTokenOfAStream(t *testing.T) {
	m := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		return modeltest.Say("<item>在的</item>").After(2 * time.Second)
	})
	withFixture(t, m, streaming(m), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		require.Equal(t, []string{"在的"}, f.sent(f.group.Chat()))
		traces := f.tracesOf(heartflow.KindModel)
		require.Len(t, traces, 1)
		assert.True(t, traces[0].Call.Streamed)
		assert.Equal(t, 2*time.Second, traces[0].Call.FirstToken)
	})
}

func TestModels_TwoDescriptionsExclude(t *testing.T) {
	m := modeltest.New()
	describe := func(context.Context, persona.Picture) (string, error) { return "", nil }
	_, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: m, Link: fake(), Models: social.Models{See: m}, Reply: social.Reply{Pictures: &social.Pictures{Describe: describe}}})
	assert.ErrorContains(t, err, "Options.Models.See and Reply.Pictures.Describe")
}
