package social_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// A writer is a model that takes a second for each chunk of its scripted answers.
type writer struct {
	steps  []modeltest.Step
	chunks [][]string // by step
	plain  int        // calls without streaming
}

func (w *writer) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	if o.StreamingFunc == nil {
		w.plain++
	}
	step, chunks := w.steps[0], w.chunks[0]
	w.steps, w.chunks = w.steps[1:], w.chunks[1:]
	for _, chunk := range chunks {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if o.StreamingFunc != nil {
			if err := o.StreamingFunc(ctx, []byte(chunk)); err != nil {
				return nil, err
			}
		}
	}
	silent := func(o *llms.CallOptions) { o.StreamingFunc = nil }
	return modeltest.New(step).GenerateContent(ctx, messages, append(options, silent)...)
}

func (w *writer) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, w, prompt, options...)
}

// writes returns a writer of one answer in these chunks.
func writes(chunks ...string) *writer {
	return &writer{steps: []modeltest.Step{modeltest.Say(strings.Join(chunks, ""))}, chunks: [][]string{chunks}}
}

// streaming enables streaming without typing times.
func streaming(model llms.Model) func(*social.Options) {
	return func(o *social.Options) {
		o.Model = model
		o.Reply.Speech = &social.Speech{Stream: true}
		o.Reply.Speech.Pace.Max = time.Millisecond
	}
}

// Items are sent while the model is writing, each when it is complete; text after them is sent at the end.
func TestStream_ItemsWhileWriting(t *testing.T) {
	w := writes("<item>早", "！</it", "em><item>吃了吗</item>", "\n", "<item>我", "吃了</item>", "再见")
	withFixture(t, nil, streaming(w), func(f *fixture) {
		f.group.Say(alice, at(botID, "早"))
		f.advance(2 * time.Second) // the first chunk
		began := time.Now()
		f.advance(time.Minute)
		assert.Equal(t, []string{"早！", "吃了吗", "我吃了", "再见"}, f.sent(f.group.Chat()))
		var after []time.Duration
		for _, s := range f.qq.Sent() {
			after = append(after, s.At.Sub(began).Round(100*time.Millisecond))
		}
		assert.Equal(t, []time.Duration{3 * time.Second, 4 * time.Second, 6 * time.Second, 7 * time.Second}, after, "at least a second apart, the rest at the end")
		assert.Len(t, f.tracesOf(heartflow.KindSpeak), 1)
		assert.Equal(t, "spoke", f.job("batch/").Outcome)
	})
}

// Without streaming the same items are sent one by one from the complete answer.
func TestStream_Off(t *testing.T) {
	w := writes("<item>早！</item>外面的话<item>吃了吗。真的。</item>")
	withFixture(t, nil, func(o *social.Options) { streaming(w)(o); o.Reply.Speech.Stream = false }, func(f *fixture) {
		f.group.Say(alice, at(botID, "早"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"早！", "外面的话", "吃了吗。真的。"}, f.sent(f.group.Chat()))
		assert.Equal(t, 1, w.plain)
	})
}

// Text outside of items may be reasoning before a tool call: it waits, and with a call it is not sent. Tool calls that
// a client streams as JSON, and <think> elements, are not sent either.
func TestStream_NothingLeaks(t *testing.T) {
	look := modeltest.Call("qq_get_stranger_info", `{"user_id":"1001"}`)
	for name, c := range map[string]struct {
		first []string
		text  string
		said  []string
	}{
		"text beside a call":   {[]string{"让我看看", "<item>不该说的</item>"}, "让我看看<item>不该说的</item>", nil},
		"an item and a call":   {[]string{"<item>稍等</item>", `[{"id":"call_1","type":"function",`, `"function":{"name":"qq_get_stranger_info"}}]`}, "<item>稍等</item>", []string{"稍等"}},
		"a call in an item":    {[]string{"<item>稍等", `[{"id":"call_1","type":"function"}]`}, "<item>稍等", nil},
		"a thought with items": {[]string{"<thi", "nk><item>想的</item></thi", "nk><item>稍等</item>"}, "<item>稍等</item>", []string{"稍等"}},
		"an open thought":      {[]string{"<think><item>想的</item>"}, "", nil},
		"half a character":     {[]string{"<item>稍\xe7", "\xad\x89\x00</item>"}, "<item>稍等</item>", []string{"稍等"}},
	} {
		t.Run(name, func(t *testing.T) {
			first := look
			first.Text = c.text
			w := &writer{steps: []modeltest.Step{first, modeltest.Say("<item>好了</item>")}, chunks: [][]string{c.first, {"<item>好了</item>"}}}
			withFixture(t, nil, streaming(w), func(f *fixture) {
				f.group.Say(alice, at(botID, "我是谁"))
				f.advance(time.Minute)
				assert.Equal(t, append(c.said, "好了"), f.sent(f.group.Chat()))
			})
		})
	}
}

// If an item before a tool call was sent and the final answer is silence, nothing more is sent.
func TestStream_EndsInSilence(t *testing.T) {
	for _, answer := range []string{"[skip]", "", "<item>[skip]</item>"} {
		look := modeltest.Call("qq_get_stranger_info", `{"user_id":"1001"}`)
		look.Text = "<item>稍等</item>"
		w := &writer{steps: []modeltest.Step{look, modeltest.Say(answer)}, chunks: [][]string{{look.Text}, {answer}}}
		withFixture(t, nil, streaming(w), func(f *fixture) {
			f.group.Say(alice, at(botID, "我是谁"))
			f.advance(time.Minute)
			assert.Equal(t, []string{"稍等"}, f.sent(f.group.Chat()), answer)
			assert.Equal(t, "spoke", f.job("batch/").Outcome, answer)
			assert.Zero(t, f.bot.Stats().SendFailed+f.bot.Stats().ReplyRejected+f.bot.Stats().Truncated, answer)
		})
	}
}

// Before its first item is sent, a turn can be superseded, and then it sends nothing.
func TestStream_Superseded(t *testing.T) {
	w := &writer{
		steps:  []modeltest.Step{modeltest.Say("<item>一</item>"), modeltest.Say("<item>二</item><item>三</item>")},
		chunks: [][]string{{"<item>", "一", "</item>"}, {"<item>二</item>", "<item>三</item>"}},
	}
	withFixture(t, nil, streaming(w), func(f *fixture) {
		f.group.Say(alice, at(botID, "早"))
		f.advance(4500 * time.Millisecond) // half an item
		f.group.Say(alice, say("对了"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"二", "三"}, f.sent(f.group.Chat()))
	})
}

// If the model fails, or the chat is closed, during a reply, the sent items stay, are stored, and are not sent again.
func TestStream_FailsHalfWay(t *testing.T) {
	for name, happens := range map[string]func(*fixture, *writer){
		"the model fails": nil,
		"muted":           func(f *fixture, _ *writer) { f.group.Ban(botID, time.Hour) },
		"stopped":         func(f *fixture, _ *writer) { f.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			w := writes("<item>一</item>", "<item>二", "二", "二</item>")
			if happens == nil {
				w.steps[0] = modeltest.Fail(errors.New("boom"))
				w.chunks[0] = w.chunks[0][:3]
			}
			withFixture(t, nil, streaming(w), func(f *fixture) {
				f.group.Say(alice, at(botID, "早"))
				f.advance(4 * time.Second)
				require.Equal(t, []string{"一"}, f.sent(f.group.Chat()))
				if happens != nil {
					happens(f, w)
				}
				f.advance(10 * time.Second)
				assert.Equal(t, []string{"一"}, f.sent(f.group.Chat()))
				assert.Equal(t, jobs.Done, f.job("batch/").Status)
				f.stop()
				f.start(streaming(w))
				f.advance(time.Minute)
				assert.Equal(t, []string{"一"}, f.sent(f.group.Chat()))
			})
		})
	}
}

// A streamed reply mentions in its first item. Steps before the reply are not streamed.
func TestStream_ThinkPlanReply(t *testing.T) {
	w := &writer{
		steps:  []modeltest.Step{modeltest.Say("<item>想法</item>"), modeltest.Say(`{"action": "text_reply", "at_user": "1001"}`), modeltest.Say("<item>在</item><item>呢</item>")},
		chunks: [][]string{{"<item>想法</item>"}, {"<item>计划</item>"}, {"<item>在</item>", "<item>呢</item>"}},
	}
	withFixture(t, nil, func(o *social.Options) { streaming(w)(o); threeCalls(o) }, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"@1001 在", "呢"}, f.sent(f.group.Chat()))
	})
}

// The owner's answer is delivered while it is written and stored as delivered. An error of deliver ends it.
func TestBot_StreamOwnerMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.NewMemStore()
		w := &writer{
			steps:  []modeltest.Step{modeltest.Say("<item>主人，</item><item>记得喝水</item>好吗"), modeltest.Say("<item>一</item><item>二</item><item>三</item>")},
			chunks: [][]string{{"<item>主人，</item>", "<item>记得", "喝水</item>", "好吗"}, {"<item>一</item>", "<item>二</item>", "<item>三</item>"}},
		}
		b, stop := startBot(t, fake(), modeltest.New(), store, nil, func(o *social.Options) { o.Model = w })
		began := time.Now()
		var items []string
		var at []time.Duration
		require.NoError(t, b.StreamOwnerMessage(t.Context(), "渴了", func(_ context.Context, item string) error {
			items, at = append(items, item), append(at, time.Since(began))
			return nil
		}))
		assert.Equal(t, []string{"主人，", "记得喝水", "好吗"}, items)
		assert.Equal(t, []time.Duration{time.Second, 3 * time.Second, 4 * time.Second}, at)

		gone := errors.New("nobody is there")
		n := 0
		err := b.StreamOwnerMessage(t.Context(), "数数", func(context.Context, string) error {
			if n++; n == 2 {
				return gone
			}
			return nil
		})
		require.ErrorIs(t, err, gone)
		assert.Equal(t, 2, n)
		stop()
		assert.Equal(t, []string{"渴了", "主人，\n记得喝水\n好吗", "数数", "一"}, journalOf(t, store, memory.Owner))
	})
}

// A real client over HTTP, in OpenAI's format, streams its tool calls as JSON: they are not delivered.
func TestBot_StreamOwnerMessageOverHTTP(t *testing.T) {
	look := modeltest.Call("search_web", nil)
	look.Text = "<item>等我一下</item>我查查"
	script := modeltest.New(look, modeltest.Say("<item>查到了：</item>\n<item>有雨</item>"))
	api := httptest.NewServer(script.Handler())
	defer api.Close()
	client, err := openai.New(openai.WithBaseURL(api.URL), openai.WithToken("sk-test"), openai.WithModel("m"))
	require.NoError(t, err)
	b, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: client, Link: fake(), Tools: social.Tools{Registry: withSearch(t)}})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	var items []string
	require.NoError(t, b.StreamOwnerMessage(ctx, "天气", func(_ context.Context, item string) error {
		items = append(items, item)
		return nil
	}))
	assert.Equal(t, []string{"等我一下", "查到了：", "有雨"}, items)
	stop()
	require.NoError(t, <-ended)
}

func journalOf(t *testing.T, store social.Store, space memory.Space) (texts []string) {
	t.Helper()
	for r, err := range store.Scan(t.Context(), space, 0) {
		require.NoError(t, err)
		texts = append(texts, r.Text)
	}
	return texts
}

// withSearch returns a registry with a tool for everybody.
func withSearch(t *testing.T) *nit.Registry {
	t.Helper()
	search, err := nit.Define("search_web", nit.L1, "搜索", func(context.Context, struct{}) (string, error) { return "有雨", nil }, nit.ReadOnly())
	require.NoError(t, err)
	r := &nit.Registry{}
	require.NoError(t, r.Add(search))
	return r
}
