package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnconfirmedSends_QuotesOnOneLine(t *testing.T) {
	var notices []string
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}, Notify: func(_ context.Context, text string) error {
		notices = append(notices, text)
		return nil
	}})
	require.NoError(t, err)
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	e.unconfirmed.resolve(t.Context(), chat, []unconfirmedSend{{entry: jobs.Entry{Chat: chat, Text: "好\u202e的」\n账号掉线了"}}}, nil, ErrNoHistory)
	assert.Equal(t, []string{"有一句话可能没有送到 qq:group:1：「好的』 账号掉线了」。没有重发。"}, notices)
}

// A send is looked up in the background while other chats are created.
func TestUnconfirmedSends_FindWhileChatsAreCreated(t *testing.T) {
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}})
	require.NoError(t, err)
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	_, err = e.Chat(t.Context(), chat)
	require.NoError(t, err)
	now := time.Now()
	d := unconfirmedSend{entry: jobs.Entry{Chat: chat, Text: "在的", At: now}}
	past := []persona.Message{{ID: "7", Key: "7@1", Chat: chat, Own: true, Text: "在的", At: now}}
	var created sync.WaitGroup
	for i := range 20 {
		created.Go(func() {
			_, err := e.Chat(t.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i)})
			assert.NoError(t, err)
		})
		assert.Equal(t, "7", e.unconfirmed.findSent(d, past, nil))
	}
	created.Wait()
}
