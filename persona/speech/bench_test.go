package speech

import (
	"strings"
	"testing"
)

var replies = map[string]string{
	"short": "好呀！我刚下课，等我十分钟。到了给你发消息～",
	"long":  strings.Repeat("我昨天看了你说的那部番，第一集还挺有意思的！不过节奏有点慢……你看到第几集了？(´・ω・`) 地址是 https://example.org/a?b=1。", 5),
	"latin": strings.Repeat("I read it yesterday, e.g. the part on v1.2.3. It was fine! Did you see what Mr. Smith said about it? ", 5),
}

// BenchmarkSplit compares Split with splitting at full stops only.
func BenchmarkSplit(b *testing.B) {
	for _, name := range []string{"short", "long", "latin"} {
		text := replies[name]
		b.Run(name+"/speech", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Split(text, SplitOptions{})
			}
		})
		b.Run(name+"/floor", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				strings.FieldsFunc(text, func(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '.' || r == '!' || r == '?' })
			}
		})
	}
}

func BenchmarkPick(b *testing.B) {
	source := sourceOf(strings.Split(strings.Repeat("开心 大笑,无语 尴尬,大哭 难过,生气,惊讶 震惊,", 40), ",")...)
	s := newStickers(b, source, StickerOptions{})
	b.ReportAllocs()
	for b.Loop() {
		s.Pick(b.Context(), "开心地笑")
	}
}
