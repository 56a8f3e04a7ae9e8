package onebot

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every builder's JSON is accepted by implementations and survives a round trip through a CQ string.
func TestSegment_Builders(t *testing.T) {
	built := map[string]bool{}
	for want, s := range map[string]Segment{
		`{"type":"text","data":{"text":"[CQ:at,qq=all]"}}`:                                         Text("[CQ:at,qq=all]"),
		`{"type":"at","data":{"qq":"5"}}`:                                                          At(5),
		`{"type":"at","data":{"qq":"all"}}`:                                                        AtAll(),
		`{"type":"reply","data":{"id":"-7"}}`:                                                      Reply(-7),
		`{"type":"face","data":{"id":"14"}}`:                                                       Face(14),
		`{"type":"image","data":{"file":"a.jpg","type":"flash","cache":"0"}}`:                      Image("a.jpg").With("type", "flash").With("cache", "0"),
		`{"type":"record","data":{"file":"base64://AAE="}}`:                                        Record(FileFromBytes([]byte{0, 1})),
		`{"type":"video","data":{"file":"https://x"}}`:                                             Video("https://x"),
		`{"type":"file","data":{"file":"https://x","name":"a,b"}}`:                                 File("https://x", "a,b"),
		`{"type":"rps","data":{}}`:                                                                 RPS(),
		`{"type":"dice","data":{}}`:                                                                Dice(),
		`{"type":"shake","data":{}}`:                                                               Shake(),
		`{"type":"poke","data":{"type":"1","id":"-1"}}`:                                            PokeSegment("1", "-1"),
		`{"type":"anonymous","data":{"ignore":"1"}}`:                                               Anonymously(true),
		`{"type":"share","data":{"url":"https://x","title":"题"}}`:                                  Share("https://x", "题", "", ""),
		`{"type":"contact","data":{"type":"qq","id":"5"}}`:                                         ContactUser(5),
		`{"type":"contact","data":{"type":"group","id":"1"}}`:                                      ContactGroup(1),
		`{"type":"location","data":{"lat":"30.25","lon":"120","title":"杭州"}}`:                      LocationAt(30.25, 120, "杭州", ""),
		`{"type":"music","data":{"type":"163","id":"28"}}`:                                         Music("163", "28"),
		`{"type":"music","data":{"type":"custom","url":"u","audio":"a","title":"t"}}`:              MusicCard("u", "a", "t", "", ""),
		`{"type":"forward","data":{"id":"f"}}`:                                                     Forward("f"),
		`{"type":"node","data":{"id":"7"}}`:                                                        Node(7),
		`{"type":"xml","data":{"data":"<a/>"}}`:                                                    XML("<a/>"),
		`{"type":"json","data":{"data":"{\"a\":[1]}"}}`:                                            JSON(`{"a":[1]}`),
		`{"type":"mface","data":{"emoji_package_id":7,"emoji_id":"e","key":"k","summary":"[贴贴]"}}`: MarketFace(7, "e", "k", "[贴贴]"),
		`{"type":"markdown","data":{"content":"# 题"}}`:                                             Markdown("# 题"),
		`{"type":"keyboard","data":{"rows":[]}}`:                                                   Keyboard([]any{}),
		`{"type":"tts","data":{"text":"在"}}`:                                                       TTS("在"),
		`{"type":"cardimage","data":{"file":"a"}}`:                                                 CardImage("a"),
		`{"type":"gift","data":{"qq":"5","id":"0"}}`:                                               Gift(5, "0"),
		`{"type":"longmsg","data":{"id":"l"}}`:                                                     LongMsg("l"),
		`{"type":"flashtransfer","data":{"fileSetId":"s"}}`:                                        FlashTransfer("s"),
		`{"type":"brand_new","data":{"a":1}}`:                                                      Raw("brand_new", map[string]any{"a": 1}),
	} {
		got, err := s.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		built[s.Type] = true
		if s.Type == "text" {
			continue
		}
		back := ParseCQ(Message{s}.CQ())
		require.Len(t, back, 1, want)
		assert.Equal(t, s.Type, back[0].Type)
		assert.Equal(t, Message{s}.CQ(), back.CQ())
	}
	for _, typ := range strings.Fields("text face image record video at rps dice shake poke anonymous share contact location music reply forward node xml json mface markdown keyboard file flashtransfer longmsg tts gift cardimage") {
		assert.True(t, built[typ], "no builder makes %s", typ)
	}
}

func TestSegment_With(t *testing.T) {
	s := Image("a").With("file", "b").With("sub_type", 1).With("sub_type", 2)
	assert.Equal(t, `{"file":"b","sub_type":2}`, string(s.Data))
	assert.Equal(t, `{"x":null}`, string(Segment{Type: "y"}.With("x", nil).Data))
	assert.Equal(t, `{"a":3}`, string(Segment{Data: json.RawMessage(`{"a":1,"a":2}`)}.With("a", 3).Data))
	shared := Image("a")
	_, _ = shared.With("x", "1"), shared.With("y", "2")
	assert.Equal(t, `{"file":"a"}`, string(shared.Data), "the segment itself stays")
	for _, bad := range []Segment{Image("a").With("x", func() {}), Raw("x", make(chan int))} {
		_, err := json.Marshal(Message{bad})
		assert.Error(t, err, "it must not reach the wire")
	}
}

func TestFileFromBytes_AndPath(t *testing.T) {
	assert.Equal(t, "base64://", FileFromBytes(nil))
	path := filepath.Join(t.TempDir(), "图 1%#?.png")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	url := FileFromPath(path)
	assert.True(t, strings.HasPrefix(url, "file:///"), url)
	assert.True(t, strings.HasSuffix(url, "/%E5%9B%BE%201%25%23%3F.png"), url)
	assert.True(t, strings.HasSuffix(FileFromPath("a.png"), "/onebot/a.png") || strings.HasPrefix(FileFromPath("a.png"), "file:///"))
}

func segmentOf(t *testing.T, s string) (x Segment) {
	require.NoError(t, json.Unmarshal([]byte(s), &x), s)
	return x
}

// Accessors read the forms of all implementations.
func TestSegment_Accessors(t *testing.T) {
	type mention struct {
		id      int64
		all, ok bool
	}
	for in, want := range map[string]mention{
		`{"type":"at","data":{"qq":"5"}}`: {5, false, true}, `{"type":"at","data":{"qq":5}}`: {5, false, true},
		`{"type":"at","data":{"qq":"all"}}`: {0, true, true}, `{"type":"text"}`: {}, `{"type":"at"}`: {0, false, true},
	} {
		id, all, ok := segmentOf(t, in).Mention()
		assert.Equal(t, want, mention{id, all, ok}, in)
	}
	for in, want := range map[string]int64{
		`{"type":"dice","data":{"result":"3"}}`: 3, `{"type":"dice","data":{"value":4}}`: 4, `{"type":"rps","data":{"result":1}}`: 1, `{"type":"dice"}`: 0, `{"type":"face","data":{"value":4}}`: 0,
	} {
		assert.Equal(t, want, segmentOf(t, in).GameResult(), in)
	}
	for in, want := range map[string]Media{
		`{"type":"image","data":{"file":"a.jpg","sub_type":1,"file_size":"83121","summary":"[动画表情]","url":"https://x"}}`: {File: "a.jpg", SubType: 1, Size: 83121, Summary: "[动画表情]", URL: "https://x"},
		`{"type":"image","data":{"file":"a.jpg","subType":"1","type":"flash"}}`:                                          {File: "a.jpg", SubType: 1, Type: "flash"},
		`{"type":"file","data":{"file":"a","file_id":"/f","file_size":7,"path":"/a"}}`:                                   {File: "a", FileID: "/f", Size: 7, Path: "/a"},
		`{"type":"onlinefile","data":{"msgId":"1","fileName":"a","fileSize":"7","isDir":false}}`:                         {Name: "a", Size: 7},
		`{"type":"record","data":{"magic":1,"file":"a.amr"}}`:                                                            {File: "a.amr", Magic: true},
		`{"type":"video"}`: {},
	} {
		got, ok := segmentOf(t, in).Media()
		assert.True(t, ok, in)
		assert.Equal(t, want, got, in)
	}
	_, ok := Text("x").Media()
	assert.False(t, ok)

	for in, want := range map[string]bool{
		`{"type":"image","data":{"sub_type":1}}`: true, `{"type":"image","data":{"sub_type":0}}`: false, `{"type":"mface"}`: true,
		`{"type":"image","data":{"emoji_id":"e","key":"k"}}`: true, `{"type":"image","data":{"summary":"[动画表情]"}}`: true, `{"type":"text","data":{"text":"x"}}`: false,
	} {
		assert.Equal(t, want, segmentOf(t, in).IsSticker(), in)
	}
	m, ok := segmentOf(t, `{"type":"mface","data":{"emoji_package_id":"231","emoji_id":"e","key":"k","summary":"[贴贴]","url":"u"}}`).MarketSticker()
	assert.True(t, ok)
	assert.Equal(t, MarketSticker{231, "e", "k", "[贴贴]", "u"}, m)
	_, ok = segmentOf(t, `{"type":"image","data":{"emoji_id":"e","key":"k"}}`).MarketSticker()
	assert.True(t, ok, "NapCat's form")
	_, ok = Image("a").MarketSticker()
	assert.False(t, ok)

	p, ok := segmentOf(t, `{"type":"location","data":{"lat":"30.25","lon":120.5,"title":"杭州"}}`).Location()
	assert.True(t, ok)
	assert.Equal(t, Location{30.25, 120.5, "杭州", ""}, p)
	id, ok := Reply(-7).QuotedID()
	assert.True(t, ok)
	assert.Equal(t, int64(-7), id)
	_, ok = Segment{Type: "reply"}.QuotedID()
	assert.False(t, ok)
	id, ok = Face(14).FaceID()
	assert.True(t, ok)
	assert.Equal(t, int64(14), id)
	data, ok := segmentOf(t, `{"type":"json","data":{"data":{"app":"x"}}}`).CardData()
	assert.True(t, ok)
	assert.Equal(t, `{"app":"x"}`, data)
	fid, ok := Forward("f").ForwardID()
	assert.True(t, ok)
	assert.Equal(t, "f", fid)
	for _, other := range []Segment{Text("x"), {Type: "x"}} {
		_, a := other.Location()
		_, b := other.CardData()
		_, c := other.ForwardID()
		_, d := other.FaceID()
		assert.False(t, a || b || c || d)
	}
}

// Nested forwards, as built and in each received form.
func TestSegment_Nodes(t *testing.T) {
	inner := CustomNode(6, "乙", Message{Text("在")})
	outer := CustomNode(5, "甲", Message{inner})
	b, err := outer.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"type":"node","data":{"user_id":"5","nickname":"甲","uin":"5","name":"甲","content":[{"type":"node","data":{"user_id":"6","nickname":"乙","uin":"6","name":"乙","content":[{"type":"text","data":{"text":"在"}}]}}]}}`, string(b))
	assert.Equal(t, []ForwardNode{{UserID: 6, Nickname: "乙", Message: Message{Text("在")}}}, outer.Nodes())
	assert.Nil(t, inner.Nodes(), "its content is no node")
	assert.Nil(t, Forward("f").Nodes())
	assert.Nil(t, Text("x").Nodes())

	napcat := segmentOf(t, `{"type":"forward","data":{"id":"f","content":[{"message_id":7,"time":1735689600,"sender":{"user_id":5,"nickname":"甲","card":"卡"},"message":[
		{"type":"forward","data":{"id":"g","content":[{"sender":{"user_id":6,"nickname":"乙"},"message":"在"}]}}]}, "junk", {"type":"node","data":{"id":"9"}}]}}`)
	nodes := napcat.Nodes()
	require.Len(t, nodes, 2)
	assert.Equal(t, []any{int64(7), int64(5), "卡", time.Unix(1735689600, 0)}, []any{nodes[0].MessageID, nodes[0].UserID, nodes[0].Nickname, nodes[0].Time})
	assert.Equal(t, int64(9), nodes[1].MessageID)
	deeper := nodes[0].Message[0].Nodes()
	require.Len(t, deeper, 1)
	assert.Equal(t, ForwardNode{UserID: 6, Nickname: "乙", Message: Message{Text("在")}}, deeper[0])

	fetched := segmentOf(t, `{"type":"node","data":{"user_id":5,"nickname":"甲","message":[{"type":"text","data":{"text":"a"}}],"content":[]}}`)
	assert.Equal(t, "[聊天记录\n甲: a]", Message{{Type: "forward", Data: json.RawMessage(`{"content":[` + string(mustJSON(t, fetched)) + `]}`)}}.TextWith(TextOptions{ExpandForwards: true}))
	assert.Equal(t, "[聊天记录]", Message{napcat}.Text())
	assert.Equal(t, "[聊天记录\n卡: [聊天记录\n  乙: 在]\n0: ]", Message{napcat}.TextWith(TextOptions{ExpandForwards: true}))
}

func mustJSON(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func TestTextWith_Quote(t *testing.T) {
	m := Message{Reply(-964635551), At(5), Text(" 好")}
	said := map[uint32][2]string{
		MessageKey(3330331745): {"张三", "今晚 八点\n还打不打"}, 8: {"", "在"}, 9: {"李四", ""}, 10: {}, 11: {"王五", strings.Repeat("长", 50)},
	}
	o := TextOptions{
		LookupName: func(int64) string { return "小满" },
		LookupQuote: func(id int64) (string, string, bool) {
			s, ok := said[MessageKey(id)]
			return s[0], s[1], ok
		},
	}
	assert.Equal(t, "[回复 张三: 今晚 八点 还打不打]@小满 好", m.TextWith(o))
	for id, want := range map[int64]string{7: "[回复]", 8: "[回复: 在]", 9: "[回复 李四]", 10: "[回复]", 11: "[回复 王五: " + strings.Repeat("长", 40) + "…]"} {
		assert.Equal(t, want, Message{Reply(id), {Type: "text"}}.TextWith(o))
	}
	o.MaxQuoteRunes = -1
	assert.Equal(t, "[回复 王五: "+strings.Repeat("长", 50)+"]", Message{Reply(11), {Type: "text"}}.TextWith(o))
	assert.Equal(t, "[回复]@小满", Message{{Type: "reply"}, At(5)}.TextWith(o))
}
