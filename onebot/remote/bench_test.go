package remote_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/stretchr/testify/require"
)

// source is what the owner of an account has.
type source interface {
	Run(ctx context.Context, h onebot.Handler) error
}

// BenchmarkRelay compares a direct reverse WebSocket with one whose gateway and owner talk over PostgreSQL. An event is counted until its
// handler runs, a call until its answer is there.
func BenchmarkRelay(b *testing.B) {
	for _, way := range []string{"direct", "postgres"} {
		var h *house
		var from source
		events, ready := make(chan onebot.Event, 1), make(chan *onebot.Bot, 1)
		open := func(b *testing.B) {
			h = newHouse(b)
			var url string
			if way == "direct" {
				server := onebot.NewServer(onebot.Options{})
				web := httptest.NewServer(server)
				b.Cleanup(web.Close)
				from, url = server, "ws"+strings.TrimPrefix(web.URL, "http")
			} else {
				from = h.source(h.relay("a"), h.owner())
				url, _, _ = h.gateway(h.relay("b"))
			}
			h.start(func(ctx context.Context) error {
				return from.Run(ctx, func(_ context.Context, bot *onebot.Bot, e onebot.Event) {
					switch e := e.(type) {
					case *onebot.Lifecycle:
						ready <- bot
					case *onebot.GroupMessage:
						events <- e
					}
				})
			})
			h.connect(url)
		}
		b.Run("event/"+way, func(b *testing.B) {
			open(b)
			<-ready
			for b.Loop() {
				h.group.Say(1001, onebot.Message{onebot.Text("早上好，今天去爬山吗")})
				<-events
			}
		})
		b.Run("call/"+way, func(b *testing.B) {
			open(b)
			bot := <-ready
			for b.Loop() {
				_, err := bot.GetLoginInfo(b.Context())
				require.NoError(b, err)
			}
		})
	}
}
