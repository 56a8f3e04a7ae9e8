package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/fold"
	"github.com/hearth-bot/hearth/internal/lookback"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A study is a labelled line with its candidates.
type study struct {
	places [][]int32
	gold   []bool // the correct candidates
}

// studyLog returns the studies of a log, without a bot in it.
func studyLog(l *whentospeak.Log) (list []study) {
	var chat lookback.Chat
	at := map[string]int{}
	for i := range l.Lines {
		line := &l.Lines[i]
		at[line.ID] = i
		text := lookback.Analyze([]byte(folded(line.Text)), nil)
		places := chat.Study(&lookback.Input{At: line.Time.Unix(), From: fold.Hash(strings.ToLower(line.Sender)), Line: -1, Text: &text})
		if !line.Labeled {
			continue
		}
		s := study{places: places, gold: make([]bool, len(places))}
		found := false
		for _, id := range line.ReplyTo {
			if j, ok := at[id]; ok && j < i && i-j < len(places) {
				s.gold[i-j-1], found = true, true
			}
		}
		if !found { // none, or too far back, which counts as none
			s.gold[len(places)-1] = true
		}
		list = append(list, s)
	}
	return list
}

// learnLinks trains the weights by gradient descent with AdaGrad steps, and averages them over the last passes.
func learnLinks(studies []study) []float32 {
	const passes, rate, shrink = 6, .15, 1e-5
	w := make([]float64, lookback.LinkWeights)
	squares := slices.Repeat([]float64{1}, len(w))
	sum := make([]float32, len(w))
	dice := rand.New(rand.NewPCG(1, 2))
	order := dice.Perm(len(studies))
	var p []float64
	for pass := range passes {
		dice.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, o := range order {
			s := &studies[o]
			p = softmax(p[:0], s.places, w)
			gold := 0.
			for i, g := range s.gold {
				if g {
					gold += p[i]
				}
			}
			for i, places := range s.places {
				slope := p[i]
				if s.gold[i] {
					slope -= p[i] / gold
				}
				if math.Abs(slope) < 1e-4 {
					continue
				}
				for _, k := range places {
					g := slope + shrink*w[k]
					squares[k] += g * g
					w[k] -= rate / math.Sqrt(squares[k]) * g
				}
			}
		}
		if pass >= passes/2 {
			for i := range w {
				sum[i] += float32(w[i] / (passes - passes/2))
			}
		}
	}
	return sum
}

func softmax(p []float64, places [][]int32, w []float64) []float64 {
	best := math.Inf(-1)
	for _, list := range places {
		s := 0.
		for _, k := range list {
			s += w[k]
		}
		p = append(p, s)
		best = max(best, s)
	}
	sum := 0.
	for i := range p {
		p[i] = math.Exp(p[i] - best)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
