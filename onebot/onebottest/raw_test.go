package onebottest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

type object = map[string]any

const self = 10000

func text(s string) onebot.Message { return onebot.Message{onebot.Text(s)} }

// A rawBot is a bot without a OneBot library.
type rawBot struct {
	t    *testing.T
	conn *websocket.Conn
	held []object // events received while waiting for a response
}

// dial connects a rawBot over the pipe; header may be nil.
func dial(t *testing.T, s *onebottest.Server, path string, header http.Header) *rawBot {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://onebottest"+path, &websocket.DialOptions{
		HTTPClient: s.HTTPClient(), HTTPHeader: header,
	})
	require.NoError(t, err)
	return attach(t, conn)
}

func attach(t *testing.T, conn *websocket.Conn) *rawBot {
	conn.SetReadLimit(-1)
	t.Cleanup(func() { conn.CloseNow() })
	return &rawBot{t: t, conn: conn}
}

// connected returns a rawBot that has read its lifecycle event.
func connected(t *testing.T, s *onebottest.Server) *rawBot {
	t.Helper()
	b := dial(t, s, "/", nil)
	require.Equal(t, "connect", b.event()["sub_type"])
	return b
}

// patience is the time limit of a test, far above the time that any machine needs.
const patience = time.Minute

func (b *rawBot) frame() []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, frame, err := b.conn.Read(ctx)
	require.NoError(b.t, err)
	return frame
}

func (b *rawBot) read() (o object) {
	b.t.Helper()
	require.NoError(b.t, json.Unmarshal(b.frame(), &o))
	return o
}

// event returns the next event, without SnowLuma's second and third frame and its heartbeats.
func (b *rawBot) event() object {
	b.t.Helper()
	for {
		var o object
		if len(b.held) > 0 {
			o = b.held[0]
			b.held = b.held[1:]
		} else {
			o = b.read()
		}
		require.Contains(b.t, o, "post_type", "an event")
		if o["sub_type"] != "enable" && o["interval"] != 30_000.0 {
			return o
		}
	}
}

// notice returns the next event without the common fields.
func (b *rawBot) notice() object {
	b.t.Helper()
	o := b.event()
	require.Equal(b.t, float64(self), o["self_id"])
	require.NotZero(b.t, o["time"])
	delete(o, "self_id")
	delete(o, "time")
	delete(o, "post_type")
	return o
}

func (b *rawBot) write(frame string) {
	b.t.Helper()
	require.NoError(b.t, b.conn.Write(context.Background(), websocket.MessageText, []byte(frame)))
}

// call returns the response to an action.
func (b *rawBot) call(action string, params object) object {
	b.t.Helper()
	frame, err := json.Marshal(object{"action": action, "params": params, "echo": action})
	require.NoError(b.t, err)
	b.write(string(frame))
	for {
		o := b.read()
		if _, isEvent := o["post_type"]; !isEvent {
			require.Equal(b.t, action, o["echo"])
			return o
		}
		b.held = append(b.held, o)
	}
}

// do is call for an action that must succeed; it returns the data.
func (b *rawBot) do(action string, params object) any {
	b.t.Helper()
	o := b.call(action, params)
	require.Equal(b.t, "ok", o["status"], "%v", o)
	require.Equal(b.t, 0.0, o["retcode"])
	return o["data"]
}

// fails is call for an action that must fail; it returns the wording.
func (b *rawBot) fails(retcode float64, action string, params object) string {
	b.t.Helper()
	o := b.call(action, params)
	require.Equal(b.t, "failed", o["status"], "%v", o)
	require.Equal(b.t, retcode, o["retcode"], "%v", o)
	require.Contains(b.t, o, "data")
	require.Nil(b.t, o["data"])
	return o["wording"].(string)
}

// gone waits until the link has dropped.
func (b *rawBot) gone() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		if _, _, err := b.conn.Read(ctx); err != nil {
			require.NoError(b.t, ctx.Err(), "the link is still there")
			return
		}
	}
}

func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
