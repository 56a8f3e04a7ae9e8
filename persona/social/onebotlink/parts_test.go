package onebotlink

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readParts reads segments in a chat where 1001 is 张三.
func readParts(m onebot.Message) []persona.Part {
	r := partReader{lookupName: func(id int64) string { return map[int64]string{1001: "张三"}[id] }}
	return r.read(m)
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		segment onebot.Segment
		want    persona.Part
		text    string
	}{
		{onebot.Text("[CQ:face,id=1]"), persona.Text("[CQ:face,id=1]"), "[CQ:face,id=1]"},
		{onebot.Markdown("# 题"), persona.Text("# 题"), "# 题"},
		{onebot.At(1001), persona.Mention{ID: "1001", Name: "张三"}, "@张三"},
		{onebot.At(1001).With("name", "@三哥"), persona.Mention{ID: "1001", Name: "三哥"}, "@三哥"},
		{onebot.At(1009), persona.Mention{ID: "1009"}, "@1009"},
		{onebot.AtAll(), persona.Mention{}, "@全体成员"},
		{onebot.Raw("at", map[string]any{"qq": "here"}), persona.Mention{ID: "here"}, "@here"},
		{onebot.Raw("at", map[string]any{}), persona.Mention{ID: "?"}, "@?"},
		{onebot.Face(14), persona.Face{ID: "14", Name: "微笑"}, "[微笑]"},
		{onebot.Face(128512), persona.Face{ID: "128512", Name: "😀"}, "[😀]"},
		{onebot.Face(998), persona.Face{ID: "998"}, "[表情]"},
		{onebot.Image("a.jpg").With("url", "http://a").With("summary", "[动画表情]"), persona.Picture{Label: "动画表情", URL: "http://a"}, "[动画表情]"},
		{onebot.Image("a.jpg"), persona.Picture{}, "[图片]"},
		{onebot.MarketFace(1, "e", "k", "[贴贴]"), persona.Picture{Label: "贴贴"}, "[贴贴]"},
		{onebot.MarketFace(1, "e", "k", ""), persona.Picture{Label: "表情"}, "[表情]"},
		{onebot.CardImage("a"), persona.Picture{}, "[图片]"},
		{onebot.Record("v.amr").With("url", "http://v"), persona.Voice{ID: "v.amr", URL: "http://v"}, "[语音]"},
		{onebot.Video("v.mp4").With("url", "http://v"), persona.Video{URL: "http://v"}, "[视频]"},
		{onebot.File("a.csv", "").With("file_id", "/f").With("file_size", "3141"), persona.File{ID: "/f", Name: "a.csv", Size: 3141}, "[文件 a.csv 3.1 kB]"},
		{onebot.Raw("onlinefile", map[string]any{"fileName": "b.txt", "fileSize": 7}), persona.File{Name: "b.txt", Size: 7}, "[文件 b.txt 7 B]"},
		{onebot.Forward("x"), persona.Forward{ID: "x"}, "[聊天记录]"},
		{onebot.LongMsg("x"), persona.Forward{ID: "x"}, "[聊天记录]"},
		{onebot.Share("http://s", "标题", "说明", ""), persona.Card{Label: "链接", Title: "标题", Description: "说明", URL: "http://s"}, "[链接：标题 · 说明]"},
		{onebot.MusicCard("http://m", "http://a", "歌", "歌手", ""), persona.Card{Label: "音乐", Title: "歌", Description: "歌手", URL: "http://m"}, "[音乐：歌 · 歌手]"},
		{onebot.LocationAt(30, 120, "虹桥站", "申贵路"), persona.Location{Name: "虹桥站", Address: "申贵路"}, "[位置：虹桥站 申贵路]"},
		{onebot.Dice().With("result", "5"), persona.Other{Label: "骰子 5"}, "[骰子 5]"},
		{onebot.RPS().With("result", "2"), persona.Other{Label: "猜拳"}, "[猜拳]"},
		{onebot.Shake(), persona.Other{Label: "窗口抖动"}, "[窗口抖动]"},
		{onebot.Raw("brand_new", map[string]any{"a": 1}), persona.Other{Label: "brand_new"}, "[brand_new]"},
	} {
		parts := readParts(onebot.Message{c.segment, onebot.Reply(7)})
		assert.Equal(t, []persona.Part{c.want}, parts, "the quote is no part")
		assert.Equal(t, c.text, persona.TextOf(parts))
	}
	assert.NotNil(t, readParts(nil), "an empty message has known parts")
}

// A forward that arrives with its messages is read with them, and so are the forwards in it.
func TestParts_ForwardInline(t *testing.T) {
	node := func(name string, content any) map[string]any {
		return map[string]any{"user_id": 1001, "sender": map[string]any{"nickname": name}, "time": 1_700_000_000, "message": content}
	}
	nested := onebot.Raw("forward", map[string]any{"id": "y", "content": []any{node("小红", onebot.Message{onebot.Text("里面")})}})
	outer := onebot.Raw("forward", map[string]any{"id": "x", "content": []any{
		node("小明", onebot.Message{onebot.Reply(3), onebot.Text("看\n图"), onebot.Image("a")}), node("小刚", onebot.Message{nested}), node("小李", onebot.Message{onebot.Forward("z")}),
	}})
	parts := readParts(onebot.Message{outer})
	require.Len(t, parts, 1)
	f := parts[0].(persona.Forward)
	require.Len(t, f.Messages, 3)
	assert.Equal(t, "1001", f.Messages[0].From)
	assert.EqualValues(t, 1_700_000_000, f.Messages[0].At.Unix())
	assert.Equal(t, []persona.Part{persona.Forward{ID: "z"}}, f.Messages[2].Parts)
	assert.Equal(t, "[聊天记录：\n小明: 看\n  图[图片]\n小刚: [聊天记录：\n  小红: 里面]\n小李: [聊天记录]]", persona.TextOf(parts))

	for range 9 { // too deep
		outer = onebot.Raw("forward", map[string]any{"content": []any{node("层", onebot.Message{outer})}})
	}
	assert.NotContains(t, persona.TextOf(readParts(onebot.Message{outer})), "小明")
	var many []any
	for range 999 {
		many = append(many, node("群友", onebot.Message{onebot.Text("在")}))
	}
	f = readParts(onebot.Message{onebot.Raw("forward", map[string]any{"content": many})})[0].(persona.Forward)
	assert.Len(t, f.Messages, maxForwardNodes)
}

// Only pictures have addresses to look at, nine at most, and no address is longer than 2 kB.
func TestParts_URLs(t *testing.T) {
	var m onebot.Message
	for range 12 {
		m = append(m, onebot.Image("a").With("url", "http://a"))
	}
	m = append(m, onebot.Image("a").With("url", "http://a/"+strings.Repeat("a", maxMediaURL)), onebot.CardImage("a").With("url", "http://a"))
	n := 0
	for _, p := range readParts(m) {
		if p.(persona.Picture).URL != "" {
			n++
		}
	}
	assert.Equal(t, maxPictures, n)
}

// The cards of QQ's clients are read by their content, not by their code.
func TestReadCard(t *testing.T) {
	card := func(c onebottest.Card) string {
		data, ok := c.Message()[0].CardData()
		require.True(t, ok)
		return data
	}
	url := "https://example.com/a"
	for _, c := range []struct {
		data string
		want persona.Part
	}{
		{card(onebottest.Card{Kind: onebottest.MiniProgramCard, Title: "视频", Text: "猫在推杯子", Source: "哔哩哔哩", URL: url}), persona.Card{Label: "小程序", Title: "猫在推杯子", Source: "哔哩哔哩", URL: url}},
		{card(onebottest.Card{Kind: onebottest.NewsCard, Title: "新闻", Text: "摘要\n两行", Source: "知乎", URL: url}), persona.Card{Label: "链接", Title: "新闻", Description: "摘要 两行", Source: "知乎", URL: url}},
		{card(onebottest.Card{Kind: onebottest.StructNewsCard, Title: "新闻", Text: "新闻"}), persona.Card{Label: "链接", Title: "新闻"}},
		{card(onebottest.Card{Kind: onebottest.MusicCard, Title: "晴天", Text: "周杰伦", Source: "QQ音乐"}), persona.Card{Label: "音乐", Title: "晴天", Description: "周杰伦", Source: "QQ音乐"}},
		{card(onebottest.Card{Kind: onebottest.MapCard, Title: "虹桥站", Text: "申贵路1500号", Lat: 31}), persona.Location{Name: "虹桥站", Address: "申贵路1500号"}},
		{card(onebottest.Card{Kind: onebottest.ContactCard, Title: "李四", ID: 1002}), persona.Card{Label: "名片", Title: "李四", Description: "账号：1002", Source: "推荐联系人"}},
		{card(onebottest.Card{Kind: onebottest.GroupCard, Title: "技术群", Text: "一起写代码", ID: 1}), persona.Card{Label: "名片", Title: "技术群", Description: "一起写代码", Source: "推荐群聊", URL: "mqqapi://card/show_pslcard?uin=1"}},
		{card(onebottest.Card{Kind: onebottest.AnnouncementCard, Title: "公告", Text: "周五开会"}), persona.Card{Label: "群公告", Title: "公告", Description: "周五开会"}},
		{`{"app":"com.tencent.multimsg","meta":{"detail":{"resid":"r1","source":"群聊的聊天记录"}}}`, persona.Forward{ID: "r1"}},
		{`{"app":"com.new","prompt":"[新卡片]看看","meta":{}}`, persona.Card{Title: "看看"}},
		{`{"app":"com.new","meta":{"a":{"title":5,"desc":"说明"}},"view":7}`, persona.Card{Description: "说明"}},
		{`{"meta":[]}`, persona.Card{}},
		{`not json`, persona.Card{}},
		{"", persona.Card{}},
		{`<?xml version='1.0'?><msg serviceID="1" brief="[分享]旧新闻" url="https://example.com/a"><item><title>旧新闻</title><summary>很旧</summary></item><source name="QQ浏览器"/></msg>`, persona.Card{Title: "旧新闻", Description: "很旧", Source: "QQ浏览器", URL: url}},
		{`<msg serviceID="35" m_resid="r2" brief="[聊天记录]"><item><title>群聊</title></item></msg>`, persona.Forward{ID: "r2"}},
		{`<msg brief="[转发]只有简介">`, persona.Card{Title: "只有简介"}},
		{`<<<`, persona.Card{}},
	} {
		assert.Equal(t, c.want, readCard(c.data), c.data)
	}
}

// No card stops the link. Its texts have one line, are bounded, and are UTF-8.
func FuzzReadCard(f *testing.F) {
	for kind := onebottest.MiniProgramCard; kind <= onebottest.AnnouncementCard; kind++ {
		data, _ := onebottest.Card{Kind: kind, Title: "标题\n[语音]", Text: "说\u2028明", Source: "来源", URL: "https://a"}.Message()[0].CardData()
		f.Add(data)
	}
	f.Add(`{"app":"com.tencent.mannounce","meta":{"mannounce":{"title":"//79","text":"gICA"}}}`)
	f.Add(`<msg brief="a&#10;b" m_resid=""><item><title>a</title><title>b</title></item></msg>`)
	f.Fuzz(func(t *testing.T, data string) {
		var texts []string
		switch c := readCard(data).(type) {
		case persona.Card:
			texts = []string{c.Label, c.Title, c.Description, c.Source}
			require.LessOrEqual(t, len(c.URL), maxMediaURL)
		case persona.Location:
			texts = []string{c.Name, c.Address}
		case persona.Forward:
			require.NotEmpty(t, c.ID)
			require.Nil(t, c.Messages)
		default:
			t.Fatalf("%T", c)
		}
		for _, text := range texts {
			require.LessOrEqual(t, len(text), maxCardText)
			require.NotContains(t, text, "\n")
			require.True(t, utf8.ValidString(text), "%q", text)
		}
	})
}

// Whatever a stranger puts into the parameters of a segment, it is a part with one text.
func FuzzParts(f *testing.F) {
	for _, kind := range []string{"text", "at", "face", "image", "mface", "record", "video", "file", "forward", "node", "json", "xml", "share", "music", "location", "dice", "rps", "unknown]\n"} {
		f.Add(kind, `{"id":"-1","qq":"99999999999999999999","name":"@]\n张三: ","file_size":"1e400","content":[{"user_id":{}, "message":"[CQ:at,qq=all]"}],"data":"{}"}`)
		f.Add(kind, `null`)
	}
	f.Fuzz(func(t *testing.T, kind, data string) {
		var s onebot.Segment
		if s.UnmarshalJSON(fmt.Appendf(nil, `{"type":%q,"data":%s}`, kind, data)) != nil {
			return
		}
		parts := readParts(onebot.Message{s})
		if s.Type == "reply" {
			require.Empty(t, parts)
			return
		}
		require.Len(t, parts, 1)
		_ = persona.TextOf(parts)
		_, err := json.Marshal(persona.Message{Parts: parts})
		require.NoError(t, err)
	})
}

func TestFaces(t *testing.T) {
	names := map[string]bool{}
	for _, f := range faces() {
		assert.NotEmpty(t, f.Name)
		assert.Equal(t, f, faceByID(f.ID))
		names[f.Name] = true
	}
	assert.Len(t, names, len(reactionFaces))
	for _, id := range []string{"", "x", "-1", "1001", "1114112", "55296", "99999999999999999999"} {
		assert.Equal(t, id, faceByID(id).ID)
	}
	assert.Empty(t, faceByID("1114112").Name, "no character")
	assert.Empty(t, faceByID("55296").Name, "half of a character")
}
