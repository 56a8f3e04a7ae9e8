package learned

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/learned/internal/synthetic"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// chineseChat writes a group chat, and the index of the message that each one answers.
func chineseChat(p synthetic.Phrases, shape synthetic.Shape, seed uint64) (c LogChat, answers []int) {
	c.ID = fmt.Sprint(seed)
	for i, l := range synthetic.Chat(p, shape, seed, t0) {
		e := LogEntry{Name: "名" + l.From, Message: heartflow.Message{ID: fmt.Sprint("m", i), From: l.From, Text: l.Text, At: l.At}}
		if l.To != "" {
			e.Addressees = []string{l.To}
		}
		c.Entries, answers = append(c.Entries, e), append(answers, l.Answers)
	}
	return c, answers
}

// A chineseResult has the scores of decisions about generated groups.
type chineseResult struct{ shipped, own, partner, mention Scores }

// measureChinese judges the last days of generated groups by their known answers. The own weights have seen the other days, without
// the known answers.
func measureChinese(t *testing.T, p synthetic.Phrases, shape synthetic.Shape, seed uint64, train bool) chineseResult {
	model := must(parsed())
	var log []LogChat
	var answers [][]int
	for n := range uint64(2) {
		chat, a := chineseChat(p, shape, seed+n)
		log, answers = append(log, chat), append(answers, a)
	}
	r := &logReader{model: model}
	r.read(log, .25)
	for i, c := range r.chats {
		c.answers = answers[i]
	}
	require.NoError(t, r.run(t.Context()))
	w := &Weights{}
	if train {
		var err error
		_, w, err = Train(t.Context(), log, TrainOptions{})
		require.NoError(t, err)
	}
	var shipped, own, partner, mention tally
	for i := range r.cases {
		c := &r.cases[i]
		if c.day < r.apart {
			continue
		}
		called := c.x.Kind() == lookback.Called
		with, toOthers := c.x.Mine(300)
		shipped.add(c.odds, logit(float64(model.Threshold)), c)
		if train {
			own.add(c.odds+float64(w.own.Of(&c.x)), logit(float64(w.threshold)), c)
		}
		mention.add(oddsOf(called), 0, c)
		partner.add(oddsOf(called || with && !toOthers), 0, c)
	}
	return chineseResult{shipped.scores(), own.scores(), partner.scores(), mention.scores()}
}

// oddsOf returns log odds for a rule without chances.
func oddsOf(speak bool) float64 {
	if speak {
		return 1
	}
	return -1
}

// In generated groups people mention nobody, as a rule. The shipped weights are better there than simple rules, with phrases, seeds
// and a kind of group that they were not trained on.
func TestTrain_ChineseGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("training takes a while with the race detector")
	}
	busy := synthetic.Shape{Members: 20, Days: 4, Scenes: 60, Mention: 4, Aside: 2, Slow: 2, Overlap: 2}
	for _, tt := range []struct {
		name    string
		phrases synthetic.Phrases
		shape   synthetic.Shape
		seed    uint64
		train   bool
	}{
		{"unseen phrases", synthetic.Unseen, synthetic.Usual, 0, true},
		{"unseen phrases, other seeds", synthetic.Unseen, synthetic.Usual, 100, false},
		{"unseen phrases, a busy group", synthetic.Unseen, busy, 0, false},
		{"phrases of the training", synthetic.Tuned, synthetic.Usual, 0, false},
	} {
		r := measureChinese(t, tt.phrases, tt.shape, tt.seed, tt.train)
		t.Logf("%s: F1: own %.3f, shipped %.3f, partner rule %.3f, mention rule %.3f", tt.name, r.own.F1, r.shipped.F1, r.partner.F1, r.mention.F1)
		assert.Greater(t, r.shipped.F1, r.partner.F1+.05)
		assert.Greater(t, r.shipped.F1, r.mention.F1+.3)
		if tt.train {
			assert.Greater(t, r.own.F1, r.shipped.F1-.05)
		}
	}
}

// In a group whose people name nobody, the bot goes on with the person whom it has just answered rather than with others.
func TestPolicy_ContinuesWithoutNames(t *testing.T) {
	for _, p := range []synthetic.Phrases{synthetic.Tuned, synthetic.Unseen} {
		score := func(author, text string) float64 {
			a := must(heartflow.New[int](heartflow.Options{Names: []string{"小炉"}, Policy: policy(Options{}), Seed: 1}))
			at := t0
			hear := func(from, text string) heartflow.Verdict {
				at = at.Add(12 * time.Second)
				a.Observe(at, 1, heartflow.Message{From: from, Text: text, At: at})
				return a.Judge(at, 1)
			}
			for i := range 12 {
				hear(fmt.Sprint(31001+i%2), p.Chats[i%len(p.Chats)])
			}
			at = at.Add(4 * time.Minute)
			a.Observe(at, 1, heartflow.Message{ID: "q", From: "31003", Text: p.Questions[0], AtMe: true, At: at})
			a.Judge(at, 1)
			at = at.Add(10 * time.Second)
			a.Observe(at, 1, heartflow.Message{ID: "a", Own: true, QuoteID: "q", Text: p.Replies[0], At: at})
			return hear(author, text).Score
		}
		for _, text := range slices.Concat(p.FollowUps, p.Statements) {
			partner, other := score("31003", text), score("31001", text)
			assert.Greater(t, partner, .6, text)
			assert.Less(t, other, partner-.15, text)
		}
	}
}
