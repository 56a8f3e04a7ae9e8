package learned

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Verdict of a [Report] says whether own weights are better than the shipped ones.
type Verdict string

// The verdicts. All but the first mean that the shipped weights stay in use.
const (
	Better    Verdict = "better"
	NoGain    Verdict = "no_gain"    // F1 rose by less than .01, or the log loss did not fall
	Uncertain Verdict = "uncertain"  // the gain may be chance: it is absent in more than 5 of 100 bootstrap samples
	OnlyRate  Verdict = "only_rate"  // the weights know how often people answer, but not what
	AlwaysOne Verdict = "always_one" // an answer to every message would have a better F1
)

// A Report compares own weights with the shipped ones.
type Report struct {
	From, To time.Time // first days of the log and of the part kept apart; see Apart
	Apart    time.Time
	Days     int
	Chats    int
	Messages int
	People   int
	Strength float64      // of the prior, which the folds chose
	Folds    []Comparison // days of the training, each judged by weights of the other folds
	Test     Comparison   // the days kept apart
	Bot      Comparison   // of them, what the bot itself said and people rated
	Verdict  Verdict
}

// A Comparison has the scores of the shipped weights and of the own ones for the same cases.
type Comparison struct {
	Days          int
	Cases         int // decisions; without an answer, some stand for several
	Answers       int // of them with an answer
	Before, After Scores
}

// Scores sum up decisions.
type Scores struct {
	Precision, Recall, F1 float64
	LogLoss               float64 // mean
	Speaks                float64 // share of the cases with the decision to answer
}

// A judgedCase is a case with the log odds by the shipped weights and by own ones.
type judgedCase struct {
	c             *trainCase
	before, after float64
}

// A tally sums up weighted cases.
type tally struct{ all, spoken, answers, right, loss float64 }

func (t *tally) add(odds, threshold float64, c *trainCase) {
	t.all += c.weight
	t.loss += c.weight * logLoss(odds, c.answer)
	if c.answer {
		t.answers += c.weight
	}
	if odds >= threshold {
		t.spoken += c.weight
		if c.answer {
			t.right += c.weight
		}
	}
}

func (t *tally) sum(o tally) {
	t.all, t.spoken, t.answers, t.right, t.loss = t.all+o.all, t.spoken+o.spoken, t.answers+o.answers, t.right+o.right, t.loss+o.loss
}

func (t *tally) f1() float64 { return ratio(2*t.right, t.spoken+t.answers) }

func (t *tally) scores() Scores {
	return Scores{ratio(t.right, t.spoken), ratio(t.right, t.answers), t.f1(), ratio(t.loss, t.all), ratio(t.spoken, t.all)}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// compare compares both at their thresholds, in log odds.
func compare(list []judgedCase, before, after float64) (c Comparison) {
	var b, a tally
	days := map[int]bool{}
	for i := range list {
		j := &list[i]
		b.add(j.before, before, j.c)
		a.add(j.after, after, j.c)
		days[j.c.day] = true
		c.Cases++
		if j.c.answer {
			c.Answers++
		}
	}
	c.Days, c.Before, c.After = len(days), b.scores(), a.scores()
	return c
}

// bestThreshold returns the log odds with the best F1 by the own weights.
func bestThreshold(list []judgedCase) float64 {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b judgedCase) int { return cmp.Compare(b.after, a.after) })
	var t tally
	for i := range list {
		if list[i].c.answer {
			t.answers += list[i].c.weight
		}
	}
	at, best := 0., -1.
	for i := range list {
		t.spoken += list[i].c.weight
		if list[i].c.answer {
			t.right += list[i].c.weight
		}
		if i+1 < len(list) && list[i+1].after == list[i].after {
			continue
		}
		if f := t.f1(); f > best {
			at, best = list[i].after, f
		}
	}
	return min(max(at, -6), 6) // a chance that Options.Threshold can express
}

const (
	minGain   = .01
	resamples = 1000
	sure      = .95 // share of the samples with a gain
)

// verdict decides by a paired bootstrap over hours of chats. rate is the share of answers in the training.
func verdict(list []judgedCase, before, after, rate float64) Verdict {
	c := compare(list, before, after)
	share := weightedRate(list)
	always := tally{all: 1, spoken: 1, answers: share, right: share}
	switch {
	case c.After.F1-c.Before.F1 < minGain || c.After.LogLoss >= c.Before.LogLoss:
		return NoGain
	case c.After.F1 <= always.f1():
		return AlwaysOne
	}
	constant := math.Log(rate / (1 - rate))
	type block struct{ before, after, rate tally }
	var blocks []*block
	byNumber := map[int]*block{}
	for i := range list {
		j := &list[i]
		b := byNumber[j.c.block]
		if b == nil {
			b = new(block)
			byNumber[j.c.block] = b
			blocks = append(blocks, b)
		}
		b.before.add(j.before, before, j.c)
		b.after.add(j.after, after, j.c)
		b.rate.add(constant, 0, j.c)
	}
	dice := rand.New(rand.NewPCG(1, 2))
	gains, informed := 0, 0
	for range resamples {
		var b, a, r tally
		for range blocks {
			k := blocks[dice.IntN(len(blocks))]
			b.sum(k.before)
			a.sum(k.after)
			r.sum(k.rate)
		}
		if a.f1() > b.f1() && a.loss < b.loss {
			gains++
		}
		if a.loss < r.loss {
			informed++
		}
	}
	switch {
	case informed < sure*resamples:
		return OnlyRate
	case gains < sure*resamples:
		return Uncertain
	}
	return Better
}

// weightedRate returns the share of answers.
func weightedRate(list []judgedCase) float64 {
	var t tally
	for i := range list {
		t.add(0, 0, list[i].c)
	}
	return ratio(t.answers, t.all)
}
