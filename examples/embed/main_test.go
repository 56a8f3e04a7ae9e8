package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/buffer"
)

func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handle, gather, err := listen(buffer.Options{}, func(_ context.Context, batch []*Ctx) string { return fmt.Sprint(len(batch), " 句") })
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- gather.Run(ctx) }()

		var said []string
		say := func(id int64, text string) {
			handle(&Ctx{GroupID: 1, UserID: 7, MessageID: id, Text: text, Send: func(s string) { said = append(said, s) }})
		}
		say(1, "今晚吃什么")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, said, "nobody called")
		say(2, "火锅？")
		say(3, "小炉你说呢")
		say(4, "快说")
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"3 句"}, said)
		stop()
		require.NoError(t, <-ended)
	})
}
