package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/onebot/remote"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	server  *pgtest.Server
	missing error
	beings  atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

const self = 10000

// A house has one account and processes that share a database.
type house struct {
	testing.TB
	ctx   context.Context
	qq    *onebottest.Server
	group *onebottest.Group
	pool  *pgxpool.Pool
	o     postgres.Options
	db    *postgres.DB
}

func newHouse(t testing.TB) *house {
	if missing != nil {
		t.Skip("no server: ", missing)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	h := &house{TB: t, ctx: ctx, qq: onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})}
	t.Cleanup(h.qq.Close)
	h.group = h.qq.Group(1, "技术群")
	h.group.Member(1001, "张三")
	var err error
	h.pool, err = pgxpool.New(ctx, server.DSN(pgtest.Role, pgtest.Role)+"&pool_max_conns=20")
	require.NoError(t, err)
	t.Cleanup(h.pool.Close)
	h.o = postgres.Options{Pool: h.pool, Being: fmt.Sprint("being ", beings.Add(1))}
	h.db, err = postgres.Open(ctx, h.o)
	require.NoError(t, err)
	return h
}

// start runs f until stop is called or the test ends.
func (h *house) start(run func(ctx context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(h.ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	h.Cleanup(func() { _ = stop() })
	return stop
}

// relay starts the relay of a process.
func (h *house) relay(id string) *postgres.Relay {
	h.Helper()
	r, err := postgres.OpenRelay(h.ctx, postgres.RelayOptions{
		ID: id, Database: postgres.Options{Pool: h.pool}, Poll: 200 * time.Millisecond,
		Being: func(account string) (string, bool) { return h.o.Being, account == remote.AccountName(self) },
	})
	require.NoError(h, err)
	h.start(r.Run)
	return r
}

// gateway starts a gateway in a process.
func (h *house) gateway(r *postgres.Relay) (url string, g *remote.Gateway, stop func() error) {
	h.Helper()
	g, err := remote.NewGateway(remote.GatewayOptions{
		Relay: r, Server: onebot.Options{Limiter: onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: -1, AccountInterval: -1})},
	})
	require.NoError(h, err)
	stop = h.start(g.Run)
	return h.listen(g), g, stop
}

// listen waits until a gateway runs and returns its address.
func (h *house) listen(g http.Handler) (url string) {
	h.Helper()
	web := httptest.NewServer(g)
	h.Cleanup(web.Close)
	require.Eventually(h, func() bool {
		r, err := http.Get(web.URL)
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode != http.StatusServiceUnavailable
	}, time.Minute, time.Millisecond)
	return "ws" + strings.TrimPrefix(web.URL, "http")
}

// connect lets the implementation connect, again after each drop.
func (h *house) connect(url string) (stop func() error) {
	return h.start(func(ctx context.Context) error {
		return h.qq.Connect(ctx, url, onebottest.ConnectOptions{Reconnect: 20 * time.Millisecond})
	})
}

// owner takes the bot over. A process that had it before is fenced.
func (h *house) owner() *postgres.DB {
	h.Helper()
	l, err := h.db.TakeOver(h.ctx, "", "owner", time.Minute)
	require.NoError(h, err)
	return h.db.Fenced(l.Fence())
}

func (h *house) source(r *postgres.Relay, db *postgres.DB) *remote.Source {
	return remote.NewSource(r.Owner(db, remote.AccountName(self)), self, remote.SourceOptions{})
}

// bot runs a social bot.
func (h *house) bot(r *postgres.Relay, db *postgres.DB, model *modeltest.Model) (stop func() error, ended <-chan error) {
	h.Helper()
	source := h.source(r, db)
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: model, Storage: social.Storage{Store: db},
		Link: onebotlink.New(source, onebotlink.Options{Self: self, Limiter: source.Limiter()}),
		When: social.When{Buffer: buffer.Options{UrgentDelay: -1}},
	}
	bot, err := social.New(o)
	require.NoError(h, err)
	end := make(chan error, 1)
	return h.start(func(ctx context.Context) error {
		end <- bot.Run(ctx)
		return nil
	}), end
}

func (h *house) say(text string) {
	h.group.Say(1001, onebot.Message{onebot.At(self), onebot.Text(" " + text)})
}

// messages returns the texts of the group in the memory of the bot.
func (h *house) messages() (texts []string) {
	h.Helper()
	recs, err := h.db.Tail(h.ctx, "qq:group:1", memory.KindMessage, 100)
	require.NoError(h, err)
	for _, r := range recs {
		_, text, mentions := strings.Cut(r.Text, " ") // the name or number of the bot
		if !mentions {
			text = r.Text
		}
		texts = append(texts, text)
	}
	return texts
}

// waitSent waits until the bot has sent n messages.
func (h *house) waitSent(n int) []string {
	h.Helper()
	sent, err := h.qq.WaitSent(h.ctx, n)
	require.NoError(h, err)
	var texts []string
	for _, m := range sent {
		texts = append(texts, m.Message.Text())
	}
	return texts
}

// waitStored waits until the memory of the bot has n messages of the group.
func (h *house) waitStored(n int) {
	h.Helper()
	require.Eventually(h, func() bool { return len(h.messages()) >= n }, time.Minute, 5*time.Millisecond)
}

// A bot hears and answers although its account is connected to another process. It goes on when the account connects to the next
// process, and when another process takes the bot over from one that was paused.
func TestBot(t *testing.T) {
	h := newHouse(t)
	a, b := h.relay("a"), h.relay("b")
	urlA, _, _ := h.gateway(a)
	urlB, _, _ := h.gateway(b)
	_, former := h.bot(a, h.owner(), modeltest.Always(modeltest.Say("在呢")))
	disconnect := h.connect(urlB)
	require.NoError(t, h.qq.WaitLink(h.ctx))
	h.say("在吗")
	assert.Equal(t, []string{"在呢"}, h.waitSent(1))
	h.waitStored(2)

	require.NoError(t, disconnect())
	h.connect(urlA)
	require.NoError(t, h.qq.WaitLink(h.ctx))
	h.say("还在吗")
	assert.Len(t, h.waitSent(2), 2)
	h.waitStored(4)

	db := h.owner() // the former process does not know it yet
	h.say("醒着吗")
	h.bot(b, db, modeltest.Always(modeltest.Say("醒着")))
	assert.Equal(t, "醒着", h.waitSent(3)[2])
	h.waitStored(6)
	require.ErrorIs(t, <-former, relay.ErrFenced)
	h.say("晚安")
	assert.Len(t, h.waitSent(4), 4)
	h.waitStored(8)
	assert.Equal(t, []string{
		"在吗", "在呢", "还在吗", "在呢", "醒着吗", "醒着", "晚安", "醒着",
	}, h.messages())
}

// A gateway stops while a send has no answer. The message is sent once, and the next one is sent, too.
func TestBot_UnclearSend(t *testing.T) {
	h := newHouse(t)
	a, b := h.relay("a"), h.relay("b")
	urlA, _, _ := h.gateway(a)
	urlB, _, stop := h.gateway(b)
	h.bot(a, h.owner(), modeltest.Always(modeltest.Say("在呢")))
	disconnect := h.connect(urlB)
	require.NoError(t, h.qq.WaitLink(h.ctx))
	h.qq.WithholdResponse("send_group_msg", 1)
	h.say("在吗")
	assert.Len(t, h.waitSent(1), 1)
	require.NoError(t, stop())
	require.NoError(t, disconnect())
	h.connect(urlA)
	require.NoError(t, h.qq.WaitLink(h.ctx))
	h.say("还在吗")
	assert.Len(t, h.waitSent(2), 2)
	h.waitStored(4)
	assert.Len(t, h.waitSent(2), 2)
}
