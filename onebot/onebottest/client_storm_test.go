package onebottest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// Sends during a series of drops: each is exactly one of sent, not sent or unclear, and none is sent twice.
func TestClient_ManyDrops(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 50
	}
	s := onebottest.New(onebottest.Options{})
	t.Cleanup(s.Close)
	s.Group(7, "")
	c := enter(t, s, onebot.Options{MinBackoff: time.Millisecond, MaxBackoff: 2 * time.Millisecond})
	storm, calm := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for s.WaitLink(storm) == nil { // a slow machine gets a link, too
			time.Sleep(3 * time.Millisecond)
			s.DropLinks()
		}
	}()
	verdict := make(map[string]error, n)
	for i := range n {
		for range 20 { // a send that certainly failed may be retried
			require.NoError(t, s.WaitLink(t.Context()))
			word := fmt.Sprint(i)
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7+1)*200*time.Microsecond)
			_, err := c.Bot().SendGroupMsg(ctx, 7, text(word))
			cancel()
			verdict[word] = err
			if err == nil || errors.Is(err, onebot.ErrUnclear) {
				break
			}
		}
	}
	calm()
	<-stopped
	time.Sleep(100 * time.Millisecond)
	count := make(map[string]int)
	for _, m := range s.Sent() {
		count[m.Message.Text()]++
	}
	sure, unclear := 0, 0
	for word, err := range verdict {
		switch {
		case err == nil:
			sure++
			assert.Equal(t, 1, count[word], word)
		case errors.Is(err, onebot.ErrUnclear):
			unclear++
			assert.LessOrEqual(t, count[word], 1, "%s was sent twice: %v", word, err)
		default:
			assert.Zero(t, count[word], "%s was sent though the error says no: %v", word, err)
		}
	}
	t.Logf("%d sent, %d unclear, %d not", sure, unclear, n-sure-unclear)
}
