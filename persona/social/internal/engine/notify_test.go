package engine

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNotify_ShowsNothingUnseen(t *testing.T) {
	var told []string
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}, Notify: func(_ context.Context, text string) error {
		told = append(told, text)
		return nil
	}})
	require.NoError(t, err)
	e.NotifyOwner(t.Context(), "申请：\u202e乐可\u202c\x1b[2J\r\n第二行\t\u200b👨\u200d👩\u2028完")
	assert.Equal(t, []string{"申请：乐可[2J\n第二行 👨\u200d👩 完"}, told)
}
