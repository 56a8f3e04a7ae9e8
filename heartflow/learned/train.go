package learned

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// TrainOptions configure [Train].
type TrainOptions struct {
	Names []string // of the bot
	// Apart is the share of the days, the last ones, that the training does not see. They compare the weights; 0 means .25.
	Apart    float64
	Now      time.Time // is kept in the weights
	Source   []string  // names of the log, which are kept in the weights; nil means none
	Progress func(done, total int)
}

// TooLittleError says that a log is too small to learn from.
type TooLittleError struct {
	Days, Answers, Apart             int // in the log; Apart are the answers on the days kept apart
	NeedDays, NeedAnswers, NeedApart int
}

// Error returns what is missing.
func (e *TooLittleError) Error() string {
	return fmt.Sprintf("learned: train: the log has %d answers on %d days, %d of them on the days kept apart: it needs %d, %d and %d",
		e.Answers, e.Days, e.Apart, e.NeedAnswers, e.NeedDays, e.NeedApart)
}

func tooLittle(days, answers, apart int) error {
	return &TooLittleError{days, answers, apart, minDays, minAnswers, minTestAnswers}
}

// strengths of the prior, from the weakest.
var strengths = []float64{10, 100, 1000}

// maxFolds is the number of folds, which are days of the training.
const maxFolds = 5

// Train learns from recorded group chats how people there answer each other, and how they received what the bot said. The bot plays
// the people one after another, as in the training of the shipped weights: a message of somebody else is a case, and its target is
// whether the person answered it. A quote states the answered message. Without one it is the last message of the mentioned person,
// or else a message within three lines and two minutes that mentions nobody else: that of the person with whom the author was
// talking, or the last one. Messages that the bot answered are cases, too, if people reacted: the target is whether package
// feedback rates the answer as good.
//
// The result corrects the shipped weights: a logistic regression on top of their log odds, with a normal prior around the
// shipped weights. Folds of days choose the strength of the prior. The days kept apart compare both. Use the weights only if
// Report.Verdict is [Better].
//
// The same arguments give the same result. Train returns early only if ctx ends. It uses the last 500 000 entries of the log,
// and at most some 100 000 cases.
func Train(ctx context.Context, log []LogChat, o TrainOptions) (*Report, *Weights, error) {
	if o.Apart == 0 {
		o.Apart = .25
	}
	if !(o.Apart > 0 && o.Apart < 1) {
		return nil, nil, fmt.Errorf("learned: train: Apart %v must be from 0 to 1", o.Apart)
	}
	shipped, err := parsed()
	if err != nil {
		return nil, nil, err
	}
	r := &logReader{model: shipped, names: o.Names, progress: o.Progress}
	r.read(latest(log), o.Apart)
	if err := r.run(ctx); err != nil {
		return nil, nil, err
	}
	var training, test []trainCase
	answers, apart := 0, 0
	for _, c := range r.cases {
		if c.answer {
			answers++
		}
		if c.day >= r.apart {
			test = append(test, c)
			if c.answer {
				apart++
			}
		} else {
			training = append(training, c)
		}
	}
	if len(r.days) < minDays || answers < minAnswers || apart < minTestAnswers || answers-apart < minTestAnswers || answers == len(r.cases) {
		return nil, nil, tooLittle(len(r.days), answers, apart)
	}
	before := logit(float64(shipped.Threshold))
	strength, folded, err := chooseStrength(ctx, training, min(maxFolds, r.apart))
	if err != nil {
		return nil, nil, err
	}
	threshold := bestThreshold(slices.Concat(folded...))
	all := newFitting(training)
	w, err := all.fit(ctx, strength, nil)
	if err != nil {
		return nil, nil, err
	}
	own := all.adjustment(w)
	judged := judgeBy(test, own)
	report := &Report{
		From: r.days[0], To: r.days[len(r.days)-1], Apart: r.days[r.apart], Days: len(r.days), Chats: len(r.chats), Messages: r.messages, People: len(r.people),
		Strength: strength, Test: compare(judged, before, threshold), Verdict: verdict(judged, before, threshold, rateOf(training)),
	}
	report.Bot = compare(slices.DeleteFunc(slices.Clone(judged), func(j judgedCase) bool { return !j.c.bot }), before, threshold)
	for _, f := range folded {
		report.Folds = append(report.Folds, compare(f, before, threshold))
	}
	weights := &Weights{
		Trained: o.Now, Source: o.Source, People: slices.Sorted(maps.Keys(r.people)), Report: *report,
		threshold: float32(1 / (1 + math.Exp(-threshold))), own: own,
	}
	for _, c := range r.chats {
		weights.Chats = append(weights.Chats, c.id)
	}
	return report, weights, nil
}

// latest keeps the last entries of each chat, so that all together are few enough.
func latest(log []LogChat) []LogChat {
	total := 0
	for _, c := range log {
		total += len(c.Entries)
	}
	if total <= maxEntries {
		return log
	}
	log = slices.Clone(log)
	for i := range log {
		keep := int(float64(len(log[i].Entries)) * maxEntries / float64(total))
		log[i].Entries = log[i].Entries[len(log[i].Entries)-keep:]
	}
	return log
}

// chooseStrength returns the strength with the least log loss over the folds, and the cases of each fold with the odds of
// weights that have seen the others.
func chooseStrength(ctx context.Context, training []trainCase, folds int) (best float64, judged [][]judgedCase, err error) {
	fits := make([]*fitting, folds)
	parts := make([][]trainCase, folds)
	for k := range folds {
		var rest []trainCase
		for _, c := range training {
			if c.day%folds == k {
				parts[k] = append(parts[k], c)
			} else {
				rest = append(rest, c)
			}
		}
		fits[k] = newFitting(rest)
	}
	starts := make([][]float64, folds)
	least := math.Inf(1)
	for _, strength := range slices.Backward(strengths) {
		loss := 0.
		var list [][]judgedCase
		for k, f := range fits {
			if starts[k], err = f.fit(ctx, strength, starts[k]); err != nil {
				return 0, nil, err
			}
			j := judgeBy(parts[k], f.adjustment(starts[k]))
			for i := range j {
				loss += j[i].c.weight * logLoss(j[i].after, j[i].c.answer)
			}
			list = append(list, j)
		}
		if loss < least {
			best, least, judged = strength, loss, list
		}
	}
	return best, judged, nil
}

// judgeBy judges cases by own weights.
func judgeBy(cases []trainCase, own *lookback.Adjustment) []judgedCase {
	list := make([]judgedCase, len(cases))
	for i := range cases {
		c := &cases[i]
		list[i] = judgedCase{c, c.odds, c.odds + float64(own.Of(&c.x))}
	}
	return list
}

func rateOf(cases []trainCase) float64 {
	all, answers := 0., 0.
	for i := range cases {
		all += cases[i].weight
		if cases[i].answer {
			answers += cases[i].weight
		}
	}
	return ratio(answers, all)
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
