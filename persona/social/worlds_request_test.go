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

// TestRequestWorlds has people ask for things in random worlds, with a model that answers, fails, dawdles and talks
// nonsense, a link that drops and refuses, stops and kills. Whatever happens: what is granted the model has granted, in its
// last word on it; each is answered at most once; in the end each is answered, or the owner knows of it.
func TestRequestWorlds(t *testing.T) {
	inWorlds(t, 100, 20, func(t *testing.T, seed uint64) { newAsking(t, seed).live() })
}

// An asking is a world in which people ask.
type asking struct {
	*testing.T
	seed   uint64
	rng    *rand.Rand // of the script
	qq     *onebottest.Server
	store  *memory.MemStore
	life   *mortal
	cancel func()
	ended  chan error
	died   chan struct{}

	mu    sync.Mutex
	says  map[string]string // by who asks, what the model said last
	tries map[string]int
	told  []string

	doomed bool            // this life ends at a write
	lost   map[string]bool // asked when nobody was sure to hear it
}

func newAsking(t *testing.T, seed uint64) *asking {
	w := &asking{
		T: t, seed: seed, tries: map[string]int{}, rng: rand.New(rand.NewPCG(seed, 3)), store: memory.NewMemStore(), says: map[string]string{}, lost: map[string]bool{},
		qq: onebottest.New(onebottest.Options{SelfID: bot, Nickname: "小炉", Seed: seed}),
	}
	g := w.qq.Group(1, "技术群")
	for who := range int64(10) {
		g.Member(3000+who, fmt.Sprint("人", who))
		g.Say(3000+who, say("大家好"))
	}
	return w
}

// model says the same of the same person at the same try, whatever the order of goroutines is.
func (w *asking) model() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		human := p.Human()
		if !strings.Contains(human, judging) {
			return modeltest.Say("你好")
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		who := sender.FindStringSubmatch(human[strings.Index(human, "<request "):])[1]
		w.tries[who]++
		h := fnv.New64a()
		fmt.Fprint(h, who, w.tries[who])
		dice := rand.New(rand.NewPCG(w.seed, h.Sum64()))
		text := []string{approve, approve, reject, `{"decision": "hold"}`, "嗯", `{"decision": "approve", "decision": "hold"}`, ""}[dice.IntN(7)]
		w.says[who] = text
		step := modeltest.Say(text)
		switch dice.IntN(8) {
		case 0:
			step, w.says[who] = modeltest.Fail(errModel), "fail"
		case 1:
			step = step.After(time.Duration(dice.IntN(80)) * time.Second)
		}
		return step
	})
}

func (w *asking) start(doom int) {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel, w.ended, w.died = cancel, make(chan error, 1), make(chan struct{})
	died := w.died
	w.life = &mortal{MemStore: w.store, dead: func() { close(died); cancel() }}
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: w.model(), Link: onebotlink.New(w.qq.Client(onebot.Options{}), onebotlink.Options{}), Storage: social.Storage{Store: w.life}, Location: time.UTC, Hooks: social.Hooks{
			Logger: logger(),
			Notify: func(_ context.Context, text string) error {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.told = append(w.told, text)
				return nil
			},
		},
	}
	o.When.Attention.Seed = 1
	being, err := social.New(o)
	require.NoError(w, err)
	go func() { w.ended <- being.Run(ctx) }()
	time.Sleep(5 * time.Second)
	synctest.Wait()
	w.life.doom(doom, w.rng.IntN(3))
	w.doomed = doom > 0
}

func (w *asking) stop() {
	w.cancel()
	<-w.ended
	synctest.Wait()
}

func (w *asking) live() {
	for who := range int64(10) {
		doom := 0
		if w.rng.IntN(3) == 0 {
			doom = 1 + w.rng.IntN(12)
		}
		if w.ended == nil {
			w.start(doom)
		}
		id := fmt.Sprint(3000 + who)
		w.lost[id] = w.qq.Links() == 0 || w.doomed
		if w.rng.IntN(4) == 0 {
			w.qq.GroupInvite(70+who, "新群", 3000+who)
		} else {
			w.qq.FriendRequest(3000+who, "人", "加我")
		}
		time.Sleep(time.Duration(w.rng.IntN(20000)) * time.Millisecond)
		synctest.Wait()
		switch w.rng.IntN(8) {
		case 0:
			w.qq.DropLinks()
		case 1:
			w.qq.WithholdResponse("set_friend_add_request", 1)
		case 2:
			w.qq.Fail("set_friend_add_request", 1200, 1)
		case 3, 4:
			w.stop()
			w.ended = nil
			w.qq.DropLinks()
		case 5:
			w.doomed = true
			w.life.doom(1+w.rng.IntN(6), w.rng.IntN(3))
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		select {
		case <-w.died:
			if w.ended != nil {
				<-w.ended
				w.ended = nil
				w.qq.DropLinks()
				synctest.Wait()
			}
		default:
		}
	}
	if w.ended != nil {
		w.stop()
	}
	w.qq.WithholdResponse("set_friend_add_request", 0)
	w.qq.Fail("set_friend_add_request", 0, 0)
	w.start(0)
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	w.stop()
	w.hold()
	w.qq.Close()
}

func (w *asking) hold() {
	calls := map[string]int{}
	for _, c := range w.qq.Calls("set_friend_add_request", "set_group_add_request") {
		var p struct{ Flag string }
		require.NoError(w, json.Unmarshal(c.Params, &p))
		calls[p.Flag]++
	}
	told := strings.Join(w.told, "\n")
	for _, r := range w.qq.Requests() {
		who := fmt.Sprint(r.UserID)
		require.LessOrEqual(w, calls[r.Flag], 1, "%s is answered once", who)
		if r.Answered {
			want := map[bool]string{true: approve, false: reject}[r.Approved]
			require.Equal(w, want, w.says[who], "%s", who)
			continue
		}
		rows, err := w.store.Load(w.Context(), "errand/request/")
		require.NoError(w, err)
		heard := 0
		for _, row := range rows {
			require.Contains(w, string(row), `"status":"done"`)
			if strings.Contains(string(row), `"qq:private:`+who+`"`) {
				heard++
			}
		}
		if heard > 0 {
			require.Contains(w, told, who, "the owner knows of %s", who)
		} else {
			require.True(w, w.lost[who] || strings.Contains(told, who), "%s was heard and is forgotten", who)
		}
	}
	said := map[onebottest.Chat]int{}
	for _, s := range w.qq.Sent() {
		said[s.Chat]++
		require.Equal(w, 1, said[s.Chat], "first words are said once")
	}
}
