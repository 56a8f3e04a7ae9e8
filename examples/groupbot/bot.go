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
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/hearth-bot/hearth/persona/speech"
)

// newBot creates the bot and prints a banner. The second result closes its files. ctx is for the start only.
func newBot(ctx context.Context, o options, s *printer, log *slog.Logger) (bot *social.Bot, end func(), err error) {
	var closers []func()
	end = func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	models, err := o.model.New(offline.Model{Interests: o.interests}, o.seed, log)
	if err != nil {
		return nil, end, err
	}
	var indexes []memory.Index
	if models.Embedder != nil {
		indexes = append(indexes, chromem.New())
	}
	budget, err := o.budget.New(o.speed)
	if err != nil {
		return nil, end, err
	}
	tools, err := hostTools(time.Now())
	if err != nil {
		return nil, end, err
	}
	source, err := o.link.Connect(log)
	if err != nil {
		return nil, end, err
	}
	var events *recording
	if o.record != "" {
		if events, err = openRecording(o.record, log); err != nil {
			return nil, end, lang.Errorf("-record 写不了：%v", "-record: %v", err)
		}
		closers = append(closers, events.close)
	}
	store, closeStore, err := outside.Store(o.db)
	if err != nil {
		return nil, end, err
	}
	closers = append(closers, closeStore)
	images, closeImages, err := o.social.Images()
	if err != nil {
		return nil, end, err
	}
	closers = append(closers, closeImages)
	talk, closeStickers, err := o.speech(store)
	if err != nil {
		return nil, end, err
	}
	closers = append(closers, closeStickers)
	limiter := onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: o.scaled(3 * time.Second), AccountInterval: o.scaled(time.Second)})
	var link social.Link = onebotlink.New(outside.EventTap{Source: source, OnEvent: events.add}, onebotlink.Options{Bots: o.bots, Limiter: limiter, Tools: qq.Options{Images: images}})
	link = outside.LinkTap{Link: link, OnEvent: s.printEvent, OnSent: s.printSent}
	if events != nil {
		link = recordedLink{link, events, o.name}
	}
	opts, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: o.name, Aliases: o.aliases, About: o.about, Interests: o.interests},
		Model:   models.Default,
		Models:  models.ByPurpose,
		Reply:   social.Reply{Pictures: models.Pictures()},
		Link:    link,
		Storage: social.Storage{Store: store, Indexes: indexes, Embedder: models.Embedder, EmbedderID: models.EmbedderID, Quota: memory.Quota{Records: o.quota}},
		Tools:   social.Tools{Registry: tools, NoSocialMode: !o.social.Enabled, Builtin: &social.BuiltinTools{Notes: true, Watch: o.social.Watch(o.owners)}},
		Access:  social.Access{Owners: o.owners, Admins: o.admins, Requests: requests[o.requests]},
		When: social.When{
			Attention: heartflow.Options{Policy: o.policy, Caps: o.caps.Caps(), Budget: budget, Seed: o.seed},
			Settings:  o.file.Chats, Policies: o.policies,
		},
		Background: social.Background{Digest: &social.Digest{Model: notePrinter{models.Background(), s}}},
		Hooks:      social.Hooks{Trace: s.printDecision, Notify: s.printReport, Logger: log},
	})
	if err != nil {
		return nil, end, err
	}
	o.adjust(&opts, talk)
	models.UseVoice(&opts)
	if bot, err = social.New(preset.Scale(opts, o.speed)); err == nil {
		err = o.mcp.Bind(tools, store, log)
	}
	if err == nil {
		s.banner(o)
		closers = append(closers, outside.LogEnd(log, bot, budget))
	}
	return bot, end, err
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
