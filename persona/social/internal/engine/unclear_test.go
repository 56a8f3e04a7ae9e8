package engine

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnconfirmed_FindWhileChatsAreMet: a doubt is settled in the background while other chats are met for the first time.
func TestUnconfirmed_FindWhileChatsAreMet(t *testing.T) {
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}})
	require.NoError(t, err)
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	_, err = e.Chat(t.Context(), chat)
	require.NoError(t, err)
	now := time.Now()
	d := doubtful{entry: persona.Entry{Chat: chat, Text: "在的", At: now}}
	past := []persona.Message{{ID: "7", Key: "7@1", Chat: chat, Own: true, Text: "在的", At: now}}
	var meeting sync.WaitGroup
	for i := range 20 {
		meeting.Go(func() {
			_, err := e.Chat(t.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i)})
			assert.NoError(t, err)
		})
		assert.Equal(t, "7", e.unconfirmed.find(d, past, nil))
	}
	meeting.Wait()
}
