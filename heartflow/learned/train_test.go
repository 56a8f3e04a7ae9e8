package learned

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// A group writes a synthetic log.
type group struct {
	chat LogChat
	dice *rand.Rand
	at   time.Time
}

var (
	questions = []string{"这个怎么装", "有人知道几点开门吗", "硬盘挂不上怎么办", "晚上吃什么呢", "谁有昨天的笔记", "这题怎么做啊"}
	replies   = []string{"你试试重启", "九点", "看说明书第三页", "我发你", "先拔掉再插上", "问老师吧"}
	chatter   = []string{"今天好冷", "刚下班", "哈哈哈", "猫又上桌了", "周末去爬山", "下雨了", "困", "食堂涨价了"}
)

func (g *group) say(from string, text string, wait int) {
	g.at = g.at.Add(time.Duration(wait+g.dice.IntN(wait+1)) * time.Second)
	g.chat.Entries = append(g.chat.Entries, LogEntry{Name: "名" + from, Message: heartflow.Message{
		ID: fmt.Sprint("m", len(g.chat.Entries)), From: from, Text: text, At: g.at,
	}})
}

func (g *group) pick(list []string) string { return list[g.dice.IntN(len(list))] }

// helpers writes a group in which nobody mentions anybody: two people answer each question at once, and nothing else is answered.
func helpers(days int) []LogChat {
	g := &group{chat: LogChat{ID: "714285"}, dice: rand.New(rand.NewPCG(5, 5))}
	for day := range days {
		g.at = t0.AddDate(0, 0, day)
		for range 40 {
			asker := fmt.Sprint(31003 + g.dice.IntN(4))
			if g.dice.IntN(2) == 0 {
				g.say(asker, g.pick(questions), 200)
				g.say(fmt.Sprint(31001+g.dice.IntN(2)), g.pick(replies), 10)
			} else {
				g.say(asker, g.pick(chatter), 200)
			}
		}
	}
	return []LogChat{g.chat}
}

// noise writes a group whose people write at random times, whatever the others wrote.
func noise(days int) []LogChat {
	g := &group{chat: LogChat{ID: "714285"}, dice: rand.New(rand.NewPCG(7, 7))}
	for day := range days {
		g.at = t0.AddDate(0, 0, day)
		for range 80 {
			list := [][]string{questions, replies, chatter}[g.dice.IntN(3)]
			g.say(fmt.Sprint(31001+g.dice.IntN(6)), g.pick(list), 60)
		}
	}
	return []LogChat{g.chat}
}

func train(t *testing.T, log []LogChat) (*Report, *Weights) {
	t.Helper()
	r, w, err := Train(context.Background(), log, TrainOptions{Names: []string{"小炉"}, Now: t0})
	require.NoError(t, err)
	return r, w
}

func TestTrain_LearnsTheHabitsOfAGroup(t *testing.T) {
	r, w := train(t, helpers(8))
	t.Logf("%+v", *r)
	assert.Equal(t, Better, r.Verdict)
	assert.Greater(t, r.Test.After.F1, r.Test.Before.F1+.05)
	assert.Less(t, r.Test.After.LogLoss, r.Test.Before.LogLoss)
	assert.Equal(t, []string{"31001", "31002", "31003", "31004", "31005", "31006"}, w.People)
	assert.Equal(t, []string{"714285"}, w.Chats)
	again, same := train(t, helpers(8))
	assert.Equal(t, r, again)
	assert.Equal(t, w, same)
}

func TestTrain_Noise(t *testing.T) {
	r, _ := train(t, noise(8))
	t.Logf("%+v", *r)
	assert.NotEqual(t, Better, r.Verdict)
}

// liked writes a group in which the bot answers people of its own accord: its answers to some are welcome, those to the others not.
func liked(days int) []LogChat {
	g := &group{chat: LogChat{ID: "714285"}, dice: rand.New(rand.NewPCG(9, 9))}
	for day := range days {
		g.at = t0.AddDate(0, 0, day)
		for range 40 {
			asks := g.dice.IntN(2) == 0
			text, reaction := g.pick(chatter), "别插嘴，安静"
			if asks {
				text, reaction = g.pick(questions), "谢谢，好用"
			}
			asker := fmt.Sprint(31003 + g.dice.IntN(4))
			g.say(asker, text, 200)
			g.say("20001", g.pick(replies), 5)
			g.chat.Entries[len(g.chat.Entries)-1].Own = true
			g.say(asker, reaction, 5)
			g.chat.Entries[len(g.chat.Entries)-1].QuoteID = g.chat.Entries[len(g.chat.Entries)-2].Message.ID
		}
	}
	return []LogChat{g.chat}
}

func TestTrain_LearnsFromReactions(t *testing.T) {
	r, w := train(t, liked(8))
	assert.NotContains(t, w.People, "20001")
	assert.Equal(t, Better, r.Verdict)
	assert.Positive(t, r.Bot.Cases)
	assert.Greater(t, r.Bot.After.F1, .9)
	assert.Greater(t, r.Bot.After.Precision, r.Bot.After.Speaks, "it does not always speak")
}

func TestTrain_TooLittle(t *testing.T) {
	for _, log := range [][]LogChat{nil, {{ID: "1"}}, helpers(3), {{ID: "1", Entries: helpers(8)[0].Entries[:0]}}} {
		_, _, err := Train(t.Context(), log, TrainOptions{})
		var little *TooLittleError
		require.ErrorAs(t, err, &little)
		assert.ErrorContains(t, err, "it needs 60, 4 and 20")
	}
	_, _, err := Train(t.Context(), helpers(3), TrainOptions{})
	var little *TooLittleError
	require.ErrorAs(t, err, &little)
	assert.Equal(t, 3, little.Days)
	assert.Positive(t, little.Apart, "the answers of a short log are counted")
	assert.Greater(t, little.Answers, little.Apart)
	_, _, err = Train(t.Context(), helpers(8), TrainOptions{Apart: 1})
	assert.ErrorContains(t, err, "Apart")
}

func TestTrain_EndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	done := 0
	_, _, err := Train(ctx, helpers(8), TrainOptions{Progress: func(d, total int) {
		assert.LessOrEqual(t, d, total)
		if done = d; d == 2 {
			stop()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, done)
}

// A log in which people have odd names, no IDs and times that go back trains as well.
func TestTrain_OddLog(t *testing.T) {
	log := helpers(8)
	for i := range log[0].Entries {
		e := &log[0].Entries[i]
		e.Message.ID, e.Name = "", []string{"", " ", "\x00", "小炉"}[i%4]
		if i%50 == 3 {
			e.At = e.At.Add(-time.Minute)
		}
		if i%60 == 5 {
			*e = LogEntry{Message: heartflow.Message{At: e.At}, Deleted: "m1", Muted: i%120 == 5}
		}
	}
	_, _, err := Train(t.Context(), log, TrainOptions{Names: []string{"", "小炉"}})
	require.NoError(t, err)
}
