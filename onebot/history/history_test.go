package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func says(i int) onebot.Message { return onebot.Message{onebot.Text(fmt.Sprint(i))} }

func text(e onebot.Event) string {
	if m, ok := e.(*onebot.GroupMessage); ok {
		return m.Message.Text()
	}
	return e.(*onebot.PrivateMessage).Message.Text()
}

// connected runs a test in a bubble with a bot. Group 1 and friend 2 have sent the given number of messages before.
func connected(t *testing.T, habits onebottest.Quirks, said int, test func(t *testing.T, qq *onebottest.Server, bot *onebot.Bot)) {
	synctest.Test(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{Quirks: habits})
		defer qq.Close()
		group, friend := qq.Group(1, ""), qq.Friend(2, "")
		for i := range said {
			group.Say(7, says(i))
			friend.Say(says(i))
		}
		client := qq.Client(onebot.Options{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- client.Run(ctx, nil) }()
		require.NoError(t, qq.WaitLink(ctx))
		synctest.Wait()
		test(t, qq, client.Bot())
		stop()
		require.NoError(t, <-ended)
	})
}

// read reads pages until a message has the text until, and returns all texts in order.
func read(t *testing.T, bot *onebot.Bot, chat history.Chat, until string) (said []string, pages int, err error) {
	for page, err := range history.Pages(t.Context(), bot, chat, 0) {
		if err != nil {
			return said, pages, err
		}
		pages++
		var texts []string
		for _, e := range page {
			texts = append(texts, text(e))
		}
		said = slices.Concat(texts, said)
		if slices.Contains(texts, until) {
			break
		}
	}
	return said, pages, nil
}

func numbers(from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

func TestPages_EachImplementation(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		if habits.IDs == onebottest.IDsHash31 {
			habits.IDs = onebottest.IDsUint32 // which are signed in replies
		}
		t.Run(name, func(t *testing.T) {
			connected(t, habits, 900, func(t *testing.T, qq *onebottest.Server, bot *onebot.Bot) {
				for chat, action := range map[history.Chat]string{{ID: 1}: "get_group_msg_history", {Private: true, ID: 2}: "get_friend_msg_history"} {
					if chat.Private && habits.Actions == onebottest.LikeGoCQHTTP {
						_, _, err := read(t, bot, chat, "")
						assert.ErrorIs(t, err, onebot.ErrUnknownAction)
						continue
					}
					said, pages, err := read(t, bot, chat, "850")
					require.NoError(t, err)
					assert.Equal(t, numbers(800, 900), said)
					assert.Equal(t, 1, pages)
					assert.Len(t, qq.Calls(action), 1, "nothing is asked for before it is wanted")

					said, pages, err = read(t, bot, chat, "nothing")
					require.NoError(t, err)
					assert.Equal(t, numbers(107, 900), said, "more than 700")
					assert.Equal(t, history.MaxPages, pages)
				}
			})
		})
	}
}

// TestPages_OwnMessages pages through a private chat in which each message of the friend is answered: the anchors are
// messages of the bot as well, which SnowLuma knows by two ids.
func TestPages_OwnMessages(t *testing.T) {
	for _, habits := range onebottest.Presets() {
		if habits.Actions == onebottest.LikeGoCQHTTP {
			continue
		}
		connected(t, habits, 0, func(t *testing.T, qq *onebottest.Server, bot *onebot.Bot) {
			for i := range 30 {
				qq.Friend(2, "").Say(says(2 * i))
				_, err := bot.SendPrivateMsg(t.Context(), 2, says(2*i+1))
				require.NoError(t, err)
			}
			var said []string
			for page, err := range history.Pages(t.Context(), bot, history.Chat{Private: true, ID: 2}, 12) {
				require.NoError(t, err)
				var texts []string
				for _, e := range page {
					texts = append(texts, text(e))
				}
				said = slices.Concat(texts, said)
			}
			assert.Equal(t, numbers(0, 60), said)
		})
	}
}

func TestPages_EndOfTheHistory(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			connected(t, habits, 150, func(t *testing.T, qq *onebottest.Server, bot *onebot.Bot) {
				said, pages, err := read(t, bot, history.Chat{ID: 3}, "nothing")
				require.NoError(t, err)
				assert.Empty(t, said)
				assert.Zero(t, pages)
				said, pages, err = read(t, bot, history.Chat{ID: 1}, "nothing")
				require.NoError(t, err)
				assert.Equal(t, numbers(0, 150), said)
				assert.Equal(t, 2, pages)
			})
		})
	}
}

// TestPages_AnchorIsIgnored uses an implementation that always returns the newest page, which grows each time.
func TestPages_AnchorIsIgnored(t *testing.T) {
	connected(t, onebottest.NapCat, 0, func(t *testing.T, qq *onebottest.Server, bot *onebot.Bot) {
		calls := 0
		qq.Handle("get_group_msg_history", func(json.RawMessage) (any, error) {
			calls++
			var messages []any
			for i := calls; i < calls+3; i++ {
				messages = append(messages, map[string]any{"message_id": 100 + i, "real_seq": fmt.Sprint(i), "time": 1_700_000_000 + i, "group_id": 1, "user_id": 7, "message": fmt.Sprint(i)})
			}
			return map[string]any{"messages": messages}, nil
		})
		said, pages, err := read(t, bot, history.Chat{ID: 1}, "nothing")
		require.NoError(t, err)
		assert.Equal(t, []string{"1", "2", "3"}, said)
		assert.Equal(t, 1, pages)
		assert.Equal(t, 3, calls, "by id and by number")
	})
}

func TestPages_Errors(t *testing.T) {
	const action = "get_group_msg_history"
	for name, test := range map[string]struct {
		fault func(qq *onebottest.Server) // before the second page
		is    error
	}{
		"the link drops": {func(qq *onebottest.Server) { qq.RefuseConnections(true); qq.DropLinks() }, onebot.ErrDisconnected},
		"no answer":      {func(qq *onebottest.Server) { qq.WithholdResponse(action, -1) }, onebot.ErrTimeout},
		"refused":        {func(qq *onebottest.Server) { qq.Fail(action, 1200, -1) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			connected(t, onebottest.NapCat, 300, func(t *testing.T, qq *onebottest.Server, bot *onebot.Bot) {
				began, pages := time.Now(), 0
				var last error
				for page, err := range history.Pages(t.Context(), bot, history.Chat{ID: 1}, 0) {
					if last = err; err == nil {
						assert.Len(t, page, history.PageSize)
						pages++
						test.fault(qq)
						synctest.Wait()
					}
				}
				assert.Equal(t, 1, pages)
				assert.LessOrEqual(t, time.Since(began), 10*time.Second)
				if test.is != nil {
					assert.ErrorIs(t, last, test.is)
				} else {
					assert.NoError(t, last, "there is no more")
				}
				_, pages, err := read(t, bot, history.Chat{ID: 1}, "")
				assert.Error(t, err, "of the first page any")
				assert.Zero(t, pages)
			})
		})
	}
}
