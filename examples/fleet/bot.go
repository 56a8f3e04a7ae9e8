package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/social/preset"
)

// processMark stands in the address of a link for the name of the process, so that the simulated platform knows who dials.
const processMark = "{process}"

// forward returns a link that dials an account.
func (o options) forward(url string) (social.Link, error) {
	client, err := onebot.NewClient(strings.ReplaceAll(url, processMark, o.id), onebot.Options{
		Token: os.Getenv("ONEBOT_TOKEN"), MinBackoff: 100 * time.Millisecond, MaxBackoff: 10 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	return onebotlink.New(client, onebotlink.Options{Limiter: o.limiter()}), nil
}

// limiter returns a rate limit for an account.
func (o options) limiter() *onebot.Limiter {
	scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) / o.speed) }
	return onebot.NewLimiter(onebot.LimiterOptions{ChatInterval: scaled(3 * time.Second), AccountInterval: scaled(time.Second)})
}

// assemble returns a bot over its memory and a link. One that sleeps begins no talks and plans nothing ahead, because for both it
// would have to be awake.
func (o options) assemble(ctx context.Context, store social.Store, link social.Link, sleeps bool, log *slog.Logger) (*social.Bot, error) {
	opts, err := o.bot(ctx, store, link, log)
	if err != nil {
		return nil, err
	}
	if sleeps {
		opts.When.Attention.Begin, opts.Background.Autonomy.Planner.BackgroundPerHour = nil, -1
	}
	return social.New(preset.Scale(opts, o.speed))
}

// bot returns the options of a bot.
func (o options) bot(ctx context.Context, store social.Store, link social.Link, log *slog.Logger) (opts social.Options, err error) {
	models, err := o.model.New(offline.Model{Speed: o.speed}, o.seed, log)
	if err != nil {
		return opts, err
	}
	if o.model.Offline() {
		models.Default = markedModel{models.Default}
	}
	opts, err = preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: o.name, About: "爱坐在炉边听大家聊天，说话简短。"},
		Model:   models.Default, Models: models.ByPurpose,
		Link:    link,
		Storage: social.Storage{Store: store, Embedder: models.Embedder, EmbedderID: models.EmbedderID},
		When:    social.When{Attention: heartflow.Options{Policy: heartflow.MentionOnly{}, Seed: o.seed}},
		Reply:   social.Reply{Turn: o.model.TurnOptions()},
		Hooks:   social.Hooks{Logger: log},
	})
	if o.model.Offline() {
		opts.Reply.Speech = nil         // one message, so that each carries its mark
		opts.When.Attention.Begin = nil // a talk that it begins would carry the mark of an old message, like a second answer
	}
	return opts, err
}
