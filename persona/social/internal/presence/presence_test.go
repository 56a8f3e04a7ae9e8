package presence

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	noon  = time.Unix(1_800_000_000, 0)
	group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
)

func newAttention(o heartflow.Options) *heartflow.Attention[persona.Chat] {
	a, err := heartflow.New[persona.Chat](o)
	if err != nil {
		panic(err)
	}
	return a
}

func open(a *heartflow.Attention[persona.Chat], now time.Time) bool {
	return a.Speak(now, group, "在", "test") == nil
}

func TestPresence_ReasonsOverlap(t *testing.T) {
	gate, store := newAttention(heartflow.Options{}), memory.NewMemStore()
	p := New(gate, store)
	require.True(t, open(gate, noon))
	_, err := p.SetMuted(t.Context(), noon, group, noon.Add(time.Hour))
	require.NoError(t, err)
	_, err = p.SetQuiet(t.Context(), noon, group, Quiet{Until: noon.Add(2 * time.Hour), Owner: true})
	require.NoError(t, err)
	p.Apply(noon, group)
	_, err = p.SetMuted(t.Context(), noon, group, time.Time{})
	require.NoError(t, err)
	assert.False(t, open(gate, noon), "still quiet")

	again := newAttention(heartflow.Options{})
	require.NoError(t, New(again, store).Restore(t.Context(), noon, true))
	assert.False(t, open(again, noon), "after a restart")
	assert.True(t, open(again, noon.Add(3*time.Hour)))
}

func TestPresence_AdminExtendsOwnersQuiet(t *testing.T) {
	p := New(newAttention(heartflow.Options{}), memory.NewMemStore())
	owner := Quiet{Until: noon.Add(time.Hour), Owner: true}
	_, err := p.SetQuiet(t.Context(), noon, group, owner)
	require.NoError(t, err)
	got, err := p.SetQuiet(t.Context(), noon, group, Quiet{Until: noon.Add(time.Minute)})
	require.NoError(t, err)
	assert.Equal(t, owner, got)
}

// A racingGate mutes during the next Unmute.
type racingGate struct {
	Gate
	first func()
}

func (r *racingGate) Unmute(now time.Time, chat persona.Chat) {
	if f := r.first; f != nil {
		r.first = nil
		f()
	}
	r.Gate.Unmute(now, chat)
}

func TestPresence_MutedWhileCommandOpens(t *testing.T) {
	gate := newAttention(heartflow.Options{})
	r := &racingGate{Gate: gate}
	p := New(r, memory.NewMemStore())
	r.first = func() {
		_, err := p.SetMuted(t.Context(), noon, group, noon.Add(time.Hour))
		require.NoError(t, err)
	}
	p.Apply(noon, group)
	assert.False(t, open(gate, noon))
}
