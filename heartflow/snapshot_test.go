package heartflow

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/script"
)

// place is a struct key with a text form, like persona.Chat.
type place struct{ Kind, ID string }

func (p place) String() string { return p.Kind + ":" + p.ID }

func TestSnapshot_KeepsKeysAndOpenTurns(t *testing.T) {
	o := Options{Seed: 4, Policy: Interject{}, Names: []string{"小炉"}}
	a := newAttention[place](o)
	g, p := place{"group", "1"}, place{"private", "2"}
	a.Observe(t0, g, Message{ID: "m", From: "7", AtMe: true, Addressees: []string{"me"}, Text: "在吗"})
	a.Judge(at(time.Second), g)
	a.Mute(t0, p, time.Time{})
	a.MuteAll(t0, at(time.Second*5))

	s, err := a.Snapshot()
	require.NoError(t, err)
	o.Seed = 99
	b := newAttention[place](o)
	require.NoError(t, b.Restore(s))
	assert.EqualValues(t, 4, b.Seed(), "the random generators continue")
	assert.Equal(t, Addressed, b.State(at(2*time.Second), g))
	require.ErrorIs(t, b.Speak(at(2*time.Second), g, "在"), ErrMuted)
	require.NoError(t, b.Speak(at(6*time.Second), g, "在"))
	require.ErrorIs(t, b.Speak(at(7*time.Second), p, "在"), ErrMuted)
	assert.Equal(t, []Change[place]{{Chat: g, From: Observing, To: Active, At: at(6 * time.Second)}}, b.Due(at(8*time.Second)))
	next, ok := b.Next()
	assert.True(t, ok)
	assert.Equal(t, at(6*time.Second+2*time.Minute), next)
}

func TestSnapshot_StoredKeys(t *testing.T) {
	script.Keys(t, "testdata/snapshot/keys.txt", *update, saved[int]{}, savedMessage{}, savedBudget{})
}

func TestRestore_EndsSleepKeepsSettings(t *testing.T) {
	a := newAttention[int](Options{})
	require.NoError(t, a.Configure(1, Settings{Off: true}))
	a.Sleep(t0, time.Time{})
	a.Observe(t0, 2, Message{AtMe: true})
	s, err := a.Snapshot()
	require.NoError(t, err)
	require.NoError(t, a.Restore(s))
	assert.Equal(t, Ask, a.Judge(t0, 2).Do)
	assert.False(t, a.Observe(t0, 1, Message{AtMe: true}).Addressed)
}

func TestRestore_LowerCaps(t *testing.T) {
	a := newAttention[int](Options{Policy: eager{}})
	a.Judge(t0, 1)
	for range 3 {
		require.NoError(t, a.Speak(t0, 1, "嗯"))
	}
	s, _ := a.Snapshot()
	b := newAttention[int](Options{Policy: eager{}, Caps: Caps{Replies: 1}})
	require.NoError(t, b.Restore(s))
	b.Observe(t0, 1, Message{})
	require.ErrorIs(t, b.Speak(at(time.Minute), 1, "嗯"), ErrCapped)
}

func TestSnapshot_DuringJudge(t *testing.T) {
	var a *Attention[int]
	var s []byte
	a = newAttention[int](Options{Policy: prober{func(*PolicyInput) Verdict {
		s, _ = a.Snapshot()
		return Verdict{}
	}}})
	a.Observe(t0, 1, Message{ID: "x", AtMe: true})
	a.Judge(t0, 1)
	b := newAttention[int](Options{})
	require.NoError(t, b.Restore(s))
	assert.Equal(t, Ask, b.Judge(t0, 1).Do, "it waits to be judged")
}

func TestRestore_InvalidChangesNothing(t *testing.T) {
	a := newAttention[int](Options{})
	a.Observe(t0, 1, Message{AtMe: true})
	good, err := a.Snapshot()
	require.NoError(t, err)
	for _, bad := range []string{
		"", "null", "{}", `{"Version":2}`, `{"Version":1,"Now":-1}`, string(good) + "x",
		strings.Replace(string(good), `"Dice":"`, `"Dice":"AAAA`, 1),
		strings.Replace(string(good), `"Chats":[`, `"Chats":[`+string(good[strings.Index(string(good), `{"Chat":1`):len(good)-2])+",", 1),
		strings.Replace(string(good), `"Calls":2`, `"Calls":64`, 1),
		strings.Replace(string(good), `"Count":1`, `"Count":-1`, 1),
		strings.Replace(string(good), `"Summoned":`, `"Summoned":-`, 1),
		strings.Replace(string(good), `"Dice":`, `"Fatigue":{"Lack":1.5,"At":1},"Dice":`, 1),
		strings.Replace(string(good), `"Dice":`, `"Lines":[{"At":1,"Terms":[2,1]}],"Dice":`, 1),
		strings.Replace(string(good), `"Dice":`, `"Lines":[{"At":-1}],"Dice":`, 1),
		strings.Replace(string(good), `"Dice":`, `"Again":-1,"Dice":`, 1),
		strings.Replace(string(good), `"Chat":1`, `"Chat":"eins"`, 1),
	} {
		require.NotEqual(t, string(good), bad)
		require.Error(t, a.Restore([]byte(bad)), bad)
		assert.Equal(t, Addressed, a.State(t0, 1), "the old state stays")
	}
	_, err = newAttention[complex128](Options{}).Snapshot()
	require.NoError(t, err, "there is no key to encode")
	c := newAttention[complex128](Options{})
	c.Judge(t0, 1i)
	_, err = c.Snapshot()
	require.Error(t, err, "JSON cannot encode the key")
}

func FuzzRestore(f *testing.F) {
	a := newAttention[int](Options{})
	a.Observe(t0, 1, Message{ID: "x", AtMe: true})
	a.Judge(t0, 1)
	_ = a.Speak(t0, 1, "晚上一起吃番茄火锅")
	a.SkipTurn(t0, 1, WhyModelSilent)
	a.Observe(t0, 1, Message{ID: "y", Text: "好"})
	a.Judge(t0, 1)
	a.SetMood(.5)
	s, _ := a.Snapshot()
	f.Add(s)
	f.Fuzz(func(t *testing.T, data []byte) {
		a := newAttention[int](Options{})
		if a.Restore(data) != nil {
			return
		}
		now := t0
		a.Observe(now, 1, Message{ID: "z", AtMe: true})
		a.Judge(now, 1)
		_ = a.Speak(now, 1, "晚上一起吃番茄火锅")
		a.Observe(now, 1, Message{From: "a", Addressees: []string{"b"}})
		require.True(t, a.Energy(now, 1) >= 0 && a.Energy(now, 1) <= 1)
		a.SkipTurn(now, 1, WhySuperseded)
		a.Retract(now, 1, "z")
		a.Due(now)
		again, err := a.Snapshot()
		require.NoError(t, err)
		require.True(t, json.Valid(again))
	})
}
