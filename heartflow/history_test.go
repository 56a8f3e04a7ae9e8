package heartflow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// lookbackPolicy is a policy with a lookback.Source.
type lookbackPolicy struct{ lookback.Source }

func (lookbackPolicy) Judge(m *PolicyInput) Verdict { return MentionOnly{}.Judge(m) }

func newLookbackPolicy() lookbackPolicy {
	return lookbackPolicy{lookback.NewSource(&lookback.Model{Links: make([]float32, lookback.LinkWeights)})}
}

// talk returns a log of a few people and the bot, named hearth, who help each other.
func talk(seed uint64, lines int) []Message {
	dice := rand.New(rand.NewPCG(seed, 1))
	people := []string{"ann", "bob", "cid", "dee", "hearth"}
	says := []string{
		"how do i mount a disk?", "%s: try mount", "%s: which disk is it?", "thanks", "ok", "it says the disk is busy", "%s: thank you",
		"有人知道怎么挂载硬盘吗", "谢谢", "%s: 你试试 mount", "does anybody know why the sound is gone", "lol", "see https://example.com/disk",
	}
	at := t0
	var list []Message
	for i := range lines {
		at = at.Add(time.Duration(dice.IntN(60)) * time.Second)
		text := says[dice.IntN(len(says))]
		if text[0] == '%' {
			text = fmt.Sprintf(text, people[dice.IntN(len(people))])
		}
		m := Message{ID: fmt.Sprint(i), From: people[dice.IntN(len(people))], Text: text, At: at}
		if m.From == "hearth" {
			m.Own = true
			if i > 3 && dice.IntN(2) == 0 {
				m.QuoteID = fmt.Sprint(i - 1 - dice.IntN(3))
			}
		}
		list = append(list, m)
	}
	return list
}

// observeAll judges every message on its arrival.
func observeAll(a *Attention[int], log []Message) (verdicts []Verdict) {
	for _, m := range log {
		a.Observe(m.At, 1, m)
		if !m.Own {
			verdicts = append(verdicts, a.Judge(m.At, 1))
		}
	}
	return verdicts
}

// Policies without a Source keep no history. A policy that is set later starts with an empty one.
func TestHistory_OnlyWithSource(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"hearth"}, Seed: 1})
	log := talk(5, 30)
	observeAll(a, log)
	assert.Nil(t, a.chats[1].history)
	require.NoError(t, a.Configure(1, Settings{Policy: newLookbackPolicy()}))
	observeAll(a, talk(6, 30))
	assert.NotNil(t, a.chats[1].history)
}

// The size of a history stays below the documented limit.
func TestHistory_Bounded(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"hearth"}, Policy: newLookbackPolicy(), Seed: 1})
	log := talk(7, 3000)
	for i := range log {
		if i%3 == 0 && !log[i].Own {
			log[i].From = fmt.Sprint("guest", i)
		}
	}
	observeAll(a, log)
	r := a.chats[1].history
	require.Len(t, r.chat.People, 64)
	assert.LessOrEqual(t, len(lookback.SaveAll(r.features))+len(r.chat.Save()), 26_000)
}

// A message replayed after a restart without messages is added once.
func TestHistory_ReplayedMessageOnce(t *testing.T) {
	log := talk(4, 40)
	log[39].Own = false
	o := Options{Names: []string{"hearth"}, Policy: newLookbackPolicy(), Seed: 1}
	a := newAttention[int](o)
	observeAll(a, log)
	saved, err := a.SnapshotWithoutMessages()
	require.NoError(t, err)

	b := newAttention[int](o)
	require.NoError(t, b.Restore(saved))
	again := log[39]
	again.Replayed = true
	b.Observe(again.At, 1, again)
	assert.Equal(t, int64(40), b.chats[1].history.chat.Count)
}

// A snapshot of a version with one feature less is restored.
func TestHistory_OlderSnapshot(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"hearth"}, Policy: newLookbackPolicy(), Seed: 1})
	observeAll(a, talk(8, 20))
	saved := a.chats[1].history.save()
	size := len(saved.Looks) / len(a.chats[1].history.features)
	var old []byte
	for part := range slices.Chunk(saved.Looks, size) {
		old = append(old, part[:size-4]...)
	}
	restored, err := (&savedHistory{Chat: saved.Chat, Looks: old, Heard: saved.Heard}).history()
	require.NoError(t, err)
	require.Len(t, restored.features, len(a.chats[1].history.features))
	for i, k := range a.chats[1].history.features {
		k.Features[lookback.NumFeatures-1] = 0
		assert.Equal(t, k, restored.features[i])
	}
	for _, cut := range []int{1, size + 3} {
		_, err = (&savedHistory{Chat: saved.Chat, Looks: old[:len(old)-cut], Heard: saved.Heard}).history()
		assert.Error(t, err)
	}
}
