package feedback_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// phrases are the phrasings of one file by kind.
type phrases map[string][]string

func readPhrases(t testing.TB, name string) phrases {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	p := phrases{}
	for in := bufio.NewScanner(f); in.Scan(); {
		if kind, text, ok := strings.Cut(in.Text(), " | "); ok && !strings.HasPrefix(kind, "#") {
			p[kind] = append(p[kind], text)
		}
	}
	for _, kind := range []string{"answer", "laugh", "praise", "complaint", "chatter"} {
		require.NotEmpty(t, p[kind], kind)
	}
	return p
}

// labels are what an episode may be about; "" is a chat that has nothing to say.
var labels = []heartflow.Code{
	feedback.Answered, feedback.Quoted, feedback.Laughed, feedback.Praised, feedback.Complained, feedback.Deleted, feedback.Muted, feedback.TalkedOver, feedback.Ignored, "",
}

// play plays one episode: others talk, the bot joins in or answers, and then people do what the label says between messages of others
// that have nothing to do with it.
func play(t testing.TB, p phrases, label heartflow.Code, dice *rand.Rand) feedback.Rating[int] {
	t.Helper()
	f, err := feedback.New[int](feedback.Options{})
	require.NoError(t, err)
	now := time.Date(2026, 11, 1, 20, 0, 0, 0, time.UTC)
	pick := func(kind string) string { return p[kind][dice.IntN(len(p[kind]))] }
	people := []string{"ann", "bob", "cid", "dan"}
	n := 100
	says := func(m feedback.Message) {
		n++
		f.Observe(now, 1, m)
	}
	// chatter is a message of somebody who does not mean the bot. Half of it answers somebody else.
	chatter := func() {
		m := feedback.Message{From: people[dice.IntN(len(people))], Text: pick("chatter")}
		switch dice.IntN(4) {
		case 0:
			m.ToOthers = true
		case 1:
			m.QuoteID = fmt.Sprint(dice.IntN(n - 1))
			m.ToOthers = true
		}
		says(m)
	}
	wait := func(low, high float64) {
		now = now.Add(time.Duration((low + dice.Float64()*(high-low)) * float64(time.Second)))
	}
	for range dice.IntN(5) {
		chatter()
		wait(2, 40)
	}
	said := feedback.Said{ID: "said"}
	if dice.IntN(2) == 0 {
		said.To = "ann"
	}
	f.Said(now, 1, said)
	if dice.IntN(3) == 0 {
		wait(1, 5)
		f.Said(now, 1, feedback.Said{ID: "said2"})
	}
	reacts := func(kind string) {
		m := feedback.Message{From: people[dice.IntN(len(people))], Text: pick(kind)}
		if said.To != "" && dice.IntN(2) == 0 {
			m.From = said.To
		}
		switch dice.IntN(3) {
		case 0:
			m.QuoteID, m.ToMe = "said", true
		case 1:
			m.ToMe = true
		}
		before := 0
		if m.ToMe {
			before = dice.IntN(4) // it is addressed, and may come late
		}
		for range before {
			wait(1, 20)
			chatter()
		}
		wait(2, 20)
		says(m)
	}
	after := dice.IntN(8)
	switch label {
	case feedback.Answered:
		reacts("answer")
	case feedback.Quoted:
		wait(2, 60)
		says(feedback.Message{From: people[dice.IntN(4)], Text: pick("answer"), QuoteID: "said", ToMe: true})
	case feedback.Laughed:
		reacts("laugh")
	case feedback.Praised:
		reacts("praise")
	case feedback.Complained:
		reacts("complaint")
	case feedback.Deleted:
		wait(2, 60)
		f.Deleted(now, 1, "said")
	case feedback.Muted:
		wait(2, 60)
		f.Muted(now, 1)
	case feedback.TalkedOver:
		for range 2 + dice.IntN(3) {
			wait(1, 3)
			says(feedback.Message{From: people[dice.IntN(len(people))], Text: pick("chatter"), ToOthers: true})
		}
		after = 3
	case feedback.Ignored:
		wait(61, 90)
		after = 3 + dice.IntN(6)
	case "":
		after = dice.IntN(2)
		wait(61, 90)
	}
	for range after {
		chatter()
		wait(10, 60)
	}
	all := f.Due(now.Add(time.Hour))
	require.Len(t, all, 1)
	return all[0]
}

// agrees reports whether a rating is what the label says. A quote that answers is an answer, too.
func agrees(r feedback.Rating[int], label heartflow.Code) bool {
	switch {
	case label == "":
		return len(r.Signals) == 0
	case label == feedback.Answered:
		return r.Score > 0 && !r.Has(feedback.Laughed) && !r.Has(feedback.Praised)
	}
	return r.Has(label)
}

// The ratings agree with what people did in generated episodes, with words that the lists were made with and with words of somebody
// else.
func TestTracker_Episodes(t *testing.T) {
	for file, least := range map[string]float64{"tuning.txt": .9, "unseen.txt": .8} {
		t.Run(file, func(t *testing.T) {
			p := readPhrases(t, file)
			dice := rand.New(rand.NewPCG(1, 2))
			right, all := map[heartflow.Code]int{}, 0
			const each = 500
			for _, label := range labels {
				for range each {
					if agrees(play(t, p, label, dice), label) {
						right[label]++
						all++
					}
				}
			}
			for _, label := range labels {
				t.Logf("%-15s %.3f", label, float64(right[label])/each)
			}
			mean := float64(all) / float64(each*len(labels))
			t.Logf("agreement %.3f", mean)
			assert.GreaterOrEqual(t, mean, least)
		})
	}
}
