package main

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/inspect"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/speech"
)

// A started is a bot with what belongs to it.
type started struct {
	*social.Bot
	pairing *pairing // nil: nothing is to be learned about the owner
	pages   *outside.PageServer
	closers []func()
}

// end closes the bot's files.
func (b started) end() {
	for _, c := range slices.Backward(b.closers) {
		c()
	}
}

// start creates the bot and prints a banner. ctx is for the start only.
func start(ctx context.Context, o options, s *printer, log *slog.Logger) (b started, err error) {
	defer func() {
		if err != nil {
			b.end()
		}
	}()
	models, err := o.model.New(offline.Model{Interests: o.interests}, o.seed, log)
	if err != nil {
		return b, err
	}
	var indexes []memory.Index
	if models.Embedder != nil {
		indexes = append(indexes, chromem.New())
	}
	budget, err := o.budget.New(o.speed)
	if err != nil {
		return b, err
	}
	tools, err := hostTools(time.Now())
	if err != nil {
		return b, err
	}
	store, closeStore, err := outside.Store(o.db)
	if err != nil {
		return b, err
	}
	b.closers = append(b.closers, closeStore)
	images, closeImages, err := o.social.Images()
	if err != nil {
		return b, err
	}
	b.closers = append(b.closers, closeImages)
	talk, closeStickers, err := o.speech(store)
	if err != nil {
		return b, err
	}
	b.closers = append(b.closers, closeStickers)
	code := ""
	if o.qqbot.Enabled() {
		if code, err = b.pair(ctx, &o, store); err != nil {
			return b, err
		}
	}
	weights, err := o.useWeights(log)
	if err != nil {
		return b, err
	}
	forgets := &forgetter{name: o.record, file: o.weightsFile(), weights: weights, printer: s, log: log}
	link, err := b.connect(o, images, code, forgets, log)
	if err != nil {
		return b, err
	}
	link = outside.LinkTap{Link: link, OnEvent: s.printEvent, OnSent: s.printSent}
	opts, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: o.name, Aliases: o.aliases, About: o.about, Interests: o.interests},
		Model:   models.Default,
		Models:  models.ByPurpose,
		Reply:   social.Reply{Pictures: models.Pictures(), Turn: o.model.TurnOptions()},
		Link:    link,
		Storage: social.Storage{Store: store, Indexes: indexes, Embedder: models.Embedder, EmbedderID: models.EmbedderID, Quota: memory.Quota{Records: o.quota}},
		Tools:   social.Tools{Registry: tools, NoSocialMode: !o.social.Enabled, Builtin: &social.BuiltinTools{Notes: true, Watch: o.social.Watch(o.owners)}},
		Access:  social.Access{Owners: o.owners, Admins: o.admins, SamePerson: o.samePerson, Requests: requests[o.requests]},
		When: social.When{
			Attention: heartflow.Options{Policy: o.policy, Caps: o.caps.Caps(), Budget: budget, Seed: o.seed},
			Settings:  o.file.Chats, Policies: o.policies,
		},
		Background: social.Background{Digest: &social.Digest{Model: notePrinter{models.Background(), s}}},
		Hooks:      social.Hooks{Trace: s.printDecision, Notify: s.printReport, Erase: forgets.erase, Logger: log},
	})
	if err != nil {
		return b, err
	}
	o.adjust(&opts, talk)
	models.UseVoice(&opts)
	if b.Bot, err = social.New(preset.Scale(opts, o.speed)); err == nil {
		err = o.mcp.Bind(tools, store, log)
	}
	if err == nil {
		b.pages, err = o.pages.Open(inspect.Named{Name: o.name, Bot: b.Bot}, o.db, o.prices, log)
		b.closers = append(b.closers, b.pages.Close)
	}
	if err == nil {
		s.banner(o, code)
		if b.pages != nil {
			s.printLine("%s", b.pages.Line(s.lang))
		}
		b.closers = append(b.closers, outside.LogEnd(log, b.Bot, o.prices))
	}
	return b, err
}

// pair adds the stored owner to the options, or else returns a code for the owner.
func (b *started) pair(ctx context.Context, o *options, store social.Store) (code string, err error) {
	if slices.ContainsFunc(o.owners, func(a persona.Account) bool { return a.Platform == outside.QQBotPlatform }) {
		return "", nil
	}
	p := newPairing(store, o.qqbot.AppID)
	owner, known, err := p.owner(ctx)
	if err != nil {
		return "", err
	}
	if known {
		o.owners = append(slices.Clip(o.owners), owner)
		return "", nil
	}
	b.pairing = p
	return qqbotlink.NewPairingCode(), nil
}

// connect returns the link to all platforms. code is that of the pairing. forgets gets the recording.
func (b *started) connect(o options, images *os.Root, code string, forgets *forgetter, log *slog.Logger) (social.Link, error) {
	var all []social.Link
	if o.link.Enabled() {
		link, err := b.oneBot(o, images, forgets, log)
		if err != nil {
			return nil, err
		}
		all = append(all, link)
	}
	if o.qqbot.Enabled() {
		var p *qqbotlink.Pairing
		if b.pairing != nil {
			p = b.pairing.options(code)
		}
		link, err := o.qqbot.Connect(p, log)
		if err != nil {
			return nil, err
		}
		all = append(all, link)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return social.Links(all...), nil
}

// oneBot returns the link to OneBot's QQ.
func (b *started) oneBot(o options, images *os.Root, forgets *forgetter, log *slog.Logger) (social.Link, error) {
	source, err := o.link.Connect(log)
	if err != nil {
		return nil, err
	}
	var events *recording
	if o.record != "" {
		if events, err = openRecording(o.record, log); err != nil {
			return nil, lang.Errorf("-record 写不了：%v", "-record: %v", err)
		}
		b.closers = append(b.closers, events.close)
		forgets.record = events
	}
	limiter := onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: o.scaled(3 * time.Second), AccountInterval: o.scaled(time.Second)})
	var link social.Link = onebotlink.New(outside.EventTap{Source: source, OnEvent: events.add}, onebotlink.Options{Bots: o.bots, Limiter: limiter, Tools: qq.Options{Images: images}})
	if events != nil {
		link = recordedLink{link, events, o.name}
	}
	return link, nil
}

// adjust applies the flags that change what the preset sets.
func (o options) adjust(to *social.Options, talk *social.Speech) {
	to.Reply.Prompts = o.prompts
	to.Access.Commands = to.Access.Commands && o.commands
	to.Reply.Speech = talk
	o.talk.Apply(to)
	switch o.strategy {
	case "one":
		to.Reply.Strategy = social.SingleCall
	case "three":
		to.Reply.Strategy = social.ThinkPlanReply
	}
	switch {
	case o.layers == "off":
		to.Background.Digest = nil
	case o.simulated: // the script is short
		to.Background.Digest.Summary.Turns = 3
	}
	if o.textCalls {
		to.Tools.Scripts = &social.Scripts{}
	}
}

// speech returns the options for typing, or nil without typing. The second result closes its files.
func (o options) speech(state speech.State) (*social.Speech, func(), error) {
	if !o.splitsReplies() {
		return nil, func() {}, nil
	}
	s := &social.Speech{}
	if o.stickers == "" {
		return s, func() {}, nil
	}
	root, err := os.OpenRoot(o.stickers)
	if err != nil {
		return nil, nil, lang.Errorf("-stickers 读不了：%v", "-stickers: %v", err)
	}
	dir, err := speech.NewStickerDir(root, speech.StickerDirOptions{})
	if err == nil {
		s.Stickers, err = speech.NewStickerPicker(dir, speech.StickerOptions{State: state, Seed: o.seed})
	}
	if err != nil {
		root.Close()
		return nil, nil, lang.Errorf("-stickers 读不了：%v", "-stickers: %v", err)
	}
	return s, func() { root.Close() }, nil
}

func (o options) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / o.speed) }

// hostTools are an example of the host's own tools. They have the owner's tier, so chats can neither see nor call them.
func hostTools(began time.Time) (*nit.Registry, error) {
	uptime, err := nit.Define("system_control", nit.L3, "机器人运行了多久。", func(context.Context, struct{}) (string, error) {
		return time.Since(began).Round(time.Second).String(), nil
	}, nit.ReadOnly())
	if err != nil {
		return nil, err
	}
	var r nit.Registry
	return &r, r.Add(uptime)
}
