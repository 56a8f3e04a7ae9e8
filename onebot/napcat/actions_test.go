package napcat

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
)

// spy is a Caller that records the last call and responds with data.
type spy struct {
	action string
	params map[string]any
	data   string
}

func (s *spy) Call(_ context.Context, action string, params, result any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	s.action, s.params = action, nil
	if err := json.Unmarshal(b, &s.params); err != nil || s.data == "" || s.data == "null" || result == nil {
		return err
	}
	return json.Unmarshal([]byte(s.data), result)
}

func (s *spy) Stream(ctx context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		var raw json.RawMessage
		if err := s.Call(ctx, action, params, &raw); err != nil || raw == nil {
			return
		}
		for _, part := range strings.Split(string(raw), "\n") {
			if !yield(json.RawMessage(part), nil) {
				return
			}
		}
	}
}

// row is a line of the table with the columns used by these tests.
type row struct {
	wire, method, params, result string
}

func rows(t *testing.T) (all []row) {
	table, err := os.ReadFile("actions.tsv")
	require.NoError(t, err)
	for _, line := range strings.Split(string(table), "\n") {
		if line != "" && line[0] != '#' {
			cells := strings.Split(line, "\t")
			all = append(all, row{cells[0], cells[1], cells[2], cells[3]})
		}
	}
	return all
}

// fill returns a value without zero fields, so that every option is sent.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("s")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(7)
	}
}

// invoke calls a method with arguments that are all zero or all non-zero.
func invoke(t *testing.T, s *spy, method string, zero bool) error {
	m := reflect.ValueOf(Bot{Bot: onebot.NewBot(s, 10000)}).MethodByName(method)
	require.True(t, m.IsValid(), method)
	args := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < m.Type().NumIn(); i++ {
		v := reflect.New(m.Type().In(i)).Elem()
		if !zero {
			fill(v)
		}
		args = append(args, v)
	}
	out := m.Call(args)
	if parts, ok := out[0].Interface().(iter.Seq2[StreamPart, error]); ok {
		for _, err := range parts {
			if err != nil {
				return err
			}
		}
		return nil
	}
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

var cell = regexp.MustCompile(`^([A-Za-z0-9_]+)(@\w+)?[:=](\S*)$`)

// Every line of the table is a method that sends the listed parameters.
func TestBot_EveryLineOfTheTable(t *testing.T) {
	for _, r := range rows(t) {
		t.Run(r.wire, func(t *testing.T) {
			s := &spy{}
			require.NoError(t, invoke(t, s, r.method, false))
			assert.Equal(t, r.wire, s.action)
			var all, always []string
			for _, c := range strings.Fields(r.params) {
				m := cell.FindStringSubmatch(c)
				require.NotNil(t, m, c)
				all = append(all, m[1])
				if !strings.HasSuffix(m[3], "?") && !strings.HasSuffix(m[3], "*") {
					always = append(always, m[1])
				}
			}
			assert.ElementsMatch(t, all, keys(s.params), "all options given")
			require.NoError(t, invoke(t, s, r.method, true))
			assert.ElementsMatch(t, always, keys(s.params), "none given: a zero that is no option is sent")
			for _, data := range []string{`null`, `7`, `"x"`, `[]`, `{}`, `[7]`, `{"data":[],"words":7}`} {
				s.data = data
				_ = invoke(t, s, r.method, false) // an error or a result, but no panic
			}
		})
	}
}

func keys(m map[string]any) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// Every action of NapCat is a method, here or of onebot.Bot.
func TestBot_EveryActionOfNapCat(t *testing.T) {
	here := map[string]bool{}
	for _, r := range rows(t) {
		here[r.wire] = true
	}
	names, err := os.ReadFile("testdata/names.txt")
	require.NoError(t, err)
	known := onebotActions(t)
	count := 0
	for name := range strings.FieldsSeq(string(names)) {
		count++
		assert.True(t, here[name] || known[name], "no method calls %s", name)
		assert.False(t, here[name] && known[name] && name != "upload_file_stream", "two methods call %s", name)
	}
	assert.Greater(t, count, 150)
}

// onebotActions returns the actions named in the comments of onebot.Bot's methods.
func onebotActions(t *testing.T) map[string]bool {
	all := map[string]bool{}
	files, err := os.ReadDir("..")
	require.NoError(t, err)
	quoted := regexp.MustCompile(`"([._]?[a-z][a-z0-9_]+)"`)
	for _, f := range files {
		if name := f.Name(); strings.HasPrefix(name, "actions") && !strings.HasSuffix(name, "_test.go") || name == "quick.go" {
			b, err := os.ReadFile("../" + name)
			require.NoError(t, err)
			for line := range strings.Lines(string(b)) {
				if !strings.HasPrefix(strings.TrimSpace(line), "//") || strings.Contains(line, "(ocr_image, .ocr_image)") {
					line = strings.Replace(line, "(ocr_image, .ocr_image)", `".ocr_image"`, 1)
					for _, m := range quoted.FindAllStringSubmatch(line, -1) {
						all[m[1]] = true
					}
				}
			}
		}
	}
	return all
}

func TestBot_Results(t *testing.T) {
	s := &spy{}
	b := Bot{Bot: onebot.NewBot(s, 10000)}
	ctx := t.Context()
	for _, c := range []struct {
		data string
		do   func() (any, error)
		want any
	}{
		{`{"stream_id":"a","status":"chunk_received","received_chunks":1,"total_chunks":"2"}`, func() (any, error) { return b.UploadFileStream(ctx, "a", UploadFileStreamOptions{}) }, UploadPart{StreamID: "a", Status: "chunk_received", Received: 1, Total: 2}},
		{`{"emoji_like_list":[{"user_id":"5","nick_name":"甲"}]}`, func() (any, error) { return b.GetEmojiLikes(ctx, "7", "66", GetEmojiLikesOptions{}) }, []EmojiLiker{{5, "甲"}}},
		{`{"text":"在吗"}`, func() (any, error) { return b.FetchPTTText(ctx, 7) }, "在吗"},
		{`[{"lastestMsg":{"a":1},"peerUin":"5","msgTime":"1735689600","chatType":1,"msgId":"73"}]`, func() (any, error) { return b.GetRecentContact(ctx, 1) },
			[]RecentContact{{Latest: json.RawMessage(`{"a":1}`), PeerID: 5, At: time.Unix(1735689600, 0), ChatType: 1, MsgID: "73"}}},
		{`{"group_id":1,"group_name":"群","group_all_shut":-1}`, func() (any, error) { return b.GetGroupDetailInfo(ctx, 1) }, GroupDetail{GroupID: 1, Name: "群", AllMuted: -1}},
		{`{"album_list":[{"id":1}],"attach_info":"x","has_more":true}`, func() (any, error) { return b.GetQunAlbumList(ctx, 1, GetQunAlbumListOptions{}) }, AlbumPage{[]json.RawMessage{[]byte(`{"id":1}`)}, "x", true}},
		{`{"shareLink":"https://x","expireTimestamp":"1735689600"}`, func() (any, error) { return b.GetShareLink(ctx, "f") }, ShareLink{"https://x", time.Unix(1735689600, 0)}},
		{`"https://x"`, func() (any, error) { return b.GetShareLink(ctx, "f") }, ShareLink{URL: "https://x"}},
		{`{"result":0,"msgId":"73","elementId":"74"}`, func() (any, error) { return b.SendOnlineFile(ctx, 5, "/a", SendOnlineFileOptions{}) }, OnlineFile{MsgID: "73", ElementID: "74"}},
		{`[{"emoId":1,"resId":"r","url":"u","md5":"m","desc":"d"}]`, func() (any, error) { return b.FetchCustomFaceDetail(ctx, 1) }, []CustomFace{{EmojiID: 1, ResID: "r", URL: "u", MD5: "m", Desc: "d"}}},
		{`{"clientkey":"k"}`, func() (any, error) { return b.GetClientkey(ctx) }, "k"},
		{`{}`, func() (any, error) { return b.GetClientkey(ctx) }, ""},
		{`[{"uin":5,"uid":"u","nick_name":"甲","age":20,"source":"群"}]`, func() (any, error) { return b.GetUnidirectionalFriendList(ctx) }, []UnidirectionalFriend{{5, "u", "甲", 20, "群"}}},
		{`{"status":10,"ext_status":1028}`, func() (any, error) { return b.NCGetUserStatus(ctx, 5) }, UserStatus{10, 1028}},
		{`{"private_rkey":"a","group_rkey":"b","expired_time":1735689600,"name":"NapCat 4"}`, func() (any, error) { return b.GetRKeyServer(ctx) }, RKeyServer{"a", "b", time.Unix(1735689600, 0), "NapCat 4"}},
		{`{"level":1}`, func() (any, error) { return b.CheckURLSafely(ctx, "https://x") }, int64(1)},
		{`{"words":["一","二"]}`, func() (any, error) { return b.TranslateEN2ZH(ctx, []string{"one", "two"}) }, []string{"一", "二"}},
		{`"AABB"`, func() (any, error) { return b.SendPacket(ctx, "c", "00", true) }, "AABB"},
		{`null`, func() (any, error) { return b.SendPacket(ctx, "c", "00", false) }, ""},
		{`[{"variants":{"model_show":"napcat","need_pay":false}}]`, func() (any, error) {
			m, err := b.GetModelShow(ctx, GetModelShowOptions{})
			return m[0].Variants.Name, err
		}, "napcat"},
		{`{"data":{"a":1}}`, func() (any, error) { return b.GetMiniAppArk(ctx, "t", "d", "p", "j", GetMiniAppArkOptions{}) }, json.RawMessage(`{"a":1}`)},
		{`{"result":0,"errMsg":""}`, func() (any, error) { return nil, b.SetSelfLongnick(ctx, "在") }, nil},
	} {
		s.data = c.data
		got, err := c.do()
		require.NoError(t, err, c.data)
		assert.Equal(t, c.want, got, c.data)
	}
}

// A refusal by QQ inside an ok response is an error.
func TestBot_RefusalInsideResponse(t *testing.T) {
	s := &spy{data: `{"result":1004,"errMsg":"太长"}`}
	err := Bot{Bot: onebot.NewBot(s, 10000)}.SetSelfLongnick(t.Context(), "…")
	var refused *onebot.APIError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, onebot.APIError{Action: "set_self_longnick", Code: 1004, Wording: "太长"}, *refused)
	assert.True(t, errors.Is(err, onebot.ErrFailed))
}

func TestBot_DownloadInParts(t *testing.T) {
	part := StreamPart{}
	require.NoError(t, part.UnmarshalJSON([]byte(`{"type":"stream","data_type":"file_chunk","index":1,"data":"5Zyo","size":3,"progress":100}`)))
	assert.Equal(t, StreamPart{Type: "stream", DataType: "file_chunk", Index: 1, Data: []byte("在"), Size: 0, Progress: 100}, withoutSize(part))
	assert.Error(t, part.UnmarshalJSON([]byte(`{"data":"!"}`)))
	assert.Error(t, part.UnmarshalJSON([]byte(`[]`)))
}

func withoutSize(p StreamPart) StreamPart {
	p.Size = 0
	return p
}
