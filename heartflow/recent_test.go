package heartflow

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// looking is a policy that looks back.
type looking struct{ lookback.Source }

func (looking) Judge(m *PolicyInput) Verdict { return MentionOnly{}.Judge(m) }

func looks() looking {
	return looking{lookback.NewSource(&lookback.Model{Links: make([]float32, lookback.LinkWeights)})}
}

// talk makes a log in which a few people and the bot, named hearth, help each other.
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

// hearAll judges every message on its arrival.
func hearAll(a *Attention[int], log []Message) (verdicts []Verdict) {
	for _, m := range log {
		a.Observe(m.At, 1, m)
		if !m.Own {
			verdicts = append(verdicts, a.Judge(m.At, 1))
		}
	}
	return verdicts
}

// TestOnlyWhoLooksBackPays holds that other policies keep nothing, and that one set later begins from nothing.
func TestOnlyWhoLooksBackPays(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"hearth"}, Seed: 1})
	log := talk(5, 30)
	hearAll(a, log)
	assert.Nil(t, a.chats[1].recent)
	require.NoError(t, a.Configure(1, Settings{Policy: looks()}))
	hearAll(a, talk(6, 30))
	assert.NotNil(t, a.chats[1].recent)
}

// TestRecentIsBounded holds the size that the doc tells.
func TestRecentIsBounded(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"hearth"}, Policy: looks(), Seed: 1})
	log := talk(7, 3000)
	for i := range log {
		if i%3 == 0 && !log[i].Own {
			log[i].From = fmt.Sprint("guest", i)
		}
	}
	hearAll(a, log)
	r := a.chats[1].recent
	require.Len(t, r.chat.People, 64)
	assert.LessOrEqual(t, len(lookback.SaveAll(r.looks))+len(r.chat.Save()), 26_000)
}

// TestHeardAgainIsKeptOnce hears a message a second time after a restart that has kept counts only.
func TestHeardAgainIsKeptOnce(t *testing.T) {
	log := talk(4, 40)
	log[39].Own = false
	o := Options{Names: []string{"hearth"}, Policy: looks(), Seed: 1}
	a := newAttention[int](o)
	hearAll(a, log)
	saved, err := a.SnapshotWithoutMessages()
	require.NoError(t, err)

	b := newAttention[int](o)
	require.NoError(t, b.Restore(saved))
	again := log[39]
	again.Replayed = true
	b.Observe(again.At, 1, again)
	assert.Equal(t, int64(40), b.chats[1].recent.chat.Count)
}
