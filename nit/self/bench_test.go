package self_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

// BenchmarkWatch checks an ordinary and a long message. The baseline is strings.Contains with the same words and text.
func BenchmarkWatch(b *testing.B) {
	words := self.DefaultUrgentWords()
	for name, text := range map[string]string{"chat": "我觉得老王昨天讲的那个方案不错，周末再看看？", "long": strings.Repeat("今天天气不错, let us go out ", 60)} {
		b.Run(name, func(b *testing.B) {
			w := newWatch(b, self.WatchOptions{Names: []string{"老王", "Lao Wang"}})
			m := self.Message{Chat: "c", From: persona.Account{Platform: "qq", ID: "1"}, Text: text}
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := w.Check(t0, m); ok {
					b.Fatal("fired")
				}
			}
		})
		b.Run(name+"/bare", func(b *testing.B) {
			n := 0
			for b.Loop() {
				for _, w := range words {
					if strings.Contains(text, w) {
						n++
					}
				}
			}
			_ = fmt.Sprint(n)
		})
	}
}
