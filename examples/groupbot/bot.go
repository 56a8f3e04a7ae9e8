package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/speech"
)

// newBot creates the bot and prints a banner. The second result closes its files.
func newBot(o options, s *printer, log *slog.Logger) (*social.Bot, func(), error) {
	model, embedder, err := o.model.New(offline.Model{})
	if err != nil {
		return nil, nil, err
	}
	var indexes []memory.Index
	if embedder != nil {
		indexes = append(indexes, chromem.New())
	}
	limiter := onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: o.scaled(3 * time.Second), AccountInterval: o.scaled(time.Second)})
	tools, err := hostTools(time.Now())
	if err != nil {
		return nil, nil, err
	}
	source, err := o.link.Connect(log)
	if err != nil {
		return nil, nil, err
	}
	var events *recording
	if o.record != "" {
		if events, err = openRecording(o.record, log); err != nil {
			return nil, nil, fmt.Errorf("-record: %w", err)
		}
	}
	store, closeStore, err := outside.Store(o.db)
	if err != nil {
		events.close()
		return nil, nil, err
	}
	talk, closeStickers, err := o.speech(store)
	if err != nil {
		closeStore()
		events.close()
		return nil, nil, err
	}
	end := func() { closeStickers(); closeStore(); events.close() }
	opts := social.Options{
		Profile: persona.Profile{Name: o.name, Aliases: o.aliases, About: o.about},
		Model:   model,
		Link:    onebotlink.New(outside.EventTap{Source: source, OnEvent: func(e onebot.Event) { events.add(e); s.printMessage(e) }}, onebotlink.Options{Bots: o.bots, Limiter: limiter}),
		Storage: social.Storage{Store: store, Indexes: indexes, Embedder: embedder, EmbedderID: o.model.Embed, Quota: memory.Quota{Records: o.quota}},
		Tools:   social.Tools{Registry: tools},
		Access:  social.Access{Owners: o.owners, Admins: o.admins, Commands: o.commands, Requests: requests[o.requests]},
		When: social.When{
			Buffer:    buffer.Options{Debounce: o.scaled(20 * time.Second), UrgentDelay: o.scaled(2 * time.Second), MaxWait: o.scaled(time.Minute)},
			Attention: heartflow.Options{Policy: o.policy, ActiveFor: o.scaled(2 * time.Minute), Seed: o.seed},
			Chats:     func(c persona.Chat) social.ChatOptions { return o.chats[c] },
		},
		Reply: social.Reply{Speech: talk},
		Hooks: social.Hooks{Trace: s.printDecision, Logger: log},
	}
	if o.layers == "on" || o.layers == "auto" && (o.db != "" || o.simulated) {
		opts.Background.Digest = &social.Digest{Model: notePrinter{model, s}}
		if o.simulated { // the script is short
			opts.Background.Digest.Summary.Turns = 3
		}
	}
	if o.attention == "hfc" {
		opts.When.HFC = &hfc.Options{}
	}
	if o.strategy == "three" {
		opts.Reply.Strategy = social.ThinkPlanReply
	}
	if o.textCalls {
		opts.Tools.Scripts = &social.Scripts{}
	}
	bot, err := social.New(opts)
	if err != nil {
		end()
		return nil, nil, err
	}
	s.banner(o)
	return bot, end, nil
}

// speech returns the options for typing, or nil without typing. The second result closes its files.
func (o options) speech(state speech.State) (*social.Speech, func(), error) {
	if !o.splitsReplies() {
		return nil, func() {}, nil
	}
	s := &social.Speech{Pace: speech.Pace{Han: o.scaled(200 * time.Millisecond), Other: o.scaled(100 * time.Millisecond), Max: o.scaled(3 * time.Second)}}
	if o.stickers == "" {
		return s, func() {}, nil
	}
	root, err := os.OpenRoot(o.stickers)
	if err != nil {
		return nil, nil, fmt.Errorf("-stickers: %w", err)
	}
	dir, err := speech.NewStickerDir(root, speech.StickerDirOptions{})
	if err == nil {
		s.Stickers, err = speech.NewStickerPicker(dir, speech.StickerOptions{State: state, Seed: o.seed})
	}
	if err != nil {
		root.Close()
		return nil, nil, fmt.Errorf("-stickers: %w", err)
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
