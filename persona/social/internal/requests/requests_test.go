package requests

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	approve = `{"decision": "approve", "reason": "合得来"}`
	reject  = `{"decision": "reject", "reason": "广告"}`
	greets  = `{"decision": "approve", "greeting": true}`
)

// A list is safe for concurrent use.
type list[T any] struct {
	mu    sync.Mutex
	items []T
}

func (l *list[T]) add(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, item)
}

func (l *list[T]) all() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

// A fixture is a Handler on an engine without other parts.
type fixture struct {
	*testing.T
	o          Options
	options    engine.Options
	judgement  string // answer of the model
	prompts    list[string]
	answerFunc func(ctx context.Context) error // called by the link; nil: success
	answers    list[bool]                      // received by the link
	sent       list[string]
	notices    list[string] // notices to the owner
	engine     *engine.Engine
	handler    *Handler
	hear       func(context.Context, persona.Event)
	stop       func()
}

type link struct{ b *fixture }

func (l link) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	l.b.hear = hear
	<-ctx.Done()
	return nil
}

func (l link) Send(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	l.b.sent.add(chat.String() + " " + out.Text)
	return "", nil
}

func withFixture(t *testing.T, change func(f *fixture), test func(f *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, judgement: approve}
		f.o.IsMember = func(persona.Chat) bool { return true }
		f.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Link: link{f}, Store: memory.NewMemStore(),
			Model: modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
				f.prompts.add(p.Text())
				if strings.Contains(p.Human(), "## 现在：打招呼\n") {
					return modeltest.Say("你好，我是小炉")
				}
				return modeltest.Say(f.judgement)
			}),
			Notify: func(_ context.Context, text string) error { f.notices.add(text); return nil },
		}
		f.options.Features.AnswerRequest = func(ctx context.Context, _ persona.Request, approve bool, _ string) error {
			f.answers.add(approve)
			if f.answerFunc != nil {
				return f.answerFunc(ctx)
			}
			return nil
		}
		if change != nil {
			change(f)
		}
		f.start()
		defer func() { f.stop() }()
		f.hear(t.Context(), persona.Connected{Self: persona.Account{Platform: "qq", ID: "1"}})
		test(f)
	})
}

func (f *fixture) start() {
	var err error
	f.engine, err = engine.New(f.options)
	require.NoError(f, err)
	f.handler = New(f.engine, f.o)
	f.engine.Register(f.handler.Part())
	ctx, cancel := context.WithCancel(f.Context())
	over := make(chan error, 1)
	go func() { over <- f.engine.Run(ctx) }()
	synctest.Wait()
	f.stop = func() {
		cancel()
		assert.NoError(f, <-over)
		f.stop = func() {}
	}
}

// request returns a request of a kind, made now.
func request(kind string) persona.Request {
	return persona.Request{
		ID: "flag", Kind: kind, From: persona.Account{Platform: "qq", ID: "3001"}, Name: "小\u202e满", Comment: "我是\n\x1b隔壁群的\u2066", At: time.Now(),
		Group: "9", GroupName: "花园",
	}
}

func (f *fixture) receive(r persona.Request) {
	f.hear(f.Context(), r)
	time.Sleep(time.Minute)
	synctest.Wait()
}

func (f *fixture) counts() [4]int64 {
	taken, approved, rejected, held := f.handler.Counts()
	return [4]int64{taken, approved, rejected, held}
}

func TestHandler_Judges(t *testing.T) {
	for says, want := range map[string]struct {
		answers []bool
		notice  string
		counts  [4]int64
	}{
		approve: {[]bool{true}, "", [4]int64{1, 1, 0, 0}},
		reject:  {[]bool{false}, "", [4]int64{1, 0, 1, 0}},
		`{"decision": "reject", "reason": "广告", "notify": true}`: {[]bool{false}, "已拒绝：「广告」", [4]int64{1, 0, 1, 0}},
		`{"decision": "hold", "reason": "拿不准"}`:                  {nil, "没有处理：「拿不准」。flag：flag", [4]int64{1, 0, 0, 1}},
		"同意": {nil, "没有处理：模型的回答看不懂。flag：flag", [4]int64{1, 0, 0, 1}},
	} {
		withFixture(t, func(f *fixture) { f.judgement = says }, func(f *fixture) {
			r := request(persona.FriendRequest)
			f.hear(f.Context(), r)
			time.Sleep(minAnswerDelay - time.Millisecond)
			synctest.Wait()
			assert.Empty(t, f.answers.all(), "not answered at once")
			asked := 1
			if says == "同意" { // no JSON: asked once more
				asked = 2
			}
			assert.Len(t, f.prompts.all(), asked)
			time.Sleep(answerDelayRange + time.Millisecond)
			synctest.Wait()
			assert.Equal(t, want.answers, f.answers.all())
			assert.Equal(t, want.counts, f.counts())
			if want.notice == "" {
				assert.Empty(t, f.notices.all())
			} else {
				assert.Equal(t, []string{"好友申请：小满（3001），附言「我是 隔壁群的」，" + want.notice}, f.notices.all())
			}
			f.receive(r)
			assert.Equal(t, want.counts, f.counts(), "the same request again")
		})
	}
}

func TestHandler_EscalatesToOwner(t *testing.T) {
	banned, err := heartflow.NewFilter([]string{"隔壁"}, nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func(f *fixture)
		at     time.Duration
		why    string
	}{
		"policy":       {func(f *fixture) { f.o.Policy = AskOwner }, 0, "等主人决定"},
		"platform":     {func(f *fixture) { f.options.Features.AnswerRequest = nil }, 0, "等主人决定"},
		"old":          {nil, -maxAge - time.Second, "已经过了一周"},
		"banned":       {func(f *fixture) { f.options.Banned = banned }, 0, "附言或名字里有禁用的词"},
		"model failed": {func(f *fixture) { f.options.Model = modeltest.Always(modeltest.Fail(errors.New("status 400"))) }, 0, "没能判断，模型或记忆出错了"},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, c.change, func(f *fixture) {
				r := request(persona.GroupInvite)
				r.At = r.At.Add(c.at)
				f.receive(r)
				assert.Empty(t, f.answers.all())
				assert.Empty(t, f.prompts.all())
				require.Len(t, f.notices.all(), 1)
				assert.Equal(t, "入群邀请：小满（3001）请我进 花园（9），附言「我是 隔壁群的」，没有处理："+c.why+"。flag：flag", f.notices.all()[0])
				assert.Equal(t, [4]int64{1, 0, 0, 1}, f.counts())
			})
		})
	}
}

func TestHandler_Ignore(t *testing.T) {
	var joins []string
	withFixture(t, func(f *fixture) {
		f.o.Policy = Ignore
		f.o.Joins = func(_ context.Context, r persona.Request) { joins = append(joins, r.ID) }
	}, func(f *fixture) {
		f.receive(request(persona.FriendRequest))
		assert.Zero(t, f.counts())
		f.receive(request(persona.GroupJoin))
		assert.Equal(t, []string{"flag"}, joins, "the host still gets join requests")
		assert.Equal(t, [4]int64{1}, f.counts())
		assert.Empty(t, f.prompts.all())
	})
}

// An earlier run with Joins stored a join request; a run without Joins escalates it.
func TestHandler_JoinRequestWithoutHost(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		r := request(persona.GroupJoin)
		payload, err := json.Marshal(r)
		require.NoError(t, err)
		f.hear(f.Context(), persona.Connected{})
		f.handler.Part().Jobs[requestKind].Rerun(jobs.Job{ID: requestID(r), Kind: requestKind, Chat: privateOf(r), At: time.Now(), Payload: payload})
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, [4]int64{1, 0, 0, 1}, f.counts())
	})
}

func TestHandler_GreetsUnlessFriendHasSpoken(t *testing.T) {
	for _, spoken := range []bool{false, true} {
		withFixture(t, func(f *fixture) { f.judgement = greets }, func(f *fixture) {
			f.hear(f.Context(), request(persona.FriendRequest))
			time.Sleep(time.Second)
			if spoken {
				require.NoError(t, f.engine.Memory.Put(f.Context(), memory.Record{
					ID: "1", Space: "qq:private:3001", Kind: memory.KindMessage, Person: "3001", Text: "你好呀", At: time.Now(),
				}))
			}
			time.Sleep(time.Minute)
			assert.Equal(t, []bool{true}, f.answers.all())
			if spoken {
				assert.Empty(t, f.sent.all())
			} else {
				assert.Equal(t, []string{"qq:private:3001 你好，我是小炉"}, f.sent.all())
			}
		})
	}
}

func TestHandler_JudgeReadsSharedGroupsOnly(t *testing.T) {
	withFixture(t, func(f *fixture) {
		f.o.IsMember = func(c persona.Chat) bool { return c.ID != "2" }
	}, func(f *fixture) {
		for id, space := range map[string]memory.Space{"一": "qq:group:1", "二": "qq:group:2", "三": "qq:private:3002", "四": "qq:private:3001", "五": "other:group:1"} {
			require.NoError(t, f.engine.Memory.Put(f.Context(), memory.Record{
				ID: id, Space: space, Kind: memory.KindMessage, Person: "3001", Text: "我种的花" + id, At: time.Now(),
			}))
		}
		f.receive(request(persona.FriendRequest))
		require.Len(t, f.prompts.all(), 1)
		for id, shared := range map[string]bool{"一": true, "二": false, "三": false, "四": true, "五": false} {
			assert.Equal(t, shared, strings.Contains(f.prompts.all()[0], "我种的花"+id), id)
		}
	})
}

func TestHandler_AnswersOnce(t *testing.T) {
	withFixture(t, func(f *fixture) { f.o.Policy = AskOwner }, func(f *fixture) {
		ctx, r := f.Context(), request(persona.FriendRequest)
		refused := errors.New("retcode 1404")
		f.answerFunc = func(context.Context) error { return refused }
		require.ErrorIs(t, f.handler.Answer(ctx, r, true, ""), refused)
		f.answerFunc = nil
		require.NoError(t, f.handler.Answer(ctx, r, true, ""), "a failed answer may be retried")
		require.ErrorIs(t, f.handler.Answer(ctx, r, false, ""), ErrAnswered)
		assert.Equal(t, []bool{true, true}, f.answers.all())

		r.ID = "another"
		f.answerFunc = func(context.Context) error { return engine.ErrUnclear }
		require.ErrorIs(t, f.handler.Answer(ctx, r, true, ""), engine.ErrUnclear)
		require.ErrorIs(t, f.handler.Answer(ctx, r, true, ""), ErrAnswered)
		r.ID = ""
		require.Error(t, f.handler.Answer(ctx, r, true, ""))
		assert.Len(t, f.answers.all(), 3)
	})
}

func TestHandler_HostAnswersFirst(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		r := request(persona.FriendRequest)
		f.hear(f.Context(), r)
		time.Sleep(time.Second) // judged, and waiting for the answer time
		require.NoError(t, f.handler.Answer(f.Context(), r, false, ""))
		time.Sleep(time.Minute)
		assert.Equal(t, []bool{false}, f.answers.all())
		assert.Equal(t, [4]int64{1, 0, 0, 0}, f.counts())
	})
}

func TestHandler_RetriesAfterShutdown(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.hear(f.Context(), request(persona.FriendRequest))
		time.Sleep(time.Second) // judged, and waiting for the answer time
		f.stop()
		f.start()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, f.answers.all(), "the link is not connected yet")
		f.hear(f.Context(), persona.Connected{})
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []bool{true}, f.answers.all())
		assert.Len(t, f.prompts.all(), 2)
	})
}

func TestHandler_NotifiesUnclearAnswer(t *testing.T) {
	notice := "好友申请：小满（3001），附言「我是 隔壁群的」，想同意，不知道成了没有，没有再答。flag："
	withFixture(t, nil, func(f *fixture) {
		f.answerFunc = func(context.Context) error { return engine.ErrUnclear }
		f.receive(request(persona.FriendRequest))
		assert.Equal(t, []string{notice + "flag"}, f.notices.all())

		f.answerFunc = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() } // until shutdown
		r := request(persona.FriendRequest)
		r.ID = "another"
		f.receive(r)
		f.stop()
		f.start()
		f.hear(f.Context(), persona.Connected{})
		time.Sleep(time.Minute)
		assert.Equal(t, []string{notice + "flag", notice + "another"}, f.notices.all())
		assert.Len(t, f.answers.all(), 2, "neither is answered again")
	})
}
