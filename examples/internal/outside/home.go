package outside

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
)

// Store opens the file of -db, or where there is none, what forgets at exit. The second result closes it.
func Store(file string) (social.Store, func(), error) {
	if file == "" {
		return memory.NewMemStore(), func() {}, nil
	}
	db, err := sqlite.Open(file, sqlite.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("-db: %w", err)
	}
	return db, func() { db.Close() }, nil
}

// A Tap shows each event before it is handled.
type Tap struct {
	onebotlink.Source
	Heard func(onebot.Event)
}

// Run is the source's.
func (t Tap) Run(ctx context.Context, h onebot.Handler) error {
	return t.Source.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
		t.Heard(e)
		h(ctx, bot, e)
	})
}

// Text is what a group's message says, where the account is called by name.
func Text(m *onebot.GroupMessage, name string) string {
	return m.Message.TextWithNames(func(id int64) string {
		if id == m.SelfID {
			return name
		}
		return ""
	})
}
