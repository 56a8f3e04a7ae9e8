package onebottest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestStream_Download(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	want := bytes.Repeat([]byte("炉边"), 50)
	f := s.File("a.txt", want)
	b := dial(t, s, "/api", nil)
	for _, name := range []string{f.ID, f.Path} {
		b.write(`{"action":"download_file_stream","params":{"file":"` + name + `","chunk_size":128},"echo":"e"}`)
		var got []byte
		var kinds []string
		for {
			o := b.read()
			data := o["data"].(object)
			assert.Equal(t, []any{"e", "stream-action", "ok"}, []any{o["echo"], o["stream"], o["status"]})
			kinds = append(kinds, data["data_type"].(string))
			if data["data_type"] == "file_chunk" {
				chunk, err := base64.StdEncoding.DecodeString(data["data"].(string))
				require.NoError(t, err)
				assert.Equal(t, float64(len(kinds)-2), data["index"])
				got = append(got, chunk...)
			}
			if data["type"] != "stream" {
				assert.Equal(t, object{"type": "response", "data_type": "file_complete", "total_chunks": 3.0, "total_bytes": 300.0, "message": "Download completed"}, data)
				break
			}
		}
		assert.Equal(t, "file_info file_chunk file_chunk file_chunk file_complete", strings.Join(kinds, " "))
		assert.Equal(t, want, got)
	}
	o := b.call("download_file_stream", object{"file": "nothing"})
	assert.Equal(t, []any{1200.0, object{"type": "error", "data_type": "error"}}, []any{o["retcode"], o["data"]})

	// over HTTP the parts arrive one after the other
	_, body := httpCall{"POST", "/download_file_stream", jsonKind, `{"file":"` + f.ID + `","chunk_size":128}`, ""}.ask(t, s)
	assert.Equal(t, 5, strings.Count(body, "\r\n\r\n"))
}

func TestStream_Upload(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	b := dial(t, s, "/", nil)
	b.event()
	sum := sha256.Sum256([]byte("abcdef"))
	chunk := func(i int, data string) object {
		return object{"stream_id": "s", "chunk_index": i, "chunk_data": base64.StdEncoding.EncodeToString([]byte(data)),
			"total_chunks": 3, "filename": "../a.txt", "expected_sha256": hex.EncodeToString(sum[:])}
	}
	for i, c := range []object{chunk(2, "ef"), chunk(0, "ab"), chunk(0, "ab"), chunk(1, "cd")} {
		got := b.do("upload_file_stream", c).(object)
		status := "chunk_received"
		if i == 2 {
			status = "file_created" // known already
		}
		assert.Equal(t, []any{"stream", status}, []any{got["type"], got["status"]}, "the one answer of this call")
	}
	b.fails2(t, "upload_file_stream", chunk(3, "x"))
	done := b.do("upload_file_stream", object{"stream_id": "s", "is_complete": true}).(object)
	assert.Equal(t, []any{"response", "file_complete", hex.EncodeToString(sum[:]), 6.0},
		[]any{done["type"], done["status"], done["sha256"], done["file_size"]})
	require.Len(t, s.Files(), 1)
	assert.Equal(t, []string{"a.txt", "abcdef"}, []string{s.Files()[0].Name, string(s.Files()[0].Data)})

	for _, bad := range []object{
		{"stream_id": "t"}, {"stream_id": "t", "verify_only": true}, {"stream_id": "t", "reset": true, "total_chunks": 1}, {},
		{"stream_id": "u", "total_chunks": 1, "is_complete": true},
	} {
		b.fails2(t, "upload_file_stream", bad)
	}
	b.do("upload_file_stream", object{"stream_id": "v", "total_chunks": 1, "chunk_index": 0, "chunk_data": "YQ==", "expected_sha256": "00"})
	b.fails2(t, "upload_file_stream", object{"stream_id": "v", "is_complete": true})

	b.do("upload_group_file", object{"group_id": 7, "file": done["file_path"], "name": "b.txt"})
	assert.Equal(t, []any{g.Chat(), "b.txt"}, []any{s.Files()[0].SentTo, s.Files()[0].Name})
	b.do("upload_group_file", object{"group_id": 7, "file": "base64://YWJj", "name": "c"})
	assert.Equal(t, "abc", string(s.Files()[1].Data))
	b.fails(1200, "upload_group_file", object{"group_id": 8, "file": "base64://YWJj"})
}

// fails2 expects a failed stream; its data has the error, too.
func (b *rawBot) fails2(t *testing.T, action string, params object) {
	t.Helper()
	o := b.call(action, params)
	assert.Equal(t, "failed", o["status"], "%v", o)
	assert.Equal(t, object{"type": "error", "data_type": "error"}, o["data"])
}

func TestStream_NapCatAndSnowLuma(t *testing.T) {
	for _, impl := range []string{"LLBot", "Lagrange", "GoCQHTTP"} {
		s := of(t, impl, onebottest.Options{})
		b := dial(t, s, "/api", nil)
		assert.Contains(t, []any{1404.0, 404.0}, b.call("download_file_stream", nil)["retcode"], impl)
	}
}

func TestForward_Nodes(t *testing.T) {
	for _, impl := range names {
		s := of(t, impl, onebottest.Options{})
		g := s.Group(7, "")
		g.Member(1, "张三")
		c := visit(t, s, onebot.Options{})
		inner := s.Forward(onebottest.Node{UserID: 2, Name: "李四", Message: text("里")})
		g.Say(1, s.Forward(onebottest.Node{UserID: 1, Message: text("一")}, onebottest.Node{UserID: 2, Message: inner}))
		id := c.event().(*onebot.GroupMessage).Message[0].Param("id")
		assert.Len(t, id, 19)
		var got map[string][]struct {
			Type    string
			Sender  struct{ Nickname string }
			Content json.RawMessage
			Message json.RawMessage
			Data    struct {
				Nickname string
				Content  onebot.Message
			}
		}
		require.NoError(t, c.Bot().Call(t.Context(), "get_forward_msg", object{"id": id}, &got))
		key := "messages"
		if impl == "Lagrange" {
			key = "message"
		}
		require.Len(t, got[key], 2, impl)
		first := got[key][0]
		switch impl {
		case "NapCat", "SnowLuma":
			assert.Equal(t, "张三", first.Sender.Nickname)
			assert.Contains(t, string(first.Message), "一")
		case "Lagrange":
			assert.Equal(t, []string{"node", "张三", "一"}, []string{first.Type, first.Data.Nickname, first.Data.Content.Text()})
		default:
			assert.Equal(t, "张三", first.Sender.Nickname)
			assert.Contains(t, string(first.Content), "一")
		}
		assert.Error(t, c.Bot().Call(t.Context(), "get_forward_msg", object{"id": "1"}, nil))
		assert.Error(t, c.Bot().Call(t.Context(), "get_forward_msg", object{}, nil))

		var sent struct {
			MessageID int64  `json:"message_id"`
			ForwardID string `json:"forward_id"`
		}
		nodes := []object{
			{"type": "node", "data": object{"user_id": "1", "nickname": "甲", "content": text("话")}},
			{"type": "node", "data": object{"uin": 2, "name": "乙", "content": "[CQ:face,id=1]"}},
			{"type": "text", "data": object{"text": "不是"}},
		}
		require.NoError(t, c.Bot().Call(t.Context(), "send_group_forward_msg", object{"group_id": 7, "messages": nodes}, &sent))
		require.Len(t, s.Forwarded(sent.ForwardID), 2)
		assert.Equal(t, "乙", s.Forwarded(sent.ForwardID)[1].Name)
		assert.Equal(t, sent.MessageID, s.Sent()[0].MessageID)
		assert.Error(t, c.Bot().Call(t.Context(), "send_group_forward_msg", object{"group_id": 7, "messages": nodes[2:]}, nil))
		assert.Error(t, c.Bot().Call(t.Context(), "send_group_forward_msg", object{"group_id": 8, "messages": nodes}, nil))
	}
}
