package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// wire puts the bot together, and says so. The second result closes its files.
func wire(o options, s *show, log *slog.Logger) (*social.Being, func(), error) {
	model, embedder, err := newModel(o)
	if err != nil {
		return nil, nil, err
	}
	var indexes []memory.Index
	if embedder != nil {
		indexes = append(indexes, chromem.New(nil))
	}
	limiter := onebot.NewLimiter(onebot.LimiterOptions{PerChat: o.scaled(3 * time.Second), PerAccount: o.scaled(time.Second)})
	tools, err := hostTools(time.Now())
	if err != nil {
		return nil, nil, err
	}
	source, err := connect(o, log)
	if err != nil {
		return nil, nil, err
	}
	var events *recording
	if o.record != "" {
		if events, err = openRecording(o.record, log); err != nil {
			return nil, nil, fmt.Errorf("-record: %w", err)
		}
	}
	store, closeStore, err := newStore(o)
	if err != nil {
		events.close()
		return nil, nil, err
	}
	end := func() { closeStore(); events.close() }
	opts := social.Options{
		Profile:  persona.Profile{Name: o.name, Aliases: o.aliases, About: o.about},
		Model:    model,
		Link:     social.OneBot(tap{source, events, s}, &social.OneBotOptions{Bots: o.bots, Limiter: limiter}),
		Store:    store,
		Indexes:  indexes,
		Embedder: embedder, EmbedderID: o.embedName,
		Tools:     tools,
		Owners:    o.accounts(),
		Buffer:    buffer.Options{Quiet: o.scaled(20 * time.Second), Summon: o.scaled(2 * time.Second), MaxWait: o.scaled(time.Minute)},
		Attention: heartflow.Options{Policy: policies[o.attention], Active: o.scaled(2 * time.Minute), Seed: o.seed},
		Chats:     func(c persona.Chat) social.ChatOptions { return o.chats[c] },
		Trace:     s.decided,
		Logger:    log,
	}
	if o.attention == "hfc" {
		opts.HFC = &hfc.Options{}
	}
	if o.strategy == "three" {
		opts.Strategy = social.ThinkPlanReply
	}
	being, err := social.New(opts)
	if err != nil {
		end()
		return nil, nil, err
	}
	s.banner(o)
	return being, end, nil
}

// accounts are the owner's.
func (o options) accounts() (as []persona.Account) {
	for _, id := range o.owners {
		as = append(as, persona.Account{Platform: "qq", ID: id})
	}
	return as
}

func (o options) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / o.speed) }

// connect makes the link's source of the flags.
func connect(o options, log *slog.Logger) (social.Source, error) {
	opts := &onebot.Options{Token: o.token, Logger: log, HTTPClient: o.dial}
	if o.listen == "" {
		return onebot.NewClient(o.forward, opts), nil
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return nil, fmt.Errorf("-listen: %w", err)
	}
	return reverse{onebot.NewServer(opts), l}, nil
}

// reverse is a OneBot server that listens by itself.
type reverse struct {
	server   *onebot.Server
	listener net.Listener
}

// Run serves until ctx ends.
func (r reverse) Run(ctx context.Context, h onebot.Handler) error {
	web := &http.Server{Handler: r.server, ReadHeaderTimeout: 5 * time.Second}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := web.Serve(r.listener); !errors.Is(err, http.ErrServerClosed) {
			stop(err)
		}
	}()
	err := r.server.Run(ctx, h)
	web.Close()
	<-served
	if cause := context.Cause(ctx); err == nil && cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		err = cause
	}
	return err
}

// tap records and shows each event before it is handled.
type tap struct {
	social.Source
	events *recording
	show   *show
}

// Run is the source's.
func (t tap) Run(ctx context.Context, h onebot.Handler) error {
	return t.Source.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		t.events.add(e)
		t.show.heard(e)
		h(ctx, bot, e)
	})
}

// hostTools stand for what a host registers for its owner. They are of the owner's tier, so no chat can name or call them.
func hostTools(began time.Time) (*nit.Registry, error) {
	uptime, err := nit.Define("system_control", "机器人运行了多久。", func(context.Context, struct{}) (string, error) {
		return time.Since(began).Round(time.Second).String(), nil
	}, nit.At(nit.L3), nit.ReadOnly())
	if err != nil {
		return nil, err
	}
	var r nit.Registry
	return &r, r.Add(uptime)
}

func newStore(o options) (social.Store, func(), error) {
	if o.db == "" {
		return memory.NewStore(), func() {}, nil
	}
	db, err := sqlite.Open(o.db, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("-db: %w", err)
	}
	return db, func() { db.Close() }, nil
}

// newModel makes the model, and the embedder where one is named.
func newModel(o options) (llms.Model, embeddings.Embedder, error) {
	if o.model == "offline" {
		return offline.Model{}, nil, nil
	}
	key, err := readKey(o)
	if err != nil {
		return nil, nil, err
	}
	opts := []openai.Option{openai.WithModel(o.modelName), openai.WithToken(key)}
	switch {
	case o.baseURL != "":
		opts = append(opts, openai.WithBaseURL(o.baseURL))
	case o.model == "ollama": // its compatible endpoint: langchaingo's own client for it drops tools
		opts = append(opts, openai.WithBaseURL("http://127.0.0.1:11434/v1"))
	}
	if o.embedName != "" {
		opts = append(opts, openai.WithEmbeddingModel(o.embedName))
	}
	model, err := openai.New(opts...)
	if err != nil || o.embedName == "" {
		return model, nil, err
	}
	embedder, err := embeddings.NewEmbedder(model)
	return model, embedder, err
}

// readKey never takes the key from a flag: those are seen by every process of the machine.
func readKey(o options) (string, error) {
	if o.keyFile != "" {
		b, err := os.ReadFile(o.keyFile)
		return strings.TrimSpace(string(b)), err
	}
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return key, nil
	}
	if o.model == "ollama" {
		return "ollama", nil // it wants one and looks at none
	}
	return "", errors.New("the model's key is missing: set OPENAI_API_KEY, or name a file by -key-file")
}
