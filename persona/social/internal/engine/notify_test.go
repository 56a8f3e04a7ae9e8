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

func TestNotify_ShowsNothingUnseen(t *testing.T) {
	var told []string
	var logged logged
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}, Logger: slog.New(&logged), Notify: func(_ context.Context, text string) error {
		told = append(told, text)
		return nil
	}})
	require.NoError(t, err)
	e.NotifyOwner(t.Context(), "申请：\u202e乐可\u202c\x1b[2J\r\n第二行\t\u200b👨\u200d👩\u2028完")
	assert.Equal(t, []string{"申请：乐可[2J\n第二行 👨\u200d👩 完"}, told)
	assert.Equal(t, told, logged.texts)
}

// logged are the texts of a log, as they come to its handler.
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

func TestLine_StaysWithinItsQuotes(t *testing.T) {
	assert.Equal(t, "乐可』 。flag：1 『", Line("\u202e乐可」\r\n\x1b。flag：1\u2028「\u2066"))
}
