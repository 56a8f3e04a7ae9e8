package onebot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMessage_Text(t *testing.T) {
	for in, want := range map[string]string{
		`[{"type":"reply","data":{"id":"1"}},{"type":"at","data":{"qq":"5","name":"@小满"}},{"type":"text","data":{"text":" 好的\n"}}]`:                "[回复]@小满 好的\n",
		`[{"type":"at","data":{"qq":5}},{"type":"at","data":{"qq":"all"}},{"type":"at","data":{"qq":"6","name":"乙"}}]`:                             "@5@全体成员@乙",
		`[{"type":"image","data":{"file":"x","summary":""}},{"type":"image","data":{"summary":"[动画表情]"}},{"type":"image","data":{"summary":"x"}}]`: "[图片][动画表情][图片]",
		`[{"type":"face","data":{"id":"14"}},{"type":"mface","data":{"summary":"[贴贴]"}},{"type":"mface","data":{}}]`:                               "[表情][贴贴][表情]",
		`[{"type":"file","data":{"name":"作业.docx","file_size":"12"}},{"type":"file"},{"type":"record"},{"type":"video","data":null}]`:              "[文件 作业.docx][文件][语音][视频]",
		`[{"type":"share","data":{"title":"标题"}},{"type":"location","data":{}},{"type":"json","data":{"data":"{}"}},{"type":"forward"}]`:           "[链接 标题][位置][卡片][聊天记录]",
		`[{"type":"markdown","data":{"content":"# 题"}},{"type":"brand_new","data":{"a":1}}]`:                                                       "# 题[brand_new]",
		`[]`: "", `null`: "", `"a[CQ:at,qq=5]"`: "a@5", `{"type":"dice"}`: "[骰子]",
	} {
		var m Message
		require.NoError(t, json.Unmarshal([]byte(in), &m), in)
		assert.Equal(t, want, m.Text(), in)
	}
}

func TestMessage_MentionsAndReply(t *testing.T) {
	m := Message{Reply(-964635551), At(5), AtAll(), Text("@6")}
	assert.True(t, m.Mentions(5))
	assert.False(t, m.Mentions(6), "text is no mention")
	assert.False(t, m.Mentions(0), "@all is no mention of nobody")
	assert.True(t, m.MentionsAll())
	assert.False(t, Message{At(5)}.MentionsAll())
	id, ok := m.ReplyID()
	assert.True(t, ok)
	assert.Equal(t, "-964635551", id)
	_, ok = Message{Text("x"), {Type: "reply"}}.ReplyID()
	assert.False(t, ok)
}

func TestMessage_JSON(t *testing.T) {
	for want, m := range map[string]Message{
		`[]`: nil,
		`[{"type":"at","data":{"qq":"5"}},{"type":"text","data":{"text":" <b>\"\\\n\u0001长"}}]`: {At(5), Text(" <b>\"\\\n\x01长")},
		`[{"type":"file","data":{"file":"file:///a","name":"b"}}]`:                              {File("file:///a", "b")},
		`[{"type":"shake","data":{}}]`:                                                          {{Type: "shake"}},
	} {
		b, err := m.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
		var back Message
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, m.CQ(), back.CQ())
	}
	for _, bad := range []string{`[{"type":]`, `[`, `{"type":"a",}`, ``, `[] x`} {
		var m Message
		assert.Error(t, m.UnmarshalJSON([]byte(bad)), bad)
		var s Segment
		assert.Error(t, s.UnmarshalJSON([]byte(bad)), bad)
	}
	_, err := json.Marshal(Message{{Type: "x", Data: json.RawMessage("{")}})
	assert.Error(t, err, "a segment that is no JSON must not reach the wire")
}

func TestSegment_Params(t *testing.T) {
	s := Segment{Type: "x", Data: json.RawMessage(` {"s":"a\"b","n":12,"f":1.5,"t":true,"z":null,"o":{"k":[1]},"id":"123","d":1,"d":"2","\u0065":3}`)}
	for key, want := range map[string]string{"s": `a"b`, "n": "12", "f": "1.5", "t": "true", "z": "", "o": `{"k":[1]}`, "missing": "", "d": "2", "e": "3"} {
		assert.Equal(t, want, s.Param(key), key)
	}
	assert.Equal(t, int64(123), s.Int("id"))
	assert.Equal(t, int64(12), s.Int("n"))
	assert.Zero(t, s.Int("s"))
	for _, data := range []string{``, `null`, `[1]`, `"x"`, `{`, `{"s"`} {
		bad := Segment{Data: json.RawMessage(data)}
		assert.Empty(t, bad.Param("s"), data)
		assert.NotPanics(t, func() { _ = Message{bad}.CQ(); _ = Message{bad}.Text() }, data)
	}
}
