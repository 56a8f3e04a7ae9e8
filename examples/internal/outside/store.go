package outside

import (
	"context"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// Store opens the file or the database of -db. Without either it returns a store in memory. The second result closes it.
func Store(file string) (social.Store, func(), error) {
	if file == "" {
		return memory.NewMemStore(), func() {}, nil
	}
	if check.IsPostgres(file) {
		return openPostgres(context.Background(), file)
	}
	db, err := sqlite.Open(file, sqlite.Options{})
	if err != nil {
		return nil, nil, check.StoreError("-db", file, err)
	}
	return db, func() { db.Close() }, nil
}

// An EventTap is a source that calls OnEvent before each event is handled.
type EventTap struct {
	onebotlink.Source
	OnEvent func(onebot.Event)
}

// Run runs the source.
func (t EventTap) Run(ctx context.Context, h onebot.Handler) error {
	return t.Source.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		t.OnEvent(e)
		h(ctx, bot, e)
	})
}

// Health returns the state of the source's connections, if it knows that.
func (t EventTap) Health() []onebot.Health {
	if m, ok := t.Source.(onebotlink.Monitor); ok {
		return m.Health()
	}
	return nil
}

// Stats returns the counters of the source, if it has any.
func (t EventTap) Stats() onebot.Stats {
	if m, ok := t.Source.(onebotlink.Monitor); ok {
		return m.Stats()
	}
	return onebot.Stats{}
}

// A LinkTap is a link that calls OnEvent before each event is handled, and OnSent after each message that was sent.
type LinkTap struct {
	social.Link
	OnEvent func(persona.Event)
	OnSent  func(chat persona.Chat, id string, out persona.Outgoing)
}

// Run runs the link.
func (t LinkTap) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	return t.Link.Run(ctx, func(ctx context.Context, e persona.Event) {
		t.OnEvent(e)
		handle(ctx, e)
	})
}

// Send sends a message.
func (t LinkTap) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	id, err := t.Link.Send(ctx, chat, out)
	if err == nil {
		t.OnSent(chat, id, out)
	}
	return id, err
}

// Features returns the features of the link.
func (t LinkTap) Features() social.LinkFeatures { return social.FeaturesOf(t.Link) }
