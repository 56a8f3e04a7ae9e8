package engine

import (
	"context"
	"log/slog"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNotifyOwner_RemovesInvisibleCharacters(t *testing.T) {
	var notices []string
	var logged logged
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}, Logger: slog.New(&logged), Notify: func(_ context.Context, text string) error {
		notices = append(notices, text)
		return nil
	}})
	require.NoError(t, err)
	e.NotifyOwner(t.Context(), Notice{Text: "申请：\u202e乐可\u202c\x1b[2J\r\n第二行\t\u200b👨\u200d👩\u2028完"})
	assert.Equal(t, []string{"申请：乐可[2J\n第二行 👨\u200d👩 完"}, notices)
	assert.Equal(t, notices, logged.texts)
}

// A logged handler collects the attribute text of each record.
type logged struct {
	slog.Handler
	texts []string
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }

func (l *logged) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "text" {
			l.texts = append(l.texts, a.Value.String())
		}
		return true
	})
	return nil
}
