package social_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A command is executed after a restart even if a later message of its chat was handled before the shutdown.
func TestCommands_NotSkippedByCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		ordered := func(o *social.Options) {
			o.Access.Commands, o.Access.Owners = true, []persona.Account{{Platform: "x", ID: "boss"}}
		}
		_, stop := startBot(t, f, modeltest.Always(modeltest.Hang("")), store, nil, ordered)
		busy := newMessage("1", "a", "小炉 在吗")
		busy.Chat.ID, busy.AtMe = "2", true
		f.events <- busy
		advance(5 * time.Second)
		f.events <- newMessage("2", "boss", "小炉 确认忘记我") // waits for the first turn
		advance(time.Second)
		f.events <- newMessage("3", "a", "今天好冷")
		advance(30 * time.Second)
		require.Empty(t, f.sent)
		stop()

		_, stop = startBot(t, f, modeltest.Always(modeltest.Say("嗯")), store, nil, ordered)
		defer stop()
		advance(30 * time.Second)
		assert.Contains(t, f.sent, "都忘了。")
		for r, err := range store.Scan(t.Context(), memory.Space(group1.String()), 0) {
			require.NoError(t, err)
			assert.NotEqual(t, "boss", r.Person)
		}
	})
}

// A slowLink blocks every send.
type slowLink struct{ *fakeLink }

func (slowLink) Features() social.LinkFeatures {
	return social.LinkFeatures{WaitToSend: func(ctx context.Context, _ persona.Chat) error {
		<-ctx.Done()
		return ctx.Err()
	}}
}

// A command without an answer is executed again after a restart.
func TestCommands_UnansweredRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		ordered := func(o *social.Options) {
			o.Access.Commands, o.Access.Owners = true, []persona.Account{{Platform: "x", ID: "boss"}}
		}
		_, stop := startBot(t, slowLink{fakeLink: f}, modeltest.New(), store, nil, ordered)
		f.events <- newMessage("1", "boss", "小炉 说话")
		advance(30 * time.Second)
		stop()
		_, stop = startBot(t, f, modeltest.New(), store, nil, ordered)
		defer stop()
		advance(30 * time.Second)
		assert.Equal(t, []string{"好。"}, f.sent)
	})
}

// A chat muted by the platform stays closed over a restart until the mute ends. Commands do not open it.
func TestCommands_MuteOutlastsCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		ordered := func(o *social.Options) {
			o.Access.Commands, o.Access.Owners, o.Access.NoPrivateNotices = true, []persona.Account{{Platform: "x", ID: "boss"}}, true
		}
		_, stop := startBot(t, f, modeltest.New(), store, nil, ordered)
		f.events <- persona.BotMuted{Chat: group1, Until: time.Now().Add(time.Hour)}
		f.events <- newMessage("1", "boss", "小炉 安静10分钟")
		advance(30 * time.Second)
		stop()
		_, stop = startBot(t, f, modeltest.Always(modeltest.Say("嗯")), store, nil, ordered)
		defer stop()
		calls := func(id string) {
			m := newMessage(id, "a", "小炉 在吗")
			m.AtMe = true
			f.events <- m
			advance(30 * time.Second)
		}
		advance(15 * time.Minute)
		calls("2")
		assert.Empty(t, f.sent)
		advance(time.Hour)
		calls("3")
		assert.Equal(t, []string{"嗯"}, f.sent)
	})
}
