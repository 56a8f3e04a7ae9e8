package social_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipeListener accepts connections over pipes, so that a server and its clients run on the virtual clock.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.IPAddr{} }

// overHTTP serves a model over HTTP and returns its client. Call it on the virtual clock.
func overHTTP(f *fixture, m *modeltest.Model) (client func(o *social.Options), end func()) {
	return overHTTPAt(f, "http://model.test/v1", m.Handler())
}

// overHTTPAt serves h for clients of a URL.
func overHTTPAt(f *fixture, url string, h http.Handler) (client func(o *social.Options), end func()) {
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(l) }()
	base := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case l.conns <- far:
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	model, err := models.OpenAI(url, "m", "sk-test", models.OpenAIOptions{Base: base})
	require.NoError(f, err)
	return func(o *social.Options) { o.Model = model }, func() { _ = server.Close() }
}

const (
	capped  = "歇几分钟再聊"
	slower  = "慢点，过一分钟"
	failing = "暂时回不了"
	quoted  = "[回复]" // what a text that quotes a message begins with
	broken  = `{"choices":[{"index":0,"message":{"role":"assistant","content":`
)

// completion is an answer of a model with a finish reason.
func completion(text, reason string) modeltest.Step {
	content, _ := json.Marshal(text)
	return modeltest.Body(fmt.Sprintf(`%s%s},"finish_reason":%q}]}`, broken, content, reason))
}

// withExcuses has one text of each kind, and an owner.
func withExcuses(o *social.Options) {
	o.Reply.Excuses = &social.Excuses{Capped: []string{capped}, CappedPerson: []string{slower}, Failed: []string{failing}}
	o.When.Attention.Policy = heartflow.MentionOnly{}
	o.Access.Owners = []persona.Account{{Platform: "qq", ID: "900"}}
}

// What a chat and the owner see if the model of a real client over HTTP fails.
func TestExcuses_ModelFaults(t *testing.T) {
	for name, test := range map[string]struct {
		fault modeltest.Step
		owner string // the notice if it lasts
		again bool   // the turn is tried once more
	}{
		"429":            {modeltest.RateLimited(3 * time.Second), "429", true},
		"429 for long":   {modeltest.RateLimited(time.Hour), "429", false},
		"500":            {modeltest.HTTPError(500, "oops"), "500", true},
		"401":            {modeltest.HTTPError(401, "bad key"), "密钥（401）", false},
		"402":            {modeltest.HTTPError(402, "no money"), "充值", false},
		"404":            {modeltest.HTTPError(404, "no model"), "-model-name", false},
		"400":            {modeltest.HTTPError(400, "bad"), "-text-calls", false},
		"529":            {modeltest.HTTPError(529, "Overloaded"), "529", true},
		"region":         {modeltest.HTTPError(403, "Country, region, or territory not supported"), "地区", false},
		"wrong name":     {modeltest.HTTPError(400, "The supported API model names are a, b, but you passed m."), "-check", false},
		"too long":       {modeltest.HTTPError(400, "maximum context length"), "提示词", false},
		"html":           {modeltest.Body("<html>nginx</html>"), "网页", false},
		"filtered":       {modeltest.HTTPError(400, "Content Exists Risk"), "内容审查", false},
		"cut JSON":       {modeltest.Body(broken), "出错", true},
		"reset":          {modeltest.Fail(errFull), "", true},
		"hangs":          {modeltest.Hang(""), "太久", true},
		"empty":          {completion("", "stop"), "出错", true},
		"only thoughts":  {completion("<think>嗯</think>", "stop"), "出错", true},
		"only a fence":   {completion("```\n```", "stop"), "出错", true},
		"only its name":  {completion("小炉：", "stop"), "出错", true},
		"no choice":      {modeltest.Body(`{"choices":[]}`), "出错", true},
		"content filter": {completion("", "content_filter"), "内容审查", false},
		"cut":            {completion("今天我们来说说", "length"), "出错", true},
		"tools for ever": {modeltest.Call("none", nil), "一直在调用工具", true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lasts := range []bool{true, false} {
				withFixture(t, modeltest.Always(modeltest.Say("没有用到")), nil, func(f *fixture) {
					f.stop()
					client, end := overHTTP(f, modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
						if lasts || f.bot.Stats().Turns < 2 {
							return test.fault
						}
						return modeltest.Say("在的")
					}))
					defer end()
					f.qq.Friend(900, "主人")
					f.start(func(o *social.Options) { client(o); withExcuses(o) })
					f.group.Say(alice, at(botID, "在吗"))
					f.advance(10 * time.Minute)
					var notices []string
					for _, s := range f.qq.Sent() {
						if s.Chat != f.group.Chat() {
							notices = append(notices, s.Message.Text())
						}
					}
					switch {
					case !lasts && test.again:
						assert.Equal(t, []string{"在的"}, f.sent(f.group.Chat()), "one answer, later")
						assert.Empty(t, notices)
					default:
						assert.Equal(t, []string{quoted + failing}, f.sent(f.group.Chat()), "one honest line")
						if test.owner != "" {
							require.Len(t, notices, 1)
							assert.Contains(t, notices[0], test.owner)
						}
					}
					want := 1
					if test.again {
						want = 2
					}
					assert.EqualValues(t, want, f.bot.Stats().Turns)
					before := len(f.qq.Sent())
					if lasts {
						f.group.Say(bob, at(botID, "喂"))
						f.advance(5 * time.Minute)
						assert.LessOrEqual(t, len(f.qq.Sent())-before, 1, "the owner is told once")
					}
					f.stop()
				})
			}
		})
	}
}

// The owner asks for the state: it says what is wrong until the model answers again.
func TestExcuses_State(t *testing.T) {
	fails := true
	model := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		if fails {
			return modeltest.HTTPError(402, "Insufficient Balance")
		}
		return modeltest.Say("在的")
	})
	withFixture(t, model, func(o *social.Options) { withExcuses(o); o.Access.Commands = true }, func(f *fixture) {
		owner := f.qq.Friend(900, "主人")
		state := func(command string) string {
			owner.Say(say(command))
			f.advance(10 * time.Second)
			said := f.sent(owner.Chat())
			return said[len(said)-1]
		}
		assert.NotRegexp(t, "模型：|用途", state("状态"))
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Regexp(t, `模型：余额或额度用完了，从 \d\d-\d\d \d\d:\d\d 起。`, state("状态"))
		assert.Regexp(t, `按用途（次数/token）：(.*，)?回复 \d+/\d+。模型：`, state("状态"))
		assert.Regexp(t, `Calls/tokens by purpose: (.*, )?reply \d+/\d+\. Model: out of quota, since`, state("status"))
		fails = false
		f.advance(2 * time.Minute)
		f.group.Say(alice, at(botID, "好了吗"))
		f.advance(time.Minute)
		assert.Contains(t, f.sent(f.group.Chat()), "在的")
		assert.NotContains(t, state("状态"), "模型：")
	})
}

// A prompt that is longer than the model can read is sent again with half of it, once.
func TestExcuses_PromptTooLong(t *testing.T) {
	for _, limit := range []int{1800, 10} {
		size := func(p modeltest.Prompt) int { return len([]rune(p.Human())) }
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			if size(p) > limit {
				return modeltest.ErrorBody(400, `{"error":{"code":400,"message":"request (4476 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error"}}`)
			}
			return modeltest.Say("在的")
		})
		withFixture(t, model, nil, func(f *fixture) {
			f.stop()
			client, end := overHTTP(f, model)
			defer end()
			f.start(func(o *social.Options) { client(o); withExcuses(o) })
			for i := range 20 {
				f.group.Say(bob, say(fmt.Sprint(i, strings.Repeat("很长的闲聊", 15))))
				f.advance(time.Second)
			}
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			prompts := model.Prompts()
			require.Len(t, prompts, 2)
			assert.Greater(t, size(prompts[0]), 1800)
			assert.Less(t, size(prompts[1]), size(prompts[0])*2/3)
			assert.Contains(t, prompts[1].Human(), "在吗")
			want := []string{"在的"}
			if limit == 10 {
				want = []string{quoted + failing}
			}
			assert.Equal(t, want, f.sent(f.group.Chat()))
			f.stop()
		})
	}
}

// A server at home that loads its model is waited for, while the question is fresh. Nobody is told of a fault.
func TestExcuses_Loading(t *testing.T) {
	for _, after := range []time.Duration{90 * time.Second, time.Hour} {
		withFixture(t, modeltest.New(), nil, func(f *fixture) {
			f.stop()
			begin := time.Now()
			client, end := overHTTPAt(f, "http://127.0.0.1:8080/v1", modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
				if time.Since(begin) < after {
					return modeltest.ErrorBody(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
				}
				return modeltest.Say("在的")
			}).Handler())
			defer end()
			f.qq.Friend(900, "主人")
			f.start(func(o *social.Options) { client(o); withExcuses(o) })
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(80 * time.Second)
			assert.Empty(t, f.qq.Sent(), "it is fresh")
			f.advance(5 * time.Minute)
			if after < time.Hour {
				require.Len(t, f.qq.Sent(), 1)
				assert.Equal(t, []string{"在的"}, f.sent(f.group.Chat()))
			} else {
				require.Len(t, f.qq.Sent(), 2)
				assert.Equal(t, []string{quoted + failing}, f.sent(f.group.Chat()))
			}
			f.stop()
		})
	}
}

// Messages that arrive during the wait join the turn that is tried again. Nobody is told twice, and nobody who did not call.
func TestExcuses_RetryJoinsNewMessages(t *testing.T) {
	calls := 0
	model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		if calls++; calls == 1 {
			return modeltest.HTTPError(400, "no")
		} else if calls <= 4 {
			return modeltest.HTTPError(503, "no")
		}
		return modeltest.Say("都听到了")
	})
	withFixture(t, model, withExcuses, func(f *fixture) {
		f.group.Say(alice, at(botID, "一")) // not tried again
		f.advance(20 * time.Second)
		assert.Equal(t, []string{quoted + failing}, f.sent(f.group.Chat()))
		f.group.Say(alice, at(botID, "二"))
		f.advance(10 * time.Second)
		f.group.Say(bob, at(botID, "三"))
		f.advance(time.Minute)
		assert.Equal(t, []string{quoted + failing, quoted + "都听到了"}, f.sent(f.group.Chat()), "two people wait, so the reply quotes the last one")
		assert.Equal(t, 5, calls)
		last := model.Prompts()[4].Text()
		assert.Contains(t, last, "二")
		assert.Contains(t, last, "三")
	})
	withFixture(t, modeltest.Always(modeltest.HTTPError(400, "no")), func(o *social.Options) {
		withExcuses(o)
		o.When.Attention.Policy = speakAlways{}
	}, func(f *fixture) {
		f.group.Say(alice, say("今天好冷"))
		f.advance(5 * time.Minute)
		assert.EqualValues(t, 1, f.bot.Stats().Turns, "it was asked")
		assert.Empty(t, f.sent(f.group.Chat()), "nobody called")
	})
}

type speakAlways struct{}

func (speakAlways) Judge(*heartflow.PolicyInput) heartflow.Verdict {
	return heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: []heartflow.Code{"always"}}
}

// A restart keeps a turn that waits for another try, and repeats no excuse.
func TestExcuses_Restart(t *testing.T) {
	fails := true
	model := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
		if fails {
			return modeltest.HTTPError(503, "no")
		}
		return modeltest.Say("在的")
	})
	withFixture(t, model, withExcuses, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(15 * time.Second) // it waits
		assert.Empty(t, f.sent(f.group.Chat()))
		f.stop()
		fails = false
		f.start(withExcuses)
		f.advance(time.Minute)
		assert.Equal(t, []string{"在的"}, f.sent(f.group.Chat()))
		fails = true
		for i := range 4 {
			f.group.Say(alice, at(botID, fmt.Sprint("再问", i)))
			f.advance(90 * time.Second)
			f.stop()
			f.start(withExcuses)
		}
		assert.Equal(t, []string{"在的", quoted + failing}, f.sent(f.group.Chat()), "once in ten minutes")
		rows, err := f.store.Load(f.Context(), "excuse/")
		require.NoError(t, err)
		assert.Len(t, rows, 1)
		_, err = f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		rows, err = f.store.Load(f.Context(), "excuse/")
		require.NoError(t, err)
		for _, row := range rows {
			assert.Empty(t, row)
		}
	})
}

// If the process dies at any write while the model fails, a caller gets one excuse or, from the next process, one answer, and
// the owner gets one notice at most.
func TestExcuses_Crashes(t *testing.T) {
	excuses, answers := 0, 0
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			fails := true
			model := modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step {
				if fails {
					return modeltest.HTTPError(503, "no")
				}
				return modeltest.Say("在的")
			})
			withFixture(t, model, withExcuses, func(f *fixture) {
				f.stop()
				s := &crashingStore{MemStore: f.store}
				_, end := f.startOn(s, withExcuses)
				s.crashAt(doom, how)
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				end()
				died = died || s.hasCrashed()
				fails = false
				_, end = f.startOn(f.store, withExcuses)
				f.advance(3 * time.Minute)
				end()
				said := f.sent(f.group.Chat())
				require.LessOrEqual(f, len(said), 1, "write %d, %d: %q", doom, how, said)
				for _, text := range said {
					if strings.Contains(text, failing) {
						excuses++
					} else {
						require.Contains(f, text, "在的")
						answers++
					}
				}
				require.LessOrEqual(f, len(f.sent(f.qq.Friend(900, "主人").Chat())), 1, "write %d, %d", doom, how)
			})
		}
		if !died {
			assert.Greater(t, doom, 4, "too few writes")
			break
		}
	}
	assert.Positive(t, excuses)
	assert.Positive(t, answers)
}

// Twenty people who mention the bot in 80 seconds are all answered.
func TestExcuses_TwentyPeople(t *testing.T) {
	withFixture(t, answeringEach(), withExcuses, func(f *fixture) {
		for i := range 20 {
			who := int64(2000 + i)
			f.group.Member(who, fmt.Sprint("人", i))
			f.group.Say(who, at(botID, fmt.Sprintf("问题%02d", i)))
			f.advance(4 * time.Second)
		}
		f.advance(time.Minute)
		answers := strings.Join(f.sent(f.group.Chat()), "\n")
		for i := range 20 {
			assert.Contains(t, answers, fmt.Sprintf("问题%02d", i))
		}
		assert.NotContains(t, answers, capped)
	})
}

// answeringEach answers every waiting question by its name.
func answeringEach() *modeltest.Model {
	n := 0
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		n++
		text := p.Text()
		var names []string
		for i := range 100 {
			if name := fmt.Sprintf("问题%02d", i); strings.Contains(text, name) {
				names = append(names, name)
			}
		}
		return modeltest.Say(fmt.Sprintf("第%d次答 %s", n, strings.Join(names[max(0, len(names)-3):], " ")))
	})
}

// Forty lines of a private talk, one each 9 s: it answers the first 30, says once that it rests, and goes on when the window
// has room again.
func TestExcuses_PrivateTalk(t *testing.T) {
	withFixture(t, numbered(), withExcuses, func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		restart := 33
		for i := range 40 {
			friend.Say(say(fmt.Sprint("第", i, "句话")))
			f.advance(9 * time.Second)
			said := f.sent(friend.Chat())
			if i < 30 {
				require.Len(t, said, i+1, "line %d", i)
			}
			if i == restart { // says nothing twice
				f.stop()
				f.start(withExcuses)
			}
		}
		said := f.sent(friend.Chat())
		assert.Equal(t, 1, strings.Count(strings.Join(said, "\n"), capped))
		assert.Equal(t, capped, said[30])
		assert.Greater(t, len(said), 34, "it goes on")
		silent := 0
		for _, tr := range f.tracesOf(heartflow.KindJudge) {
			if tr.Do == heartflow.Silent {
				require.Equal(t, heartflow.WhyCappedWindow, tr.Why[0], "the reason of the silence")
				silent++
			}
		}
		assert.Equal(t, 40-(len(said)-1), silent)
	})
}

// One person in a group who asks too often is told once, and others are answered.
func TestExcuses_OnePerson(t *testing.T) {
	withFixture(t, numbered(), withExcuses, func(f *fixture) {
		for i := range 6 {
			f.group.Say(alice, at(botID, fmt.Sprint("第", i, "问")))
			f.advance(6 * time.Second)
		}
		f.group.Say(bob, at(botID, "我呢"))
		f.advance(6 * time.Second)
		said := f.sent(f.group.Chat())
		require.Len(t, said, 5)
		assert.Equal(t, quoted+slower, said[3])
		assert.NotContains(t, said[4], slower, "bob is answered")
	})
}

// Chats see plain text of a model that writes Markdown and its own name.
func TestReply_PlainText(t *testing.T) {
	for in, want := range map[string][]string{
		"小炉: 我在的":                               {"我在的"},
		"# 标题\n**重点**是`go test`":                {"标题\n重点是go test"},
		"```go\nfmt.Println()\n```":             {"fmt.Println()"},
		"<item>**早**</item><item>小炉：吃了吗</item>": {"<item>**早**</item>"},
	} {
		if strings.Contains(in, "<item>") {
			want = []string{"早", "吃了吗"}
			withFixture(t, modeltest.Always(modeltest.Say(in)), withSpeech(), func(f *fixture) {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				assert.Equal(t, want, f.sent(f.group.Chat()), in)
			})
			continue
		}
		withFixture(t, modeltest.Always(modeltest.Say(in)), nil, func(f *fixture) {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			assert.Equal(t, want, f.sent(f.group.Chat()), in)
			assert.Contains(t, f.journal(techSpace), want[0], "it remembers what it sent")
		})
	}
	for _, reason := range []string{"length", "content_filter"} {
		withFixture(t, modeltest.Always(modeltest.Say("好")), nil, func(f *fixture) {
			f.stop()
			client, end := overHTTP(f, modeltest.Always(completion("今天很冷。记得多穿一点，不然会", reason)))
			defer end()
			f.start(client)
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			assert.Equal(t, []string{"今天很冷。"}, f.sent(f.group.Chat()), reason)
			f.stop()
		})
	}
}
