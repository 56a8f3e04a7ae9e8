package onebottest_test

import (
	"encoding/json"
	"net/http"
	"slices"
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

// of returns a server of each implementation by name.
func of(t *testing.T, name string, o onebottest.Options) *onebottest.Server {
	for n, h := range onebottest.Presets() {
		if n == name {
			o.Quirks = h
			s := onebottest.New(o)
			t.Cleanup(s.Close)
			return s
		}
	}
	t.Fatal("no implementation is called " + name)
	return nil
}

var names = []string{"NapCat", "LLBot", "SnowLuma", "Lagrange", "GoCQHTTP"}

func TestPresets_Names(t *testing.T) {
	var got []string
	for name := range onebottest.Presets() {
		got = append(got, name)
	}
	assert.Equal(t, names, got)
	for name, h := range onebottest.Presets() {
		assert.Equal(t, "NapCat", name)
		assert.Equal(t, onebottest.Quirks{}, h)
		break
	}
}

func TestQuirks_Paths(t *testing.T) {
	for _, tt := range []struct{ impl, path, gets string }{
		{"NapCat", "/", "api events"}, {"NapCat", "/api", "api"}, {"NapCat", "/event", "api events"}, {"NapCat", "/x", "api events"},
		{"LLBot", "/", "api events"}, {"LLBot", "/api/", "api"}, {"LLBot", "/event/", "events"}, {"LLBot", "/x", ""},
		{"SnowLuma", "/", "api events"}, {"SnowLuma", "/api", "api"}, {"SnowLuma", "/event", "events"},
		{"Lagrange", "/", "api events"}, {"Lagrange", "/api", "api"}, {"Lagrange", "/event", "events"}, {"Lagrange", "/x", "api events"},
		{"GoCQHTTP", "/", "api events"}, {"GoCQHTTP", "/api", "api"}, {"GoCQHTTP", "/event", "events"}, {"GoCQHTTP", "/x", "api events"},
	} {
		t.Run(tt.impl+tt.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := of(t, tt.impl, onebottest.Options{})
				b := dial(t, s, tt.path, nil)
				synctest.Wait()
				b.write(`{"action":"get_status","echo":1}`)
				synctest.Wait()
				var gets []string
				if len(s.Calls()) > 0 {
					gets = append(gets, "api")
				}
				if s.Links() > 0 {
					gets = append(gets, "events")
				}
				assert.Equal(t, tt.gets, strings.Join(gets, " "))
				s.Close()
			})
		})
	}
}

// The first frame and the encoding of JSON.
func TestQuirks_Frames(t *testing.T) {
	for _, tt := range []struct{ impl, first, in, end string }{
		{"NapCat", `"sub_type":"connect"`, `在 <&>🔥`, "}"},
		{"LLBot", `"sub_type":"connect"`, `在 <&>🔥`, "}"},
		{"SnowLuma", `"sub_type":"connect"`, `在 <&>🔥`, "}"},
		{"Lagrange", `"sub_type":"connect"`, `\u5728 \u003c\u0026amp;\u003e\uD83D\uDD25`, "}"},
		{"GoCQHTTP", `"_post_method":2`, `在 \u003c\u0026amp;\u003e🔥`, "}\n"},
	} {
		s := of(t, tt.impl, onebottest.Options{})
		b := dial(t, s, "/", nil)
		first := string(b.frame())
		assert.Contains(t, first, tt.first, tt.impl)
		assert.NotContains(t, first, "\n")
		if tt.impl == "SnowLuma" {
			assert.Contains(t, string(b.frame()), `"sub_type":"enable"`)
			assert.Contains(t, string(b.frame()), `"interval":30000`)
		}
		s.Group(7, "").Say(1, text("在 <&>🔥"))
		frame := string(b.frame())
		assert.True(t, strings.HasSuffix(frame, tt.end), tt.impl)
		if tt.end == "}" {
			assert.NotContains(t, frame, "\n")
		}
		in := strings.ReplaceAll(tt.in, "amp;", "")
		if tt.impl == "GoCQHTTP" {
			in = tt.in // in a CQ string
		}
		assert.Contains(t, frame, in, tt.impl)
		assert.True(t, json.Valid([]byte(frame)))
	}
}

// fields returns the names of a message's or its sender's fields beyond those of all implementations.
func fields(o object) string {
	var out []string
	for k := range o {
		switch k {
		case "time", "self_id", "post_type", "message_type", "sub_type", "message_id", "message", "raw_message", "sender", "font":
		case "user_id", "nickname":
		default:
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestQuirks_Fields(t *testing.T) {
	type want struct{ group, sender, private, temp, tempSender string }
	for impl, want := range map[string]want{
		"NapCat": {"group_id group_name message_format message_seq real_id real_seq", "card role",
			"message_format message_seq real_id real_seq target_id", "group_id message_format message_seq real_id real_seq target_id temp_source", "card"},
		"LLBot": {"group_id group_name message_format message_seq", "card level role title",
			"message_format message_seq", "message_format message_seq temp_source", "group_id"},
		"SnowLuma": {"anonymous group_id message_seq", "age card role sex",
			"message_seq", "message_seq", "age sex"},
		"Lagrange": {"anonymous group_id message_style", "age area card level role sex title",
			"message_style target_id", "message_style target_id", "sex"},
		"GoCQHTTP": {"anonymous group_id message_seq", "age area card level role sex title",
			"target_id", "temp_source", "age group_id sex"},
	} {
		s := of(t, impl, onebottest.Options{})
		s.Group(7, "").Member(1, "张三")
		b := dial(t, s, "/", nil)
		b.event()
		s.Group(7, "").Say(1, text("在"))
		got := b.event()
		assert.Equal(t, want.group, fields(got), impl)
		assert.Equal(t, want.sender, fields(got["sender"].(object)), impl)
		s.Friend(3, "").Say(text("在"))
		assert.Equal(t, want.private, fields(b.event()), impl)
		s.Group(7, "").Member(1, "").SayPrivately(text("在"))
		got = b.event()
		assert.Equal(t, "group", got["sub_type"])
		assert.Equal(t, want.temp, fields(got), impl)
		assert.Equal(t, want.tempSender, fields(got["sender"].(object)), impl)
		_, isString := got["message"].(string)
		assert.Equal(t, impl == "GoCQHTTP", isString)
	}
}

func TestQuirks_NamesInMentions(t *testing.T) {
	for impl, want := range map[string]string{"NapCat": "", "LLBot": "三哥", "SnowLuma": "", "Lagrange": "@三哥", "GoCQHTTP": ""} {
		s := of(t, impl, onebottest.Options{})
		p := s.Group(7, "")
		p.Member(1, "张三").WithCard("三哥")
		b := dial(t, s, "/", nil)
		b.event()
		p.Say(2, onebot.Message{onebot.At(1), onebot.AtAll(), onebot.At(99)})
		frame, err := json.Marshal(b.event())
		require.NoError(t, err)
		ev, err := onebot.ParseEvent(frame)
		require.NoError(t, err)
		m := ev.(*onebot.GroupMessage).Message
		require.Len(t, m, 3)
		assert.Equal(t, want, m[0].Param("name"), impl)
		assert.Empty(t, m[1].Param("name")+m[2].Param("name"))
	}
}

// Retcodes, fields and echoes of responses over WebSocket.
func TestQuirks_Responses(t *testing.T) {
	for _, tt := range []struct {
		impl                    string
		unknown, params, failed float64
		none, noneUnknown, msg  any
		fields                  string
	}{
		{"NapCat", 1404, 1400, 1200, "", nil, nil, "data echo message retcode status stream wording"},
		{"LLBot", 1404, 1400, 1200, "absent", "absent", nil, "data echo message retcode status wording"},
		{"SnowLuma", 1404, 1400, 100, "absent", "absent", nil, "data echo retcode status"},
		{"Lagrange", 404, 200, 200, nil, nil, nil, "data echo retcode status"},
		{"GoCQHTTP", 404, 100, 100, "absent", "absent", "GROUP_NOT_FOUND", "data echo message retcode status"},
	} {
		s := of(t, tt.impl, onebottest.Options{})
		b := dial(t, s, "/api", nil)
		ask := func(frame string) object {
			b.write(frame)
			return b.read()
		}
		echo := func(o object) any {
			if v, ok := o["echo"]; ok {
				return v
			}
			return "absent"
		}
		ok := ask(`{"action":"get_status","echo":{"n":1}}`)
		var names []string
		for k := range ok {
			names = append(names, k)
		}
		slices.Sort(names)
		assert.Equal(t, tt.fields, strings.Join(names, " "), tt.impl)
		assert.Equal(t, object{"n": 1.0}, ok["echo"])
		assert.Equal(t, tt.unknown, ask(`{"action":"no_such","echo":1}`)["retcode"], tt.impl)
		assert.Equal(t, tt.params, ask(`{"action":"get_group_info","echo":1}`)["retcode"], tt.impl)
		failed := ask(`{"action":"get_group_info","params":{"group_id":9},"echo":1}`)
		assert.Equal(t, tt.failed, failed["retcode"], tt.impl)
		assert.Equal(t, tt.msg, failed["msg"], tt.impl)
		assert.Equal(t, tt.none, echo(ask(`{"action":"get_status"}`)), tt.impl)
		assert.Equal(t, tt.noneUnknown, echo(ask(`{"action":"no_such"}`)), tt.impl)
		suffixed := ask(`{"action":"get_status_async","echo":1}`)["status"] == "ok"
		assert.Equal(t, tt.impl != "Lagrange" && tt.impl != "SnowLuma", suffixed, tt.impl)
		limited := ask(`{"action":"get_status_rate_limited","echo":1}`)["status"] == "ok"
		assert.Equal(t, tt.impl == "NapCat" || tt.impl == "LLBot", limited, tt.impl)
		b.write(`no JSON`)
		b.write(`{"action":"get_status","echo":"after"}`)
		got := b.read()
		assert.Equal(t, tt.impl == "Lagrange", got["echo"] == "after", "it answers nothing")
	}
}

// Headers of a reverse link in their exact spelling.
func TestQuirks_ReverseHeaders(t *testing.T) {
	for _, tt := range []struct{ impl, role, token, wantRole, agent, auth string }{
		{"NapCat", "", "密", "Universal", "OneBot/11", "Bearer 密"},
		{"NapCat", "", "", "Universal", "OneBot/11", "Bearer"},
		{"LLBot", "", "", "Universal", "LLOneBot/8.1.7", "Bearer"},
		{"SnowLuma", "API", "密", "Api", "OneBot/11", "Bearer 密"},
		{"SnowLuma", "", "", "Universal", "OneBot/11", ""},
		{"Lagrange", "API", "密", "Api", "Lagrange.OneBot", "Bearer 密"},
		{"Lagrange", "Event", "", "Event", "Lagrange.OneBot", "Bearer"},
		{"GoCQHTTP", "API", "密", "API", "CQHttp/4.15.0", "Token 密"},
		{"GoCQHTTP", "Event", "", "Event", "CQHttp/4.15.0", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := of(t, tt.impl, onebottest.Options{Token: tt.token})
			bot := newBed()
			go s.Connect(t.Context(), "ws://bot/", onebottest.ConnectOptions{Role: tt.role, Handler: bot})
			h := <-bot.headers
			assert.Equal(t, "10000", h.Get("X-Self-ID"))
			assert.Equal(t, []string{tt.wantRole, tt.agent, tt.auth},
				[]string{h.Get("X-Client-Role"), h.Get("User-Agent"), strings.TrimSpace(h.Get("Authorization"))}, tt.impl)
			b := attach(t, <-bot.conns)
			if tt.wantRole != "Api" && tt.wantRole != "API" {
				assert.NotContains(t, b.event(), "_post_method")
			}
			s.Close()
		})
	}
}

func TestQuirks_Tokens(t *testing.T) {
	for _, tt := range []struct {
		impl, query, header string
		status              int // 0: accepted; 101: accepted and then disconnected
	}{
		{"NapCat", "", "Bearer k", 0}, {"NapCat", "k", "Bearer x", 0}, {"NapCat", "", "Token k", 101}, {"NapCat", "", "", 101},
		{"LLBot", "", "Bearer k", 0}, {"LLBot", "k", "Bearer x", 101}, {"LLBot", "k", "", 0}, {"LLBot", "", "Token k", 101},
		{"SnowLuma", "", "Bearer k", 0}, {"SnowLuma", "k", "Bearer x", 0}, {"SnowLuma", "x", "Bearer k", 0}, {"SnowLuma", "", "k", 101},
		{"Lagrange", "", "Bearer k", 0}, {"Lagrange", "k", "", 0}, {"Lagrange", "k", "Token k", 403}, {"Lagrange", "", "", 403},
		{"GoCQHTTP", "", "Bearer k", 0}, {"GoCQHTTP", "", "Token k", 0}, {"GoCQHTTP", "", "k", 0}, {"GoCQHTTP", "", "", 401}, {"GoCQHTTP", "x", "", 403},
	} {
		s := of(t, tt.impl, onebottest.Options{Token: "k"})
		header := http.Header{}
		if tt.header != "" {
			header.Set("Authorization", tt.header)
		}
		conn, resp, err := websocket.Dial(t.Context(), "ws://x/?access_token="+tt.query, &websocket.DialOptions{HTTPClient: s.HTTPClient(), HTTPHeader: header})
		if tt.status > 101 {
			require.Error(t, err)
			assert.Equal(t, tt.status, resp.StatusCode, "%+v", tt)
			continue
		}
		require.NoError(t, err)
		b := attach(t, conn)
		if tt.impl == "SnowLuma" && tt.status == 101 { // sends no frame
			_, _, err = conn.Read(t.Context())
			assert.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
			continue
		}
		first := b.read()
		if tt.status == 0 {
			assert.Equal(t, "connect", first["sub_type"], "%+v", tt)
			continue
		}
		assert.Equal(t, 1403.0, first["retcode"], "%+v", tt)
		_, has := first["echo"]
		assert.Equal(t, tt.impl == "NapCat", has)
		_, _, err = conn.Read(t.Context())
		want := websocket.StatusNoStatusRcvd
		if tt.impl == "LLBot" {
			want = websocket.StatusPolicyViolation
		}
		assert.Equal(t, want, websocket.CloseStatus(err), tt.impl)
	}
}

func TestQuirks_WideIDs(t *testing.T) {
	s := onebottest.New(onebottest.Options{Quirks: onebottest.Quirks{IDs: onebottest.IDsInt64, DummyGroup: true}})
	defer s.Close()
	p := s.Group(7, "")
	c := visit(t, s, onebot.Options{})
	seen := map[uint32]bool{}
	wide := 0
	for range 100 {
		id := p.Say(1, text("长"))
		m := c.event().(*onebot.GroupMessage)
		assert.Equal(t, id, m.MessageID)
		got, err := c.Bot().GetMsg(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, id, got.(*onebot.GroupMessage).MessageID)
		seen[onebot.MessageKey(id)] = true
		if id > 1<<53 {
			wide++
		}
	}
	assert.Len(t, seen, 100)
	assert.Greater(t, wide, 90)
	p.Member(1, "").SayPrivately(text("在"))
	assert.Equal(t, int64(284840486), c.event().(*onebot.PrivateMessage).GroupID)
}

// go-cqhttp does not read from event links, so it does not respond to pings there.
func TestQuirks_EventLinkIgnoresPings(t *testing.T) {
	s := of(t, "GoCQHTTP", onebottest.Options{})
	b := dial(t, s, "/event", nil)
	go b.conn.Read(t.Context())
	ctx, cancel := timeout(t, 100*time.Millisecond)
	defer cancel()
	assert.Error(t, b.conn.Ping(ctx))
}
