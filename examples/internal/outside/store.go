package outside

import (
	"context"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// Store opens the file of -db. Without a file it returns a store in memory. The second result closes it.
func Store(file string) (social.Store, func(), error) {
	if file == "" {
		return memory.NewMemStore(), func() {}, nil
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

// Text returns the text of a group message, with mentions of the account by name.
func Text(m *onebot.GroupMessage, name string) string {
	return m.Message.TextWithNames(func(id int64) string {
		if id == m.SelfID {
			return name
		}
		return ""
	})
}
