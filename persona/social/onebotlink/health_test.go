package onebotlink_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot knows the state of its link: before the first connection, while it is up with slow calls, after a drop, and when the
// account is logged out of QQ.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{SelfID: 7, Heartbeat: 10 * time.Second})
		defer qq.Close()
		qq.Handle("slow", func(json.RawMessage) (any, error) { time.Sleep(2 * time.Second); return nil, nil })
		client, err := onebot.NewClient("ws://qq.example:3001", onebot.Options{HTTPClient: qq.HTTPClient(), MinBackoff: time.Second, MaxBackoff: time.Second})
		require.NoError(t, err)
		bot, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.Always(modeltest.Say("在")), Link: onebotlink.New(client, onebotlink.Options{})})
		require.NoError(t, err)
		health := func() trace.LinkHealth {
			synctest.Wait()
			all := bot.LinkHealth()
			require.Len(t, all, 1)
			return all[0]
		}
		qq.RefuseConnections(true)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- bot.Run(ctx) }()
		defer func() { stop(); require.NoError(t, <-ended) }()
		time.Sleep(5 * time.Second)
		h := health()
		assert.Equal(t, persona.Account{Platform: "qq"}, h.Self)
		assert.False(t, h.Online)
		assert.NotEmpty(t, h.Problem)
		assert.Equal(t, 64<<20, h.QueueLimit)

		qq.RefuseConnections(false)
		time.Sleep(25 * time.Second)
		require.NoError(t, client.Bot().Call(t.Context(), "slow", nil, nil))
		h = health()
		assert.Equal(t, persona.Account{Platform: "qq", ID: "7"}, h.Self)
		assert.True(t, h.Online)
		assert.Empty(t, h.Problem)
		assert.InDelta(t, 2*time.Second, h.P95, float64(10*time.Millisecond))
		assert.Less(t, time.Since(h.Heartbeat), 13*time.Second)
		assert.Zero(t, h.Reconnects)

		qq.DropLinks()
		h = health()
		assert.False(t, h.Online)
		assert.Equal(t, time.Now(), h.Lost)
		assert.NotEmpty(t, h.LostReason)
		time.Sleep(3 * time.Second)
		assert.Equal(t, 1, health().Reconnects)
		assert.True(t, health().Online)

		qq.SetOnline(false)
		time.Sleep(11 * time.Second)
		h = health()
		assert.False(t, h.Online, "there is a connection, and QQ is offline")
		assert.Contains(t, h.Problem, "下线")
		qq.SetOnline(true)
		time.Sleep(11 * time.Second)
		assert.True(t, health().Online)
	})
}
