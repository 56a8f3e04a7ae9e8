package main

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A row is one decision: its features, and whether the speaker answered.
type row struct {
	x      lookback.Features
	answer bool
	weight float32
	of     origin
}

// An origin says where a row is from.
type origin uint8

const (
	corpus   origin = iota
	variants        // of the corpus
	made            // a generated group
)

// A watcher is a policy that copies the features of the newest message to x.
type watcher struct {
	lookback.Source
	x *lookback.Features
}

func (w watcher) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	if seen := lookback.ViewOf(m).Messages; len(seen) > 0 && seen[len(seen)-1].Known {
		*w.x = seen[len(seen)-1].Features
	}
	return heartflow.Verdict{}
}

// rowsOf plays all speakers of l with enough messages.
func rowsOf(l *whentospeak.Log, m *lookback.Model, min int) (list []row, err error) {
	var x lookback.Features
	o := heartflow.Options{Policy: watcher{lookback.NewSource(m), &x}}
	for _, who := range l.Speakers(min) {
		decisions, err := whentospeak.Play(l, who, o)
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", who, l.Chat, err)
		}
		for d := range decisions {
			if d.Point {
				list = append(list, row{x, d.Answer, 1, corpus})
			}
		}
	}
	return list, nil
}

// split distributes the logs over the folds. Logs of one day stay together.
func split(logs []*whentospeak.Log) (parts [folds][]*whentospeak.Log) {
	for _, l := range logs {
		day := l.Chat
		if len(l.Lines) > 0 {
			day = l.Lines[0].Time.Format("2006-01-02")
		}
		h := fnv.New32a()
		h.Write([]byte(day + "x"))
		i := int(h.Sum32()>>7) % folds
		parts[i] = append(parts[i], l)
	}
	return parts
}

// others joins all parts except one.
func others[T any](parts [folds][]T, except int) []T {
	return slices.Concat(slices.Concat(parts[:except], parts[except+1:])...)
}
