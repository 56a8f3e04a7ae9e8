package digest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

var (
	group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	other = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
)

// The tasks of prompts.
const (
	sumsUp  = "记"
	dreams  = "梦"
	regards = "看人"
)

const nobody = `{"people": []}`

// A bench is a Digest over an engine that does not run.
type bench struct {
	*testing.T
	o       Options
	options engine.Options
	store   *counting
	mu      sync.Mutex
	answers map[string]modeltest.Step // by task; a task without one fails
	model   *modeltest.Model
	engine  *engine.Engine
	digest  *Digest
	part    engine.Part
	chat    *engine.Chat
	records int
	stop    func()
}

// A counting store counts how often rows are read.
type counting struct {
	*memory.MemStore
	loads atomic.Int64
}

func (s *counting) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	s.loads.Add(1)
	return s.MemStore.Load(ctx, prefix)
}

type link struct{ engine.Link }

func inBench(t *testing.T, change func(b *bench), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, store: &counting{MemStore: memory.NewMemStore()}, answers: map[string]modeltest.Step{}}
		b.model = modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			b.mu.Lock()
			defer b.mu.Unlock()
			for task, answer := range b.answers {
				if isOf(p, task) {
					return answer
				}
			}
			return modeltest.HTTPError(400, "no answer")
		})
		b.options = engine.Options{Profile: persona.Profile{Name: "小炉"}, Model: b.model, Link: link{}, Store: b.store, Location: time.UTC}
		if change != nil {
			change(b)
		}
		b.start()
		defer func() { b.stop() }()
		test(b)
	})
}

// says is what the model answers to a task from now on.
func (b *bench) says(task string, answer modeltest.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[task] = answer
}

func (b *bench) start() {
	var err error
	b.engine, err = engine.New(b.options)
	require.NoError(b, err)
	b.digest = New(b.engine, b.o)
	b.part = b.digest.Part()
	b.engine.Register(b.part)
	b.chat, err = b.engine.Chat(b.Context(), group)
	require.NoError(b, err)
	b.run(b.part)
}

// run runs a part until stop is called.
func (b *bench) run(p engine.Part) {
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- p.Run(ctx) }()
	synctest.Wait()
	b.stop = func() {
		cancel()
		assert.NoError(b, <-over)
		b.stop = func() {}
	}
}

func isOf(p modeltest.Prompt, task string) bool {
	return strings.Contains(p.Human(), "## 现在："+task+"\n")
}

// asked are the prompts of a task.
func (b *bench) asked(task string) (prompts []string) {
	for _, p := range b.model.Prompts() {
		if isOf(p, task) {
			prompts = append(prompts, p.Human())
		}
	}
	return prompts
}

// keep has somebody, or the bot where from is "", say something now.
func (b *bench) keep(c *engine.Chat, from, text string) {
	b.records++
	r := memory.Record{
		ID: fmt.Sprint("k", b.records, "@1"), Space: c.Space, Kind: memory.KindMessage, Person: from, Name: from, Text: text, Own: from == "", At: time.Now(),
	}
	if c.Agent() {
		r.Label = memory.Trusted(memory.Owner)
	}
	require.NoError(b, b.engine.Memory.Put(b.Context(), r))
}

// over ends a turn in a chat, and waits until it was looked at.
func (b *bench) over(c *engine.Chat, done engine.Done) {
	b.part.Done(b.Context(), c, done)
	time.Sleep(time.Second)
	synctest.Wait()
}

// talk has somebody say something, which the bot answers.
func (b *bench) talk(from, text string) {
	b.keep(b.chat, from, text)
	b.keep(b.chat, "", "嗯")
	b.over(b.chat, engine.Done{Spoke: true})
}

// scene is what a turn sees of a chat where these speak.
func (b *bench) scene(c *engine.Chat, from ...string) engine.Scene {
	var s engine.Scene
	for _, id := range from {
		s.Recent = append(s.Recent, persona.Message{From: id, Name: "name of " + id})
	}
	t := &engine.Turn{Job: &engine.Job{Chat: c}, Engine: b.engine}
	require.NoError(b, b.part.Scene(b.Context(), time.Now(), t, &s))
	return s
}

// befriend has the bot like somebody.
func (b *bench) befriend(c *engine.Chat, id string) {
	for level := 0; level < 1; {
		who, err := b.engine.Memory.People(c.Space).RecordInteraction(b.Context(), time.Now(), id, memory.Interaction{Feeling: memory.Happy, Stance: 1})
		require.NoError(b, err)
		level = who.RelationLevel()
	}
}

func (b *bench) impress(c *engine.Chat, id, text string, sources ...string) {
	require.NoError(b, b.engine.Memory.People(c.Space).SetImpression(b.Context(), time.Now(), id, text, sources...))
}

func (b *bench) spend(tokens int) { b.engine.Options.Attention.Budget.AddTokens(time.Now(), tokens) }

func onlySummaries(b *bench) { b.o.NoPeople, b.o.NoDream = true, true }
func onlyPeople(b *bench)    { b.o.NoSummary, b.o.NoDream = true, true }
func onlyDreams(b *bench)    { b.o.NoSummary, b.o.NoPeople = true, true }

func TestDigest_SumsUpAfter20Turns(t *testing.T) {
	inBench(t, onlySummaries, func(b *bench) {
		b.says(sumsUp, modeltest.Say("聊了下雨"))
		for range 19 {
			b.talk("1001", "又下雨了")
		}
		assert.Empty(b, b.asked(sumsUp))
		assert.Empty(b, b.scene(b.chat).Summary)
		b.talk("1001", "第二十句")
		require.Len(b, b.asked(sumsUp), 1)
		assert.Contains(b, b.asked(sumsUp)[0], "第二十句")
		assert.NotContains(b, b.asked(sumsUp)[0], "k39", "nobody can be answered there")
		assert.Equal(b, "聊了下雨", b.scene(b.chat).Summary)
		for range 20 {
			b.talk("1001", "天晴了")
		}
		require.Len(b, b.asked(sumsUp), 2)
		assert.Contains(b, b.asked(sumsUp)[1], "聊了下雨", "the old summary")
		assert.NotContains(b, b.asked(sumsUp)[1], "第二十句")
	})
}

func TestDigest_JudgesPeopleOnceAfterAReply(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, modeltest.Say(nobody).After(time.Minute))
		b.keep(b.chat, "1001", "早上好")
		b.over(b.chat, engine.Done{})
		b.over(b.chat, engine.Done{Spoke: true, Wake: true})
		assert.Empty(b, b.asked(regards), "the bot did not answer")
		for range 3 { // replies while a call is made are judged together
			b.talk("1001", "你好")
		}
		b.digest.mu.Lock()
		assert.Len(b, b.digest.pending, 1)
		b.digest.mu.Unlock()
		time.Sleep(time.Hour)
		require.Len(b, b.asked(regards), 2)
		b.keep(b.chat, "1001", "没人理我")
		b.over(b.chat, engine.Done{})
		time.Sleep(time.Hour)
		assert.Len(b, b.asked(regards), 2, "nor did it answer this")
		b.talk("1001", "后来说的")
		time.Sleep(time.Hour)
		require.Len(b, b.asked(regards), 3)
		assert.Contains(b, b.asked(regards)[2], "后来说的")
		assert.NotContains(b, b.asked(regards)[2], "早上好", "it was judged before")
		b.keep(b.chat, "", "自言自语")
		b.over(b.chat, engine.Done{Spoke: true})
		time.Sleep(time.Hour)
		assert.Len(b, b.asked(regards), 3, "nobody else spoke")
	})
}

func TestDigest_JudgesAgainAfterAFailure(t *testing.T) {
	for name, failure := range map[string]modeltest.Step{"fails": modeltest.Fail(errors.New("status 400")), "hangs": modeltest.Hang("")} {
		t.Run(name, func(t *testing.T) {
			inBench(t, onlyPeople, func(b *bench) {
				b.says(regards, failure)
				b.talk("1001", "你好")
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				require.Len(b, b.asked(regards), 1)
				b.says(regards, modeltest.Say(nobody))
				for range 3 {
					b.over(b.chat, engine.Done{})
				}
				require.Len(b, b.asked(regards), 2, "with the next turn, and no more often")
				assert.Contains(b, b.asked(regards)[1], "你好")
			})
		})
	}
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, modeltest.Say("不知道"))
		b.talk("1001", "你好")
		b.over(b.chat, engine.Done{})
		assert.Len(b, b.asked(regards), 1, "the same question would have the same answer")
	})
}

func TestDigest_TakesTheLongestWaitingChat(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, modeltest.Say(nobody).After(time.Minute))
		for _, id := range []string{"一", "二", "三", "二"} {
			c, err := b.engine.Chat(b.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: id})
			require.NoError(b, err)
			b.keep(c, "1001", "我在群"+id)
			b.over(c, engine.Done{Spoke: true})
		}
		time.Sleep(time.Hour)
		prompts := b.asked(regards)
		require.Len(b, prompts, 3)
		for i, id := range []string{"一", "二", "三"} {
			assert.Contains(b, prompts[i], "我在群"+id)
		}
	})
}

func TestDigest_OverBudgetMakesNoCall(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.says(regards, modeltest.Say(nobody))
		b.says(sumsUp, modeltest.Say("聊过"))
		b.spend(150_000)
		for range 20 {
			b.talk("1001", "你好")
		}
		assert.Empty(b, b.model.Prompts())
		time.Sleep(2 * time.Hour)
		b.over(b.chat, engine.Done{})
		assert.Len(b, b.asked(regards), 1, "people are judged later")
		assert.Len(b, b.asked(sumsUp), 1)
	})
}

func TestDigest_OverBudgetIsNoFailure(t *testing.T) {
	inBench(t, onlySummaries, func(b *bench) {
		b.says(sumsUp, modeltest.Say("聊过"))
		b.spend(150_000)
		for range 20 {
			b.talk("1001", "你好")
		}
		for range 62 { // failures would make pauses of half an hour by then
			time.Sleep(time.Minute)
			b.over(b.chat, engine.Done{})
		}
		assert.Len(b, b.asked(sumsUp), 1)
	})
}

func TestDigest_LeavesOutWhatIsOff(t *testing.T) {
	inBench(t, func(b *bench) { b.o = Options{NoSummary: true, NoPeople: true, NoDream: true} }, func(b *bench) {
		for range 20 {
			b.talk("1001", "你好")
		}
		sleepUntil(4)
		assert.Empty(b, b.model.Prompts())
	})
}

func TestDigest_OwnModelSpendsTheBudget(t *testing.T) {
	cheap := modeltest.Always(modeltest.Say(nobody))
	inBench(t, func(b *bench) {
		onlyPeople(b)
		b.o.Model = cheap
		var err error
		b.options.Attention.Budget, err = heartflow.NewBudget(heartflow.BudgetOptions{HourCalls: 2, NoJudgeFrom: .5})
		require.NoError(b, err)
	}, func(b *bench) {
		for range 2 {
			b.talk("1001", "你好")
		}
		assert.Len(b, cheap.Prompts(), 1)
		assert.Empty(b, b.model.Prompts())
	})
}

func TestDigest_KnowsNobodyInTheOwnersTalk(t *testing.T) {
	inBench(t, func(b *bench) { b.o.NoDream = true }, func(b *bench) {
		b.says(regards, modeltest.Say(`{"people": [{"id": "owner", "feeling": "happy"}]}`))
		b.says(sumsUp, modeltest.Say("聊过"))
		for _, c := range []*engine.Chat{b.engine.Owners, b.chat} {
			b.impress(c, "owner", "爽快")
			b.befriend(c, "owner")
			for range 20 {
				b.keep(c, "owner", "你好")
				b.keep(c, "", "嗯")
			}
			b.over(c, engine.Done{Spoke: true, Messages: 2})
		}
		assert.Len(b, b.asked(regards), 1, "of the chat")
		assert.Len(b, b.asked(sumsUp), 2)
		talk, chat := b.scene(b.engine.Owners, "owner"), b.scene(b.chat, "owner")
		assert.Equal(b, engine.Scene{Scene: prompt.Scene{Recent: talk.Recent, Summary: "聊过"}}, talk)
		assert.Equal(b, "聊过", chat.Summary)
		assert.NotNil(b, chat.Mood)
		assert.Positive(b, chat.Affinity["owner"])
		require.Len(b, chat.People, 1)
		assert.Equal(b, prompt.Person{ID: "owner", Name: "name of owner", Relation: 1, Impression: "爽快"}, chat.People[0])
	})
}

func TestDigest_NothingOfAClosedChat(t *testing.T) {
	inBench(t, func(b *bench) {
		b.o.NoPeople = true
		b.options.Chats = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions{Off: c == other} }
	}, func(b *bench) {
		b.says(sumsUp, modeltest.Say("聊过"))
		b.says(dreams, modeltest.Say(`{"insights": []}`))
		closed, err := b.engine.Chat(b.Context(), other)
		require.NoError(b, err)
		for _, c := range []*engine.Chat{closed, b.chat} {
			for range 20 {
				b.keep(c, "1001", "我在群"+c.ID.ID)
				b.keep(c, "", "嗯")
			}
			b.over(c, engine.Done{Spoke: true})
		}
		time.Sleep(4 * time.Hour)
		for _, task := range []string{sumsUp, dreams} {
			require.Len(b, b.asked(task), 1)
			assert.Contains(b, b.asked(task)[0], "我在群1")
		}
	})
}
