package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A search in an owner's turn shows the text of a record exactly if a prompt would, also where Labels.Show decides.
func TestMemoryOps_ShowsWhatPromptsShow(t *testing.T) {
	const typed, answered, placeholder = "火锅定在周五", "小满说火锅不辣", "（这里有"
	shows := map[string]struct {
		show func(memory.Space, Datum, memory.Label, bool) bool
		want []string
	}{
		"default":       {nil, []string{typed}},
		"nothing":       {func(memory.Space, Datum, memory.Label, bool) bool { return false }, nil},
		"answers, too":  {func(_ memory.Space, d Datum, _ memory.Label, show bool) bool { return show || d == DatumOwnerAnswer }, []string{typed, answered}},
		"answers alone": {func(_ memory.Space, d Datum, _ memory.Label, _ bool) bool { return d == DatumOwnerAnswer }, []string{answered}},
	}
	for name, c := range shows {
		t.Run(name, func(t *testing.T) {
			e, err := New(Options{
				Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}, Builtin: true, Labels: Labels{Show: c.show},
			})
			require.NoError(t, err)
			remove, err := e.toolset.addTools(t.Context())
			require.NoError(t, err)
			defer remove()
			now := time.Now()
			for id, r := range map[string]memory.Record{
				"1": {Text: typed, Label: memory.Trusted(memory.Owner)},
				"2": {Text: answered, Own: true, Label: memory.Untrusted(memory.Owner, "qq:group:1")},
			} {
				r.ID, r.Space, r.Kind, r.At = id, memory.Owner, memory.KindMessage, now
				require.NoError(t, e.Memory.Put(t.Context(), r))
			}
			newTurn := func() *Turn {
				return e.newTurn(&Job{Chat: e.OwnerChat, Items: []persona.Message{{Text: "火锅"}}}, func(error) {})
			}

			scene, err := e.OwnerScene(t.Context(), now, newTurn())
			require.NoError(t, err)
			var prompted, found []string
			for _, m := range scene.History {
				if !strings.HasPrefix(m.Text, placeholder) {
					prompted = append(prompted, m.Text)
				}
			}
			assert.ElementsMatch(t, c.want, prompted)

			turn := newTurn()
			result, err := turn.Tools.Do(WithTurn(context.Background(), turn), "memory_ops", `{"query":"火锅"}`)
			require.NoError(t, err)
			var got struct{ Memories []struct{ ID, Text string } }
			require.NoError(t, json.Unmarshal([]byte(result.Text), &got))
			require.Len(t, got.Memories, 2, "a hidden record keeps its place: the model opens it by its id")
			for _, m := range got.Memories {
				if !strings.HasPrefix(m.Text, placeholder) {
					found = append(found, m.Text)
				}
			}
			assert.ElementsMatch(t, c.want, found)
		})
	}
}
