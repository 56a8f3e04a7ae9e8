package baseline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

var t0 = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestPartner_Judge(t *testing.T) {
	now := t0
	partner, err := NewPartner(PartnerOptions{})
	require.NoError(t, err)
	a, err := heartflow.New[int](heartflow.Options{Names: []string{"hearth"}, Policy: partner, Seed: 1})
	require.NoError(t, err)
	say := func(wait time.Duration, m heartflow.Message) heartflow.Decision {
		now = now.Add(wait)
		a.Observe(now, 1, m)
		return a.Judge(now, 1).Do
	}
	assert.Equal(t, heartflow.Silent, say(0, heartflow.Message{From: "ann", Text: "hello"}))
	assert.Equal(t, heartflow.Ask, say(time.Second, heartflow.Message{From: "bob", Text: "hearth: hello"}))
	require.NoError(t, a.Speak(now, 1, "hello"))
	assert.Equal(t, heartflow.Ask, say(time.Minute, heartflow.Message{From: "bob", Text: "and another thing"}))
	assert.Equal(t, heartflow.Silent, say(time.Second, heartflow.Message{From: "ann", Text: "what thing"}), "not the partner")
	assert.Equal(t, heartflow.Silent, say(time.Second, heartflow.Message{From: "bob", Text: "ann: nothing"}), "to another")
	assert.Equal(t, heartflow.Silent, say(time.Second, heartflow.Message{From: "bob", Text: "nothing", Addressees: []string{"ann"}}), "to another")
	assert.Equal(t, heartflow.Silent, say(5*time.Minute, heartflow.Message{From: "bob", Text: "well"}), "too late")
	_, err = NewPartner(PartnerOptions{Within: -1})
	assert.Error(t, err)
}
