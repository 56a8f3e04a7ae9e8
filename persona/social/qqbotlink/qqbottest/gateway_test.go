package qqbottest_test

import (
	"encoding/json"
	"testing"

	"github.com/coder/websocket"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot that ignores op 7 and op 9, as @satorijs/adapter-qq does, keeps its link without events until the platform closes it.
func TestServer_IgnoredReconnect(t *testing.T) {
	for op, ask := range map[int]func(*qqbottest.Server){
		7: (*qqbottest.Server).Reconnect,
		9: func(s *qqbottest.Server) { s.InvalidateSessions(true) },
	} {
		for name, end := range map[string]func(*qqbottest.Server){
			"closed":  func(s *qqbottest.Server) { s.CloseLinks(4009) },
			"dropped": (*qqbottest.Server).DropLinks,
			"over":    (*qqbottest.Server).Close,
		} {
			s := qqbottest.New(qqbottest.Options{})
			defer s.Close()
			ws, _, err := websocket.Dial(t.Context(), s.Start()+"/websocket", nil)
			require.NoError(t, err)
			defer ws.CloseNow()
			next := func() (got int) {
				var f struct{ Op int }
				_, b, err := ws.Read(t.Context())
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(b, &f))
				return f.Op
			}
			assert.Equal(t, 10, next())
			ask(s)
			assert.Equal(t, op, next())
			require.NoError(t, ws.Write(t.Context(), websocket.MessageText, []byte(`{"op":1,"d":null}`)))
			assert.Equal(t, 11, next(), "the link is still open")
			ended := make(chan struct{})
			go func() { defer close(ended); end(s) }()
			_, _, err = ws.Read(t.Context())
			require.Error(t, err, name)
			if name == "closed" {
				assert.Equal(t, websocket.StatusCode(4009), websocket.CloseStatus(err))
			}
			<-ended
		}
	}
}
