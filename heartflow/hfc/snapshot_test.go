package hfc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/script"
)

// place is a struct key with a text form, like persona.Chat.
type place struct{ Kind, ID string }

func (p place) String() string { return p.Kind + ":" + p.ID }

// busyFlow returns a flow with an open step, a question, a reply and a mute.
func busyFlow(t *testing.T) (*Flow[place], Options) {
	o := Options{
		Attention: heartflow.Options{Seed: 3, Names: []string{"小炉"}}, GlobalState: GlobalStateOptions{Fixed: FocusedChat}, Topics: []string{"空洞骑士"},
	}
	f := newFlow[place](o)
	private, chat, asked, muted := place{"private", "1"}, place{"group", "2"}, place{"group", "3"}, place{"group", "4"}
	f.Observe(noon, private, heartflow.Message{ID: "1", From: "7", Private: true, Text: "在吗"})
	_, ok := f.NextStep(noon, private)
	require.True(t, ok)
	f.Observe(noon, chat, heartflow.Message{ID: "2", From: "8", Text: "早"})
	f.AnswerQuestion(noon, chat, questionOf(t, f.Due(noon)), true)
	f.Observe(noon, chat, heartflow.Message{ID: "3", From: "8", AtMe: true, Text: "空洞骑士"})
	f.Judge(noon, chat)
	f.Observe(noon, asked, heartflow.Message{ID: "4", From: "9", Text: "早"})
	questionOf(t, f.Due(at(time.Minute)))
	f.Mute(at(time.Minute), muted, at(24*time.Hour))
	return f, o
}

func questionOf(t *testing.T, list []Effect[place]) uint64 {
	for _, e := range list {
		if e.Kind == QuestionAsked {
			return e.Question.ID
		}
	}
	require.Fail(t, "no question")
	return 0
}

func TestSnapshot_StoredKeys(t *testing.T) {
	script.Keys(t, "testdata/snapshot/keys.txt", *update,
		saved[int]{}, savedInterest{}, savedClassical{}, savedDynamic{}, savedPerPerson{}, savedCycle{})
}

func TestSnapshot_RepeatsOpenQuestions(t *testing.T) {
	f, o := busyFlow(t)
	saved, err := f.Snapshot()
	require.NoError(t, err)
	o.Attention.Seed = 99
	g := newFlow[place](o)
	require.NoError(t, g.Restore(saved))
	assert.EqualValues(t, 3, g.Seed())
	now := at(61 * time.Second)

	changed, asked := map[place]ChatState{}, 0
	for _, e := range g.Due(now) {
		switch e.Kind {
		case ChatChanged:
			changed[e.Chat] = e.To
		case QuestionAsked:
			asked++
			assert.Equal(t, place{"group", "3"}, e.Chat)
			assert.EqualValues(t, 2, e.Question.ID, "with another id")
			assert.False(t, g.AnswerQuestion(now, e.Chat, 1, true))
			assert.True(t, g.AnswerQuestion(now, e.Chat, e.Question.ID, true))
		}
	}
	assert.Equal(t, 1, asked)
	assert.Equal(t, map[place]ChatState{{"private", "1"}: Focused, {"group", "2"}: Chatting}, changed)
	step, ok := g.NextStep(now, place{"private", "1"})
	require.True(t, ok)
	assert.True(t, step.Retried)
	assert.EqualValues(t, 2, step.ID)
	require.NoError(t, g.Speak(now, place{"group", "2"}, "在"), "its turn is open, and the willingness knows the author")
	require.ErrorIs(t, g.Speak(now, place{"group", "4"}, "在"), heartflow.ErrMuted)
}

func TestSnapshotWithoutMessages_NoMessage(t *testing.T) {
	f, o := busyFlow(t)
	saved, err := f.SnapshotWithoutMessages()
	require.NoError(t, err)
	g := newFlow[place](o)
	require.NoError(t, g.Restore(saved))
	for _, s := range g.chats.byKey {
		assert.Empty(t, s.waiting)
		assert.Zero(t, s.Wants)
		assert.False(t, s.replying)
	}
	assert.Equal(t, Chatting, g.ChatState(at(time.Minute), place{"group", "2"}))
	level, _ := g.Interest(at(time.Minute), place{"group", "2"})
	assert.Positive(t, level)
}

func TestRestore_AttentionSnapshot(t *testing.T) {
	a := must(heartflow.New[string](heartflow.Options{Seed: 8}))
	a.Mute(noon, "g", time.Time{})
	saved, err := a.Snapshot()
	require.NoError(t, err)
	f := newFlow[string](Options{})
	f.Observe(noon, "x", heartflow.Message{From: "7"})
	require.NoError(t, f.Restore(saved))
	assert.EqualValues(t, 8, f.Seed())
	assert.Empty(t, f.chats.byKey)
	require.ErrorIs(t, f.Speak(noon, "g", "在"), heartflow.ErrMuted)
	hold(t, f)
}

func TestRestore_LowerLimits(t *testing.T) {
	f := fixed(Options{})
	for i := range 3 {
		now := at(time.Duration(i) * time.Minute)
		f.Observe(now, fmt.Sprint(i), heartflow.Message{From: "7", Text: "早"})
		f.Due(now)
	}
	require.Len(t, f.chats.byState[Chatting], 3)
	saved, err := f.Snapshot()
	require.NoError(t, err)
	g := fixed(Options{GlobalState: GlobalStateOptions{Chats: 1}})
	require.NoError(t, g.Restore(saved))
	require.Len(t, g.chats.byState[Chatting], 1)
	assert.Equal(t, "2", g.chats.byState[Chatting][0].key, "the chat with the newest message")
	hold(t, g)
}

func TestRestore_InvalidChangesNothing(t *testing.T) {
	f, o := busyFlow(t)
	saved, err := f.Snapshot()
	require.NoError(t, err)
	for _, c := range [][2]string{
		{`{"Version":1,"Attention":{"Version":1`, `{"Version":2,"Attention":{"Version":1`},
		{`{"Version":1,"Attention":{"Version":1`, `{"Version":1,"Attention":{"Version":9`},
		{`"Mind":{"State":3`, `"Mind":{"State":4`},
		{`"Mind":{"State":3,"Since":`, `"Mind":{"State":3,"Since":-`},
		{`"State":2,"Why":"private_talk"`, `"State":3,"Why":"private_talk"`},
		{`"Why":"private_talk","Private":true,"Since":`, `"Why":"private_talk","Private":true,"Since":-`},
		{`"Cycle":{`, `"Cycles":{`},
		{`"Cycle":{`, `"Cycle":{"Step":"dance","Then":`},
		{`"Level":{`, `"Level":{"Level":-1,"Then":`},
		{`"Willing":{`, `"Willing":"much","Then":{`},
		{`"Begun":true`, `"Begun":true,"Drifted":-1`},
		{`{"Chat":{"Kind":"group","ID":"3"},"Dice":`, `{"Chat":{"Kind":"group","ID":"2"},"Dice":`},
		{`"Flow":{`, `"Flow":[{`},
	} {
		bad := strings.Replace(string(saved), c[0], c[1], -1)
		require.NotEqual(t, string(saved), bad, "%s is not in the snapshot", c[0])
		g := newFlow[place](o)
		g.Observe(noon, place{"group", "9"}, heartflow.Message{From: "7"})
		assert.Error(t, g.Restore([]byte(bad)), c[1])
		assert.Len(t, g.chats.byKey, 1, "the old state stays")
	}
}
