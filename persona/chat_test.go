package persona_test

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChat_TextForms(t *testing.T) {
	for _, tc := range []struct {
		chat                  persona.Chat
		text, source, session string
	}{
		{persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}, "qq:group:123456", "group_123456", "session_social:group_123456"},
		{persona.Chat{Platform: "qq", Kind: persona.Private, ID: "987"}, "qq:private:987", "user_987", "session_social:user_987"},
		{persona.Chat{Platform: "discord", Kind: "channel", ID: "a_b:c"}, "discord:channel:a_b:c", "channel_a_b:c", "session_social:channel_a_b:c"},
		{persona.Chat{}, "", "", "session_social:"},
	} {
		assert.Equal(t, tc.text, tc.chat.String())
		assert.Equal(t, tc.source, tc.chat.SourceID())
		assert.Equal(t, tc.session, tc.chat.SessionID())
		b, err := json.Marshal(map[persona.Chat]persona.Chat{tc.chat: tc.chat})
		require.NoError(t, err)
		var back map[persona.Chat]persona.Chat
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, map[persona.Chat]persona.Chat{tc.chat: tc.chat}, back)
		if tc.source != "" {
			got, err := persona.ParseSource(tc.chat.Platform, tc.source)
			require.NoError(t, err)
			assert.Equal(t, tc.chat, got)
		}
	}
}

func TestChat_MarshalTextInvalid(t *testing.T) {
	for _, c := range []persona.Chat{{Platform: "qq"}, {Platform: "q:q", Kind: "group", ID: "1"}, {Platform: "qq", Kind: "g:", ID: "1"}, {Platform: "qq", Kind: "group"}} {
		_, err := c.MarshalText()
		assert.Error(t, err, "%+v", c)
	}
	for _, s := range []string{"qq", "qq:group", "qq:group:", ":group:1", "qq::1", "::"} {
		assert.Error(t, new(persona.Chat).UnmarshalText([]byte(s)), s)
	}
	for _, s := range []string{"", "group", "group_", "_1", "1"} {
		_, err := persona.ParseSource("qq", s)
		assert.Error(t, err, s)
	}
}

func FuzzChatText(f *testing.F) {
	f.Add("qq:group:1")
	f.Add("a:b:c:d")
	f.Fuzz(func(t *testing.T, s string) {
		var c persona.Chat
		if c.UnmarshalText([]byte(s)) != nil {
			return
		}
		b, err := c.MarshalText()
		require.NoError(t, err)
		require.Equal(t, s, string(b))
	})
}
