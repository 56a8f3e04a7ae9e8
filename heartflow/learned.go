package heartflow

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/heartflow/internal/gate"
)

// Learned decides by weights that were learned from group chat, without a model: its score is the chance that the bot,
// being who it has been in this chat so far, would answer. It looks at whom the message is said to, whether it goes on
// with what the bot said or with a talk in which the bot has part, how long ago that was, who else talks with its author,
// its words, and how readily the bot answers here. The score of a batch is that of its likeliest message; in private it
// is 1.
//
// Below Threshold the verdict is Silent, from there on Ask, and from Sure on Speak. A batch that calls is asked about in
// any case, so that nobody is passed over by a number; [Learned.Speaks] says what Learned does where no model can be
// asked. The zero value is ready.
//
// The weights are made from a channel of technical help in English. Chinese questions, thanks and short reactions
// count as their English kin do, which is a guess: nothing was there to measure it on. Whoever has logs of their own
// with answers marked can learn others (see the package's internal/train).
type Learned struct {
	Threshold float64 // from 0 to 1; 0 means the one with the best F1 score in cross-validation, about .3
	Sure      float64 // from this score on only what to say is open; 0: a model is always asked
}

// LooksBack has the Attention keep the last lines of a chat.
func (Learned) LooksBack() bool { return true }

// Validate refuses what is no chance.
func (g Learned) Validate() error {
	if !(min(g.Threshold, g.Sure) >= 0 && max(g.Threshold, g.Sure) <= 1) {
		return errors.New("heartflow: Threshold and Sure of Learned are chances, from 0 to 1")
	}
	return nil
}

// Speaks reports whether a verdict of g means to speak where no model can be asked.
func (g Learned) Speaks(v Verdict) bool { return v.Score >= g.threshold() }

func (g Learned) threshold() float64 { return cmp.Or(g.Threshold, float64(builtin().Threshold)) }

// Judge implements [Policy].
func (g Learned) Judge(m *Moment) Verdict {
	best, at := float32(-1), -1
	for i := range m.looks {
		if m.Batch[i].look != 0 && len(m.looks) > 1 {
			if p := builtin().Score(&m.looks[i]); p > best {
				best, at = p, i
			}
		} else if m.Batch[i].look != 0 {
			at = i
		}
	}
	v := Verdict{Why: onlyNotCalled}
	if at >= 0 {
		best, v.Why = m.explain(&m.looks[at])
		v.Score = float64(best)
	}
	if m.Called && slices.Contains(m.Calls, WhyPrivate) {
		v.Score = 1
	}
	threshold := g.threshold()
	pass := m.Gate(Gate{Code: WhyLikely, Value: v.Score, Threshold: threshold, Pass: v.Score >= threshold})
	switch {
	case pass && v.Score >= cmp.Or(g.Sure, 2):
		v.Do = Speak
	case pass || m.Called:
		v.Do = Ask
	case m.Stale:
		v.Why = onlyStale
	}
	if m.Called {
		v.Why = m.Calls
	}
	return v
}

//go:embed weights.txt
var weights string

// builtin returns the weights that come with the package, which are read once.
var builtin = sync.OnceValue(func() *gate.Model {
	m, err := gate.Parse(weights)
	if err != nil {
		panic(err) // a test reads them
	}
	return m
})
