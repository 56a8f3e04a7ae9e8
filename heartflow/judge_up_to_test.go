package heartflow

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A message that arrives while an earlier batch is being handled is judged with its own batch.
func TestJudgeUpTo_LeavesLaterMessages(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"小炉"}})
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	a.Observe(now, 1, Message{ID: "a", From: "7", Text: "今天好冷"})
	a.Observe(now, 1, Message{ID: "b", From: "7", Text: "是啊"})
	a.Observe(now, 1, Message{ID: "c", From: "8", Text: "小炉在吗"})

	v := a.JudgeUpTo(now, 1, "b")
	assert.Equal(t, Silent, v.Do, "the mention is not in this batch")
	assert.Equal(t, Addressed, a.State(now, 1), "it still addresses the bot")
	v = a.JudgeUpTo(now, 1, "c")
	assert.Equal(t, Ask, v.Do)
	assert.True(t, v.Addressed)

	a.Observe(now, 1, Message{ID: "d", From: "8", Text: "小炉？"})
	assert.Equal(t, Ask, a.JudgeUpTo(now, 1, "unknown").Do, "an unknown id judges all messages")
	assert.Equal(t, Silent, a.JudgeUpTo(now, 1, "d").Do, "judged once")
}

// Speak with reasons counts like Speak without and leaves the open turn alone.
func TestSpeak_WithReasonsLeavesTurnOpen(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"小炉"}})
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	a.Observe(now, 1, Message{ID: "a", From: "7", Text: "小炉在吗"})
	assert.Equal(t, Ask, a.Judge(now, 1).Do)
	assert.NoError(t, a.Speak(now, 1, "主人让我说的", "owner"))
	assert.NoError(t, a.Speak(now, 1, "在"), "the turn is still open")
	assert.NoError(t, a.Speak(now, 1, "再说一句", "owner"))
	assert.ErrorIs(t, a.Speak(now, 1, "四", "owner"), ErrCapped, "three in a row")
	assert.EqualValues(t, 3, a.Stats().Spoken)
}

// SnapshotWithoutMessages keeps the caps and contains no message.
func TestSnapshotWithoutMessages_NoMessage(t *testing.T) {
	o := Options{Names: []string{"小炉"}}
	a := newAttention[int](o)
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	for i := range 12 {
		a.Observe(now, 1, Message{ID: "a", From: fmt.Sprint(i), Text: "小炉在吗"})
		a.Judge(now, 1)
		if i%2 == 0 {
			assert.NoError(t, a.Speak(now, 1, "在"))
		} else {
			assert.NoError(t, a.Speak(now, 1, "在", "owner"))
		}
	}
	a.Observe(now, 1, Message{ID: "b", From: "7", Text: "小炉，口令是四十二"})
	saved, err := a.SnapshotWithoutMessages()
	assert.NoError(t, err)
	assert.NotContains(t, string(saved), "四十二")

	b := newAttention[int](o)
	assert.NoError(t, b.Restore(saved))
	b.Observe(now, 1, Message{ID: "c", From: "8", Text: "今天好冷"})
	assert.False(t, b.Judge(now, 1).Addressed, "only the journal can replay the mention")
	assert.ErrorIs(t, b.Speak(now, 1, "七", "owner"), ErrCapped)
}
