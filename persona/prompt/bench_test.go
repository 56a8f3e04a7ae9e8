package prompt

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// busyScene is a group with 60 messages. 10 of them are to be answered. It has a summary and memories.
func busyScene() (persona.Profile, time.Time, Scene) {
	now := time.Date(2026, 1, 5, 20, 30, 0, 0, time.FixedZone("CST", 8*3600))
	lines := []string{
		"有人用过 Rust 吗？最近在学所有权机制，有点晕。", "哈哈哈哈", "@小炉 你觉得呢", "今天食堂的红烧肉还不错，就是排队太久了",
		"[图片]", "我把 benchmark 跑了一遍：p50 = 1.2ms, p99 = 8ms", "晚上开黑不？差一个", "那个 PR 我看了，<T> 的约束可以再松一点 & 少一次拷贝",
	}
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}
	s := Scene{Chat: chat, ChatName: "技术交流群", State: "summoned", Location: now.Location(), Budget: 8000}
	for i := range 60 {
		m := persona.Message{
			ID: fmt.Sprint(987600 + i), Chat: chat, From: fmt.Sprint(10000 + i%7), Name: []string{"张三", "李四", "王五", "小明", "阿炉🔥", "Kafka", "摸鱼王"}[i%7],
			At: now.Add(time.Duration(i-60) * 20 * time.Second), Text: lines[i%len(lines)], AtMe: i == 59,
		}
		if i%10 == 3 {
			m.ReplyTo, m.Quote = "987601", &persona.Quote{ID: "987601", From: "10001", Name: "李四", Text: "哈哈哈哈"}
		}
		if i < 50 {
			s.History = append(s.History, m)
		} else {
			s.Recent = append(s.Recent, m)
		}
	}
	s.Summary = "今天早上小明聊到了他想买新电脑，小炉建议他等等双十一。下午在群里和张三讨论了 Rust 的所有权机制，李四觉得生命周期更难。晚上大家在约开黑。"
	for i := range 6 {
		s.Memories = append(s.Memories, Memory{Text: "李四上周说过他在准备 Rust 的面试，卡在借用检查上。", Person: "李四", At: now.AddDate(0, 0, -i-1)})
	}
	s.OwnerMemories = []Memory{{Text: "主人正在学习 Rust 语言，进度 50%。", Importance: "high"}, {Text: "主人喜欢红烧肉。"}}
	return persona.Profile{Name: "小炉", Aliases: []string{"炉子"}, About: "爱看番的大学生。"}, now, s
}

func BenchmarkContext(b *testing.B) {
	p, now, s := busyScene()
	b.SetBytes(int64(len(Context(p, now, s))))
	b.ReportAllocs()
	for b.Loop() {
		_ = Context(p, now, s)
	}
}

// BenchmarkContextWhole also has all of the bot's own texts.
func BenchmarkContextWhole(b *testing.B) {
	p, now, s := busyScene()
	_, _, own := ownScene()
	s.Notes, s.InnerState, s.Mood, s.GlobalReflection, s.Planned, s.Past, s.OwnerActivity, s.Documents = own.Notes, own.InnerState, own.Mood, own.GlobalReflection, own.Planned, own.Past, own.OwnerActivity, own.Documents
	s.Wake = ownWakes(now, own)[PerformTask]
	b.SetBytes(int64(len(Context(p, now, s))))
	b.ReportAllocs()
	for b.Loop() {
		_ = Context(p, now, s)
	}
}

// BenchmarkContextOverBudget must drop half of the text.
func BenchmarkContextOverBudget(b *testing.B) {
	p, now, s := busyScene()
	s.Budget = Tokens(Context(p, now, s)) / 2
	b.ReportAllocs()
	for b.Loop() {
		_ = Context(p, now, s)
	}
}
