package social_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInformationFlow lets a being with all that it can have (layers, days, notes, tools) live for a day and a half in
// random worlds, with a model that puts its entire prompt into every reply, note, plan and tool argument. Each chat, and
// the owner, has its own marks. None may reach a chat that may not know of it: not in what is sent, and not in a
// prompt of that chat, for what a turn has read it can say.
func TestInformationFlow(t *testing.T) {
	many := uint64(8)
	if testing.Short() {
		many = 1
	}
	all := make([]*stream, many)
	for seed := range many {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				all[seed] = newStream(t, seed)
				all[seed].run()
			})
		})
	}
	t.Cleanup(func() { covered(t, all) })
}

// covered holds that the worlds were such that something could leak.
func covered(t *testing.T, all []*stream) {
	parts, tools, sent := map[string]int{}, map[string]int{}, 0
	for _, s := range all {
		if s == nil || t.Failed() {
			return // one world alone is lived by -run
		}
		sent += s.sent
		for head, n := range s.parts {
			parts[head] += n
		}
		for tool, n := range s.tools {
			tools[tool] += n
		}
	}
	t.Log(parts, tools, sent)
	assert.Greater(t, sent, 10*len(all))
	if testing.Short() {
		return // one world is too few to hold everything
	}
	for _, head := range []string{"", "想", "想起来", "做计划好的事", "没赶上的事", "回想", "打算", "体会", "往大处想", "记", "看人", "梦"} {
		assert.Positive(t, parts[head], "no prompt of %q", head)
	}
	for _, tool := range []string{"set_timer", "add_schedule", "set_slot", "set_inner_state", "character_ops", "qq_send_text", "read_owner_memory"} {
		assert.Positive(t, tools[tool], tool)
	}
}

// A stream is a world in which everything is repeated.
type stream struct {
	*testing.T
	rng    *rand.Rand
	qq     *onebottest.Server
	store  *memory.MemStore
	chats  []leak // the owner is the first, the others are people's
	being  *social.Being
	stop   func()
	public int // the chat that everybody may read; 0: none

	mu    sync.Mutex
	parts map[string]int // prompts by heading
	tools map[string]int // calls asked for
	sent  int
	wrong []string
}

// A leak is where marks are from.
type leak struct {
	name persona.Chat
	say  func(m onebot.Message) // nil: the owner
}

var marks = regexp.MustCompile(`canary(\d)x\d+`)

func newStream(t *testing.T, seed uint64) *stream {
	s := &stream{T: t, rng: rand.New(rand.NewPCG(seed, 7)), store: memory.NewStore(), parts: map[string]int{}, tools: map[string]int{}}
	s.qq = onebottest.New(onebottest.Options{SelfID: bot, Nickname: "小炉", Seed: seed})
	s.chats = []leak{{}}
	for i := range 3 {
		g := s.qq.Group(int64(i+1), fmt.Sprintf("群canary%dx0", len(s.chats)))
		g.Member(alice, fmt.Sprintf("张三canary%dx1", len(s.chats)))
		g.Member(bob, fmt.Sprintf("李四canary%dx1", len(s.chats)))
		s.chats = append(s.chats, leak{persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i + 1)}, func(m onebot.Message) {
			g.Say([]int64{alice, bob}[s.rng.IntN(2)], m)
		}})
	}
	for _, id := range []int64{alice, bob} {
		f := s.qq.Friend(id, "友")
		s.chats = append(s.chats, leak{persona.Chat{Platform: "qq", Kind: persona.Private, ID: fmt.Sprint(id)}, func(m onebot.Message) { f.Say(m) }})
	}
	if seed%2 == 0 {
		s.public = 1 + s.rng.IntN(3)
	}
	return s
}

func (s *stream) run() {
	s.start()
	for step := range 70 {
		at := s.rng.IntN(len(s.chats))
		canary := fmt.Sprintf("canary%dx%d", at, 10+step)
		switch c := s.chats[at]; {
		case at == 0:
			_, _ = s.being.Owner(s.Context(), "记住 "+canary)
		case c.name.Kind == persona.Group:
			c.say(onebot.Message{onebot.At(bot), onebot.Text(" 你知道" + canary + "吗")})
		default:
			c.say(onebot.Message{onebot.Text("你知道" + canary + "吗")})
		}
		s.wait(time.Duration(10+s.rng.IntN(150)) * time.Second)
		if s.rng.IntN(12) == 0 {
			s.wait(time.Duration(s.rng.IntN(4*60)) * time.Minute)
		}
		if s.rng.IntN(25) == 0 {
			s.stop()
			s.start()
		}
	}
	s.wait(26 * time.Hour)
	s.stop()
	for _, sent := range s.qq.Sent() {
		i := slices.IndexFunc(s.chats, func(c leak) bool {
			return c.name.ID == fmt.Sprint(sent.Chat.ID) && c.name.Kind == sent.Chat.Kind
		})
		s.look("what was said", i, sent.Message.Text())
	}
	s.qq.Close()
	assert.Empty(s, s.wrong)
	s.sent = len(s.qq.Sent())
}

func (s *stream) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// look holds that nothing of a text is from where chat i may not look.
func (s *stream) look(what string, i int, text string) {
	for _, c := range marks.FindAllStringSubmatch(text, -1) {
		if from := int(c[1][0] - '0'); from != i && from != s.public {
			s.wrong = append(s.wrong, fmt.Sprintf("%s in %v holds %s", what, s.chats[max(i, 0)].name, c[0]))
		}
	}
}

var (
	inSession = regexp.MustCompile(`<session type="(\w+)" id="(\w+)"[^>]*>`)
	behind    = regexp.MustCompile(`(?s)<session [^>]*background="true".*?</session>`)
)

// where is the chat that a prompt is of; the owner's is 0, that of the persona by itself -1.
func (s *stream) where(p modeltest.Prompt) int {
	found := inSession.FindStringSubmatch(behind.ReplaceAllString(p.Human(), ""))
	if found == nil {
		return -1
	}
	if found[2] == "master" {
		return 0
	}
	return slices.IndexFunc(s.chats, func(c leak) bool { return c.name.Kind == found[1] && c.name.ID == found[2] })
}

// part is the heading of what is to be done: "" for an answer to people.
func part(p modeltest.Prompt) string {
	_, rest, ok := strings.Cut(p.Text(), "\n## 现在：")
	if !ok {
		return ""
	}
	head, _, _ := strings.Cut(rest, "\n")
	return head
}

// dice follow from what is read, not from the order in which goroutines happen to run.
func (s *stream) dice(p modeltest.Prompt) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, p.Text(), len(p.Results()))
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// model repeats what it reads.
func (s *stream) model() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		s.mu.Lock()
		defer s.mu.Unlock()
		head, at := part(p), s.where(p)
		s.parts[head]++
		r := s.dice(p)
		if at != 0 {
			s.look("a prompt of "+head, at, p.Text()+fmt.Sprint(p.Results()))
		}
		all := p.Text()
		short := strings.Join(marks.FindAllString(all, -1), " ")
		if len(short) > 400 {
			short = short[len(short)-400:]
		}
		quoted, _ := json.Marshal(all)
		switch head {
		case "梦":
			return modeltest.Say(fmt.Sprintf(`{"insights": [{"text": %q, "importance": 0.9}]}`, short))
		case "决定":
			return modeltest.Say(fmt.Sprintf(`{"action": "text_reply", "reasoning": %q}`, short))
		case "看人":
			return modeltest.Say(fmt.Sprintf(`{"people": [{"id": "1001", "feeling": "happy", "impression": %s}], "names": [{"id": "1001", "name": %q, "sure": true}]}`, quoted, short))
		}
		calls := []modeltest.Step{
			modeltest.Call("set_timer", map[string]any{"when": "3min", "content": short + "."}),
			modeltest.Call("add_schedule", map[string]any{"delay_seconds": 240, "outdated_seconds": 241 + 9_000*r.IntN(2), "content": map[string]any{"title": short + ".", "plan": short}}),
			modeltest.Call("set_slot", map[string]any{"name": "记" + fmt.Sprint(r.IntN(3)), "text": all[:min(len(all), 1500)]}),
			modeltest.Call("set_scratch", map[string]any{"name": "稿", "text": short}),
			modeltest.Call("set_inner_state", map[string]any{"text": short}),
			modeltest.Call("character_ops", map[string]any{"mood": short[:min(len(short), 50)]}),
			modeltest.Call("memory_ops", map[string]any{"query": "canary"}),
			modeltest.Call("read_owner_memory", map[string]any{"query": "canary"}),
			modeltest.Call("notify_master", map[string]any{"content": short + "."}),
		}
		if at != 0 { // the owner's own turn may say anything anywhere
			for _, target := range []string{"group_1", "group_2", "user_1001", ""} {
				calls = append(calls, modeltest.Call("qq_send_text", map[string]any{"target_id": target, "content": short + "."}))
			}
		}
		if len(p.Tools()) > 0 && len(p.Results()) < 2 && r.IntN(3) > 0 {
			step := calls[r.IntN(len(calls))]
			s.tools[step.Calls[0].FunctionCall.Name]++
			return step
		}
		return modeltest.Say(all)
	})
}

func (s *stream) start() {
	reg := new(nit.Registry)
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: s.model(), Link: onebotlink.New(s.qq.Client(nil), nil), Store: s.store, Tools: reg,
		Owners: []persona.Account{{Platform: "qq", ID: "900"}}, Own: &social.OwnTools{Notes: true}, Layers: &social.Layers{},
		Redact: func(_ context.Context, text string) (string, error) {
			return marks.ReplaceAllString(text, "[略]"), nil
		},
		Notify: func(context.Context, string) error { return nil },
		Days:   &social.Days{Say: func(context.Context, string) error { return nil }, Character: "# canary0x3\n"},
		Chats: func(c persona.Chat) social.ChatOptions {
			return social.ChatOptions{Public: s.public != 0 && c == s.chats[s.public].name}
		},
		Location: time.UTC, Logger: logger(),
	}
	o.Attention.Seed, o.Attention.Budget = 1, heartflow.NewBudget(heartflow.BudgetOptions{HourTokens: -1, DayTokens: -1})
	o.Days.Life.Plans = 1
	o.Layers.Summary.Turns = 4
	if s.rng.IntN(2) == 0 {
		o.Days.Life.Self = persona.Maker{Mode: persona.Agent}
	}
	if s.rng.IntN(3) == 0 {
		o.Strategy = social.ThinkPlanReply
	}
	being, err := social.New(o)
	require.NoError(s, err)
	ctx, cancel := context.WithCancel(s.Context())
	over := make(chan error, 1)
	go func() { over <- being.Run(ctx) }()
	s.being = being
	s.stop = func() {
		cancel()
		require.NoError(s, <-over)
	}
	s.wait(5 * time.Second)
}
