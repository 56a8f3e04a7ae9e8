package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/redact"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/activity"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// A home is where the being lives: its memory, and the ways to its owner.
type home struct {
	name    string
	being   *social.Bot
	diary   *diary
	plugins *nit.Plugins
	web     *web   // nil: none
	end     func() // closes its files

	mu    sync.Mutex // guards over
	over  bool
	talks sync.WaitGroup
}

// close ends the last talks, and then the files. Their contexts are over by then.
func (h *home) close() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.talks.Wait()
	h.end()
}

// enter begins a talk, which has to end by talks.Done; false when there are no more.
func (h *home) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.talks.Add(1)
	}
	return !h.over
}

func newHome(ctx context.Context, o options, w *world, d *diary, log *slog.Logger) (*home, error) {
	model, embedder, err := o.model.New(offline.Model{Speed: o.speed})
	if err != nil {
		return nil, err
	}
	store, closeStore, err := outside.Store(o.db)
	if err != nil {
		return nil, err
	}
	h := &home{name: o.who.Profile.Name, diary: d, end: closeStore}
	tools := &nit.Registry{Logger: log}
	if h.plugins, err = nit.NewPlugins(ctx, tools, nit.PluginOptions{State: store, Logger: log}); err != nil {
		closeStore()
		return nil, err
	}
	c := d.clock
	spending, err := budget(o.speed)
	if err != nil {
		return nil, err
	}
	var secrets redact.Redactor
	opts := social.Options{
		Profile: o.who.Profile,
		Reply:   social.Reply{Prompts: o.who.Prompts},
		Model:   watched{slow{model, o.think}, d},
		Storage: social.Storage{Store: store, Embedder: embedder, EmbedderID: o.model.Embed},
		Tools:   social.Tools{Registry: tools, Plugins: h.plugins, Builtin: &social.BuiltinTools{Notes: true, Reports: reports(o.speed), Watch: &self.WatchOptions{}}},
		Access:  social.Access{Owners: o.owners, Redact: func(_ context.Context, text string) (string, error) { return secrets.Redact(text), nil }},
		Hooks:   social.Hooks{Notify: d.tells(kindReport), Trace: d.decided, Logger: log},
		When: social.When{
			Buffer: buffer.Options{Debounce: c.scaled(20 * time.Second), UrgentDelay: c.scaled(2 * time.Second), MaxWait: c.scaled(time.Minute)},
			Attention: heartflow.Options{
				ActiveFor: c.scaled(2 * time.Minute), Caps: heartflow.Caps{Window: c.scaled(5 * time.Minute)}, Energy: heartflow.Energy{MinuteGain: min(1, .1*o.speed)},
				Budget: spending, Seed: o.seed,
			},
		},
		Background: social.Background{
			Autonomy: &social.Autonomy{
				Planner:          lives(o.speed, c),
				Character:        o.who.Documents[self.CharacterState],
				DeliverToOwner:   d.tells(kindReply),
				ShowNotification: h.notice,
				OnWake:           d.lived,
			},
		},
	}
	if w == nil && o.speed == 1 { // people type, and what is remembered is thought over
		opts.Reply.Speech = &social.Speech{}
		if o.db != "" {
			opts.Background.Digest = &social.Digest{}
		}
	}
	if embedder != nil {
		opts.Storage.Indexes = []memory.Index{chromem.New()}
	}
	if opts.Background.Autonomy.RecentActivity, err = activities(o, w, c); err == nil {
		opts.Link, err = link(o, w, d, log)
	}
	if err == nil && w != nil {
		err = w.yesterday(ctx, c, store)
	}
	if err == nil {
		h.being, err = social.New(opts)
	}
	if err == nil && o.http != "" {
		h.web, err = newWeb(o, h)
	}
	if err != nil {
		closeStore()
		return nil, err
	}
	h.banner(o)
	return h, nil
}

// lives are how often it acts by itself. A beat of less than a second there is none: so long a task takes at least.
func lives(speed float64, c clock) schedule.PlannerOptions {
	return schedule.PlannerOptions{
		TaskInterval:      max(time.Second, c.scaled(time.Minute)),
		TimerInterval:     c.scaled(30 * time.Second),
		ConversationGap:   c.scaled(3 * time.Minute),
		BackgroundPerHour: int(math.Ceil(4 * speed)),
		IdleOrigin:        schedule.Origin{Mode: persona.Agent},
	}
}

// reports are as many as the owner is to be told of in a day of this speed.
func reports(speed float64) self.QueueOptions {
	n := int(math.Ceil(speed))
	return self.QueueOptions{PerMinute: n, PerHour: 10 * n, PerDay: 60 * n, DedupeWindow: time.Duration(float64(30*time.Minute) / speed)}
}

// budget is what may be spent of a model in an hour and a day of this speed.
func budget(speed float64) (*heartflow.Budget, error) {
	return heartflow.NewBudget(heartflow.BudgetOptions{HourTokens: int(200_000 * speed), DayTokens: int(2_000_000 * speed)})
}

// activities are what the owner has been doing: as ActivityWatch tells it, or as the demo makes it up.
func activities(o options, w *world, c clock) (func(context.Context, time.Time) ([]social.OwnerActivity, error), error) {
	switch {
	case o.activity != "":
		watch, err := activity.NewClient(o.activity, activity.Options{Hide: o.hide, Location: time.Local})
		if err != nil {
			return nil, fmt.Errorf("-activity: %w", err)
		}
		return func(ctx context.Context, since time.Time) (all []social.OwnerActivity, err error) {
			did, err := watch.Intervals(ctx, since)
			for _, u := range did {
				all = append(all, social.OwnerActivity(u))
			}
			return all, err
		}, nil
	case w != nil && o.model.Offline():
		return func(context.Context, time.Time) ([]social.OwnerActivity, error) { return doing(c.at(time.Now())), nil }, nil
	}
	return nil, nil
}

func link(o options, w *world, d *diary, log *slog.Logger) (social.Link, error) {
	source, err := o.link.Connect(log)
	if err != nil {
		return nil, err
	}
	if w != nil {
		source = outside.Tap{Source: source, Heard: w.tell(d)}
	}
	limiter := onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: d.clock.scaled(3 * time.Second), AccountInterval: d.clock.scaled(time.Second)})
	return onebotlink.New(source, &onebotlink.Options{Limiter: limiter}), nil
}

// Ways to the owner.

func (h *home) notice(_ context.Context, title, text string) error {
	if title != "" {
		text = title + "：" + text
	}
	h.diary.add(kindNotice, "", "%s", text)
	return nil
}

var errOver = errors.New("it is over")

// talk is a turn of the owner's. Each item of the answer is given as soon as it is there.
func (h *home) talk(ctx context.Context, text string, attached []social.Attachment, give func(item string) error) error {
	if !h.enter() {
		return errOver
	}
	defer h.talks.Done()
	defer h.being.AppOpened()()
	h.diary.add(kindOwner, "", "%s", text)
	err := h.being.StreamOwnerMessage(ctx, text, func(_ context.Context, item string) error {
		h.diary.add(kindReply, "", "%s", item)
		return give(item)
	}, attached...)
	if err != nil && ctx.Err() == nil {
		h.diary.add(kindFailed, "", "%v", err)
	}
	return err
}

// mostLine bounds a line of the terminal.
const mostLine = 16 << 10

// listen gives the being what is typed, until there is no more.
func (h *home) listen(ctx context.Context, in io.Reader) {
	s := bufio.NewScanner(in)
	s.Buffer(nil, mostLine)
	for s.Scan() && ctx.Err() == nil {
		if text := strings.TrimSpace(s.Text()); text != "" && !h.command(ctx, text) {
			_ = h.talk(ctx, strings.ToValidUTF8(text, "�"), nil, func(string) error { return nil }) // it is in the diary
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		h.diary.say("这一行太长了，最多 %d 字节。", mostLine)
	}
}

func (h *home) banner(o options) {
	d := h.diary
	switch {
	case o.link.Listen != "":
		d.say("%s 在 ws://%s 等候 OneBot 连接（反向 WS）", h.name, o.link.Listen)
	default:
		d.say("%s 连接 %s（正向 WS）", h.name, o.link.Forward)
	}
	d.say("打一行字，就是以主人的身份和 %s 说话；/plugins 列出它会的；Ctrl-D 结束。", h.name)
	if o.speed != 1 {
		d.say("时间是加速的：一天过成 %v（-speed %g）；现在是 %s。", (24 * time.Hour / time.Duration(o.speed)).Round(time.Second), o.speed, d.clock.day.Format("15:04"))
	}
	if o.model.Offline() {
		d.say("离线模型：按规则回答，不是语言模型。要换成真的：-model openai -model-name … 或 -model ollama。")
	}
	if h.web != nil {
		d.say("这一天的页面：%s（名字随便填，密码是令牌）", h.web.url())
		if h.web.made {
			d.say("令牌：%s", h.web.token)
		}
	}
}
