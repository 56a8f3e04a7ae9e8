package onebottest_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestStopReading_BlocksWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		g := s.Group(7, "")
		b := connected(t, s)
		b.do("get_status", nil)
		s.StopReading(true)
		g.Say(1, text("还推"))
		assert.Equal(t, "还推", b.event()["raw_message"])
		big := `{"action":"get_status","params":{"x":"` + strings.Repeat("x", 1<<20) + `"},"echo":"big"}`
		wrote := make(chan error, 1)
		go func() { wrote <- b.conn.Write(context.Background(), websocket.MessageText, []byte(big)) }()
		time.Sleep(time.Hour)
		assert.Empty(t, wrote, "it blocks")
		assert.Len(t, s.Calls(), 1)
		s.StopReading(false)
		assert.NoError(t, <-wrote)
		assert.Equal(t, "big", b.read()["echo"])
		s.StopReading(true)
	})
}

// A client closes a link if its peer stops reading, and calls fail as unclear.
func TestStopReading_ClientClosesLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		s.Group(7, "")
		c := visit(t, s, onebot.Options{WriteTimeout: 10 * time.Second})
		s.StopReading(true)
		failed := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := c.Bot().SendGroupMsg(t.Context(), 7, onebot.Message{onebot.Image("base64://" + strings.Repeat("A", 1<<20))})
				failed <- err
			}()
		}
		for range 2 {
			assert.ErrorIs(t, <-failed, onebot.ErrDisconnected)
		}
		s.StopReading(false)
		require.IsType(t, &onebot.Lifecycle{}, c.event())
		_, err := c.Bot().SendGroupMsg(t.Context(), 7, text("好了"))
		require.NoError(t, err)
	})
}

func TestWrongEcho_AndDuplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		s.Group(7, "")
		c := visit(t, s, onebot.Options{})
		ctx := t.Context()

		s.DuplicateResponse("send_group_msg", 2)
		for range 3 {
			_, err := c.Bot().SendGroupMsg(ctx, 7, text("一"))
			require.NoError(t, err)
		}
		synctest.Wait()
		assert.Equal(t, uint64(2), c.Stats().Unmatched)

		s.WrongEcho("send_group_msg", 1)
		short, cancel := context.WithTimeout(ctx, time.Second)
		_, err := c.Bot().SendGroupMsg(short, 7, text("二"))
		cancel()
		assert.ErrorIs(t, err, onebot.ErrUnclear)
		assert.Equal(t, uint64(3), c.Stats().Unmatched)

		s.ReorderResponses(5)
		ids := make(chan [2]int64, 5)
		for i := range int64(5) {
			go func() {
				s.Group(100+i, "")
				info, err := c.Bot().GetGroupInfo(ctx, 100+i, false)
				assert.NoError(t, err)
				ids <- [2]int64{100 + i, info.GroupID}
			}()
		}
		for range 5 {
			got := <-ids
			assert.Equal(t, got[0], got[1], "each has its own answer")
		}
		_, err = c.Bot().GetStatus(ctx)
		require.NoError(t, err, "five and no more")
		s.ReorderResponses(2)
		go c.Bot().GetStatus(ctx)
		synctest.Wait()
		s.ReorderResponses(0)
	})
}

func TestReorderResponses_ReversesOrder(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	b := dial(t, s, "/api", nil)
	s.ReorderResponses(3)
	for _, e := range []string{"1", "2", "3"} {
		b.write(`{"action":"get_status","echo":` + e + `}`)
	}
	assert.Equal(t, []any{3.0, 2.0, 1.0}, []any{b.read()["echo"], b.read()["echo"], b.read()["echo"]})
}

// A truncated response and a truncated event, over links of both directions.
func TestTruncate_ResponseAndEvent(t *testing.T) {
	each(t, onebottest.Options{Token: "密"}, func(t *testing.T, s *onebottest.Server) {
		g := s.Group(7, "")
		forward := visit(t, s, onebot.Options{Token: "密"})
		h := host(t, onebot.Options{Token: "密"})
		h.join(s, "", 5*time.Second)
		for _, p := range []*peer{{t, forward.Bot(), forward.events}, h.peer(s)} {
			for _, size := range []int{1, 1000, 100_000} {
				s.TruncateResponse("get_group_info", 1)
				err := p.bot.Call(t.Context(), "get_group_info", object{"group_id": 7, "x": strings.Repeat("x", size)}, nil)
				assert.ErrorIs(t, err, onebot.ErrDisconnected)
				next[*onebot.Lifecycle](p)
			}
		}
		for _, size := range []int{1, 1000, 100_000} {
			s.SendRawTruncated([]byte(`{"post_type":"notice","x":"` + strings.Repeat("x", size) + `"}`))
			time.Sleep(10 * time.Minute)
			g.Say(1, text("又在"))
			assert.Equal(t, "又在", next[*onebot.GroupMessage](&peer{t, nil, forward.events}).Message.Text())
			assert.Equal(t, "又在", next[*onebot.GroupMessage](&peer{t, nil, h.events}).Message.Text())
		}
	})
}
