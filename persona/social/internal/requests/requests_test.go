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

// A list is written by one goroutine and read by another.
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

// a bench is a Handler over an engine that has no other part.
type bench struct {
	*testing.T
	o       Options
	options engine.Options
	says    string // what the model judges
	prompts list[string]
	answer  func(ctx context.Context) error // of the platform; nil: it takes all answers
	answers list[bool]                      // that the platform was given
	said    list[string]
	told    list[string] // to the owner
	engine  *engine.Engine
	handler *Handler
	hear    func(context.Context, persona.Event)
	stop    func()
}

type link struct{ b *bench }

func (l link) Run(ctx context.Context, hear func(context.Context, persona.Event)) error {
	l.b.hear = hear
	<-ctx.Done()
	return nil
}

func (l link) Send(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	l.b.said.add(chat.String() + " " + out.Text)
	return "", nil
}

func inBench(t *testing.T, change func(b *bench), test func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, says: approve}
		b.o.IsMember = func(persona.Chat) bool { return true }
		b.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Link: link{b}, Store: memory.NewMemStore(),
			Model: modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
				b.prompts.add(p.Text())
				if strings.Contains(p.Human(), "## 现在：打招呼\n") {
					return modeltest.Say("你好，我是小炉")
				}
				return modeltest.Say(b.says)
			}),
			Notify: func(_ context.Context, text string) error { b.told.add(text); return nil },
		}
		b.options.Features.AnswerRequest = func(ctx context.Context, _ persona.Request, approve bool, _ string) error {
			b.answers.add(approve)
			if b.answer != nil {
				return b.answer(ctx)
			}
			return nil
		}
		if change != nil {
			change(b)
		}
		b.start()
		defer func() { b.stop() }()
		b.hear(t.Context(), persona.Connected{Self: persona.Account{Platform: "qq", ID: "1"}})
		test(b)
	})
}

func (b *bench) start() {
	var err error
	b.engine, err = engine.New(b.options)
	require.NoError(b, err)
	b.handler = New(b.engine, b.o)
	b.engine.Register(b.handler.Part())
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- b.engine.Run(ctx) }()
	synctest.Wait()
	b.stop = func() {
		cancel()
		assert.NoError(b, <-over)
		b.stop = func() {}
	}
}

// request is what somebody asks for now.
func request(kind string) persona.Request {
	return persona.Request{
		ID: "flag", Kind: kind, From: persona.Account{Platform: "qq", ID: "3001"}, Name: "小\u202e满", Comment: "我是\n\x1b隔壁群的\u2066", At: time.Now(),
		Group: "9", GroupName: "花园",
	}
}

func (b *bench) requested(r persona.Request) {
	b.hear(b.Context(), r)
	time.Sleep(time.Minute)
	synctest.Wait()
}

func (b *bench) counts() [4]int64 {
	taken, approved, rejected, held := b.handler.Counts()
	return [4]int64{taken, approved, rejected, held}
}

func TestHandler_Judges(t *testing.T) {
	for says, want := range map[string]struct {
		answers []bool
		told    string
		counts  [4]int64
	}{
		approve: {[]bool{true}, "", [4]int64{1, 1, 0, 0}},
		reject:  {[]bool{false}, "", [4]int64{1, 0, 1, 0}},
		`{"decision": "reject", "reason": "广告", "notify": true}`: {[]bool{false}, "已拒绝：「广告」", [4]int64{1, 0, 1, 0}},
		`{"decision": "hold", "reason": "拿不准"}`:                  {nil, "没有处理：「拿不准」。flag：flag", [4]int64{1, 0, 0, 1}},
		"同意": {nil, "没有处理：模型的回答看不懂。flag：flag", [4]int64{1, 0, 0, 1}},
	} {
		inBench(t, func(b *bench) { b.says = says }, func(b *bench) {
			r := request(persona.FriendRequest)
			b.hear(b.Context(), r)
			time.Sleep(answerSoonest - time.Millisecond)
			synctest.Wait()
			assert.Empty(t, b.answers.all(), "nobody answers at once")
			assert.Len(t, b.prompts.all(), 1)
			time.Sleep(answerSpread + time.Millisecond)
			synctest.Wait()
			assert.Equal(t, want.answers, b.answers.all())
			assert.Equal(t, want.counts, b.counts())
			if want.told == "" {
				assert.Empty(t, b.told.all())
			} else {
				assert.Equal(t, []string{"好友申请：小满（3001），附言「我是 隔壁群的」，" + want.told}, b.told.all())
			}
			b.requested(r)
			assert.Equal(t, want.counts, b.counts(), "the same request again")
		})
	}
}

func TestHandler_LeavesToTheOwner(t *testing.T) {
	banned, err := heartflow.NewFilter([]string{"隔壁"}, nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func(b *bench)
		at     time.Duration
		why    string
	}{
		"policy":       {func(b *bench) { b.o.Policy = AskOwner }, 0, "等主人决定"},
		"platform":     {func(b *bench) { b.options.Features.AnswerRequest = nil }, 0, "等主人决定"},
		"old":          {nil, -maxAge - time.Second, "已经过了一周"},
		"banned":       {func(b *bench) { b.options.Banned = banned }, 0, "附言或名字里有禁用的词"},
		"model failed": {func(b *bench) { b.options.Model = modeltest.Always(modeltest.Fail(errors.New("status 400"))) }, 0, "没能判断，模型或记忆出错了"},
	} {
		t.Run(name, func(t *testing.T) {
			inBench(t, c.change, func(b *bench) {
				r := request(persona.GroupInvite)
				r.At = r.At.Add(c.at)
				b.requested(r)
				assert.Empty(t, b.answers.all())
				assert.Empty(t, b.prompts.all())
				require.Len(t, b.told.all(), 1)
				assert.Equal(t, "入群邀请：小满（3001）请我进 花园（9），附言「我是 隔壁群的」，没有处理："+c.why+"。flag：flag", b.told.all()[0])
				assert.Equal(t, [4]int64{1, 0, 0, 1}, b.counts())
			})
		})
	}
}

func TestHandler_Ignore(t *testing.T) {
	var joins []string
	inBench(t, func(b *bench) {
		b.o.Policy = Ignore
		b.o.Joins = func(_ context.Context, r persona.Request) { joins = append(joins, r.ID) }
	}, func(b *bench) {
		b.requested(request(persona.FriendRequest))
		assert.Zero(t, b.counts())
		b.requested(request(persona.GroupJoin))
		assert.Equal(t, []string{"flag"}, joins, "joins are the host's all the same")
		assert.Equal(t, [4]int64{1}, b.counts())
		assert.Empty(t, b.prompts.all())
	})
}

// TestHandler_JoinWithoutAHost: a request to join that was kept while a host took such requests is left to the owner by a run
// without one.
func TestHandler_JoinWithoutAHost(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		r := request(persona.GroupJoin)
		payload, err := json.Marshal(r)
		require.NoError(t, err)
		b.hear(b.Context(), persona.Connected{})
		b.handler.Part().Jobs[requestKind].Again(jobs.Job{ID: requestID(r), Kind: requestKind, Chat: privateOf(r), At: time.Now(), Payload: payload})
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, [4]int64{1, 0, 0, 1}, b.counts())
	})
}

func TestHandler_GreetsWhoHasNotSpoken(t *testing.T) {
	for _, spoken := range []bool{false, true} {
		inBench(t, func(b *bench) { b.says = greets }, func(b *bench) {
			b.hear(b.Context(), request(persona.FriendRequest))
			time.Sleep(time.Second)
			if spoken {
				require.NoError(t, b.engine.Memory.Put(b.Context(), memory.Record{
					ID: "1", Space: "qq:private:3001", Kind: memory.KindMessage, Person: "3001", Text: "你好呀", At: time.Now(),
				}))
			}
			time.Sleep(time.Minute)
			assert.Equal(t, []bool{true}, b.answers.all())
			if spoken {
				assert.Empty(t, b.said.all())
			} else {
				assert.Equal(t, []string{"qq:private:3001 你好，我是小炉"}, b.said.all())
			}
		})
	}
}

func TestHandler_JudgeReadsSharedGroupsAlone(t *testing.T) {
	inBench(t, func(b *bench) {
		b.o.IsMember = func(c persona.Chat) bool { return c.ID != "2" }
	}, func(b *bench) {
		for id, space := range map[string]memory.Space{"一": "qq:group:1", "二": "qq:group:2", "三": "qq:private:3002", "四": "qq:private:3001", "五": "other:group:1"} {
			require.NoError(t, b.engine.Memory.Put(b.Context(), memory.Record{
				ID: id, Space: space, Kind: memory.KindMessage, Person: "3001", Text: "我种的花" + id, At: time.Now(),
			}))
		}
		b.requested(request(persona.FriendRequest))
		require.Len(t, b.prompts.all(), 1)
		for id, shared := range map[string]bool{"一": true, "二": false, "三": false, "四": true, "五": false} {
			assert.Equal(t, shared, strings.Contains(b.prompts.all()[0], "我种的花"+id), id)
		}
	})
}

func TestHandler_AnswersOnce(t *testing.T) {
	inBench(t, func(b *bench) { b.o.Policy = AskOwner }, func(b *bench) {
		ctx, r := b.Context(), request(persona.FriendRequest)
		refused := errors.New("retcode 1404")
		b.answer = func(context.Context) error { return refused }
		require.ErrorIs(t, b.handler.Answer(ctx, r, true, ""), refused)
		b.answer = nil
		require.NoError(t, b.handler.Answer(ctx, r, true, ""), "what failed may be tried again")
		require.ErrorIs(t, b.handler.Answer(ctx, r, false, ""), ErrAnswered)
		assert.Equal(t, []bool{true, true}, b.answers.all())

		r.ID = "another"
		b.answer = func(context.Context) error { return engine.ErrUnclear }
		require.ErrorIs(t, b.handler.Answer(ctx, r, true, ""), engine.ErrUnclear)
		require.ErrorIs(t, b.handler.Answer(ctx, r, true, ""), ErrAnswered)
		r.ID = ""
		require.Error(t, b.handler.Answer(ctx, r, true, ""))
		assert.Len(t, b.answers.all(), 3)
	})
}

func TestHandler_HostAnswersFirst(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		r := request(persona.FriendRequest)
		b.hear(b.Context(), r)
		time.Sleep(time.Second) // it is judged, and waits
		require.NoError(t, b.handler.Answer(b.Context(), r, false, ""))
		time.Sleep(time.Minute)
		assert.Equal(t, []bool{false}, b.answers.all())
		assert.Equal(t, [4]int64{1, 0, 0, 0}, b.counts())
	})
}

func TestHandler_RunsAgainAfterAStop(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.hear(b.Context(), request(persona.FriendRequest))
		time.Sleep(time.Second) // it is judged, and waits
		b.stop()
		b.start()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, b.answers.all(), "nobody can be answered before the link has brought something")
		b.hear(b.Context(), persona.Connected{})
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []bool{true}, b.answers.all())
		assert.Len(t, b.prompts.all(), 2)
	})
}

func TestHandler_TellsUnclearAnswer(t *testing.T) {
	told := "好友申请：小满（3001），附言「我是 隔壁群的」，想同意，不知道成了没有，没有再答。flag："
	inBench(t, nil, func(b *bench) {
		b.answer = func(context.Context) error { return engine.ErrUnclear }
		b.requested(request(persona.FriendRequest))
		assert.Equal(t, []string{told + "flag"}, b.told.all())

		b.answer = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() } // until the stop
		r := request(persona.FriendRequest)
		r.ID = "another"
		b.requested(r)
		b.stop()
		b.start()
		b.hear(b.Context(), persona.Connected{})
		time.Sleep(time.Minute)
		assert.Equal(t, []string{told + "flag", told + "another"}, b.told.all())
		assert.Len(t, b.answers.all(), 2, "neither is answered again")
	})
}
