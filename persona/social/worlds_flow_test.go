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
)

// TestInformationFlow lets a being with all that it can have live for a day and a half in random worlds, with a model that
// copies its prompt into every output that it has: see streams_model_test.go. What must hold is in streams_oracle_test.go,
// what is written in streams_carriers_test.go. HEARTH_TEST_STREAMS says how many worlds there are; a world that fails is
// lived again by -run 'TestInformationFlow/seed=N$'.
func TestInformationFlow(t *testing.T) {
	many := 4
	if testing.Short() {
		many = 1
	}
	if n, err := strconv.Atoi(os.Getenv("HEARTH_TEST_STREAMS")); err == nil {
		many = n
	}
	all := make([]*stream, many)
	for seed := range all {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			all[seed] = inStream(t, uint64(seed), nil)
			for _, wrong := range all[seed].wrong {
				t.Errorf("seed %d: %s", seed, wrong)
			}
		})
	}
	t.Cleanup(func() { covered(t, all) })
}

// covered holds that the worlds were such that something could leak.
func covered(t *testing.T, all []*stream) {
	parts, tools, wrote, labels, sent := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0
	for _, s := range all {
		if s == nil || t.Failed() {
			return // one world alone is lived by -run
		}
		sent += s.sent
		for what, sum := range map[*map[string]int]map[string]int{&s.parts: parts, &s.called: tools, &s.wrote: wrote, &s.labels: labels} {
			for name, n := range *what {
				sum[name] += n
			}
		}
	}
	t.Log(parts, tools, wrote, labels, sent)
	assert.Greater(t, sent, 10*len(all))
	if testing.Short() {
		return // one world is too few to hold everything
	}
	for _, head := range []string{"", "想", "想起来", "做计划好的事", "没赶上的事", "回想", "打算", "体会", "往大处想", "记", "看人", "梦", "判断申请", "打招呼"} {
		assert.Positive(t, parts[head], "no prompt of %q", head)
	}
	for _, c := range carriers {
		assert.GreaterOrEqual(t, wrote[c.name], 10, "the worlds are to write %s at least ten times", c.name)
		if c.name != jobRow && c.name != numbers {
			assert.Positive(t, labels[c.name], "Options.Access.Labels is to be asked about each %s", c.name)
		}
	}
}

// A stream is a world in which everything is repeated.
type stream struct {
	*testing.T
	seed    uint64
	dropped []string // the carriers whose labels are lost
	rng     *rand.Rand
	qq      *onebottest.Server
	store   *memory.MemStore
	chats   []leak // the owner is the first, the others are people's
	public  int    // the chat that everybody may read; 0: none
	asks    bool   // there is a human who is asked
	reg     *nit.Registry
	plugins *nit.Plugins
	being   *social.Bot
	life    *tapped
	over    chan error
	stop    func()
	friends []func() // who may still ask to be a friend

	mu     sync.Mutex
	n      int // marks given
	parts  map[string]int
	called map[string]int // calls asked for
	wrote  map[string]int // by carrier
	labels map[string]int // that were given, by the social.Datum
	told   map[string]bool
	sent   int
	wrong  []string
}

// A leak is where marks are from.
type leak struct {
	name persona.Chat
	say  func(who int, m onebot.Message) // nil: the owner
}

// Whose hand a mark is of, beside that of the owner, alice, bob and who asks to be a friend.
const (
	byOwner  = 0
	byAsker  = 3
	byNames  = 8 // of people and groups
	byServer = 9 // of MCP, and of what the owner attaches
)

// mark gives a new one.
func (s *stream) mark(chat, by int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return fmt.Sprintf("c%dp%dn%dz", chat, by, s.n)
}

// inStream lets a being live in a world, and gives the world when it is over. Where the labels of a carrier are dropped it
// is over with the first thing that does not hold.
func inStream(t *testing.T, seed uint64, change func(*stream)) (s *stream) {
	synctest.Test(t, func(t *testing.T) {
		s = newStream(t, seed)
		if change != nil {
			change(s)
		}
		s.run()
	})
	return s
}

func newStream(t *testing.T, seed uint64) *stream {
	s := &stream{
		T: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), store: memory.NewMemStore(), asks: seed%4 == 3,
		parts: map[string]int{}, called: map[string]int{}, wrote: map[string]int{}, labels: map[string]int{}, told: map[string]bool{},
	}
	s.qq = onebottest.New(onebottest.Options{SelfID: bot, Nickname: "小炉", Seed: seed})
	s.qq.OnSend(s.says)
	s.chats = []leak{{}}
	people := []int64{master, alice, bob}
	for i := range 3 {
		at := len(s.chats)
		g := s.qq.Group(int64(i+1), "群"+s.mark(at, byNames))
		for _, who := range people {
			g.Member(who, "人").WithCard("名片" + s.mark(at, byNames))
		}
		if i < 2 {
			g.Member(3001+int64(i), "生人").WithCard("名片" + s.mark(at, byNames))
		}
		s.chats = append(s.chats, leak{name: persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i + 1)}, say: func(who int, m onebot.Message) {
			g.Say(slices.Concat(people, []int64{3001 + int64(i)})[who], m)
		}})
	}
	for _, id := range people {
		f := s.qq.Friend(id, "人").WithRemark("友" + s.mark(len(s.chats), byNames))
		s.chats = append(s.chats, leak{name: privately(id), say: func(_ int, m onebot.Message) { f.Say(m) }})
	}
	for i := range 3 {
		id, at := int64(3001+i), len(s.chats)
		s.chats = append(s.chats, leak{name: privately(id)})
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

func (s *stream) run() {
	defer s.host()()
	s.start()
	s.steps(35)
	for !s.found() && time.Now().Hour() != 4 { // it dreams at three
		s.wait(time.Hour)
	}
	s.steps(25)
	for range 3 {
		s.wait(time.Hour)
	}
	s.stop()
	s.qq.Close()
	s.sent = len(s.qq.Sent())
}

// steps lets that many things happen, and time between.
func (s *stream) steps(n int) {
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
			s.life.doom(1+s.rng.IntN(10), s.rng.IntN(3))
		}
	}
}

// found reports that what was to be found was.
func (s *stream) found() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.dropped) > 0 && len(s.wrong) > 0
}

// upTo is a time at which nothing else happens.
func (s *stream) upTo(d time.Duration) time.Duration {
	return time.Duration(1 + s.rng.Int64N(int64(d)))
}

// happens lets somebody say or ask something.
func (s *stream) happens() {
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
			m = append(onebot.Message{onebot.At(bot)}, m...)
		case 1: // forwards somebody else's words
			other := s.qq.Forward(onebottest.Node{UserID: bob, Message: say("转来的" + s.mark(at, 2))})
			s.chats[at].say(who, other)
		}
		s.chats[at].say(who, m)
	default:
		s.chats[at].say(0, say("你知道"+s.mark(at, at-4)+"吗"))
	}
}

// owner lets the owner say something in the app.
func (s *stream) owner(text string) {
	text += " " + s.mark(0, byOwner)
	var attached []social.Attachment
	if s.rng.IntN(6) == 0 {
		attached = append(attached, social.Attachment{Name: "信", Text: s.mark(0, byServer)})
	}
	if s.rng.IntN(3) == 0 {
		_ = s.being.StreamOwnerMessage(s.Context(), text, func(context.Context, string) error { return nil }, attached...)
		return
	}
	_, _ = s.being.OwnerMessage(s.Context(), text, attached...)
}

// wait lets time go by. A being that was killed meanwhile comes again.
func (s *stream) wait(d time.Duration) {
	for until := time.Now().Add(d); ; {
		left := time.NewTimer(time.Until(until))
		select {
		case <-left.C:
			synctest.Wait()
			if !s.life.died() {
				return
			}
		case <-s.life.end:
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

// where is the chat that a prompt is of; the owner's is 0, that of the persona by itself -1.
func (s *stream) where(p modeltest.Prompt) int {
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
	return slices.IndexFunc(s.chats, func(c leak) bool { return c.name.Kind == found[1] && c.name.ID == found[2] })
}

// part is the heading of what is to be done: "" for an answer to people. It stands behind the context, whose tags nobody
// can write.
func part(p modeltest.Prompt) string {
	human := p.Human()
	_, head, _ := strings.Cut(human[max(0, strings.LastIndex(human, "</session_info>")):], "\n## 现在：")
	head, _, _ = strings.Cut(head, "\n")
	return head
}

// dice follow from what is read, not from the order in which goroutines happen to run.
func (s *stream) dice(p modeltest.Prompt) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, p.Text(), len(p.ToolResults()))
	return rand.New(rand.NewPCG(cmp.Or(s.seed, 99), h.Sum64()))
}
