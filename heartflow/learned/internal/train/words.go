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

// A word has a weight only if enough labelled lines in enough logs contain it. Names of people occur in few logs,
// those of these people.
const (
	minCount = 20
	minLogs  = 15
)

// A saying is the words of one labelled line, and whether it was answered: by the person named at its start, or by
// anybody else if it names nobody.
type saying struct {
	log      *whentospeak.Log
	keys     []string
	named    bool
	answered bool
}

// sayings returns the sayings of a log. Names do not count as words.
func sayings(l *whentospeak.Log) (list []saying) {
	names := map[string]string{}
	answered := map[string][]string{} // authors of the answers
	for i := range l.Lines {
		line := &l.Lines[i]
		names[strings.ToLower(line.Sender)] = line.Sender
		for _, id := range line.ReplyTo {
			answered[id] = append(answered[id], line.Sender)
		}
	}
	for i := range l.Lines {
		line := &l.Lines[i]
		if !line.Labeled {
			continue
		}
		text := folded(line.Text)
		s := saying{log: l}
		first, _, _ := strings.Cut(text, " ")
		named := names[strings.TrimRight(first, ":,")]
		s.named = named != "" && named != line.Sender
		for _, who := range answered[line.ID] {
			s.answered = s.answered || s.named && who == named || !s.named && who != line.Sender
		}
		lookback.Tokens([]byte(text), func(where byte, word string) {
			if names[word] == "" {
				s.keys = append(s.keys, string(where)+":"+word)
			}
		})
		list = append(list, s)
	}
	return list
}

// folded folds plain English text as package heartflow does.
func folded(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// learnWords trains the weights of words by logistic regression, separately for lines that name somebody and for
// others.
func learnWords(list []saying) (lookback.Words, map[uint32]string) {
	const passes, rate, shrink = 6, .05, .05
	count, logs, last := map[string]int{}, map[string]int{}, map[string]*whentospeak.Log{}
	for _, s := range list {
		for _, k := range s.keys {
			if count[k]++; last[k] != s.log { // sayings of a log are adjacent
				last[k] = s.log
				logs[k]++
			}
		}
	}
	number := map[string]int{}
	var keys []string
	var places [][]int
	for _, s := range list {
		var p []int
		for _, k := range s.keys {
			if count[k] < minCount || logs[k] < minLogs {
				continue
			}
			if _, ok := number[k]; !ok {
				number[k] = len(keys)
				keys = append(keys, k)
			}
			p = append(p, number[k])
		}
		places = append(places, p)
	}
	var w [2][]float64
	dice := rand.New(rand.NewPCG(3, 4))
	for task := range w {
		w[task] = make([]float64, len(keys))
		squares := slices.Repeat([]float64{4}, len(keys))
		order := dice.Perm(len(list))
		for range passes {
			dice.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, o := range order {
				if list[o].named != (task == 0) {
					continue
				}
				s := 0.
				for _, k := range places[o] {
					s += w[task][k]
				}
				slope := 1 / (1 + math.Exp(-s))
				if list[o].answered {
					slope--
				}
				for _, k := range places[o] {
					g := slope + shrink*w[task][k]
					squares[k] += g * g
					w[task][k] -= rate / math.Sqrt(squares[k]) * g
				}
			}
		}
	}
	words, names := lookback.Words{}, map[uint32]string{}
	for i, k := range keys {
		words[fold.Hash(k)] = [2]float32{float32(w[0][i]), float32(w[1][i])}
		names[fold.Hash(k)] = k
	}
	return words, names
}
