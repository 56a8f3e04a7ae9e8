package heartflow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/gate"
)

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
				m.Quote = fmt.Sprint(i - 1 - dice.IntN(3))
			}
		}
		list = append(list, m)
	}
	return list
}

// hearAll judges every message on its arrival.
func hearAll(a *Attention[int], log []Message) (verdicts []Verdict) {
	for _, m := range log {
		a.Hear(m.At, 1, m)
		if !m.Own {
			verdicts = append(verdicts, a.Judge(m.At, 1))
		}
	}
	return verdicts
}

func learned() *Attention[int] {
	return New[int](Options{Names: []string{"hearth"}, Policy: Learned{}, Seed: 1})
}

// TestLearnedDoesNotLookAhead scrambles a log after message k: nothing that was decided up to k may change.
func TestLearnedDoesNotLookAhead(t *testing.T) {
	dice := rand.New(rand.NewPCG(9, 9))
	for round := range 20 {
		log := talk(uint64(round), 150)
		whole := hearAll(learned(), log)
		k := dice.IntN(len(log))
		other := append(append([]Message(nil), log[:k]...), talk(uint64(round)+1000, 50)...)
		for i := k; i < len(other); i++ {
			other[i].At = other[max(i-1, 0)].At.Add(time.Second)
		}
		others := 0
		for _, m := range log[:k] {
			if !m.Own {
				others++
			}
		}
		assert.Equal(t, whole[:others], hearAll(learned(), other)[:others], "cut at %d", k)
		assert.Equal(t, whole[:others], hearAll(learned(), log[:k]), "cut at %d", k)
	}
}

func TestLearnedSurvivesARestart(t *testing.T) {
	log := talk(3, 200)
	for _, k := range []int{0, 1, 30, 100} {
		a := learned()
		want := hearAll(a, log)
		b := learned()
		had := hearAll(b, log[:k])
		saved, err := b.Snapshot()
		require.NoError(t, err)
		c := learned()
		require.NoError(t, c.Restore(saved))
		assert.Equal(t, want[len(had):], hearAll(c, log[k:]))
	}
}

// TestLearnedHearsAgain keeps counts only, and tells what waited a second time: the last lines hold it once.
func TestLearnedHearsAgain(t *testing.T) {
	log := talk(4, 40)
	log[39].Own, log[39].From, log[39].Text = false, "ann", "hearth: how do i mount a disk?"
	a := learned()
	hearAll(a, log[:39])
	a.Hear(log[39].At, 1, log[39])
	saved, err := a.SnapshotCounts()
	require.NoError(t, err)
	want := a.Judge(log[39].At, 1)

	b := learned()
	require.NoError(t, b.Restore(saved))
	again := log[39]
	again.Again = true
	b.Hear(again.At, 1, again)
	assert.Equal(t, want, b.Judge(again.At, 1))
	assert.Equal(t, int64(40), b.chats[1].recent.chat.Count)
}

func TestLearnedRefusesWhatCannotBe(t *testing.T) {
	a := learned()
	hearAll(a, talk(8, 50))
	saved, err := a.Snapshot()
	require.NoError(t, err)
	for was, bad := range map[string]string{`"Heard":4`: `"Heard":-4`, `"Looks":"`: `"Looks":"AAAA`, `"Recent":{"Chat":"`: `"Recent":{"Chat":"AAAA`} {
		broken := strings.Replace(string(saved), was, bad, 1)
		require.NotEqual(t, string(saved), broken, was)
		assert.Error(t, learned().Restore([]byte(broken)), was)
	}
}

func TestLearnedDecides(t *testing.T) {
	now := t0
	say := func(a *Attention[int], m Message) Verdict {
		now = now.Add(20 * time.Second)
		a.Hear(now, 1, m)
		return a.Judge(now, 1)
	}
	a := learned()
	stranger := say(a, Message{From: "ann", Text: "good morning"})
	assert.Equal(t, Silent, stranger.Do)
	called := say(a, Message{From: "bob", Text: "hearth: how do i mount a disk?"})
	assert.Equal(t, Ask, called.Do)
	assert.Equal(t, []Code{WhyNamed}, called.Why)
	assert.Greater(t, called.Score, stranger.Score)
	require.NoError(t, a.Speak(now, 1, "bob: which disk is it?"))

	goesOn := say(a, Message{From: "bob", Text: "the second one, it is a usb disk"})
	assert.Equal(t, Ask, goesOn.Do, "%v", goesOn)
	toOther := say(a, Message{From: "cid", Text: "ann: good morning to you too"})
	assert.Equal(t, Silent, toOther.Do, "%v", toOther)
	assert.Less(t, toOther.Score, .1)

	private := say(a, Message{From: "dee", Text: "ok", Private: true})
	assert.Equal(t, Verdict{Do: Ask, Score: 1, Why: []Code{WhyPrivate}, Called: true, State: private.State}, private)

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

func TestLearnedOptions(t *testing.T) {
	assert.NoError(t, Learned{}.Validate())
	assert.NoError(t, Learned{Threshold: 1, Sure: .5}.Validate())
	assert.Error(t, Learned{Threshold: -1}.Validate())
	assert.Error(t, Learned{Sure: 1.5}.Validate())

	a := New[int](Options{Names: []string{"hearth"}, Policy: Learned{Threshold: .99, Sure: 0}, Seed: 1})
	a.Hear(t0, 1, Message{From: "bob", Text: "hearth: how?"})
	v := a.Judge(t0, 1)
	assert.Equal(t, Ask, v.Do, "who calls is not passed over")
	assert.False(t, Learned{Threshold: .99}.Speaks(v))
	assert.True(t, Learned{Threshold: .01}.Speaks(v))

	a = New[int](Options{Names: []string{"hearth"}, Policy: Learned{Threshold: .01, Sure: .01}, Seed: 1})
	a.Hear(t0, 1, Message{From: "bob", Text: "hearth: how?"})
	assert.Equal(t, Speak, a.Judge(t0, 1).Do)
}

// TestOnlyWhoLooksBackPays holds that other policies keep nothing, and that one set later begins from nothing.
func TestOnlyWhoLooksBackPays(t *testing.T) {
	a := New[int](Options{Names: []string{"hearth"}, Seed: 1})
	log := talk(5, 30)
	hearAll(a, log)
	assert.Nil(t, a.chats[1].recent)
	require.NoError(t, a.Configure(1, Settings{Policy: Learned{}}))
	hearAll(a, talk(6, 30))
	assert.NotNil(t, a.chats[1].recent)
}

// TestRecentIsBounded holds the size that the doc tells.
func TestRecentIsBounded(t *testing.T) {
	a := learned()
	log := talk(7, 3000)
	for i := range log {
		if i%3 == 0 && !log[i].Own {
			log[i].From = fmt.Sprint("guest", i)
		}
	}
	hearAll(a, log)
	r := a.chats[1].recent
	require.Len(t, r.chat.People, 64)
	assert.LessOrEqual(t, len(gate.SaveAll(r.looks))+len(r.chat.Save()), 26_000)
}

func TestRecalledLineIsNotLookedBackOn(t *testing.T) {
	ask := func(recall bool) float64 {
		a := learned()
		a.Hear(t0, 1, Message{ID: "1", From: "ann", Text: "hearth: how do i mount a disk?"})
		a.Judge(t0, 1)
		if recall {
			a.Recalled(t0, 1, "1")
		}
		a.Hear(t0.Add(10*time.Second), 1, Message{ID: "2", From: "ann", Text: "it is a usb disk"})
		return a.Judge(t0.Add(10*time.Second), 1).Score
	}
	assert.Greater(t, ask(false), ask(true))
}

func TestPartner(t *testing.T) {
	now := t0
	a := New[int](Options{Names: []string{"hearth"}, Policy: Partner{}, Seed: 1})
	say := func(wait time.Duration, m Message) Decision {
		now = now.Add(wait)
		a.Hear(now, 1, m)
		return a.Judge(now, 1).Do
	}
	assert.Equal(t, Silent, say(0, Message{From: "ann", Text: "hello"}))
	assert.Equal(t, Ask, say(time.Second, Message{From: "bob", Text: "hearth: hello"}))
	require.NoError(t, a.Speak(now, 1, "hello"))
	assert.Equal(t, Ask, say(time.Minute, Message{From: "bob", Text: "and another thing"}))
	assert.Equal(t, Silent, say(time.Second, Message{From: "ann", Text: "what thing"}), "not the partner")
	assert.Equal(t, Silent, say(time.Second, Message{From: "bob", Text: "ann: nothing"}), "to another")
	assert.Equal(t, Silent, say(time.Second, Message{From: "bob", Text: "nothing", To: []string{"ann"}}), "to another")
	assert.Equal(t, Silent, say(5*time.Minute, Message{From: "bob", Text: "well"}), "too late")
	assert.Error(t, Partner{Within: -1}.Validate())
}
