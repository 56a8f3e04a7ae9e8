package main

import (
	"fmt"
	"hash/fnv"
	"sort"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/gate"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A row is one point: what the gate knows, and whether the speaker answered.
type row struct {
	x      gate.Features
	answer bool
}

// A watcher is a policy that keeps what the gate would know.
type watcher struct {
	model *gate.Model
	x     *gate.Features
}

func (w watcher) LooksBack() bool      { return true }
func (w watcher) Weights() *gate.Model { return w.model }
func (w watcher) Judge(m *heartflow.Moment) heartflow.Verdict {
	m.Features(len(m.Batch)-1, w.x)
	return heartflow.Verdict{}
}

// rowsOf plays everybody in l who said enough.
func rowsOf(l *whentospeak.Log, m *gate.Model) (list []row) {
	var x gate.Features
	o := heartflow.Options{Policy: watcher{m, &x}}
	for _, who := range l.Speakers(minLabelled) {
		for d := range whentospeak.Play(l, who, o) {
			if d.Point {
				list = append(list, row{x, d.Answer})
			}
		}
	}
	return list
}

// split deals the logs out in n parts; those of one day stay together.
func split(logs []*whentospeak.Log, n int) [][]*whentospeak.Log {
	parts := make([][]*whentospeak.Log, n)
	for _, l := range logs {
		day := l.Chat
		if len(l.Lines) > 0 {
			day = l.Lines[0].Time.Format("2006-01-02")
		}
		h := fnv.New32a()
		h.Write([]byte(day + "x"))
		i := int(h.Sum32()>>7) % n
		parts[i] = append(parts[i], l)
	}
	return parts
}

// others joins all parts except for one.
func others[T any](parts [][]T, except int) (list []T) {
	for i, p := range parts {
		if i != except {
			list = append(list, p...)
		}
	}
	return list
}

type scoredRow struct {
	score  float32
	answer bool
}

// bestThreshold is where F1 is best, in the middle of the scores around it.
func bestThreshold(rows []scoredRow) float32 {
	list := append([]scoredRow(nil), rows...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	positive := 0
	for _, r := range list {
		if r.answer {
			positive++
		}
	}
	right, best, at := 0, 0., float32(.5)
	for i, r := range list {
		if r.answer {
			right++
		}
		if i+1 < len(list) && list[i+1].score == r.score {
			continue
		}
		if f := 2 * float64(right) / float64(i+1+positive); f > best {
			best, at = f, r.score
		}
	}
	return at
}

type figures struct{ p, r, f float64 }

func (f figures) String() string { return fmt.Sprintf("P %.3f  R %.3f  F1 %.4f", f.p, f.r, f.f) }

func tallyAt(rows []scoredRow, threshold float32) figures {
	var t whentospeak.Tally
	for _, r := range rows {
		if r.answer {
			t.Positive++
		}
		if r.score >= threshold {
			t.Spoken++
			if r.answer {
				t.Right++
			}
		}
	}
	return figures{t.Precision(), t.Recall(), t.F1()}
}
