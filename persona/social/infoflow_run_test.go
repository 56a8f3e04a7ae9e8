package social_test

import (
	"context"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/require"
)

// start starts a new bot on the simulation's store.
func (s *flowSim) start() {
	ctx, cancel := context.WithCancel(s.Context())
	s.runStore = &countingStore{crashingStore: &crashingStore{MemStore: s.store}, sim: s, end: ctx.Done()}
	s.runStore.onCrash = cancel
	o := social.Options{
		Profile: persona.Profile{Name: "小炉"}, Model: s.model(), Link: onebotlink.New(s.qq.Client(onebot.Options{}), onebotlink.Options{}), Storage: social.Storage{Store: s.runStore}, Tools: social.Tools{
			Registry: s.registry,
			Plugins:  s.plugins,
			Builtin:  &social.BuiltinTools{Notes: true, Watch: &self.WatchOptions{Names: []string{"老王"}, Watched: []persona.Account{{Platform: "qq", ID: "1002"}}}},
		},
		Access: social.Access{
			Owners: []persona.Account{{Platform: "qq", ID: "900"}},
			Redact: func(_ context.Context, text string) (string, error) {
				return ownersMark.ReplaceAllString(text, "[略]"), nil
			},
			Labels: social.Labels{Of: s.label},
		}, Background: social.Background{
			Digest: &social.Digest{}, Facts: &social.Facts{}, Expressions: &social.Expressions{},
			Autonomy: &social.Autonomy{
				DeliverToOwner: func(context.Context, string) error { return nil }, ShowNotification: func(context.Context, string, string) error { return nil },
				RecentActivity: func(context.Context, time.Time) ([]social.OwnerActivity, error) {
					now := time.Now()
					return []social.OwnerActivity{{App: s.mark(0, byOwner), Title: s.mark(0, byServer), Address: s.mark(0, byServer), From: now.Add(-time.Hour), To: now}}, nil
				},
				Character: "# 我是谁\n" + s.mark(0, byOwner) + "\n",
			},
		},
		Hooks: social.Hooks{Notify: func(context.Context, string) error { return nil }, Logger: logger()},
		When: social.When{Chats: func(c persona.Chat) social.ChatOptions {
			return social.ChatOptions{Public: s.public != 0 && c == s.chats[s.public].name}
		}},
		Reply:    social.Reply{History: 6}, // short, so that summaries have messages that it no longer has
		Location: time.UTC,
	}
	o.When.Attention.Seed, o.When.Attention.Budget = 1, newBudget(heartflow.BudgetOptions{HourTokens: -1, DayTokens: -1})
	o.Background.Autonomy.Planner.BackgroundPerHour = 2
	o.Background.Digest.Summary.Turns = 4
	if s.rng.IntN(2) == 0 {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
	}
	if s.rng.IntN(3) == 0 {
		o.Reply.Strategy = social.ThinkPlanReply
	}
	if s.rng.IntN(4) == 0 {
		o.When.HFC = &hfc.Options{}
	}
	bot, err := social.New(o)
	require.NoError(s, err)
	s.bot, s.ended = bot, make(chan error, 1)
	go func() { s.ended <- bot.Run(ctx) }()
	s.stop = func() {
		cancel()
		if err := <-s.ended; !s.runStore.hasCrashed() {
			require.NoError(s, err)
		}
	}
	time.Sleep(5 * time.Second)
	synctest.Wait()
}

// host starts the tools that survive a bot, some as plugins and some imported, until stop is called.
func (s *flowSim) host() (over func()) {
	ctx, cancel := context.WithCancel(s.Context())
	s.registry = s.tools()
	var err error
	s.plugins, err = nit.NewPlugins(ctx, s.registry, nit.PluginOptions{})
	require.NoError(s, err)
	var beside sync.WaitGroup
	s.server(ctx, &beside)
	return func() { cancel(); beside.Wait() }
}

// tools returns the host's tools: one with side effects, one that reads the owner's screen, and one that reads text of
// others.
func (s *flowSim) tools() *nit.Registry {
	type in struct {
		Text string `json:"text,omitempty"`
	}
	define := func(name string, tier nit.Tier, does func(text string) string, opts ...nit.Option) nit.Tool {
		tool, err := nit.Define(name, tier, name, func(_ context.Context, in in) (string, error) { return does(in.Text), nil }, opts...)
		require.NoError(s, err)
		return tool
	}
	reg := &nit.Registry{Logger: logger()}
	if s.confirms {
		reg.Confirm = s.confirm
	}
	require.NoError(s, reg.Add(
		define("shell_exec", nit.L3, func(text string) string { s.acted(text); return "done" }),
		define("look_at_screen", nit.L3, func(string) string { return "屏幕上是 " + s.mark(0, byOwner) }, nit.ReadOnly()),
		define("read_feed", nit.L2, func(string) string { return "别人写的 " + s.mark(0, byServer) }, nit.ReadOnly(), nit.OnlyIn(nit.ModeAgent)),
	))
	return reg
}

// server lets the bot import the tools of an MCP server until ctx ends.
func (s *flowSim) server(ctx context.Context, beside *sync.WaitGroup) {
	type in struct {
		City string `json:"city,omitempty"`
	}
	forecast, err := nit.Define("forecast", nit.L1, "the weather", func(_ context.Context, in in) (string, error) {
		at, err := strconv.Atoi(in.City) // the calling chat
		return "晴 " + s.mark(at, byServer), err
	}, nit.ReadOnly())
	require.NoError(s, err)
	theirs := &nit.Registry{Logger: logger()}
	require.NoError(s, theirs.Add(forecast))
	server, err := mcp.NewServer(func() *nit.View { return theirs.View(nit.Principal{Tiers: nit.L1, Platform: "mcp"}) }, mcp.ServerOptions{})
	require.NoError(s, err)
	dial := func(context.Context) (io.ReadWriteCloser, error) {
		near, far := net.Pipe()
		beside.Go(func() { _ = server.Serve(ctx, far, far) })
		return near, nil
	}
	client, err := mcp.NewClient(s.registry, mcp.Source{
		Name: "weather", Dial: dial, Tools: map[string]mcp.ToolConfig{"forecast": {Tier: nit.L1, Options: []nit.Option{nit.ReadOnly()}}},
	}, mcp.ClientOptions{Approve: mcp.TrustOnFirstUse, PollInterval: 48 * time.Hour, Logger: logger()})
	require.NoError(s, err)
	beside.Go(func() { _ = client.Run(ctx) })
}

// label returns the label of a datum, or the least label for a carrier that loses its labels.
func (s *flowSim) label(d social.Datum, l memory.Label) memory.Label {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.labels[string(d)]++; d == social.DatumToolResult || d == social.DatumActivity { // not stored
		s.wrote[string(d)]++
	}
	if slices.Contains(s.dropped, string(d)) {
		return memory.Trusted()
	}
	return l
}
