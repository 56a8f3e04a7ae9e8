package onebot_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A lines collects a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take returns what was logged since the last call.
func (l *lines) take() string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// The log says when a link comes up, drops and returns, with the address and the time without it. It has no token.
func TestClient_LogsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{SelfID: 1, Token: "sekret"})
		defer qq.Close()
		var log lines
		client, err := onebot.NewClient("ws://qq.example:3001/?access_token=sekret", onebot.Options{
			Token: "sekret", HTTPClient: qq.HTTPClient(), Logger: log.logger(), MinBackoff: 8 * time.Second, MaxBackoff: 8 * time.Second,
		})
		require.NoError(t, err)
		qq.RefuseConnections(true)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- client.Run(ctx, nil) }()
		assert.Regexp(t, `level=WARN msg="onebot: no link" reason=.* address=qq.example:3001 retry_in=`, log.take())
		qq.RefuseConnections(false)
		time.Sleep(10 * time.Second)
		first := log.take()
		assert.Contains(t, first, `level=INFO msg="onebot: link is up" address=qq.example:3001`)
		assert.NotContains(t, first, "down_for")
		qq.RefuseConnections(true)
		qq.DropLinks()
		dropped := log.take()
		assert.Contains(t, dropped, `level=WARN msg="onebot: link dropped"`)
		assert.Contains(t, dropped, "address=qq.example:3001")
		time.Sleep(time.Minute)
		qq.RefuseConnections(false)
		time.Sleep(10 * time.Second)
		assert.Regexp(t, `msg="onebot: link is up" address=qq.example:3001 .*down_for=1m\d+s`, log.take())
		stop()
		require.NoError(t, <-ended)
		assert.Empty(t, log.take(), "the end is no drop")
		assert.NotContains(t, first+dropped, "sekret")
	})
}

func TestServer_LogsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		server := onebot.NewServer(onebot.Options{Token: "sekret", Logger: log.logger()})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- server.Run(ctx, nil) }()
		synctest.Wait()
		qq := onebottest.New(onebottest.Options{SelfID: 1, Token: "sekret"})
		defer qq.Close()
		connect := func() func() {
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan struct{})
			go func() {
				defer close(over)
				_ = qq.Connect(ctx, "ws://bot.example", onebottest.ConnectOptions{Handler: server})
			}()
			synctest.Wait()
			return func() { cancel(); <-over }
		}
		drop := connect()
		assert.Regexp(t, `level=INFO msg="onebot: link is up" address=\S+ self_id=1`, log.take())
		drop()
		assert.Regexp(t, `level=WARN msg="onebot: link dropped" reason=.* address=\S+ self_id=1`, log.take())
		time.Sleep(time.Minute)
		drop = connect()
		assert.Regexp(t, `msg="onebot: link is up" .*down_for=1m0s`, log.take())
		stop()
		require.NoError(t, <-ended)
		drop()
		assert.Empty(t, log.take(), "the end is no drop")
	})
}
