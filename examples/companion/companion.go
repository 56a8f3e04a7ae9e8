package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/activity"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
)

// A companion is a bot with its storage and its connections to the owner.
type companion struct {
	name    string
	file    *config.File
	bot     *social.Bot
	events  *eventLog
	plugins *nit.Plugins
	pages   *outside.PageServer // nil means none
	end     func()              // closes the files

	mu     sync.Mutex // guards closed
	closed bool
	turns  sync.WaitGroup
}

// close waits for the last turns of the owner and closes the files. The contexts of the turns have ended.
func (c *companion) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.turns.Wait()
	c.end()
}

// beginTurn reports whether a turn may begin. Its end must call turns.Done.
func (c *companion) beginTurn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.turns.Add(1)
	}
	return !c.closed
}

func newCompanion(ctx context.Context, o options, w *simulation, d *eventLog, log *slog.Logger) (*companion, error) {
	all, err := o.model.New(offline.Model{Speed: o.speed}, o.seed, log)
	if err != nil {
		return nil, err
	}
	all.Wrap(func(m models.Retrier) models.Retrier { return loggedModel{delayedModel{m, o.think}, d} })
	store, closeStore, err := outside.Store(o.db)
	if err != nil {
		return nil, err
	}
	images, closeImages, err := o.social.Images()
	if err != nil {
		closeStore()
		return nil, err
	}
	c := &companion{name: o.character.Profile.Name, file: o.file, events: d, end: func() { closeImages(); closeStore() }}
	clk := d.clock
	budget, err := o.budget.New(o.speed)
	if err != nil {
		c.end()
		return nil, err
	}
	opts := social.Options{
		Profile: o.character.Profile,
		Reply:   social.Reply{Prompts: o.character.Prompts, Pictures: all.Pictures(), Turn: o.model.TurnOptions()},
		Model:   all.Default,
		Models:  all.ByPurpose,
		Storage: social.Storage{Store: store, Embedder: all.Embedder, EmbedderID: all.EmbedderID},
		Tools:   social.Tools{NoSocialMode: !o.social.Enabled, Builtin: &social.BuiltinTools{Notes: true, Watch: o.social.Watch(o.owners)}},
		Access:  social.Access{Owners: o.owners},
		Hooks:   social.Hooks{Notify: d.notifier(kindReport), Trace: d.addDecision, Logger: log},
		When:    social.When{Settings: o.file.Chats, Attention: heartflow.Options{Caps: o.caps.Caps(), Budget: budget, Seed: o.seed}},
		Background: social.Background{
			Autonomy: &social.Autonomy{
				Character:        o.character.Documents[self.CharacterState],
				DeliverToOwner:   d.notifier(kindReply),
				ShowNotification: c.notice,
				OnWake:           d.addAutonomous,
			},
		},
	}
	if all.Embedder != nil {
		opts.Storage.Indexes = []memory.Index{chromem.New()}
	}
	if opts.Background.Autonomy.RecentActivity, err = activitySource(o, w, clk); err == nil {
		opts.Link, err = newLink(o, w, d, images, log)
	}
	if err == nil && w != nil {
		err = w.addMissedTask(ctx, clk, store)
	}
	if err == nil {
		opts, err = preset.Companion(ctx, opts)
	}
	if err == nil {
		if o.speed != 1 { // parts of replies would mix with the other lines of a day in a minute
			opts.Reply.Speech = nil
		}
		o.talk.Apply(&opts)
		all.UseVoice(&opts)
		c.plugins = opts.Tools.Plugins
		c.bot, err = social.New(preset.Scale(opts, o.speed))
	}
	if err == nil {
		err = o.mcp.Bind(opts.Tools.Registry, store, log)
	}
	if err == nil {
		c.pages, err = o.pages.Open(c.named(), o.db, o.prices, log)
	}
	if err != nil {
		c.end()
		return nil, err
	}
	closeFiles, logEnd := c.end, outside.LogEnd(log, c.bot, o.prices)
	c.end = func() { logEnd(); closeFiles() }
	c.banner(o)
	return c, nil
}

// activitySource returns the owner's activity from ActivityWatch, or made-up activity in the demo.
func activitySource(o options, w *simulation, c clock) (func(context.Context, time.Time) ([]social.OwnerActivity, error), error) {
	switch {
	case o.activity != "":
		watch, err := activity.NewClient(o.activity, activity.Options{Hide: o.hide, Location: time.Local})
		if err != nil {
			return nil, lang.Errorf("-activity 不对：%v", "-activity: %v", err)
		}
		return func(ctx context.Context, since time.Time) (all []social.OwnerActivity, err error) {
			did, err := watch.Intervals(ctx, since)
			for _, u := range did {
				all = append(all, social.OwnerActivity(u))
			}
			return all, err
		}, nil
	case w != nil && o.model.Offline():
		return func(context.Context, time.Time) ([]social.OwnerActivity, error) {
			return madeUpActivity(c.at(time.Now())), nil
		}, nil
	}
	return nil, nil
}

func newLink(o options, w *simulation, d *eventLog, images *os.Root, log *slog.Logger) (social.Link, error) {
	source, err := o.link.Connect(log)
	if err != nil {
		return nil, err
	}
	limiter := onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: d.clock.scaled(3 * time.Second), AccountInterval: d.clock.scaled(time.Second)})
	link := onebotlink.New(source, onebotlink.Options{Limiter: limiter, Tools: qq.Options{Images: images}})
	if w == nil {
		return link, nil
	}
	return outside.LinkTap{Link: link, OnEvent: w.recordEvents(d), OnSent: func(persona.Chat, string, persona.Outgoing) {}}, nil
}

// Connections to the owner.

// A pageBot is the bot for its pages, which prints what the owner says there.
type pageBot struct {
	*social.Bot
	companion *companion
}

// StreamOwnerMessage implements [inspect.Bot].
func (b pageBot) StreamOwnerMessage(ctx context.Context, text string, deliver func(context.Context, string) error, attached ...social.Attachment) error {
	return b.companion.ownerTurn(ctx, text, attached, func(item string) error { return deliver(ctx, item) })
}

// named returns the bot for its pages, with the times of the day.
func (c *companion) named() inspect.Named {
	n := inspect.Named{Name: c.name, Bot: pageBot{c.bot, c}}
	if c.events.clock.speed != 1 {
		n.Time = c.events.clock.at
	}
	return n
}

func (c *companion) notice(_ context.Context, title, text string) error {
	if title != "" {
		text = title + "：" + text
	}
	c.events.add(kindNotice, "", "%s", text)
	return nil
}

var errClosed = errors.New("it is over")

// ownerTurn answers a text of the owner. It calls give for each item of the answer as soon as it is complete.
func (c *companion) ownerTurn(ctx context.Context, text string, attached []social.Attachment, give func(item string) error) error {
	if !c.beginTurn() {
		return errClosed
	}
	defer c.turns.Done()
	defer c.bot.AppOpened()()
	c.events.add(kindOwner, "", "%s", text)
	err := c.bot.StreamOwnerMessage(ctx, text, func(_ context.Context, item string) error {
		c.events.add(kindReply, "", "%s", item)
		return give(item)
	}, attached...)
	if err != nil && ctx.Err() == nil {
		c.events.add(kindFailed, "", "%v", err)
	}
	return err
}

// maxLine limits the bytes of a line from the terminal.
const maxLine = 16 << 10

// readInput passes typed lines to the bot until the input ends.
func (c *companion) readInput(ctx context.Context, in io.Reader) {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	for s.Scan() && ctx.Err() == nil {
		if text := strings.TrimSpace(s.Text()); text != "" && !c.command(ctx, text) {
			_ = c.ownerTurn(ctx, strings.ToValidUTF8(text, "�"), nil, func(string) error { return nil }) // errors are in the event log
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		c.events.printf("这一行太长了，最多 %d 字节。", "This line is too long: %d bytes at most.", maxLine)
	}
}

func (c *companion) banner(o options) {
	d := c.events
	switch {
	case o.link.Listen != "":
		d.printf("%s 在 ws://%s 等候 OneBot 连接（反向 WS）", "%s waits for OneBot at ws://%s (reverse WebSocket)", c.name, o.link.Listen)
	default:
		d.printf("%s 连接 %s（正向 WS）", "%s connects to %s (forward WebSocket)", c.name, outside.Host(o.link.Forward))
	}
	d.printf("打一行字，就是以主人的身份和 %s 说话；/plugins 列出它会的；Ctrl-D 结束。", "A line that you type is said to %s by its owner; /plugins lists what it can do; Ctrl-D ends it.", c.name)
	if o.speed != 1 {
		d.printf("时间是加速的：一天过成 %v（-speed %g）；现在是 %s。", "Time is faster: a day takes %v (-speed %g); it is %s.", (24 * time.Hour / time.Duration(o.speed)).Round(time.Second), o.speed, d.clock.day.Format("15:04"))
	}
	if o.model.Offline() {
		d.printf("%s", "%s", outside.OfflineNote)
	}
	if c.pages != nil {
		d.printf("%s", "%s", c.pages.Line(d.lang))
	}
}
