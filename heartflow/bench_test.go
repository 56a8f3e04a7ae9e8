package heartflow

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BenchmarkJudge observes and judges one message. It uses no words, 24 words in a Chinese sentence, or a mention. It
// runs without other chats and with 100,000 idle ones.
func BenchmarkJudge(b *testing.B) {
	words := Options{
		Names: []string{"小炉", "炉炉", "Hearth"}, WakeWords: []string{"喂喂", "在不在"},
		Keywords: []string{
			"空洞骑士", "火锅", "番茄锅底", "Go语言", "golang", "docker", "机器学习", "显卡", "作业", "考研", "原神", "崩铁", "猫", "年糕",
			"新番", "漫展", "声优", "手办", "telegram",
		},
	}
	const text = "今天下午那个会到底开不开啊，我看群里 3 点说改到 4 点了，谁有 link 发一下 https://meeting.example.com/j/8829931 谢谢大家"
	for _, bench := range []struct {
		name string
		o    Options
		m    Message
	}{
		{"plain", Options{}, Message{ID: "1", From: "42", Text: text}},
		{"words", words, Message{ID: "1", From: "42", Text: text}},
		{"called", words, Message{ID: "1", From: "42", Text: text, AtMe: true}},
	} {
		for _, idle := range []int{0, 100_000} {
			b.Run(fmt.Sprintf("%s/idle=%d", bench.name, idle), func(b *testing.B) {
				a := newAttention[int64](bench.o)
				for i := range idle {
					a.Observe(t0, int64(i)+10, bench.m)
					a.Judge(t0, int64(i)+10)
				}
				now := t0.Add(time.Hour) // idle: their turns have expired
				a.Due(now)
				runtime.GC()
				b.ReportAllocs()
				for b.Loop() {
					now = now.Add(time.Second)
					a.Observe(now, 1, bench.m)
					a.Judge(now, 1)
				}
			})
		}
	}
}

// BenchmarkInterject judges a batch of five messages in an Active chat, with partner, topic and draw.
func BenchmarkInterject(b *testing.B) {
	a := newAttention[int64](Options{Policy: Interject{}})
	now := t0
	a.Observe(now, 1, Message{From: "42", AtMe: true, Text: "你玩过空洞骑士吗"})
	a.Judge(now, 1)
	if err := a.Speak(now, 1, "空洞骑士我通关了，螳螂领主很难"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Microsecond) // stays Active
		if now.Sub(t0) > time.Minute {
			now = t0
		}
		for range 5 {
			a.Observe(now, 1, Message{From: "7", Text: "明天谁去爬山，几点在哪里集合"})
		}
		a.Judge(now, 1)
	}
}

// BenchmarkWords searches one sentence for seven words, and 16 KiB of the worst case.
func BenchmarkWords(b *testing.B) {
	l, err := newLexicon([]string{"小炉", "炉炉", "Hearth"}, []string{"喂喂"}, []string{"火锅", "Go语言", "docker"})
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"worst":   strings.Repeat("@hearth,", maxSearched/8),
		"chinese": "今天下午那个会到底开不开啊，我看群里说改到四点了，谁有链接发一下谢谢大家",
		"english": "is the meeting on this afternoon or was it moved, somebody said four o'clock, please send a link",
		"hit":     "今天下午那个会到底开不开啊，小炉你知道吗，我看群里说改到四点了",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				l.find(text, name != "worst")
			}
		})
	}
}
