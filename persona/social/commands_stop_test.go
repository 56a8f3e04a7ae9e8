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

// TestACommandIsNotPassedOver by what is said after it in its chat and dealt with before it: after a stop it runs anew.
func TestACommandIsNotPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		ordered := func(o *social.Options) {
			o.Access.Commands, o.Access.Owners = true, []persona.Account{{Platform: "x", ID: "boss"}}
		}
		_, stop := liveOn(t, f, modeltest.Always(modeltest.Hang("")), store, nil, ordered)
		busy := heard("1", "a", "小炉 在吗")
		busy.Chat.ID, busy.AtMe = "2", true
		f.in <- busy
		after(5 * time.Second)
		f.in <- heard("2", "boss", "小炉 确认忘记我") // waits for that turn
		after(time.Second)
		f.in <- heard("3", "a", "今天好冷")
		after(30 * time.Second)
		require.Empty(t, f.said)
		stop()

		_, stop = liveOn(t, f, modeltest.Always(modeltest.Say("嗯")), store, nil, ordered)
		defer stop()
		after(30 * time.Second)
		assert.Contains(t, f.said, "都忘了。")
		for r, err := range store.Scan(t.Context(), memory.Space(room1.String()), 0) {
			require.NoError(t, err)
			assert.NotEqual(t, "boss", r.Person)
		}
	})
}

// slowLink never lets anything leave.
type slowLink struct{ *fakeLink }

func (slowLink) Features() social.LinkFeatures {
	return social.LinkFeatures{WaitToSend: func(ctx context.Context, _ persona.Chat) error {
		<-ctx.Done()
		return ctx.Err()
	}}
}

// TestACommandWithoutAnAnswer runs anew after a stop, whatever the link was waiting for.
func TestACommandWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		ordered := func(o *social.Options) {
			o.Access.Commands, o.Access.Owners = true, []persona.Account{{Platform: "x", ID: "boss"}}
		}
		_, stop := liveOn(t, slowLink{fakeLink: f}, modeltest.New(), store, nil, ordered)
		f.in <- heard("1", "boss", "小炉 说话")
		after(30 * time.Second)
		stop()
		_, stop = liveOn(t, f, modeltest.New(), store, nil, ordered)
		defer stop()
		after(30 * time.Second)
		assert.Equal(t, []string{"好。"}, f.said)
	})
}

// TestMutedBesideACommand: a chat that the platform has muted stays closed over a restart until that is over, whatever commands
// were told of it.
func TestMutedBesideACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		ordered := func(o *social.Options) {
			o.Access.Commands, o.Access.Owners = true, []persona.Account{{Platform: "x", ID: "boss"}}
		}
		_, stop := liveOn(t, f, modeltest.New(), store, nil, ordered)
		f.in <- persona.BotMuted{Chat: room1, Until: time.Now().Add(time.Hour)}
		f.in <- heard("1", "boss", "小炉 安静10分钟")
		after(30 * time.Second)
		stop()
		_, stop = liveOn(t, f, modeltest.Always(modeltest.Say("嗯")), store, nil, ordered)
		defer stop()
		calls := func(id string) {
			m := heard(id, "a", "小炉 在吗")
			m.AtMe = true
			f.in <- m
			after(30 * time.Second)
		}
		after(15 * time.Minute)
		calls("2")
		assert.Empty(t, f.said)
		after(time.Hour)
		calls("3")
		assert.Equal(t, []string{"嗯"}, f.said)
	})
}
