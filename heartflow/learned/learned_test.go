package learned

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// talk returns a log of a few people and the bot, named hearth, in a conversation about computers.
func talk(seed uint64, lines int) []heartflow.Message {
	dice := rand.New(rand.NewPCG(seed, 1))
	people := []string{"ann", "bob", "cid", "dee", "hearth"}
	says := []string{
		"how do i mount a disk?", "%s: try mount", "%s: which disk is it?", "thanks", "ok", "it says the disk is busy", "%s: thank you",
		"有人知道怎么挂载硬盘吗", "谢谢", "%s: 你试试 mount", "does anybody know why the sound is gone", "lol", "see https://example.com/disk",
	}
	at := t0
	var list []heartflow.Message
	for i := range lines {
		at = at.Add(time.Duration(dice.IntN(60)) * time.Second)
		text := says[dice.IntN(len(says))]
		if text[0] == '%' {
			text = fmt.Sprintf(text, people[dice.IntN(len(people))])
		}
		m := heartflow.Message{ID: fmt.Sprint(i), From: people[dice.IntN(len(people))], Text: text, At: at}
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
func observeAll(a *heartflow.Attention[int], log []heartflow.Message) (verdicts []heartflow.Verdict) {
	for _, m := range log {
		a.Observe(m.At, 1, m)
		if !m.Own {
			verdicts = append(verdicts, a.Judge(m.At, 1))
		}
	}
	return verdicts
}

var t0 = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func policy(o Options) *Policy { return must(New(o)) }

// must returns v and panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func attention(o Options) *heartflow.Attention[int] {
	return must(heartflow.New[int](heartflow.Options{Names: []string{"hearth"}, Policy: policy(o), Seed: 1}))
}

func learned() *heartflow.Attention[int] { return attention(Options{}) }

// Changes of a log after message k do not change the decisions up to k.
func TestPolicy_DoesNotLookAhead(t *testing.T) {
	dice := rand.New(rand.NewPCG(9, 9))
	for round := range 20 {
		log := talk(uint64(round), 150)
		whole := observeAll(learned(), log)
		k := dice.IntN(len(log))
		other := append(append([]heartflow.Message(nil), log[:k]...), talk(uint64(round)+1000, 50)...)
		for i := k; i < len(other); i++ {
			other[i].At = other[max(i-1, 0)].At.Add(time.Second)
		}
		others := 0
		for _, m := range log[:k] {
			if !m.Own {
				others++
			}
		}
		assert.Equal(t, whole[:others], observeAll(learned(), other)[:others], "cut at %d", k)
		assert.Equal(t, whole[:others], observeAll(learned(), log[:k]), "cut at %d", k)
	}
}

func TestPolicy_SurvivesARestart(t *testing.T) {
	log := talk(3, 200)
	for _, k := range []int{0, 1, 30, 100} {
		a := learned()
		want := observeAll(a, log)
		b := learned()
		had := observeAll(b, log[:k])
		saved, err := b.Snapshot()
		require.NoError(t, err)
		c := learned()
		require.NoError(t, c.Restore(saved))
		assert.Equal(t, want[len(had):], observeAll(c, log[k:]))
	}
}

// A message replayed after a restart without messages gets the same verdict.
func TestPolicy_ReplayedMessage(t *testing.T) {
	log := talk(4, 40)
	log[39].Own, log[39].From, log[39].Text = false, "ann", "hearth: how do i mount a disk?"
	a := learned()
	observeAll(a, log[:39])
	a.Observe(log[39].At, 1, log[39])
	saved, err := a.SnapshotWithoutMessages()
	require.NoError(t, err)
	want := a.Judge(log[39].At, 1)

	b := learned()
	require.NoError(t, b.Restore(saved))
	again := log[39]
	again.Replayed = true
	b.Observe(again.At, 1, again)
	assert.Equal(t, want, b.Judge(again.At, 1))
}

func TestRestore_InvalidHistory(t *testing.T) {
	a := learned()
	observeAll(a, talk(8, 50))
	saved, err := a.Snapshot()
	require.NoError(t, err)
	for was, bad := range map[string]string{`"Heard":4`: `"Heard":-4`, `"Looks":"`: `"Looks":"AAAA`, `"Recent":{"Chat":"`: `"Recent":{"Chat":"AAAA`} {
		broken := strings.Replace(string(saved), was, bad, 1)
		require.NotEqual(t, string(saved), broken, was)
		assert.Error(t, learned().Restore([]byte(broken)), was)
	}
}

func TestPolicy_Judge(t *testing.T) {
	now := t0
	say := func(a *heartflow.Attention[int], m heartflow.Message) heartflow.Verdict {
		now = now.Add(20 * time.Second)
		a.Observe(now, 1, m)
		return a.Judge(now, 1)
	}
	a := learned()
	stranger := say(a, heartflow.Message{From: "ann", Text: "good morning"})
	assert.Equal(t, heartflow.Silent, stranger.Do)
	named := say(a, heartflow.Message{From: "bob", Text: "hearth: how do i mount a disk?"})
	assert.Equal(t, heartflow.Ask, named.Do)
	assert.Equal(t, []heartflow.Code{heartflow.WhyNamed}, named.Why)
	assert.Greater(t, named.Score, stranger.Score)
	require.NoError(t, a.Speak(now, 1, "bob: which disk is it?"))

	continues := say(a, heartflow.Message{From: "bob", Text: "the second one, it is a usb disk"})
	assert.Equal(t, heartflow.Ask, continues.Do, "%v", continues)
	toOther := say(a, heartflow.Message{From: "cid", Text: "ann: good morning to you too"})
	assert.Equal(t, heartflow.Silent, toOther.Do, "%v", toOther)
	assert.Less(t, toOther.Score, .1)

	private := say(a, heartflow.Message{From: "dee", Text: "ok", Private: true})
	assert.Equal(t, heartflow.Verdict{Do: heartflow.Ask, Score: 1, Why: []heartflow.Code{heartflow.WhyPrivate}, Addressed: true, Called: true, State: private.State}, private)

	last := a.Traces(1)
	gates := last[len(last)-1].Gates
	assert.Equal(t, WhyLikely, gates[len(gates)-1].Code)
	for _, codes := range groupCodes {
		for _, c := range codes {
			assert.NotEqual(t, string(c), c.Text("en"))
			assert.NotEqual(t, string(c), c.Text("zh"))
		}
	}
}

func TestOptions_ThresholdAndSure(t *testing.T) {
	for _, bad := range []Options{{Threshold: -1}, {Sure: 1.5}, {Threshold: math.NaN()}, {Speed: -1}, {Speed: math.NaN()}} {
		_, err := New(bad)
		assert.Error(t, err)
	}

	a := attention(Options{Threshold: .99})
	a.Observe(t0, 1, heartflow.Message{From: "bob", Text: "hearth: how?"})
	v := a.Judge(t0, 1)
	assert.Equal(t, heartflow.Ask, v.Do, "a mention is not ignored")
	assert.False(t, policy(Options{Threshold: .99}).Speaks(v))
	assert.True(t, policy(Options{Threshold: .01}).Speaks(v))

	a = attention(Options{Threshold: .01, Sure: .01})
	a.Observe(t0, 1, heartflow.Message{From: "bob", Text: "hearth: how?"})
	assert.Equal(t, heartflow.Speak, a.Judge(t0, 1).Do)
}

func TestPolicy_IgnoresRecalledMessage(t *testing.T) {
	ask := func(recall bool) float64 {
		a := learned()
		a.Observe(t0, 1, heartflow.Message{ID: "1", From: "ann", Text: "hearth: how do i mount a disk?"})
		a.Judge(t0, 1)
		if recall {
			a.Retract(t0, 1, "1")
		}
		a.Observe(t0.Add(10*time.Second), 1, heartflow.Message{ID: "2", From: "ann", Text: "it is a usb disk"})
		return a.Judge(t0.Add(10*time.Second), 1).Score
	}
	assert.Greater(t, ask(false), ask(true))
}
