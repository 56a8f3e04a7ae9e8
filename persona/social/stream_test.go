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

// A writer is a model that writes a second at each of its chunks, and answers as its steps say.
type writer struct {
	steps  []modeltest.Step
	chunks [][]string // of each step
	plain  int        // calls that were not streamed
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

// writes is a writer of one answer, in these chunks.
func writes(chunks ...string) *writer {
	return &writer{steps: []modeltest.Step{modeltest.Say(strings.Join(chunks, ""))}, chunks: [][]string{chunks}}
}

// streaming says items at once.
func streaming(model llms.Model) func(*social.Options) {
	return func(o *social.Options) {
		o.Model = model
		o.Reply.Speech = &social.Speech{Stream: true}
		o.Reply.Speech.Pace.Max = time.Millisecond
	}
}

// Items leave while the model writes on, each as soon as it is complete; what stands behind them when it is done.
func TestItemsWhileItWrites(t *testing.T) {
	w := writes("<item>早", "！</it", "em><item>吃了吗</item>", "\n", "<item>我", "吃了</item>", "再见")
	inBubble(t, nil, streaming(w), func(b *bubble) {
		b.group.Say(alice, at(bot, "早"))
		b.pass(2 * time.Second) // it begins to write
		began := time.Now()
		b.pass(time.Minute)
		assert.Equal(t, []string{"早！", "吃了吗", "我吃了", "再见"}, b.sent(b.group.Chat()))
		var after []time.Duration
		for _, s := range b.qq.Sent() {
			after = append(after, s.At.Sub(began).Round(100*time.Millisecond))
		}
		assert.Equal(t, []time.Duration{3 * time.Second, 4 * time.Second, 6 * time.Second, 7 * time.Second}, after, "a second after each other at least, and the rest at the end")
		assert.Len(t, b.decided(heartflow.KindSpeak), 1)
		assert.Equal(t, "spoke", b.errand("batch/").Outcome)
	})
}

// The same items leave one after the other when the whole answer is there.
func TestItemsOfAWholeAnswer(t *testing.T) {
	w := writes("<item>早！</item>外面的话<item>吃了吗。真的。</item>")
	inBubble(t, nil, func(o *social.Options) { streaming(w)(o); o.Reply.Speech.Stream = false }, func(b *bubble) {
		b.group.Say(alice, at(bot, "早"))
		b.pass(time.Minute)
		assert.Equal(t, []string{"早！", "外面的话", "吃了吗。真的。"}, b.sent(b.group.Chat()))
		assert.Equal(t, 1, w.plain)
	})
}

// What stands outside of items may be thinking aloud beside a call: it waits, and beside a call it is never said.
// Neither is a call that a client hands to the stream as JSON, nor a thought.
func TestNothingLeaksFromTheStream(t *testing.T) {
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
			inBubble(t, nil, streaming(w), func(b *bubble) {
				b.group.Say(alice, at(bot, "我是谁"))
				b.pass(time.Minute)
				assert.Equal(t, append(c.said, "好了"), b.sent(b.group.Chat()))
			})
		})
	}
}

// An item beside a call was all that there is to say where the answer after it is silence.
func TestStreamEndsInSilence(t *testing.T) {
	for _, answer := range []string{"[skip]", "", "<item>[skip]</item>"} {
		look := modeltest.Call("qq_get_stranger_info", `{"user_id":"1001"}`)
		look.Text = "<item>稍等</item>"
		w := &writer{steps: []modeltest.Step{look, modeltest.Say(answer)}, chunks: [][]string{{look.Text}, {answer}}}
		inBubble(t, nil, streaming(w), func(b *bubble) {
			b.group.Say(alice, at(bot, "我是谁"))
			b.pass(time.Minute)
			assert.Equal(t, []string{"稍等"}, b.sent(b.group.Chat()), answer)
			assert.Equal(t, "spoke", b.errand("batch/").Outcome, answer)
			assert.Zero(t, b.being.Stats().SendFailed+b.being.Stats().ReplyRejected+b.being.Stats().Truncated, answer)
		})
	}
}

// Until its first item has left a turn can be superseded, and then nothing of it leaves.
func TestStreamLosesItsGround(t *testing.T) {
	w := &writer{
		steps:  []modeltest.Step{modeltest.Say("<item>一</item>"), modeltest.Say("<item>二</item><item>三</item>")},
		chunks: [][]string{{"<item>", "一", "</item>"}, {"<item>二</item>", "<item>三</item>"}},
	}
	inBubble(t, nil, streaming(w), func(b *bubble) {
		b.group.Say(alice, at(bot, "早"))
		b.pass(4500 * time.Millisecond) // half an item is written
		b.group.Say(alice, say("对了"))
		b.pass(time.Minute)
		assert.Equal(t, []string{"二", "三"}, b.sent(b.group.Chat()))
	})
}

// A model that fails half way, and a chat that is closed half way: what was said stands, is written down and is not said again.
func TestStreamEndsHalfWay(t *testing.T) {
	for name, happens := range map[string]func(*bubble, *writer){
		"the model fails": nil,
		"muted":           func(b *bubble, _ *writer) { b.group.Ban(bot, time.Hour) },
		"stopped":         func(b *bubble, _ *writer) { b.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			w := writes("<item>一</item>", "<item>二", "二", "二</item>")
			if happens == nil {
				w.steps[0] = modeltest.Fail(errors.New("boom"))
				w.chunks[0] = w.chunks[0][:3]
			}
			inBubble(t, nil, streaming(w), func(b *bubble) {
				b.group.Say(alice, at(bot, "早"))
				b.pass(4 * time.Second)
				require.Equal(t, []string{"一"}, b.sent(b.group.Chat()))
				if happens != nil {
					happens(b, w)
				}
				b.pass(10 * time.Second)
				assert.Equal(t, []string{"一"}, b.sent(b.group.Chat()))
				assert.Equal(t, jobs.Done, b.errand("batch/").Status)
				b.stop()
				b.start(streaming(w))
				b.pass(time.Minute)
				assert.Equal(t, []string{"一"}, b.sent(b.group.Chat()))
			})
		})
	}
}

// A reply in the stream mentions by its first item, and what a plan has thought is not streamed.
func TestStreamInThree(t *testing.T) {
	w := &writer{
		steps:  []modeltest.Step{modeltest.Say("<item>想法</item>"), modeltest.Say(`{"action": "text_reply", "at_user": "1001"}`), modeltest.Say("<item>在</item><item>呢</item>")},
		chunks: [][]string{{"<item>想法</item>"}, {"<item>计划</item>"}, {"<item>在</item>", "<item>呢</item>"}},
	}
	inBubble(t, nil, func(o *social.Options) { streaming(w)(o); inThree(o) }, func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Equal(t, []string{"@1001 在", "呢"}, b.sent(b.group.Chat()))
	})
}

// The owner's answer is delivered as it is written, kept as it was delivered, and an error of who hears it ends it.
func TestTalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.NewMemStore()
		w := &writer{
			steps:  []modeltest.Step{modeltest.Say("<item>主人，</item><item>记得喝水</item>好吗"), modeltest.Say("<item>一</item><item>二</item><item>三</item>")},
			chunks: [][]string{{"<item>主人，</item>", "<item>记得", "喝水</item>", "好吗"}, {"<item>一</item>", "<item>二</item>", "<item>三</item>"}},
		}
		b, stop := liveOn(t, fake(), modeltest.New(), store, nil, func(o *social.Options) { o.Model = w })
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

// Over HTTP, in OpenAI's format, by a real client that hands its calls to the stream as JSON: nothing of them is delivered.
func TestTalkOverHTTP(t *testing.T) {
	look := modeltest.Call("search_web", nil)
	look.Text = "<item>等我一下</item>我查查"
	script := modeltest.New(look, modeltest.Say("<item>查到了：</item>\n<item>有雨</item>"))
	api := httptest.NewServer(script.Handler())
	defer api.Close()
	client, err := openai.New(openai.WithBaseURL(api.URL), openai.WithToken("sk-test"), openai.WithModel("m"))
	require.NoError(t, err)
	b, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: client, Link: fake(), Tools: social.Tools{Registry: searching(t)}})
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

// searching is a registry with a tool that anybody may use.
func searching(t *testing.T) *nit.Registry {
	t.Helper()
	search, err := nit.Define("search_web", nit.L1, "搜索", func(context.Context, struct{}) (string, error) { return "有雨", nil }, nit.ReadOnly())
	require.NoError(t, err)
	r := &nit.Registry{}
	require.NoError(t, r.Add(search))
	return r
}
