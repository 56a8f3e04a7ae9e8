package social_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/require"
)

// In random simulations people send requests. The model answers, fails, takes long and returns nonsense, the link drops
// and refuses, and the bot is stopped and killed. In all of them: a request is approved only if the model's last
// decision approves it, it is answered at most once, and in the end it is answered or the owner is notified.
func TestSimulations_Requests(t *testing.T) {
	runSimulations(t, 100, 20, func(t *testing.T, seed uint64) { newRequestSim(t, seed).play() })
}

// A requestSim is a simulation with requests.
type requestSim struct {
	*testing.T
	seed    uint64
	rng     *rand.Rand // used by the script
	qq      *onebottest.Server
	store   *memory.MemStore
	current *crashingStore
	cancel  func()
	ended   chan error
	died    chan struct{}

	mu          sync.Mutex
	lastAnswers map[string]string // last answer of the model by requester
	tries       map[string]int
	notices     []string

	crashing bool            // this run crashes at a write
	lost     map[string]bool // requests made while the bot may have been away
}

func newRequestSim(t *testing.T, seed uint64) *requestSim {
	s := &requestSim{
		T: t, seed: seed, tries: map[string]int{}, rng: rand.New(rand.NewPCG(seed, 3)), store: memory.NewMemStore(), lastAnswers: map[string]string{}, lost: map[string]bool{},
		qq: onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉", Seed: seed}),
	}
	g := s.qq.Group(1, "技术群")
	for who := range int64(10) {
		g.Member(3000+who, fmt.Sprint("人", who))
		g.Say(3000+who, say("大家好"))
	}
	return s
}

// model gives the same answer for the same person and try, independent of the order of goroutines.
func (s *requestSim) model() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		human := p.Human()
		if !strings.Contains(human, headJudge) {
			return modeltest.Say("你好")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		who := sender.FindStringSubmatch(human[strings.Index(human, "<request "):])[1]
		s.tries[who]++
		h := fnv.New64a()
		fmt.Fprint(h, who, s.tries[who])
		dice := rand.New(rand.NewPCG(s.seed, h.Sum64()))
		text := []string{approve, approve, reject, `{"decision": "hold"}`, "嗯", `{"decision": "approve", "decision": "hold"}`, ""}[dice.IntN(7)]
		s.lastAnswers[who] = text
		step := modeltest.Say(text)
		switch dice.IntN(8) {
		case 0:
			step, s.lastAnswers[who] = modeltest.Fail(errModel), "fail"
		case 1:
			step = step.After(time.Duration(dice.IntN(80)) * time.Second)
		}
		return step
	})
}

func (s *requestSim) start(doom int) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended, s.died = cancel, make(chan error, 1), make(chan struct{})
	died := s.died
	s.current = &crashingStore{MemStore: s.store, onCrash: func() { close(died); cancel() }}
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: s.model(), Link: onebotlink.New(s.qq.Client(onebot.Options{}), onebotlink.Options{}), Storage: social.Storage{Store: s.current}, Location: time.UTC, Hooks: social.Hooks{
			Logger: logger(),
			Notify: func(_ context.Context, text string) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.notices = append(s.notices, text)
				return nil
			},
		},
	}
	o.When.Attention.Seed = 1
	bot, err := social.New(o)
	require.NoError(s, err)
	go func() { s.ended <- bot.Run(ctx) }()
	time.Sleep(5 * time.Second)
	synctest.Wait()
	s.current.crashAt(doom, s.rng.IntN(3))
	s.crashing = doom > 0
}

func (s *requestSim) stop() {
	s.cancel()
	<-s.ended
	synctest.Wait()
}

func (s *requestSim) play() {
	for who := range int64(10) {
		doom := 0
		if s.rng.IntN(3) == 0 {
			doom = 1 + s.rng.IntN(12)
		}
		if s.ended == nil {
			s.start(doom)
		}
		id := fmt.Sprint(3000 + who)
		s.lost[id] = s.qq.Links() == 0 || s.crashing
		if s.rng.IntN(4) == 0 {
			s.qq.GroupInvite(70+who, "新群", 3000+who)
		} else {
			s.qq.FriendRequest(3000+who, "人", "加我")
		}
		time.Sleep(time.Duration(s.rng.IntN(20000)) * time.Millisecond)
		synctest.Wait()
		switch s.rng.IntN(8) {
		case 0:
			s.qq.DropLinks()
		case 1:
			s.qq.WithholdResponse("set_friend_add_request", 1)
		case 2:
			s.qq.Fail("set_friend_add_request", 1200, 1)
		case 3, 4:
			s.stop()
			s.ended = nil
			s.qq.DropLinks()
		case 5:
			s.crashing = true
			s.current.crashAt(1+s.rng.IntN(6), s.rng.IntN(3))
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		select {
		case <-s.died:
			if s.ended != nil {
				<-s.ended
				s.ended = nil
				s.qq.DropLinks()
				synctest.Wait()
			}
		default:
		}
	}
	if s.ended != nil {
		s.stop()
	}
	s.qq.WithholdResponse("set_friend_add_request", 0)
	s.qq.Fail("set_friend_add_request", 0, 0)
	s.start(0)
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	s.stop()
	s.check()
	s.qq.Close()
}

func (w *requestSim) check() {
	calls := map[string]int{}
	for _, c := range w.qq.Calls("set_friend_add_request", "set_group_add_request") {
		var p struct{ Flag string }
		require.NoError(w, json.Unmarshal(c.Params, &p))
		calls[p.Flag]++
	}
	notices := strings.Join(w.notices, "\n")
	for _, r := range w.qq.Requests() {
		who := fmt.Sprint(r.UserID)
		require.LessOrEqual(w, calls[r.Flag], 1, "%s must be answered once", who)
		if r.Answered {
			want := map[bool]string{true: approve, false: reject}[r.Approved]
			require.Equal(w, want, w.lastAnswers[who], "%s", who)
			continue
		}
		rows, err := w.store.Load(w.Context(), "errand/request/")
		require.NoError(w, err)
		received := 0
		for _, row := range rows {
			require.Contains(w, string(row), `"status":"done"`)
			if strings.Contains(string(row), `"qq:private:`+who+`"`) {
				received++
			}
		}
		if received > 0 {
			require.Contains(w, notices, who, "the owner must be notified about %s", who)
		} else {
			require.True(w, w.lost[who] || strings.Contains(notices, who), "%s was received and lost", who)
		}
	}
	said := map[onebottest.Chat]int{}
	for _, s := range w.qq.Sent() {
		said[s.Chat]++
		require.Equal(w, 1, said[s.Chat], "one greeting")
	}
}
