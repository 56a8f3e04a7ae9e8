package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A message from the journal has the typed words that it had, and no more.
func TestOutline(t *testing.T) {
	long := strings.Repeat("长", 200)
	for name, c := range map[string]struct {
		parts []persona.Part
		words string
	}{
		"text only":        {[]persona.Part{persona.Text("小炉 在吗")}, "小炉 在吗"},
		"a card":           {[]persona.Part{persona.Text("看 "), persona.Card{Title: "小炉 在吗"}}, "看"},
		"mention":          {[]persona.Part{persona.Mention{ID: "1", Name: "小炉"}, persona.Text(" 早")}, "早"},
		"everybody":        {[]persona.Part{persona.Mention{}, persona.Text(" 早")}, "早"},
		"between":          {[]persona.Part{persona.Text("a"), persona.Voice{Transcript: "小炉"}, persona.Text("b")}, "a b"},
		"marks of a user":  {[]persona.Part{persona.Text("a\uFFFCb\uE000c"), persona.Picture{}}, "a b c"},
		"NUL, broken text": {[]persona.Part{persona.Text("a\x00b\xff"), persona.Picture{}}, "a b"},
		"long":             {[]persona.Part{persona.Text(long), persona.Picture{}}, strings.Repeat("长", 100)},
	} {
		t.Run(name, func(t *testing.T) {
			chat := newChat(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Scope{Space: "qq:group:1"})
			m := persona.Message{ID: "1", Key: "1@1", Chat: chat.ID, From: "1001", At: time.Unix(1, 0), Parts: c.parts, Text: persona.TextOf(c.parts), Mentions: mentioned(c.parts)}
			rec := record(chat, m)
			if !strings.Contains(name, "NUL") { // memory cleans the text, and refuses tags
				require.NoError(t, rec.Validate())
			}
			for _, tag := range rec.Tags {
				assert.NotContains(t, tag, "\x00")
			}
			back := MessageFromRecord(chat, rec)
			assert.Equal(t, c.words, back.Words())
			assert.Equal(t, m.Mentions, back.Mentions)
			assert.Equal(t, len(c.parts) == 1, back.Parts == nil, "plain text needs no outline")
		})
	}
}
