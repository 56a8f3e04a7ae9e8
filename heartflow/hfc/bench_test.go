package hfc

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

const sentence = "今天下午那个会到底开不开啊，我看群里 3 点说改到 4 点了，谁有 link 发一下 https://meeting.example.com/j/8829931 谢谢大家"

var worded = Options{
	Attention: heartflow.Options{
		Seed: 1, Names: []string{"小炉", "炉炉", "Hearth"}, WakeWords: []string{"喂喂", "在不在"},
		Keywords: []string{
			"空洞骑士", "火锅", "番茄锅底", "Go语言", "golang", "docker", "机器学习", "显卡", "作业", "考研", "原神", "崩铁", "猫", "年糕",
			"新番", "漫展", "声优", "手办", "telegram",
		},
	},
	Topics: []string{"空洞骑士和别的类银河恶魔城", "火锅", "摄影"},
}

// each runs fn with and without words, for the Attention alone and for the Flow in each state of the chat. The Flow
// has no other chats or 100,000 idle ones.
func each(b *testing.B, fn func(b *testing.B, observe func(time.Time, heartflow.Message), judge func(time.Time))) {
	for _, rules := range []string{"plain", "words"} {
		o := Options{Attention: heartflow.Options{Seed: 1}}
		if rules == "words" {
			o = worded
		}
		o.GlobalState.Fixed = NormalChat
		o.Forget = 1e6 * time.Hour
		o.Leave = 1e6 * time.Hour
		b.Run(rules+"/attention", func(b *testing.B) {
			a := must(heartflow.New[int64](o.Attention))
			fn(b, func(now time.Time, m heartflow.Message) { a.Observe(now, 1, m) }, func(now time.Time) { a.Judge(now, 1) })
		})
		for _, state := range []ChatState{Absent, Chatting, Focused} {
			for _, idle := range []int{0, 100_000} {
				if idle > 0 && state != Absent {
					continue
				}
				b.Run(fmt.Sprintf("%s/%v/idle=%d", rules, state, idle), func(b *testing.B) {
					f := newFlow[int64](o)
					for i := range idle {
						f.Observe(noon, int64(i)+10, heartflow.Message{ID: "1", From: "42", Text: sentence})
					}
					f.Observe(noon, 1, heartflow.Message{ID: "1", From: "42", Text: sentence})
					f.chats.setState(f.chats.byKey[1], state, tick.Of(noon), WhyJudgedIn)
					runtime.GC()
					fn(b, func(now time.Time, m heartflow.Message) { f.Observe(now, 1, m) }, func(now time.Time) { f.Judge(now, 1) })
				})
			}
		}
	}
}

// BenchmarkFlowObserve observes one message.
func BenchmarkFlowObserve(b *testing.B) {
	each(b, func(b *testing.B, observe func(time.Time, heartflow.Message), judge func(time.Time)) {
		now := noon
		m := heartflow.Message{ID: "1", From: "42", Text: sentence}
		for range 40 { // fills the batch
			observe(now, m)
		}
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			observe(now, m)
		}
	})
}

// BenchmarkFlowJudge observes and judges one message.
func BenchmarkFlowJudge(b *testing.B) {
	each(b, func(b *testing.B, observe func(time.Time, heartflow.Message), judge func(time.Time)) {
		now := noon
		m := heartflow.Message{ID: "1", From: "42", Text: sentence}
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Microsecond)
			observe(now, m)
			judge(now)
		}
	})
}

// BenchmarkMillionChats observes one message in each of a million chats within an hour, then all chats expire. It
// reports the memory of the Flow without its Attention.
func BenchmarkMillionChats(b *testing.B) {
	const chats = 1_000_000
	for b.Loop() {
		f := newFlow[int64](Options{Attention: heartflow.Options{Seed: 1, KeepTraces: -1}})
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		m := heartflow.Message{ID: "1", From: "42", Text: "早"}
		for i := range int64(chats) {
			f.Attention.Observe(noon, i, m)
		}
		before := heap()
		began := time.Now()
		for i := range int64(chats) {
			f.Observe(noon.Add(time.Duration(i)*3*time.Millisecond), i, m)
		}
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/chats, "ns/message")
		b.ReportMetric(float64(heap()-before)/chats, "B/chat")
		began = time.Now()
		f.Due(noon.Add(3 * time.Hour))
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/chats, "ns/forgotten")
		b.ReportMetric(max(float64(heap())-float64(before), 0)/chats, "B/stays")
		if len(f.chats.byKey) > 0 {
			b.Fatal("some chats were not removed")
		}
	}
}
