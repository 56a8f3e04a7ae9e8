package inspect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Bot is what the pages need of a bot. *social.Bot implements it.
type Bot interface {
	Watch(f func(trace.Event)) (stop func())
	Stats() social.Stats
	Usage() map[models.Purpose]models.Usage
	CacheShare() (share float64, reported bool)
	ChatStatus(chat persona.Chat) social.ChatStatus
	Traces(chat persona.Chat) []heartflow.Trace
	TryPrompt(ctx context.Context, p models.Purpose, system, prompt string) (answer string, used models.Usage, err error)
	Memory() *memory.Memory
	SamePerson(who persona.Account) []persona.Account
	PreviewErasePerson(ctx context.Context, who persona.Account) (memory.Changes, error)
	ErasePerson(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error)
	Documents(ctx context.Context) ([]social.DocumentHistory, error)
	RestoreDocument(ctx context.Context, name string, version int) error
	Expressions() social.LearnedExpressions
	WhatIf(ctx context.Context, q social.Question) (social.Replay, error)
	Policies() []string
	Settings(chat persona.Chat) social.ChatSettings
	LifeBot
	Endorse(ctx context.Context, s memory.Space, record string) (memory.LabelOverride, error)
	healthBot
	StreamOwnerMessage(ctx context.Context, text string, deliver func(ctx context.Context, item string) error, attached ...social.Attachment) error
	AppOpened() (closed func())
}

var _ Bot = (*social.Bot)(nil)

// A Named is a bot with the name that the pages show.
type Named struct {
	Name string
	Bot  Bot
	Time func(time.Time) time.Time // converts times for display, such as those of a simulated day; nil: no change
}

// Options configure a Handler. Bots and Token are required.
type Options struct {
	Bots      []Named
	Token     string   // the owner's, at least 16 characters
	ReadToken string   // for people who may look only, at least 16 characters; "": none
	Path      string   // where the handler is mounted with http.StripPrefix, such as "/bots"; "": at the root
	Hosts     []string // names in the Host header of requests, beside localhost and IP addresses
	Logger    *slog.Logger
	Prices    models.Prices // nil: no cost is shown
	Day       bool          // the first page of a single bot is its day, and not the live page
}

// minToken is the least length of a token.
const minToken = 16

// A Handler serves the pages. Make one with [New].
type Handler struct {
	o      Options
	access *access
	bots   []*feed
	mux    *http.ServeMux
	talks  chan struct{} // holds a value for each running turn of an owner

	closing sync.Once
}

// New returns a Handler that watches the bots until Close.
func New(o Options) (*Handler, error) {
	switch {
	case len(o.Bots) == 0:
		return nil, errors.New("inspect: Options.Bots is empty")
	case len(o.Token) < minToken || o.ReadToken != "" && len(o.ReadToken) < minToken:
		return nil, errors.New("inspect: a token is shorter than 16 characters")
	case o.Token == o.ReadToken:
		return nil, errors.New("inspect: Token and ReadToken are equal")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Handler{o: o, access: newAccess(o), mux: http.NewServeMux(), talks: make(chan struct{}, maxTalks)}
	for i, b := range o.Bots {
		h.bots = append(h.bots, newFeed(b, i))
	}
	h.routes()
	return h, nil
}

// Close stops watching the bots and drops what was kept. Open pages end. It cancels the turns of owners and waits for them. It may be
// called several times.
func (h *Handler) Close() {
	h.closing.Do(func() {
		for _, f := range h.bots {
			f.close()
		}
		for range maxTalks {
			h.talks <- struct{}{} // so that no turn begins any more
		}
	})
}

// routes maps paths to pages. Paths below /bot/{bot} have a feed.
func (h *Handler) routes() {
	h.mux.HandleFunc("GET /assets/{name}", serveAsset)
	h.mux.HandleFunc("POST /login", h.access.login)
	h.mux.HandleFunc("POST /logout", h.access.logout)
	h.page("GET /{$}", readers, h.index)
	for path, serve := range map[string]func(*page) error{"": h.live, "chat": h.chat, "decision": h.decision} {
		h.page("GET /bot/{bot}/"+path, readers, serve)
	}
	h.page("GET /bot/{bot}/events", readers, h.events)
	h.page("GET /bot/{bot}/call", owners, h.call)
	h.page("POST /bot/{bot}/try", owners, h.try)
	h.page("POST /bot/{bot}/mute", owners, h.mute)
	h.memoryRoutes()
	h.lifeRoutes()
	h.whatIfRoutes()
	h.dayRoutes()
	h.expressionRoutes()
}

// feedOf returns the feed that a path names, or nil.
func (h *Handler) feedOf(r *http.Request) *feed {
	i, err := strconv.Atoi(r.PathValue("bot"))
	if err != nil || i < 0 || i >= len(h.bots) {
		return nil
	}
	return h.bots[i]
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	if !h.access.isOwnHost(r.Host) {
		http.Error(w, "this is not the address of these pages: use an IP address, or list the name in Options.Hosts", http.StatusMisdirectedRequest)
		return
	}
	if err := h.access.sameOrigin.Check(r); err != nil {
		http.Error(w, "another page made this request", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	h.mux.ServeHTTP(w, r)
}

// maxBody limits the bytes of a request: a prompt may be long.
const maxBody = 1 << 20
