package onebot

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var cqCases = []struct {
	in   string
	want Message
	out  string // "": the same as in
}{
	{"", nil, ""},
	{"你好", Message{Text("你好")}, ""},
	{"[CQ:at,qq=123] 在吗", Message{At(123), Text(" 在吗")}, ""},
	{"a[CQ:face,id=14][CQ:face,id=15]b", Message{Text("a"), Face(14), Face(15), Text("b")}, ""},
	{"&#91;CQ:face,id=1&#93;", Message{Text("[CQ:face,id=1]")}, ""},
	{"&amp;#91;&amp;amp;", Message{Text("&#91;&amp;")}, ""},
	{"a,b=c", Message{Text("a,b=c")}, ""},
	{"a&#44;b", Message{Text("a,b")}, "a,b"},
	{"&lt; &", Message{Text("&lt; &")}, "&amp;lt; &amp;"},
	{"[CQ:share,url=http://a/?x=1&amp;y=2&#44;3,title=&#91;t&#93;]", Message{build("share", "url", "http://a/?x=1&y=2,3", "title", "[t]")}, ""},
	{"[CQ:shake]", Message{{Type: "shake", Data: json.RawMessage(`{}`)}}, ""},
	{"[CQ:image,file=]", Message{Image("")}, ""},
	{"[CQ:a-b_c.D9,x-y=1]", Message{build("a-b_c.D9", "x-y", "1")}, ""},
	{"[CQ:face,id=1,id=2]", Message{Face(2)}, "[CQ:face,id=2]"},
	{"[CQ:x,a=[1]", Message{build("x", "a", "[1")}, "[CQ:x,a=&#91;1]"},
	{"x[CQ:text,text=a&#44;b]y", Message{Text("xa,by")}, "xa,by"},
	{"[CQ:text]", nil, "[CQ:text]-none"},
	// malformed codes are text
	{"[CQ:face,id=1", Message{Text("[CQ:face,id=1")}, "&#91;CQ:face,id=1"},
	{"[CQ:face,id]", Message{Text("[CQ:face,id]")}, "&#91;CQ:face,id&#93;"},
	{"[CQ:face,]", Message{Text("[CQ:face,]")}, "&#91;CQ:face,&#93;"},
	{"[CQ:a,b] t=1,c=2]", Message{Text("[CQ:a,b] t=1,c=2]")}, "&#91;CQ:a,b&#93; t=1,c=2&#93;"},
	{"[CQ:face, id=1]", Message{Text("[CQ:face, id=1]")}, "&#91;CQ:face, id=1&#93;"},
	{"[CQ:表情,id=1]", Message{Text("[CQ:表情,id=1]")}, "&#91;CQ:表情,id=1&#93;"},
	{"[CQ:,id=1]", Message{Text("[CQ:,id=1]")}, "&#91;CQ:,id=1&#93;"},
	{"[CQ:]", Message{Text("[CQ:]")}, "&#91;CQ:&#93;"},
	{"[CQ:[CQ:face,id=1]", Message{Text("[CQ:"), Face(1)}, "&#91;CQ:[CQ:face,id=1]"},
	{"[cq:face,id=1]", Message{Text("[cq:face,id=1]")}, "&#91;cq:face,id=1&#93;"},
	{"[CQ:face,=1]", Message{Text("[CQ:face,=1]")}, "&#91;CQ:face,=1&#93;"},
}

func TestParseCQ(t *testing.T) {
	for _, c := range cqCases {
		m := ParseCQ(c.in)
		assert.Equal(t, c.want, m, c.in)
		switch c.out {
		case "":
			assert.Equal(t, c.in, m.CQ())
		case "[CQ:text]-none":
			assert.Empty(t, m.CQ())
		default:
			assert.Equal(t, c.out, m.CQ(), c.in)
		}
	}
}

func TestMessage_CQ(t *testing.T) {
	for in, want := range map[string]string{
		`[{"type":"image","data":{"file":"a.jpg","sub_type":0,"big":12345678901234567890,"ok":true,"none":null,"o":{ "k" : [1, "x,]"] }}}]`: `[CQ:image,file=a.jpg,sub_type=0,big=12345678901234567890,ok=true,o={"k":&#91;1&#44;"x&#44;&#93;"&#93;}]`,
		`[{"type":"text","data":{"text":"[CQ:at,qq=all]"}}]`:                                   `&#91;CQ:at,qq=all&#93;`,
		`[{"type":"evil],qq=1","data":{"k=1,[":"v"}}]`:                                         `[CQ:evil&#93;&#44;qq=1,k=1&#44;&#91;=v]`,
		`[{"type":"rps","data":null},{"type":"dice"},{"type":"text"},{"type":"a","data":[1]}]`: `[CQ:rps][CQ:dice][CQ:a]`,
	} {
		var m Message
		require.NoError(t, json.Unmarshal([]byte(in), &m))
		assert.Equal(t, want, m.CQ())
	}
}

func FuzzParseCQ(f *testing.F) {
	for _, c := range cqCases {
		f.Add(c.in)
	}
	for _, make := range nestedCQ {
		f.Add(make(60))
	}
	f.Add("[CQ:x,a=\xff\"\\\n]\xed\xa0\x80&#44")
	f.Fuzz(func(t *testing.T, s string) {
		m := ParseCQ(s)
		if len(m) < maxSegments {
			require.Equal(t, referenceParseCQ(s), m)
		}
		cq := m.CQ()
		require.Equal(t, m, ParseCQ(cq), "both directions agree")
		require.Equal(t, cq, ParseCQ(cq).CQ())
		// as text it stays text
		if plain := (Message{Text(s)}); s != "" && utf8.ValidString(s) {
			require.Equal(t, plain, ParseCQ(plain.CQ()), "text survives")
			require.Equal(t, s, plain.Text())
		}
		// and in the array form
		b, err := json.Marshal(m)
		require.NoError(t, err)
		var back Message
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, len(m), len(back))
		require.Equal(t, cq, back.CQ())
		for i := range m {
			require.Equal(t, m[i].Type, back[i].Type)
		}
	})
}
