package remote_test

import (
	"context"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/onebot/remote"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A wire is an account whose events and calls go through a relay in memory.
type wire struct {
	*house
	mem    *relay.Memory
	source *remote.Source
	events chan onebot.Event
}

func newWire(t *testing.T) *wire {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	w := &wire{
		house: &house{TB: t, ctx: ctx, qq: onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})},
		mem:   relay.NewMemory(), events: make(chan onebot.Event, 1000),
	}
	t.Cleanup(w.qq.Close)
	w.group = w.qq.Group(1, "技术群")
	w.group.Member(1001, "张三")
	w.source = remote.NewSource(w.mem.Owner(remote.AccountName(self)), self, remote.SourceOptions{})
	return w
}

// serve starts a gateway.
func (w *wire) serve(change func(*remote.GatewayOptions)) (url string, g *remote.Gateway) {
	w.Helper()
	o := remote.GatewayOptions{Relay: w.mem}
	if change != nil {
		change(&o)
	}
	g, err := remote.NewGateway(o)
	require.NoError(w, err)
	w.start(g.Run)
	return w.listen(g), g
}

func (w *wire) run() (stop func() error) {
	return w.start(func(ctx context.Context) error {
		return w.source.Run(ctx, func(_ context.Context, bot *onebot.Bot, e onebot.Event) {
			assert.Same(w, w.source.Bot(), bot)
			w.events <- e
		})
	})
}

func (w *wire) next() onebot.Event {
	w.Helper()
	select {
	case e := <-w.events:
		return e
	case <-w.ctx.Done():
		require.FailNow(w, "no event comes")
		return nil
	}
}

func (w *wire) connected() {
	w.Helper()
	e, ok := w.next().(*onebot.Lifecycle)
	require.True(w, ok)
	assert.Equal(w, "connect", e.SubType)
	assert.EqualValues(w, self, e.SelfID)
}

// Events and calls pass, and the state of the connection is known. A new owner learns it at its start.
func TestSource(t *testing.T) {
	w := newWire(t)
	url, _ := w.serve(nil)
	stop := w.run()
	bot := w.source.Bot()
	_, err := bot.GetLoginInfo(w.ctx)
	assert.ErrorIs(t, err, onebot.ErrDisconnected)
	_, err = bot.SendGroupMsg(w.ctx, 1, onebot.Message{onebot.Text("早")})
	assert.ErrorIs(t, err, onebot.ErrDisconnected)
	assert.NotErrorIs(t, err, onebot.ErrUnclear)
	assert.False(t, w.source.Health()[0].Connected)

	disconnect := w.connect(url)
	w.connected()
	assert.True(t, w.source.Health()[0].Connected)
	info, err := bot.GetLoginInfo(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "小炉", info.Nickname)
	id, err := bot.SendGroupMsg(w.ctx, 1, onebot.Message{onebot.Text("早"), onebot.Image("base64://aGk=")})
	require.NoError(t, err)
	assert.NotZero(t, id)
	_, err = bot.GetGroupMemberInfo(w.ctx, 1, 4711, false)
	var api *onebot.APIError
	require.ErrorAs(t, err, &api)
	assert.Equal(t, "get_group_member_info", api.Action)
	assert.ErrorIs(t, bot.Call(w.ctx, "no_such_action", nil, nil), onebot.ErrUnknownAction)
	assert.ErrorIs(t, bot.Call(w.ctx, "send_msg", 17, nil), onebot.ErrBadParams)

	w.group.Say(1001, onebot.Message{onebot.Text("你好")})
	w.group.Poke(1001, self)
	w.group.Poke(1001, self)
	said := w.next().(*onebot.GroupMessage)
	assert.Equal(t, "你好", said.Message.Text())
	assert.IsType(t, &onebot.Poke{}, w.next())
	assert.IsType(t, &onebot.Poke{}, w.next(), "two equal events are two events")
	assert.NoError(t, stop())

	w.group.Say(1001, onebot.Message{onebot.Text("还在吗")})
	w.source = remote.NewSource(w.mem.Owner(remote.AccountName(self)), self, remote.SourceOptions{})
	stop = w.run()
	first, second := w.next(), w.next()
	if _, ok := second.(*onebot.Lifecycle); ok { // of different chats
		first, second = second, first
	}
	assert.IsType(t, &onebot.Lifecycle{}, first)
	assert.Equal(t, "还在吗", second.(*onebot.GroupMessage).Message.Text())

	require.NoError(t, disconnect())
	require.Eventually(t, func() bool { return !w.source.Health()[0].Connected }, time.Minute, time.Millisecond)
	w.connect(url)
	w.connected()
	assert.NoError(t, stop())
	_, err = bot.SendGroupMsg(w.ctx, 1, onebot.Message{onebot.Text("旧的")})
	assert.ErrorIs(t, err, relay.ErrFenced, "a process that was the owner once")
	assert.NotErrorIs(t, err, onebot.ErrUnclear)
	assert.Len(t, w.qq.Sent(), 1)
}

// The newest connection has the account. The other gateway closes its own.
func TestGateway_Newest(t *testing.T) {
	w := newWire(t)
	w.run()
	urlA, a := w.serve(nil)
	urlB, b := w.serve(nil)
	ended := make(chan error, 1)
	go func() { ended <- w.qq.Connect(w.ctx, urlA, onebottest.ConnectOptions{}) }()
	w.connected()
	w.connect(urlB)
	w.connected()
	assert.Error(t, <-ended)
	assert.Eventually(t, func() bool { _, ok := a.Server().Bot(self); return !ok }, time.Minute, time.Millisecond)
	_, ok := b.Server().Bot(self)
	assert.True(t, ok)
	_, err := w.source.Bot().GetLoginInfo(w.ctx)
	assert.NoError(t, err)
}

// An account without a bot is refused.
func TestGateway_UnknownAccount(t *testing.T) {
	w := newWire(t)
	url, g := w.serve(func(o *remote.GatewayOptions) {
		o.Account = func(id int64) (string, bool) { return remote.AccountName(id), id != self }
	})
	assert.Error(t, w.qq.Connect(w.ctx, url, onebottest.ConnectOptions{}))
	assert.Eventually(t, func() bool { _, ok := g.Server().Bot(self); return !ok }, time.Minute, time.Millisecond)
}

// The rate limit is that of the account at the gateway. A wait ends with its context.
func TestSource_Limiter(t *testing.T) {
	w := newWire(t)
	url, _ := w.serve(func(o *remote.GatewayOptions) {
		o.Server.Limiter = onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: time.Hour, AccountInterval: -1})
	})
	w.run()
	limiter := w.source.Limiter()
	assert.ErrorIs(t, limiter.Wait(w.ctx, "group"), relay.ErrDisconnected)
	w.connect(url)
	w.connected()
	require.NoError(t, limiter.Wait(w.ctx, "group"))
	require.NoError(t, limiter.WaitPart(w.ctx, "group"))
	require.NoError(t, limiter.Wait(w.ctx, "another group"))
	assert.ErrorIs(t, limiter.Wait(w.ctx, "group"), context.DeadlineExceeded)
	ctx, cancel := context.WithCancel(w.ctx)
	ended := make(chan error, 1)
	go func() { ended <- limiter.Wait(ctx, "group") }()
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
}
