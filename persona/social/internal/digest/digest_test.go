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

// Tasks named in prompts.
const (
	summarizeTask = "记"
	dreamTask     = "梦"
	peopleTask    = "看人"
)

const noPeople = `{"people": []}`

// A fixture is a Digest on an engine that does not run.
type fixture struct {
	*testing.T
	o       Options
	options engine.Options
	store   *countingStore
	mu      sync.Mutex
	answers map[string]modeltest.Step // by task; other tasks fail
	model   *modeltest.Model
	engine  *engine.Engine
	digest  *Digest
	claim   ClaimFunc
	part    engine.Part
	chat    *engine.Chat
	records int
	stop    func()
}

// A countingStore counts loads.
type countingStore struct {
	*memory.MemStore
	loads atomic.Int64
}

func (s *countingStore) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	s.loads.Add(1)
	return s.MemStore.Load(ctx, prefix)
}

type link struct{ engine.Link }

func withFixture(t *testing.T, change func(f *fixture), test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, store: &countingStore{MemStore: memory.NewMemStore()}, answers: map[string]modeltest.Step{}}
		f.model = modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			f.mu.Lock()
			defer f.mu.Unlock()
			for task, answer := range f.answers {
				if isOf(p, task) {
					return answer
				}
			}
			return modeltest.HTTPError(400, "no answer")
		})
		f.options = engine.Options{Profile: persona.Profile{Name: "小炉"}, Model: f.model, Link: link{}, Store: f.store, Location: time.UTC}
		if change != nil {
			change(f)
		}
		f.start()
		defer func() { f.stop() }()
		test(f)
	})
}

// setAnswer sets the model's answer to a task.
func (f *fixture) setAnswer(task string, answer modeltest.Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[task] = answer
}

func (f *fixture) start() {
	var err error
	f.engine, err = engine.New(f.options)
	require.NoError(f, err)
	f.digest = New(f.engine, f.o, f.claim)
	f.part = f.digest.Part()
	f.engine.Register(f.part)
	f.chat, err = f.engine.Chat(f.Context(), group)
	require.NoError(f, err)
	f.run(f.part)
}

// run runs a part until stop is called.
func (f *fixture) run(p engine.Part) {
	ctx, cancel := context.WithCancel(f.Context())
	over := make(chan error, 1)
	go func() { over <- p.Run(ctx) }()
	synctest.Wait()
	f.stop = func() {
		cancel()
		assert.NoError(f, <-over)
		f.stop = func() {}
	}
}

func isOf(p modeltest.Prompt, task string) bool {
	return strings.Contains(p.Human(), "## 现在："+task+"\n")
}

// promptsFor returns the prompts of a task.
func (f *fixture) promptsFor(task string) (prompts []string) {
	for _, p := range f.model.Prompts() {
		if isOf(p, task) {
			prompts = append(prompts, p.Human())
		}
	}
	return prompts
}

// receive stores a message; one of the bot if from is empty.
func (f *fixture) receive(c *engine.Chat, from, text string) {
	f.records++
	r := memory.Record{
		ID: fmt.Sprint("k", f.records, "@1"), Space: c.Space, Kind: memory.KindMessage, Person: from, Name: from, Text: text, Own: from == "", At: time.Now(),
	}
	if c.Agent() {
		r.Label = memory.Trusted(memory.Owner)
	}
	require.NoError(f, f.engine.Memory.Put(f.Context(), r))
}

// endTurn ends a turn in a chat and waits until the Digest is idle.
func (f *fixture) endTurn(c *engine.Chat, done engine.Done) {
	f.part.Done(f.Context(), c, done)
	time.Sleep(time.Second)
	synctest.Wait()
}

// exchange stores a message that the bot answers.
func (f *fixture) exchange(from, text string) {
	f.receive(f.chat, from, text)
	f.receive(f.chat, "", "嗯")
	f.endTurn(f.chat, engine.Done{Spoke: true})
}

// scene returns the scene of a turn in a chat where these people speak.
func (f *fixture) scene(c *engine.Chat, from ...string) engine.Scene {
	var s engine.Scene
	for _, id := range from {
		s.Recent = append(s.Recent, persona.Message{From: id, Name: "name of " + id})
	}
	t := &engine.Turn{Job: &engine.Job{Chat: c}, Engine: f.engine}
	require.NoError(f, f.part.Scene(f.Context(), time.Now(), t, &s))
	return s
}

// befriend raises the relation to a person.
func (f *fixture) befriend(c *engine.Chat, id string) {
	for level := 0; level < 1; {
		who, err := f.engine.Memory.People(c.Space).RecordInteraction(f.Context(), time.Now(), id, memory.Interaction{Feeling: memory.Happy, Stance: 1})
		require.NoError(f, err)
		level = who.RelationLevel()
	}
}

func (f *fixture) setImpression(c *engine.Chat, id, text string, sources ...string) {
	require.NoError(f, f.engine.Memory.People(c.Space).SetImpression(f.Context(), time.Now(), id, text, sources...))
}

func (f *fixture) spend(tokens int) { f.engine.Options.Attention.Budget.AddTokens(time.Now(), tokens) }

func onlySummaries(f *fixture) { f.o.NoPeople, f.o.NoDream = true, true }
func onlyPeople(f *fixture)    { f.o.NoSummary, f.o.NoDream = true, true }
func onlyDreams(f *fixture)    { f.o.NoSummary, f.o.NoPeople = true, true }

func TestDigest_SummaryAfter20Turns(t *testing.T) {
	withFixture(t, onlySummaries, func(f *fixture) {
		f.setAnswer(summarizeTask, modeltest.Say("聊了下雨"))
		for range 19 {
			f.exchange("1001", "又下雨了")
		}
		assert.Empty(f, f.promptsFor(summarizeTask))
		assert.Empty(f, f.scene(f.chat).Summary)
		f.exchange("1001", "第二十句")
		require.Len(f, f.promptsFor(summarizeTask), 1)
		assert.Contains(f, f.promptsFor(summarizeTask)[0], "第二十句")
		assert.NotContains(f, f.promptsFor(summarizeTask)[0], "k39", "a summary needs no message ids")
		assert.Equal(f, "聊了下雨", f.scene(f.chat).Summary)
		for range 20 {
			f.exchange("1001", "天晴了")
		}
		require.Len(f, f.promptsFor(summarizeTask), 2)
		assert.Contains(f, f.promptsFor(summarizeTask)[1], "聊了下雨", "the prompt has the old summary")
		assert.NotContains(f, f.promptsFor(summarizeTask)[1], "第二十句")
	})
}

func TestDigest_UpdatesPeopleOnceAfterReply(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say(noPeople).After(time.Minute))
		f.receive(f.chat, "1001", "早上好")
		f.endTurn(f.chat, engine.Done{})
		f.endTurn(f.chat, engine.Done{Spoke: true, Wake: true})
		assert.Empty(f, f.promptsFor(peopleTask), "the bot did not answer")
		for range 3 { // replies during a call are judged together
			f.exchange("1001", "你好")
		}
		f.digest.mu.Lock()
		assert.Len(f, f.digest.pending, 1)
		f.digest.mu.Unlock()
		time.Sleep(time.Hour)
		require.Len(f, f.promptsFor(peopleTask), 2)
		f.receive(f.chat, "1001", "没人理我")
		f.endTurn(f.chat, engine.Done{})
		time.Sleep(time.Hour)
		assert.Len(f, f.promptsFor(peopleTask), 2, "the bot did not answer this either")
		f.exchange("1001", "后来说的")
		time.Sleep(time.Hour)
		require.Len(f, f.promptsFor(peopleTask), 3)
		assert.Contains(f, f.promptsFor(peopleTask)[2], "后来说的")
		assert.NotContains(f, f.promptsFor(peopleTask)[2], "早上好", "it was judged already")
		f.receive(f.chat, "", "自言自语")
		f.endTurn(f.chat, engine.Done{Spoke: true})
		time.Sleep(time.Hour)
		assert.Len(f, f.promptsFor(peopleTask), 3, "nobody else has spoken")
	})
}

func TestDigest_UpdatesPeopleAgainAfterFailure(t *testing.T) {
	for name, failure := range map[string]modeltest.Step{"fails": modeltest.Fail(errors.New("status 400")), "hangs": modeltest.Hang("")} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, onlyPeople, func(f *fixture) {
				f.setAnswer(peopleTask, failure)
				f.exchange("1001", "你好")
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				require.Len(f, f.promptsFor(peopleTask), 1)
				f.setAnswer(peopleTask, modeltest.Say(noPeople))
				for range 3 {
					f.endTurn(f.chat, engine.Done{})
				}
				require.Len(f, f.promptsFor(peopleTask), 2, "once, with the next turn")
				assert.Contains(f, f.promptsFor(peopleTask)[1], "你好")
			})
		})
	}
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say("不知道"))
		f.exchange("1001", "你好")
		f.endTurn(f.chat, engine.Done{})
		assert.Len(f, f.promptsFor(peopleTask), 2, "asked once more for JSON, and not again: the same prompt would get the same answer")
	})
}

func TestDigest_LongestWaitingChatFirst(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say(noPeople).After(time.Minute))
		for _, id := range []string{"一", "二", "三", "二"} {
			c, err := f.engine.Chat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: id})
			require.NoError(f, err)
			f.receive(c, "1001", "我在群"+id)
			f.endTurn(c, engine.Done{Spoke: true})
		}
		time.Sleep(time.Hour)
		prompts := f.promptsFor(peopleTask)
		require.Len(f, prompts, 3)
		for i, id := range []string{"一", "二", "三"} {
			assert.Contains(f, prompts[i], "我在群"+id)
		}
	})
}

func TestDigest_OverBudgetMakesNoCall(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say(noPeople))
		f.setAnswer(summarizeTask, modeltest.Say("聊过"))
		f.spend(heartflow.DefaultHourTokens * 3 / 4)
		for range 20 {
			f.exchange("1001", "你好")
		}
		assert.Empty(f, f.model.Prompts())
		time.Sleep(2 * time.Hour)
		f.endTurn(f.chat, engine.Done{})
		assert.Len(f, f.promptsFor(peopleTask), 1, "people are updated later")
		assert.Len(f, f.promptsFor(summarizeTask), 1)
	})
}

func TestDigest_OverBudgetIsNoFailure(t *testing.T) {
	withFixture(t, onlySummaries, func(f *fixture) {
		f.setAnswer(summarizeTask, modeltest.Say("聊过"))
		f.spend(heartflow.DefaultHourTokens * 3 / 4)
		for range 20 {
			f.exchange("1001", "你好")
		}
		for range 62 { // after that many failures the pauses would be half an hour
			time.Sleep(time.Minute)
			f.endTurn(f.chat, engine.Done{})
		}
		assert.Len(f, f.promptsFor(summarizeTask), 1)
	})
}

func TestDigest_DisabledFeatures(t *testing.T) {
	withFixture(t, func(f *fixture) { f.o = Options{NoSummary: true, NoPeople: true, NoDream: true} }, func(f *fixture) {
		for range 20 {
			f.exchange("1001", "你好")
		}
		sleepUntil(4)
		assert.Empty(f, f.model.Prompts())
	})
}

func TestDigest_OwnModelUsesBudget(t *testing.T) {
	cheap := modeltest.Always(modeltest.Say(noPeople))
	withFixture(t, func(f *fixture) {
		onlyPeople(f)
		f.o.Model = cheap
		var err error
		f.options.Attention.Budget, err = heartflow.NewBudget(heartflow.BudgetOptions{HourCalls: 2, NoJudgeFrom: .5})
		require.NoError(f, err)
	}, func(f *fixture) {
		for range 2 {
			f.exchange("1001", "你好")
		}
		assert.Len(f, cheap.Prompts(), 1)
		assert.Empty(f, f.model.Prompts())
	})
}

func TestDigest_NoPeopleInOwnerConversation(t *testing.T) {
	withFixture(t, func(f *fixture) { f.o.NoDream = true }, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say(`{"people": [{"id": "owner", "feeling": "happy"}]}`))
		f.setAnswer(summarizeTask, modeltest.Say("聊过"))
		for _, c := range []*engine.Chat{f.engine.OwnerChat, f.chat} {
			f.setImpression(c, "owner", "爽快")
			f.befriend(c, "owner")
			for range 20 {
				f.receive(c, "owner", "你好")
				f.receive(c, "", "嗯")
			}
			f.endTurn(c, engine.Done{Spoke: true, Messages: 2})
		}
		assert.Len(f, f.promptsFor(peopleTask), 1, "only for the chat")
		assert.Len(f, f.promptsFor(summarizeTask), 2)
		owner, chat := f.scene(f.engine.OwnerChat, "owner"), f.scene(f.chat, "owner")
		assert.Equal(f, engine.Scene{Scene: prompt.Scene{Recent: owner.Recent, Summary: "聊过"}}, owner)
		assert.Equal(f, "聊过", chat.Summary)
		assert.NotNil(f, chat.Mood)
		assert.Positive(f, chat.Affinity["owner"])
		require.Len(f, chat.People, 1)
		assert.Equal(f, prompt.Person{ID: "owner", Name: "name of owner", Relation: 1, Impression: "爽快"}, chat.People[0])
	})
}

func TestDigest_NothingFromDisabledChat(t *testing.T) {
	withFixture(t, func(f *fixture) {
		f.o.NoPeople = true
		f.options.Chats = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions{Off: c == other} }
	}, func(f *fixture) {
		f.setAnswer(summarizeTask, modeltest.Say("聊过"))
		f.setAnswer(dreamTask, modeltest.Say(`{"insights": []}`))
		closed, err := f.engine.Chat(f.Context(), other)
		require.NoError(f, err)
		for _, c := range []*engine.Chat{closed, f.chat} {
			for range 20 {
				f.receive(c, "1001", "我在群"+c.ID.ID)
				f.receive(c, "", "嗯")
			}
			f.endTurn(c, engine.Done{Spoke: true})
		}
		time.Sleep(4 * time.Hour)
		for _, task := range []string{summarizeTask, dreamTask} {
			require.Len(f, f.promptsFor(task), 1)
			assert.Contains(f, f.promptsFor(task)[0], "我在群1")
		}
	})
}
