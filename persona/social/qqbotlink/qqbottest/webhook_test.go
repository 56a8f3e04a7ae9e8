package qqbottest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Answers of bots in use are accepted, too. A refused event is pushed again.
func TestServer_Acknowledgement(t *testing.T) {
	for _, c := range []struct {
		status int
		answer string
		acked  bool
	}{
		{200, `{"op":12,"d":0}`, true},
		{200, `{"op":12,"d":{}}`, true},
		{200, `{"opcode":12}`, true},
		{200, ``, true},
		{200, `{"op":12,"d":1}`, false},
		{403, `{"op":12,"d":0}`, false},
	} {
		s := qqbottest.New(qqbottest.Options{RetryAfter: time.Millisecond})
		defer s.Close()
		bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.answer)
		}))
		defer bot.Close()
		s.Post(bot.URL, nil)
		s.User("U").Say("在吗")
		last := s.User("U").Say("还在吗").EventID
		require.NoError(t, s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool { return len(all) > 0 && all[len(all)-1].EventID == last }))
		first := s.Pushes()[0]
		assert.Equal(t, []any{c.status, c.acked}, []any{first.Status, first.Acked}, c.answer)
		assert.Equal(t, c.acked, s.Pushes()[1].EventID == last, c.answer)
	}
}
