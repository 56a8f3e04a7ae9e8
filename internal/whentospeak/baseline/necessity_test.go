package baseline

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

func TestContent_Worth(t *testing.T) {
	for _, tt := range []struct {
		text                string
		direct, unaddressed float64
	}{
		{"今天去爬山", 0, 0},
		{"几点去爬山？", 15, 15},
		{"帮我查一下", 20, 20},
		{"看看这个", 20, 0}, // weak: counts only if the bot is addressed
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
		assert.InDelta(t, tt.unaddressed, worth(tt.text, false), 0, tt.text)
	}
}

func TestPressure_Values(t *testing.T) {
	for _, tt := range []struct {
		pending int
		waits   float64
		idle    float64
		want    float64
	}{
		{0, 1, 100, 0},
		{1, 4, 0, 3.125},
		{2, 4, 0, 12.5},
		{2, 4, 30, 27.5}, // a silence longer than usual
		{4, 4, 30, 50},   // the maximum
		{8, 4, 0, 50 + 50*math.Log(2)/math.Log(5)},
		{20, 4, 0, 100},
		{60, 4, 0, 100},
	} {
		assert.InDelta(t, tt.want, pressure(lookback.Pace{Pending: tt.pending, Idle: tt.idle, Gap: 30}, tt.waits), 1e-9, "%+v", tt)
	}
}

func TestPresence_Values(t *testing.T) {
	for share, want := range map[float64]float64{0: 0, .25: 0, .425: 12.5, .6: 25, 1: 25} {
		assert.InDelta(t, want, presence(share), 1e-9)
	}
}

func TestNecessity_Judge(t *testing.T) {
	judge := func(o NecessityOptions, texts ...heartflow.Message) heartflow.Verdict {
		n, err := NewNecessity(o)
		require.NoError(t, err)
		a, err := heartflow.New[int](heartflow.Options{Names: []string{"小炉"}, Policy: n, Seed: 1})
		require.NoError(t, err)
		for i, m := range texts {
			a.Observe(t0.Add(time.Duration(i)*10*time.Second), 1, m)
		}
		return a.Judge(t0.Add(time.Duration(len(texts)-1)*10*time.Second), 1)
	}
	at := heartflow.Message{From: "a", Text: "在", AtMe: true}
	named := heartflow.Message{From: "a", Text: "小炉在"}
	chat := heartflow.Message{From: "a", Text: "今天去爬山"}
	reaction := heartflow.Message{From: "a", Text: "哈哈"}

	assert.Equal(t, heartflow.Ask, judge(NecessityOptions{}, at).Do)
	assert.InDelta(t, 1, judge(NecessityOptions{}, at).Score, 0)
	assert.Equal(t, heartflow.Ask, judge(NecessityOptions{}, named).Do)
	assert.InDelta(t, .5, judge(NecessityOptions{}, chat).Score, 0, "one message is enough at the highest frequency")
	assert.Equal(t, heartflow.Silent, judge(NecessityOptions{}, chat).Do)
	assert.InDelta(t, .25, judge(NecessityOptions{}, reaction).Score, 0)
	many := []heartflow.Message{chat, chat, chat, chat, chat}
	assert.Equal(t, heartflow.Ask, judge(NecessityOptions{}, many...).Do)
	assert.Equal(t, heartflow.Silent, judge(NecessityOptions{Frequency: .5}, many...).Do)
	assert.InDelta(t, .75*(50+50*math.Log(1.25)/math.Log(5))/100, judge(NecessityOptions{Frequency: .5}, many...).Score, 1e-9)
	assert.Equal(t, heartflow.Ask, judge(NecessityOptions{Trigger: 40}, chat).Do)

	for _, bad := range []NecessityOptions{{Frequency: 1.5}, {Trigger: -1}, {Frequency: math.NaN()}} {
		_, err := NewNecessity(bad)
		assert.Error(t, err)
	}
	for _, c := range []heartflow.Code{WhyRelevance, WhyContent, WhyPressure, WhyPresence, WhyNeeded, WhyNotNeeded} {
		assert.NotEqual(t, string(c), c.Text("zh"))
	}
}
