package onebottest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// overHTTP is a Webhook for events and an HTTPClient for calls.
func overHTTP(t *testing.T, s *onebottest.Server) *peer {
	c := must(onebot.NewHTTPClient("http://onebottest", onebot.Options{Token: "密", HTTPClient: s.HTTPClient()}))
	h := onebot.NewWebhook(onebot.Options{Token: "密"})
	h.SetCaller(s.SelfID(), c)
	p := &peer{t: t, events: make(chan onebot.Event, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() {
		ended <- h.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) { p.events <- e })
	}()
	synctest.Wait()
	go func() { ended <- s.Post(ctx, "http://bot/", onebottest.PostOptions{Handler: h}) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, <-ended)
	})
	synctest.Wait()
	p.bot, _ = h.Bot(s.SelfID())
	return p
}

// A complete scenario over HTTP in both directions, against each implementation.
func TestPresets_OverHTTP(t *testing.T) {
	each(t, onebottest.Options{Token: "密", Heartbeat: 15 * time.Second}, func(t *testing.T, s *onebottest.Server) {
		settle(s)
		live(t, s, overHTTP(t, s), !strings.HasSuffix(t.Name(), "/NapCat"))
	})
}

func TestPresets_WrongTokenOverHTTP(t *testing.T) {
	each(t, onebottest.Options{Token: "密"}, func(t *testing.T, s *onebottest.Server) {
		for _, token := range []string{"", "wrong"} {
			c := must(onebot.NewHTTPClient("http://onebottest", onebot.Options{Token: token, HTTPClient: s.HTTPClient()}))
			assert.ErrorIs(t, c.Call(t.Context(), "get_status", nil, nil), onebot.ErrAuth)
		}
	})
}

// A quick reply reaches the chat with every implementation that supports quick operations.
func TestPost_QuickReplies(t *testing.T) {
	each(t, onebottest.Options{Token: "密"}, func(t *testing.T, s *onebottest.Server) {
		h := onebot.NewWebhook(onebot.Options{Token: "密"})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.RunQuick(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) onebot.QuickOperation {
			if m, ok := e.(*onebot.GroupMessage); ok {
				return onebot.QuickReply{Reply: m.Message}
			}
			return nil
		})
		synctest.Wait()
		go s.Post(ctx, "http://bot/", onebottest.PostOptions{Handler: h})
		synctest.Wait()
		said := onebot.Message{onebot.Text("[CQ:at,qq=1] & 你")}
		s.Group(7, "").Say(1, said)
		synctest.Wait()
		if strings.HasSuffix(t.Name(), "/Lagrange") {
			assert.Empty(t, s.Sent())
			return
		}
		require.Len(t, s.Sent(), 1)
		m := s.Sent()[0].Message
		assert.Equal(t, "[CQ:at,qq=1] & 你", m[len(m)-1].Param("text"))
	})
}

// Split links, each of which reconnects on its own.
func TestPresets_OverSplitLinks(t *testing.T) {
	each(t, onebottest.Options{Token: "密", Heartbeat: 15 * time.Second}, func(t *testing.T, s *onebottest.Server) {
		settle(s)
		c := must(onebot.NewSplitClient("ws://x/api", "ws://x/event", onebot.Options{Token: "密", HTTPClient: s.HTTPClient()}))
		p := &peer{t, c.Bot(), make(chan onebot.Event, 1000)}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			ended <- c.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) { p.events <- e })
		}()
		t.Cleanup(func() {
			cancel()
			assert.NoError(t, <-ended)
		})
		synctest.Wait()
		live(t, s, p, true)
	})
}

// NapCat's streams, over a link and over HTTP.
func TestClient_Streams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		want := bytes.Repeat([]byte("炉边"), 50_000)
		f := s.File("a.txt", want)
		c := visit(t, s, onebot.Options{})
		h := must(onebot.NewHTTPClient("http://onebottest", onebot.Options{HTTPClient: s.HTTPClient()}))
		for _, bot := range []*onebot.Bot{c.Bot(), h.Bot()} {
			var got []byte
			for part, err := range bot.Stream(t.Context(), "download_file_stream", object{"file": f.ID, "chunk_size": 4096}) {
				require.NoError(t, err)
				var p struct{ Data []byte }
				require.NoError(t, json.Unmarshal(part, &p))
				got = append(got, p.Data...)
			}
			assert.Equal(t, want, got)
			for _, err := range bot.Stream(t.Context(), "download_file_stream", object{"file": "nothing"}) {
				assert.ErrorIs(t, err, onebot.ErrFailed)
			}
			require.NoError(t, bot.Call(t.Context(), "upload_file_stream", object{
				"stream_id": "s", "total_chunks": 1, "chunk_index": 0, "chunk_data": base64.StdEncoding.EncodeToString(want), "filename": "b",
			}, nil))
			var done struct {
				Path string `json:"file_path"`
			}
			require.NoError(t, bot.Call(t.Context(), "upload_file_stream", object{"stream_id": "s", "is_complete": true}, &done))
			files := s.Files()
			assert.Equal(t, want, files[len(files)-1].Data)
			assert.Equal(t, files[len(files)-1].Path, done.Path)

			s.TruncateResponse("download_file_stream", 1)
			var last error
			parts := 0
			for _, err := range bot.Stream(t.Context(), "download_file_stream", object{"file": f.ID}) {
				parts++
				last = err
			}
			assert.Greater(t, parts, 1)
			assert.ErrorIs(t, last, onebot.ErrDisconnected)
			time.Sleep(2 * time.Minute)
		}
	})
}

// Each of two equal pokes is handled once, also if all responses are lost and go-cqhttp posts them again.
func TestPost_TwoPokes(t *testing.T) {
	for _, lost := range []bool{false, true} {
		each(t, onebottest.Options{Token: "密"}, func(t *testing.T, s *onebottest.Server) {
			h := onebot.NewWebhook(onebot.Options{Token: "密"})
			ctx, cancel := context.WithCancel(t.Context())
			pokes := make(chan onebot.Event, 10)
			go h.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) {
				if _, ok := e.(*onebot.Poke); ok {
					pokes <- e
				}
			})
			losing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !lost {
					h.ServeHTTP(w, r)
					return
				}
				h.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			})
			synctest.Wait()
			go s.Post(ctx, "http://bot/", onebottest.PostOptions{Handler: losing, Parallel: true})
			synctest.Wait()
			f := s.Friend(3, "")
			f.Poke()
			time.Sleep(900 * time.Millisecond)
			f.Poke()
			time.Sleep(time.Minute)
			require.Len(t, pokes, 2)
			first, second := <-pokes, <-pokes
			assert.Equal(t, string(first.Raw()), string(second.Raw()), "the second is not told from the first by its bytes")
			for _, post := range s.Posts() {
				assert.Equal(t, lost && s.Events() == onebottest.LikeGoCQHTTP, post.Tries == 4, "%s: %d", post.Event, post.Tries)
			}
			cancel()
			synctest.Wait()
		})
	}
}
