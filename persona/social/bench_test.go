package social_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// An instantModel answers each task at once and keeps no prompts.
type instantModel struct{}

func (instantModel) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	parts := messages[len(messages)-1].Parts
	text := "好的，知道了。"
	if scene, ok := parts[0].(llms.TextContent); ok && planning(scene.Text) {
		text = `{"action": "text_reply", "reasoning": "有人叫我"}`
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop"}}}, nil
}

func (m instantModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func planning(scene string) bool {
	return strings.Contains(scene[max(0, len(scene)-2000):], "## 现在：决定\n")
}

// topics of conversation.
var topics = []string{
	"今天食堂的红烧肉", "昨晚那场球", "新出的显卡", "楼下的猫", "下周的考试", "Rust 的所有权", "周末去爬山", "外卖又迟到了", "这个编译错误", "地铁上的人",
	"你推荐的番", "老师布置的作业", "洗衣机坏了", "奶茶第二杯半价", "隔壁在装修", "数据库的索引", "我妈寄的橘子", "路由器老掉线", "那家面馆关门了", "毕业照什么时候拍",
	"五点的会议", "梅雨季节", "坏掉的键盘", "演唱会的票", "深夜的便利店", "健身房的年卡", "开源许可证", "牙疼", "搬家的箱子", "旧手机的照片",
}

// BenchmarkTurn measures a whole turn except the model's time: a message is received, journaled, indexed, judged and
// claimed; its scene with fifty turns of history and recalled memories is built and read by a model that answers at
// once; the reply is committed, sent, and journaled with its result. The store is in memory and grows.
func BenchmarkTurn(b *testing.B) {
	for name, change := range map[string]func(*social.Options){
		"one":   func(*social.Options) {},
		"three": threeCalls,
		"parts": func(o *social.Options) {
			o.Reply.Speech = &social.Speech{}
			o.Reply.Speech.Pace.Max = 1
		},
	} {
		b.Run(name, func(b *testing.B) {
			f, said := fake(), make(chan struct{}, 8)
			f.onSend = func(context.Context) error { said <- struct{}{}; return nil }
			o := social.Options{
				Profile: persona.Profile{Name: "小炉", About: "爱坐在炉边的人"}, Model: instantModel{}, Link: f, Storage: social.Storage{Store: memory.NewMemStore()},
				When: social.When{Buffer: buffer.Options{UrgentDelay: -1}},
			}
			o.When.Attention = heartflow.Options{
				Seed: 1, Caps: heartflow.Caps{Window: 1, Consecutive: 1 << 20}, Staleness: heartflow.Staleness{RepeatWindow: -1},
				Budget: newBudget(heartflow.BudgetOptions{HourTokens: -1, DayTokens: -1}),
			}
			change(&o)
			bot, err := social.New(o)
			require.NoError(b, err)
			ctx, stop := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- bot.Run(ctx) }()
			r := rand.New(rand.NewPCG(1, 1))
			turn := func(i int) {
				text := fmt.Sprintf("小炉，%s%s%d 号%s", topics[r.IntN(len(topics))], topics[r.IntN(len(topics))], r.IntN(1000), topics[r.IntN(len(topics))])
				f.events <- newMessage(fmt.Sprint("m", i), fmt.Sprint("u", i%7), text)
				<-said
			}
			n := 0
			for range 60 { // some history
				n++
				turn(n)
			}
			b.ReportAllocs()
			for b.Loop() {
				n++
				turn(n)
			}
			stop()
			require.NoError(b, <-ended)
		})
	}
}
