package expressions_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/memory/internal/groupslang"
)

// BenchmarkLearn learns one group of four, 2,250 messages of three weeks, with the corpus of all.
func BenchmarkLearn(b *testing.B) {
	w := groupslang.New(groupslang.Options{Seed: 1, Phrasings: groupslang.Tuning()})
	var corpus expressions.Corpus
	for _, g := range w.Groups {
		corpus.Add(messagesOf(g, learned))
	}
	messages := messagesOf(w.Groups[0], learned)
	b.ReportAllocs()
	for b.Loop() {
		expressions.Learn(learned, messages, expressions.Options{Corpus: &corpus})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(messages)), "ns/message")
}

func BenchmarkFit(b *testing.B) {
	w := groupslang.New(groupslang.Options{Seed: 1, Phrasings: groupslang.Tuning()})
	all := expressions.Learn(learned, messagesOf(w.Groups[0], learned), expressions.Options{})
	talk := []string{"我考上了", "晚上去哪吃", "今天又敲木鱼了", "哈哈哈哈笑死"}
	b.ReportAllocs()
	for b.Loop() {
		expressions.Fit(learned, all, talk, 4)
	}
}
