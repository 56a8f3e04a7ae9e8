package persona_test

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMessage_JSONForm(t *testing.T) {
	m := persona.Message{
		Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}, From: "987654",
		Text: "Pero，你觉得 Python 好用吗？", AtMe: true,
	}
	b, err := json.Marshal(m)
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"social_message","platform":"qq","source_id":"group_123456","sender_id":"user_987654",
		"content":"Pero，你觉得 Python 好用吗？","is_at_me":true}`, string(b))
}

func TestMessage_JSONRoundTrips(t *testing.T) {
	chat := persona.Chat{Platform: "qq", Kind: persona.Private, ID: "987"}
	for _, m := range []persona.Message{
		{},
		{Chat: chat, From: "987", Text: "在吗"},
		{
			ID: "1", Chat: chat, ChatName: "李四", From: "10000", Name: "小炉", At: statetest.T0, Text: "<b>\u202e", Mentions: []string{"1", "2"},
			AtMe: true, Own: true, Bot: true, ReplyTo: "0", Quote: &persona.Quote{ID: "0", From: "987", Name: "李四", Text: "引用", Own: true},
		},
	} {
		b, err := json.Marshal(m)
		require.NoError(t, err)
		var back persona.Message
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, m, back)
	}
}

func TestMessage_InvalidJSON(t *testing.T) {
	for _, s := range []string{`{}`, `{"type":"social_event"}`, `[]`, `{"type":"social_message","platform":"qq","source_id":"123"}`, `{"type":"social_message","content":1}`} {
		m := persona.Message{Text: "kept"}
		assert.Error(t, json.Unmarshal([]byte(s), &m), s)
		assert.Equal(t, "kept", m.Text)
	}
}

func TestEvent_AllTypes(t *testing.T) {
	events := []persona.Event{
		persona.Message{}, persona.Retracted{}, persona.BotMuted{}, persona.BotLeft{}, persona.BotJoined{}, persona.MessagesLost{}, persona.Connected{}, persona.Disconnected{}, persona.Request{},
		persona.Poked{}, persona.Reacted{}, persona.Edited{}, persona.MemberJoined{}, persona.MemberLeft{}, persona.MemberChanged{},
	}
	assert.Len(t, events, 15)
}
