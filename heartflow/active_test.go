package heartflow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With zero Options a reply makes it likelier that the bot joins in: likeliest for messages of its partner about its
// topic. The Active state ends two minutes after the last of five renewals, and the caps hold.
func TestActive_JoinsByDefault(t *testing.T) {
	// asked returns the share of 20 messages after a reply that the bot is asked about.
	asked := func(o Options, from, text string) float64 {
		n, all := 0, 0
		for seed := range uint64(40) {
			o.Seed = seed + 1
			a := newAttention[int](o)
			a.Observe(t0, 1, Message{From: "ann", Text: "手冲咖啡用几度的水", AtMe: true})
			require.Equal(t, Ask, a.Judge(t0, 1).Do)
			require.NoError(t, a.Speak(t0, 1, "手冲咖啡用九十二度的水"))
			for i := range 20 {
				now := t0.Add(time.Duration(i+1) * 5 * time.Second)
				a.Observe(now, 1, Message{From: from, Text: text})
				all++
				if a.Judge(now, 1).Do == Ask {
					n++
					a.SkipTurn(now, 1, WhyModelSilent)
				}
			}
		}
		return float64(n) / float64(all)
	}
	partnerOnTopic := asked(Options{}, "ann", "那手冲咖啡的粉呢")
	partner, topic, neither := asked(Options{}, "ann", "今天好热"), asked(Options{}, "bob", "手冲咖啡好喝吗"), asked(Options{}, "bob", "今天好热")
	assert.Greater(t, partnerOnTopic, partner)
	assert.Greater(t, partner, topic)
	assert.Greater(t, topic, neither)
	assert.Greater(t, neither, .1)
	assert.Zero(t, asked(Options{Policy: MentionOnly{}}, "ann", "那手冲咖啡的粉呢"), "mention only")
	assert.Zero(t, asked(Options{ActiveFor: -1}, "ann", "那手冲咖啡的粉呢"), "never Active")

	a := newAttention[int](Options{Seed: 1, Staleness: Staleness{RepeatWindow: -1}})
	a.Observe(t0, 1, Message{From: "ann", Text: "手冲咖啡用几度的水", AtMe: true})
	a.Judge(t0, 1)
	require.NoError(t, a.Speak(t0, 1, "手冲咖啡用九十二度的水"))
	said, last := 0, t0
	for i := range 720 { // an hour of the partner on the topic
		now := t0.Add(time.Duration(i+1) * 5 * time.Second)
		a.Observe(now, 1, Message{From: "ann", Text: "那手冲咖啡的粉呢"})
		if v := a.Judge(now, 1); v.Do == Ask {
			require.Contains(t, v.Why, WhyTopic)
			if a.Speak(now, 1, "手冲咖啡的粉要细一点") == nil {
				said, last = said+1, now
			}
		}
	}
	assert.GreaterOrEqual(t, said, 5)
	assert.LessOrEqual(t, said, 24, "at most six replies in five minutes")
	assert.Equal(t, Observing, a.State(t0.Add(time.Hour), 1), "last said at %v", last)
}

// Judge without messages never interjects.
func TestInterject_NothingToAnswer(t *testing.T) {
	a := newAttention[int](Options{Policy: Interject{Base: 1}, Seed: 1})
	a.Observe(t0, 1, Message{From: "ann", AtMe: true})
	a.Judge(t0, 1)
	require.NoError(t, a.Speak(t0, 1, "在"))
	for range 20 {
		assert.Equal(t, Silent, a.Judge(t0.Add(time.Second), 1).Do)
	}
}
