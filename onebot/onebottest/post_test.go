package onebottest_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A hook is a bot's webhook that responds to each event with the result of answer.
type hook struct {
	mu     sync.Mutex
	heads  []http.Header
	bodies []string
	answer func(w http.ResponseWriter, ev object)
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	h.heads, h.bodies = append(h.heads, r.Header), append(h.bodies, string(b))
	h.mu.Unlock()
	var ev object
	_ = json.Unmarshal(b, &ev)
	if h.answer != nil {
		h.answer(w, ev)
	} else {
		w.WriteHeader(http.StatusNoContent)
	}
}

// posting runs a webhook at s until the test ends.
func posting(t *testing.T, s *onebottest.Server, h http.Handler, o onebottest.PostOptions) {
	t.Helper()
	o.Handler = h
	ended := make(chan error, 1)
	go func() { ended <- s.Post(t.Context(), "http://bot/onebot", o) }()
	require.NoError(t, s.WaitLink(t.Context()))
	t.Cleanup(func() {
		s.Close()
		assert.NoError(t, <-ended)
	})
}

func TestPost_Events(t *testing.T) {
	for _, impl := range names {
		synctest.Test(t, func(t *testing.T) { testPost(t, impl) })
	}
}

func testPost(t *testing.T, impl string) {
	s := of(t, impl, onebottest.Options{Token: "密", SelfID: 42})
	g := s.Group(7, "")
	h := new(hook)
	posting(t, s, h, onebottest.PostOptions{})
	first := 0
	if impl == "Lagrange" { // Lagrange posts a lifecycle event first
		first = 1
		posts, err := s.WaitPosts(t.Context(), 1)
		require.NoError(t, err)
		assert.Contains(t, string(posts[0].Event), "lifecycle")
	}
	for i := range 20 {
		g.Say(1, text(strings.Repeat("在", i+1)))
	}
	posts, err := s.WaitPosts(t.Context(), 20+first)
	require.NoError(t, err)
	for i, p := range posts[first:] {
		assert.Equal(t, []int{1, 204}, []int{p.Tries, p.Status}, impl)
		var ev struct {
			Raw string `json:"raw_message"`
		}
		require.NoError(t, json.Unmarshal(p.Event, &ev))
		assert.Equal(t, strings.Repeat("在", i+1), ev.Raw, "in their order")
	}
	mac := hmac.New(sha1.New, []byte("密"))
	mac.Write([]byte(h.bodies[3]))
	assert.Equal(t, "sha1="+hex.EncodeToString(mac.Sum(nil)), h.heads[3].Get("X-Signature"), "over the raw body")
	assert.Equal(t, "42", h.heads[3].Get("X-Self-ID"))
	assert.Equal(t, impl == "GoCQHTTP", strings.HasSuffix(h.bodies[3], "\n"))
	assert.True(t, strings.HasPrefix(h.heads[3].Get("Content-Type"), "application/json"))
}

// Only go-cqhttp retries, and only without a response.
func TestPost_Retries(t *testing.T) {
	for impl, tries := range map[string]int{"NapCat": 1, "LLBot": 1, "SnowLuma": 1, "Lagrange": 1, "GoCQHTTP": 4} {
		synctest.Test(t, func(t *testing.T) {
			s := of(t, impl, onebottest.Options{Heartbeat: time.Hour})
			h := &hook{answer: func(http.ResponseWriter, object) { panic(http.ErrAbortHandler) }}
			posting(t, s, h, onebottest.PostOptions{})
			s.Friend(3, "").Say(text("在"))
			time.Sleep(time.Minute)
			posts := s.Posts()
			last := posts[len(posts)-1]
			assert.Equal(t, []int{tries, 0}, []int{last.Tries, last.Status}, impl)

			h.answer = func(w http.ResponseWriter, _ object) { w.WriteHeader(http.StatusInternalServerError) }
			s.Friend(3, "").Say(text("在"))
			synctest.Wait()
			posts = s.Posts()
			assert.Equal(t, 1, posts[len(posts)-1].Tries, "an answer is an answer")
		})
	}
	synctest.Test(t, func(t *testing.T) { // its timeout is 5 s, and 1.5 s between tries
		s := of(t, "GoCQHTTP", onebottest.Options{})
		h := &hook{answer: func(http.ResponseWriter, object) { time.Sleep(time.Hour) }}
		posting(t, s, h, onebottest.PostOptions{})
		start := time.Now()
		s.Friend(3, "").Say(text("在"))
		_, err := s.WaitPosts(t.Context(), 1)
		require.NoError(t, err)
		assert.Equal(t, 4*5*time.Second+3*1500*time.Millisecond, time.Since(start))
		time.Sleep(2 * time.Hour)
	})
}

func TestPost_QuickOperations(t *testing.T) {
	answer := `{"reply":"在 [CQ:face,id=1]","at_sender":true,"delete":true,"kick":true,"ban":true,"ban_duration":60}`
	for impl, want := range map[string]struct {
		reply, private         string
		recalled, banned, gone bool
	}{
		"NapCat":   {"[回复]@1在 [表情]", "在", false, false, false},
		"LLBot":    {"[回复]@1在 [表情]", "[回复]在", true, true, true},
		"SnowLuma": {"@1在 [CQ:face,id=1]", "在", true, true, true},
		"Lagrange": {},
		"GoCQHTTP": {"@1在 [表情]", "在", true, true, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := of(t, impl, onebottest.Options{})
			g := s.Group(7, "")
			g.Member(self, "").WithRole("owner")
			g.Member(1, "")
			f := s.Friend(3, "")
			h := &hook{answer: func(w http.ResponseWriter, ev object) {
				switch {
				case ev["message_type"] == "group":
					io.WriteString(w, answer)
				case ev["message_type"] == "private":
					io.WriteString(w, `{"reply":"在","at_sender":true}`)
				case ev["request_type"] == "friend":
					io.WriteString(w, `{"approve":true,"remark":"新"}`)
				case ev["request_type"] == "group":
					io.WriteString(w, `{"approve":false,"reason":"不"}`)
				}
			}}
			posting(t, s, h, onebottest.PostOptions{})
			told := make(chan onebottest.ChatMessage, 9)
			s.OnSend(func(m onebottest.ChatMessage) { told <- m })
			id := g.Say(1, text("在吗"))
			synctest.Wait()
			said := s.History(g.Chat())
			assert.Equal(t, want.recalled, said[0].Retracted, impl)
			if want.reply == "" {
				assert.Empty(t, s.Sent())
				return
			}
			require.Len(t, s.Sent(), 1)
			assert.Equal(t, want.reply, s.Sent()[0].Message.Text(), impl)
			assert.Equal(t, id, said[0].MessageID)
			assert.Len(t, told, 1)
			b := dial(t, s, "/api", nil)
			list := b.do("get_group_member_list", object{"group_id": 7}).([]any)
			assert.Equal(t, want.gone, len(list) == 1, impl)
			assert.Equal(t, want.banned, strings.Contains(strings.Join(h.bodies, ""), "group_ban"), impl)

			f.Say(text("在吗"))
			synctest.Wait()
			require.Len(t, s.Sent(), 2)
			assert.Equal(t, want.private, s.Sent()[1].Message.Text(), impl)

			s.FriendRequest(9, "新朋友", "你好")
			g.JoinRequest(8, "让我进")
			synctest.Wait()
			friend, group := s.Requests()[0], s.Requests()[1]
			assert.True(t, friend.Answered && friend.Approved)
			assert.True(t, group.Answered && !group.Approved)
			assert.Equal(t, "不", group.AnswerText)
			assert.Equal(t, impl == "LLBot" || impl == "SnowLuma", friend.AnswerText == "新", "only they take a remark")
			assert.Len(t, s.Calls(".handle_quick_operation"), 4)

			// the same over WebSocket
			b.do(".handle_quick_operation", object{"context": json.RawMessage(h.bodies[0]), "operation": object{"reply": "又"}})
			assert.Len(t, s.Sent(), 3)
			s.Close()
		})
	}
}

func TestPost_Parallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := of(t, "GoCQHTTP", onebottest.Options{Heartbeat: 15 * time.Second})
		h := &hook{answer: func(http.ResponseWriter, object) { time.Sleep(3 * time.Second) }}
		posting(t, s, h, onebottest.PostOptions{Parallel: true})
		start := time.Now()
		for range 10 {
			s.Friend(3, "").Say(text("在"))
		}
		_, err := s.WaitPosts(t.Context(), 10)
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(start))
		_, err = s.WaitPosts(t.Context(), 11)
		require.NoError(t, err)
		assert.Contains(t, h.bodies[10], "heartbeat")
	})
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	assert.Error(t, s.Post(t.Context(), "http://a b/", onebottest.PostOptions{}))
}
