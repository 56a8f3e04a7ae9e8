package social_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInformationFlow runs a bot with every feature for a day and a half in random simulations, with a model that
// copies its prompt into every output: see infoflow_model_test.go. The checks are in infoflow_checks_test.go, the list
// of stored data in infoflow_carriers_test.go. HEARTH_TEST_SIMULATIONS is the number of simulations; -run
// 'TestInformationFlow/seed=N$' repeats one.
func TestInformationFlow(t *testing.T) {
	many := 4
	if testing.Short() {
		many = 1
	}
	if n, err := strconv.Atoi(os.Getenv("HEARTH_TEST_SIMULATIONS")); err == nil {
		many = n
	}
	all := make([]*flowSim, many)
	for seed := range all {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			all[seed] = runFlow(t, uint64(seed), nil)
			for _, wrong := range all[seed].violations {
				t.Errorf("seed %d: %s", seed, wrong)
			}
		})
	}
	t.Cleanup(func() { checkCoverage(t, all) })
}

// checkCoverage checks that something could leak in the simulations.
func checkCoverage(t *testing.T, all []*flowSim) {
	parts, tools, wrote, labels, sent := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0
	for _, s := range all {
		if s == nil || t.Failed() {
			return // one simulation by -run
		}
		sent += s.sent
		for what, sum := range map[*map[string]int]map[string]int{&s.parts: parts, &s.toolCalls: tools, &s.wrote: wrote, &s.labels: labels} {
			for name, n := range *what {
				sum[name] += n
			}
		}
	}
	t.Log(parts, tools, wrote, labels, sent)
	assert.Greater(t, sent, 10*len(all))
	if testing.Short() {
		return // one simulation cannot cover everything
	}
	for _, head := range []string{"", "想", "想起来", "做计划好的事", "没赶上的事", "回想", "打算", "体会", "往大处想", "记", "看人", "梦", "判断申请", "打招呼"} {
		assert.Positive(t, parts[head], "no prompt of %q", head)
	}
	for _, c := range carriers {
		assert.GreaterOrEqual(t, wrote[c.name], 10, "the simulations must write %s at least ten times", c.name)
		if c.name != jobRow && c.name != numbers {
			assert.Positive(t, labels[c.name], "Options.Access.Labels must be called for each %s", c.name)
		}
	}
}

// A flowSim is a simulation in which everything is repeated.
type flowSim struct {
	*testing.T
	seed     uint64
	dropped  []string // carriers that lose their labels
	rng      *rand.Rand
	qq       *onebottest.Server
	store    *memory.MemStore
	chats    []source // the owner is the first, the others are people's
	public   int      // index of the public chat; 0: none
	confirms bool     // a human confirms calls
	registry *nit.Registry
	plugins  *nit.Plugins
	bot      *social.Bot
	runStore *countingStore
	ended    chan error
	stop     func()
	friends  []func() // remaining friend requests

	mu         sync.Mutex
	n          int // number of marks
	parts      map[string]int
	toolCalls  map[string]int // calls by tool
	wrote      map[string]int // by carrier
	labels     map[string]int // labels by social.Datum
	notices    map[string]bool
	sent       int
	violations []string
}

// A source is a chat that marks come from.
type source struct {
	name persona.Chat
	say  func(who int, m onebot.Message) // nil: the owner
}

// Authors of marks besides the owner, alice, bob and requesters.
const (
	byOwner  = 0
	byAsker  = 3
	byNames  = 8 // names of people and groups
	byServer = 9 // MCP servers and the owner's attachments
)

// mark returns a new mark.
func (s *flowSim) mark(chat, by int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return fmt.Sprintf("c%dp%dn%dz", chat, by, s.n)
}

// runFlow runs a bot in a simulation and returns the simulation. If a carrier loses its labels, it ends at the first
// violation.
func runFlow(t *testing.T, seed uint64, change func(*flowSim)) (s *flowSim) {
	synctest.Test(t, func(t *testing.T) {
		s = newFlowSim(t, seed)
		if change != nil {
			change(s)
		}
		s.run()
	})
	return s
}

func newFlowSim(t *testing.T, seed uint64) *flowSim {
	s := &flowSim{
		T: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), store: memory.NewMemStore(), confirms: seed%4 == 3,
		parts: map[string]int{}, toolCalls: map[string]int{}, wrote: map[string]int{}, labels: map[string]int{}, notices: map[string]bool{},
	}
	s.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉", Seed: seed})
	s.qq.OnSend(s.checkMessage)
	s.chats = []source{{}}
	people := []int64{ownerID, alice, bob}
	for i := range 3 {
		at := len(s.chats)
		g := s.qq.Group(int64(i+1), "群"+s.mark(at, byNames))
		for _, who := range people {
			g.Member(who, "人").WithCard("名片" + s.mark(at, byNames))
		}
		if i < 2 {
			g.Member(3001+int64(i), "生人").WithCard("名片" + s.mark(at, byNames))
		}
		s.chats = append(s.chats, source{name: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i + 1)}, say: func(who int, m onebot.Message) {
			g.Say(slices.Concat(people, []int64{3001 + int64(i)})[who], m)
		}})
	}
	for _, id := range people {
		f := s.qq.Friend(id, "人").WithRemark("友" + s.mark(len(s.chats), byNames))
		s.chats = append(s.chats, source{name: privately(id), say: func(_ int, m onebot.Message) { f.Say(m) }})
	}
	for i := range 3 {
		id, at := int64(3001+i), len(s.chats)
		s.chats = append(s.chats, source{name: privately(id)})
		s.friends = append(s.friends, func() { s.qq.FriendRequest(id, "生人", "加我 "+s.mark(at, byAsker)) })
	}
	if seed%4 != 1 {
		s.public = 3
	}
	return s
}

func privately(id int64) persona.Chat {
	return persona.Chat{Platform: "qq", Kind: persona.Private, ID: fmt.Sprint(id)}
}

func (s *flowSim) run() {
	defer s.host()()
	s.talked()
	s.start()
	s.steps(35)
	s.learn()
	for !s.found() && time.Now().Hour() != 4 { // it dreams at three
		s.wait(time.Hour)
	}
	s.steps(25)
	s.learn()
	for range 3 {
		s.wait(time.Hour)
	}
	s.stop()
	s.qq.Close()
	s.sent = len(s.qq.Sent())
}

// talked stores what was said on the days before, so that each group has an expression. It is a mark.
func (s *flowSim) talked() {
	for at, c := range s.chats {
		if c.name.Kind != persona.Group {
			continue
		}
		mark := s.mark(at, byNames)
		for i := range 24 {
			require.NoError(s, s.store.Put(s.Context(), memory.Record{
				ID: fmt.Sprint("earlier", i), Space: memory.Space(c.name.String()), Kind: memory.KindMessage, Person: fmt.Sprint([]int{alice, bob}[i%2]), Name: "人",
				Text: fmt.Sprintf([]string{"今天又%s了", "谁在%s", "%s有用吗"}[i%3], mark), At: time.Now().Add(time.Duration(i-24) * 24 * time.Hour),
			}))
		}
	}
}

// learn lets the bot learn expressions. It fails if the bot has crashed.
func (s *flowSim) learn() {
	if err := s.bot.Expressions().Learn(s.Context()); err != nil && !s.runStore.hasCrashed() {
		s.Errorf("the expressions of groups were not learned: %v", err)
	}
}

// steps runs a number of events with pauses.
func (s *flowSim) steps(n int) {
	for range n {
		if s.found() {
			return
		}
		s.happens()
		s.wait(10*time.Second + s.upTo(150*time.Second))
		switch s.rng.IntN(30) {
		case 0, 1:
			s.wait(s.upTo(4 * time.Hour))
		case 2:
			s.stop()
			s.start()
		case 3:
			s.runStore.crashAt(1+s.rng.IntN(10), s.rng.IntN(3))
		}
	}
}

// found reports whether a lost label was noticed.
func (s *flowSim) found() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.dropped) > 0 && len(s.violations) > 0
}

// upTo returns a time without other events.
func (s *flowSim) upTo(d time.Duration) time.Duration {
	return time.Duration(1 + s.rng.Int64N(int64(d)))
}

// happens lets a person write or ask something.
func (s *flowSim) happens() {
	at := s.rng.IntN(7)
	r := s.rng.IntN(100)
	switch {
	case r < 8 && len(s.friends) > 0:
		s.friends[0]()
		s.friends = s.friends[1:]
	case r < 50:
		s.owner([]string{"记住", "群里说什么了", "发到group_1", "继续", "看看我的屏幕", "昨天聊了什么"}[s.rng.IntN(6)])
	case at == 0:
		s.owner("在吗")
	case s.chats[at].name.Kind == persona.Group:
		who := s.rng.IntN(4)
		if at == 3 {
			who = s.rng.IntN(3)
		}
		m := onebot.Message{onebot.Text("小炉，你知道" + s.mark(at, who) + "吗")}
		switch s.rng.IntN(5) {
		case 0:
			m = append(onebot.Message{onebot.At(botID)}, m...)
		case 1: // forwards a message of somebody else
			other := s.qq.Forward(onebottest.Node{UserID: bob, Message: say("转来的" + s.mark(at, 2))})
			s.chats[at].say(who, other)
		case 2:
			s.chats[at].say(who, say("我最近迷上了"+s.mark(at, who)))
		}
		s.chats[at].say(who, m)
	default:
		s.chats[at].say(0, say("你知道"+s.mark(at, at-4)+"吗"))
	}
}

// owner lets the owner write in the app.
func (s *flowSim) owner(text string) {
	text += " " + s.mark(0, byOwner)
	var attached []social.Attachment
	if s.rng.IntN(6) == 0 {
		attached = append(attached, social.Attachment{Name: "信", Text: s.mark(0, byServer)})
	}
	if s.rng.IntN(3) == 0 {
		_ = s.bot.StreamOwnerMessage(s.Context(), text, func(context.Context, string) error { return nil }, attached...)
		return
	}
	_, _ = s.bot.OwnerMessage(s.Context(), text, attached...)
}

// wait sleeps. A bot killed meanwhile is restarted.
func (s *flowSim) wait(d time.Duration) {
	for until := time.Now().Add(d); ; {
		left := time.NewTimer(time.Until(until))
		select {
		case <-left.C:
			synctest.Wait()
			if !s.runStore.hasCrashed() {
				return
			}
		case <-s.runStore.end:
			left.Stop()
		}
		s.stop()
		s.qq.DropLinks()
		s.start()
	}
}

var (
	inSession = regexp.MustCompile(`<session type="(\w+)" id="(\w+)"[^>]*>`)
	behind    = regexp.MustCompile(`(?s)<session [^>]*background="true".*?</session>`)
	asksFor   = regexp.MustCompile(`<request [^>]*sender_id="(\d+)"`)
)

// where returns the chat of a prompt; 0 for the owner's, -1 for the persona outside of chats.
func (s *flowSim) where(p modeltest.Prompt) int {
	human := behind.ReplaceAllString(p.Human(), "")
	found := inSession.FindStringSubmatch(human)
	if asks := asksFor.FindStringSubmatch(human); asks != nil {
		found = []string{"", string(persona.Private), asks[1]}
	}
	if found == nil {
		return -1
	}
	if found[2] == "master" {
		return 0
	}
	return slices.IndexFunc(s.chats, func(c source) bool { return c.name.Kind == found[1] && c.name.ID == found[2] })
}

// part returns the heading of a prompt's task: "" for an answer to people. It follows the context, whose tags people
// cannot write.
func part(p modeltest.Prompt) string {
	human := p.Human()
	_, head, _ := strings.Cut(human[max(0, strings.LastIndex(human, "</session_info>")):], "\n## 现在：")
	head, _, _ = strings.Cut(head, "\n")
	return head
}

// dice depends on the prompt, not on the order of goroutines.
func (s *flowSim) dice(p modeltest.Prompt) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, p.Text(), len(p.ToolResults()))
	return rand.New(rand.NewPCG(cmp.Or(s.seed, 99), h.Sum64()))
}
