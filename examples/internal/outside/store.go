package outside

import (
	"context"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// Unfinished is the row of a store that examples/move has not filled yet.
const Unfinished = "move/unfinished"

// Store opens the file or the database of -db. Without either it returns a store in memory. The second result closes it. A half
// copy of examples/move is an error.
func Store(file string) (social.Store, func(), error) {
	if file == "" {
		return memory.NewMemStore(), func() {}, nil
	}
	ctx := context.Background()
	db, end, err := OpenStore(ctx, "-db", file)
	if err != nil {
		return nil, nil, err
	}
	half, err := IsUnfinished(ctx, db)
	if err == nil && half {
		err = lang.Errorf("-db：%s 里是搬家没搬完的记忆：用 move -restart 重新搬，或者照旧用原来的 -db", "-db: %s is the unfinished copy of a move: repeat it with move -restart, or use the -db of before", file)
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return db, end, nil
}

// OpenStore is [Store] for the value of any flag. It also opens a half copy.
func OpenStore(ctx context.Context, name, file string) (social.Store, func(), error) {
	if check.IsPostgres(file) {
		return openPostgres(ctx, name, file)
	}
	db, err := sqlite.Open(file, sqlite.Options{})
	if err != nil {
		return nil, nil, check.StoreError(name, file, err)
	}
	return db, func() { db.Close() }, nil
}

// IsUnfinished reports whether a store is a half copy of examples/move.
func IsUnfinished(ctx context.Context, s memory.State) (bool, error) {
	rows, err := s.Load(ctx, Unfinished)
	return len(rows) > 0, err
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
