package heartflow

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hearth-bot/hearth/heartflow/internal/gate"
)

func TestWorth(t *testing.T) {
	for _, tt := range []struct {
		text           string
		direct, uncall float64
	}{
		{"今天去爬山", 0, 0},
		{"几点去爬山？", 15, 15},
		{"帮我查一下", 20, 20},
		{"看看这个", 20, 0}, // weak: only where the bot is addressed
		{"你觉得好看吗？", 35, 15},
		{"豆包，帮我查一下", 0, 0},
		{"豆包子很好吃，帮我买", 20, 20},
		{"哈哈", -25, -25},
		{"ok", -25, -25},
		{"can you tell me?", 35, 35},
		{strings.Repeat("山", 39), 0, 0},
		{strings.Repeat("山", 40), 5, 5},
		{strings.Repeat("山", 120), 10, 10},
	} {
		assert.InDelta(t, tt.direct, worth(tt.text, true), 0, tt.text)
		assert.InDelta(t, tt.uncall, worth(tt.text, false), 0, tt.text)
	}
}

func TestPressure(t *testing.T) {
	for _, tt := range []struct {
		pending int
		waits   float64
		idle    float64
		want    float64
	}{
		{0, 1, 100, 0},
		{1, 4, 0, 3.125},
		{2, 4, 0, 12.5},
		{2, 4, 30, 27.5}, // nobody has spoken for as long as usual
		{4, 4, 30, 50},   // at most
		{8, 4, 0, 50 + 50*math.Log(2)/math.Log(5)},
		{20, 4, 0, 100},
		{60, 4, 0, 100},
	} {
		assert.InDelta(t, tt.want, pressure(gate.Pace{Pending: tt.pending, Idle: tt.idle, Gap: 30}, tt.waits), 1e-9, "%+v", tt)
	}
}

func TestPresence(t *testing.T) {
	for share, want := range map[float64]float64{0: 0, .25: 0, .425: 12.5, .6: 25, 1: 25} {
		assert.InDelta(t, want, presence(share), 1e-9)
	}
}

func TestNecessity(t *testing.T) {
	judge := func(n Necessity, texts ...Message) Verdict {
		a := New[int](Options{Names: []string{"小炉"}, Policy: n, Seed: 1})
		for i, m := range texts {
			a.Hear(t0.Add(time.Duration(i)*10*time.Second), 1, m)
		}
		return a.Judge(t0.Add(time.Duration(len(texts)-1)*10*time.Second), 1)
	}
	at := Message{From: "a", Text: "在", AtMe: true}
	named := Message{From: "a", Text: "小炉在"}
	chat := Message{From: "a", Text: "今天去爬山"}
	reaction := Message{From: "a", Text: "哈哈"}

	assert.Equal(t, Ask, judge(Necessity{}, at).Do)
	assert.InDelta(t, 1, judge(Necessity{}, at).Score, 0)
	assert.Equal(t, Ask, judge(Necessity{}, named).Do)
	assert.InDelta(t, .5, judge(Necessity{}, chat).Score, 0, "one message is all that the highest frequency waits for")
	assert.Equal(t, Silent, judge(Necessity{}, chat).Do)
	assert.InDelta(t, .25, judge(Necessity{}, reaction).Score, 0)
	many := []Message{chat, chat, chat, chat, chat}
	assert.Equal(t, Ask, judge(Necessity{}, many...).Do)
	assert.Equal(t, Silent, judge(Necessity{Frequency: .5}, many...).Do)
	assert.InDelta(t, .75*(50+50*math.Log(1.25)/math.Log(5))/100, judge(Necessity{Frequency: .5}, many...).Score, 1e-9)
	assert.Equal(t, Ask, judge(Necessity{Trigger: 40}, chat).Do)

	assert.Error(t, Necessity{Frequency: 1.5}.Validate())
	assert.Error(t, Necessity{Trigger: -1}.Validate())
	assert.Error(t, Necessity{Frequency: math.NaN()}.Validate())
	for _, c := range []Code{WhyRelevance, WhyContent, WhyPressure, WhyPresence, WhyNeeded, WhyNotNeeded} {
		assert.NotEqual(t, string(c), c.Text("zh"))
	}
}
