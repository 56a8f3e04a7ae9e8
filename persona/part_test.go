package persona_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyPart has each type of part, with all fields that have a JSON form, and its text.
var everyPart = []struct {
	part persona.Part
	text string
}{
	{persona.Text("看这个 [不是图片]"), "看这个 [不是图片]"},
	{persona.Mention{ID: "1001", Name: "张三"}, "@张三"},
	{persona.Mention{ID: "1001"}, "@1001"},
	{persona.Mention{}, "@全体成员"},
	{persona.Face{ID: "14", Name: "微笑"}, "[微笑]"},
	{persona.Face{ID: "999"}, "[表情]"},
	{persona.Picture{URL: "http://a"}, "[图片]"},
	{persona.Picture{Label: "动画表情", Description: "一只猫"}, "[动画表情：一只猫]"},
	{persona.Voice{ID: "v", URL: "http://v"}, "[语音]"},
	{persona.Voice{Transcript: "我晚点到"}, "[语音：我晚点到]"},
	{persona.Video{URL: "http://v"}, "[视频]"},
	{persona.File{}, "[文件]"},
	{persona.File{ID: "f", Name: "表.csv", Size: 3141, URL: "http://f", Excerpt: "日期,金额"}, "[文件 表.csv 3.1 kB：日期,金额]"},
	{persona.Forward{ID: "x"}, "[聊天记录]"},
	{persona.Forward{ID: "x", Messages: []persona.Message{
		{From: "1", Name: "小明", Text: "在吗\n急"},
		{From: "2", At: statetest.T0, Text: "在[聊天记录]", Parts: []persona.Part{persona.Text("在"), persona.Forward{ID: "y"}}},
	}}, "[聊天记录：\n小明: 在吗\n  急\n2: 在[聊天记录]]"},
	{persona.Card{}, "[卡片]"},
	{persona.Card{Label: "小程序", Title: "标题", Description: "说明", Source: "来源", URL: "http://c"}, "[小程序：标题 · 说明 · 来源]"},
	{persona.Card{Title: "标题", Source: "来源"}, "[卡片：标题 · 来源]"},
	{persona.Location{}, "[位置]"},
	{persona.Location{Name: "虹桥站", Address: "申贵路1500号"}, "[位置：虹桥站 申贵路1500号]"},
	{persona.Other{Label: "骰子 5"}, "[骰子 5]"},
	{persona.Other{}, "[消息]"},
}

func TestTextOf(t *testing.T) {
	var all []persona.Part
	var texts strings.Builder
	for _, c := range everyPart {
		assert.Equal(t, c.text, persona.TextOf([]persona.Part{c.part}))
		all = append(all, c.part)
		texts.WriteString(c.text)
	}
	assert.Equal(t, texts.String(), persona.TextOf(all))
	assert.Empty(t, persona.TextOf(nil))
}

func TestTextOf_FileSize(t *testing.T) {
	for size, want := range map[int64]string{
		-1: "", 0: "", 1: " 1 B", 999: " 999 B", 1000: " 1 kB", 9949: " 9.9 kB", 9950: " 10 kB", 999_499: " 999 kB", 999_500: " 1 MB",
		12_300_000: " 12 MB", 1 << 62: " 4611686 TB",
	} {
		assert.Equal(t, "[文件 a"+want+"]", persona.TextOf([]persona.Part{persona.File{Name: "a", Size: size}}), size)
	}
}

// All parts survive the JSON form, except bytes.
func TestMessage_PartsInJSON(t *testing.T) {
	m := persona.Message{ID: "1", Text: "见下", Parts: []persona.Part{}, Action: true, Quote: &persona.Quote{ID: "0", Text: "早"}}
	types := map[string]bool{}
	for _, c := range everyPart {
		m.Parts = append(m.Parts, c.part)
	}
	b, err := json.Marshal(m)
	require.NoError(t, err)
	var back persona.Message
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, m, back)

	var form struct{ Parts []struct{ Type string } }
	require.NoError(t, json.Unmarshal(b, &form))
	for _, p := range form.Parts {
		types[p.Type] = true
	}
	assert.Len(t, types, 11, "every type has a name of its own")

	b, err = json.Marshal(persona.Message{
		Parts: []persona.Part{persona.Picture{Data: []byte("secret"), Type: "image/png"}, persona.Voice{Audio: persona.Audio{Data: []byte("secret")}}},
		Quote: &persona.Quote{Parts: []persona.Part{persona.Text("secret")}},
	})
	require.NoError(t, err)
	assert.NotContains(t, string(b), "secret")
	assert.NotContains(t, string(b), "c2VjcmV0")
}

func TestMessage_InvalidPartsInJSON(t *testing.T) {
	for _, parts := range []string{`[{"type":"hologram"}]`, `[{}]`, `{}`, `[{"type":"forward","messages":[{"type":"other"}]}]`} {
		m := persona.Message{Text: "kept"}
		assert.Error(t, json.Unmarshal([]byte(`{"type":"social_message","parts":`+parts+`}`), &m), parts)
		assert.Equal(t, "kept", m.Text)
	}
}

// What Unmarshal accepts keeps its meaning: written again and read again, it is the same.
func FuzzMessage_JSON(f *testing.F) {
	for _, c := range everyPart {
		b, err := json.Marshal(persona.Message{ID: "1", Text: c.text, Parts: []persona.Part{c.part}, ReplyTo: "0", Quote: &persona.Quote{ID: "0"}})
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(`{"type":"social_message","platform":"qq","source_id":"group_1","sender_id":"user_user_2","parts":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second persona.Message
		if json.Unmarshal(b, &first) != nil {
			return
		}
		_ = persona.TextOf(first.Parts)
		once, err := json.Marshal(first)
		if err != nil {
			return // a time or chat that has no form
		}
		require.NoError(t, json.Unmarshal(once, &second))
		again, err := json.Marshal(second)
		require.NoError(t, err)
		require.Equal(t, string(once), string(again))
		require.Equal(t, persona.TextOf(first.Parts), persona.TextOf(second.Parts))
		require.True(t, utf8.ValidString(persona.TextOf(first.Parts)))
	})
}

// Only what the sender typed counts as words: no name, card, file or transcript.
func TestMessage_Words(t *testing.T) {
	for _, c := range everyPart {
		m := persona.Message{Text: "小炉" + c.text + "在吗", Parts: []persona.Part{persona.Text("小炉"), c.part, persona.Text("在吗")}}
		want := "小炉 在吗"
		text, typed := c.part.(persona.Text)
		if typed {
			want = "小炉" + string(text) + "在吗"
		}
		_, face := c.part.(persona.Face)
		assert.Equal(t, want, m.Words(), c.text)
		assert.Equal(t, typed || face, m.IsTyped(), c.text)
	}
	unknown := persona.Message{Text: " [图片] "}
	assert.Equal(t, unknown.Text, unknown.Words(), "without parts")
	assert.False(t, unknown.IsTyped())
	assert.True(t, persona.Message{Parts: []persona.Part{}}.IsTyped())
}

// A text that looks like a part is text.
func TestMessage_TypedBracketsAreNoPart(t *testing.T) {
	m := persona.Message{Parts: []persona.Part{persona.Text("[语音：小炉 安静]")}}
	assert.True(t, m.IsTyped())
	assert.Equal(t, "[语音：小炉 安静]", m.Words())
}

var everything = persona.Sends{Face: true, Voice: true, File: true, Forward: true, Reaction: true, Poke: true}

// What a platform cannot send becomes text, or is dropped if no text can stand for it.
func TestOutgoing_Degrade(t *testing.T) {
	heart := persona.Face{ID: "66", Name: "爱心"}
	lines := []persona.Message{{Name: "小明", Text: "在吗"}, {From: "2", Text: "在"}}
	for name, c := range map[string]struct{ out, want persona.Outgoing }{
		"text, mentions, quote, picture": {
			persona.Outgoing{Text: "好", ReplyTo: "1", Mentions: []string{"2"}, MentionEveryone: true, Image: "i"},
			persona.Outgoing{Text: "好", ReplyTo: "1", Mentions: []string{"2"}, MentionEveryone: true, Image: "i"},
		},
		"face":               {persona.Outgoing{Text: "好", Face: heart}, persona.Outgoing{Text: "好[爱心]"}},
		"face without name":  {persona.Outgoing{Face: persona.Face{ID: "66"}}, persona.Outgoing{Text: "[66]"}},
		"voice":              {persona.Outgoing{Text: "好", Voice: persona.Audio{Data: []byte("a"), Type: "audio/mpeg"}}, persona.Outgoing{Text: "好"}},
		"forward":            {persona.Outgoing{Forward: lines}, persona.Outgoing{Text: "小明: 在吗\n2: 在"}},
		"forward with text":  {persona.Outgoing{Text: "好", Forward: lines}, persona.Outgoing{Text: "好"}},
		"file":               {persona.Outgoing{File: persona.SentFile{Name: "a", Data: []byte("a")}}, persona.Outgoing{}},
		"reaction":           {persona.Outgoing{Reaction: persona.Reaction{MessageID: "1", Face: heart}}, persona.Outgoing{}},
		"poke":               {persona.Outgoing{Poke: "1"}, persona.Outgoing{}},
		"voice without text": {persona.Outgoing{Voice: persona.Audio{Data: []byte("a")}}, persona.Outgoing{}},
	} {
		assert.Equal(t, c.want, c.out.Degrade(persona.Sends{}), name)
		assert.Equal(t, c.want.Text == "" && c.want.Image == "", c.want.IsEmpty(), name)
		assert.False(t, c.out.IsEmpty(), name)
		assert.Equal(t, c.out, c.out.Degrade(everything), name)
		assert.Equal(t, c.out.Degrade(persona.Sends{}), c.out.Degrade(persona.Sends{}).Degrade(persona.Sends{}), name)
	}
	assert.True(t, persona.Outgoing{}.IsEmpty())
	assert.True(t, persona.Outgoing{ReplyTo: "1", Mentions: []string{"2"}}.IsEmpty(), "a quote or mention alone says nothing")
}

func TestOutgoing_Content(t *testing.T) {
	for want, out := range map[string]persona.Outgoing{
		"":                {ReplyTo: "1", Mentions: []string{"2"}},
		"好":               {Text: "好", Mentions: []string{"2"}},
		"@全体成员 好[微笑][图片]": {Text: "好", MentionEveryone: true, Face: persona.Face{ID: "14", Name: "微笑"}, Image: "i"},
		"[语音：好]":          {Text: "好", Voice: persona.Audio{Data: []byte("a")}},
		"[文件 a.txt 3 B]":  {File: persona.SentFile{Name: "a.txt", Data: []byte("abc")}},
		"[聊天记录：\n小炉: 一\n小炉: 二\n  三]": {Forward: []persona.Message{{Name: "小炉", Text: "一"}, {Name: "小炉", Text: "二\n三"}}},
		"[回应了 66]":   {Reaction: persona.Reaction{MessageID: "1", Face: persona.Face{ID: "66"}}},
		"[戳了戳 1001]": {Poke: "1001"},
	} {
		assert.Equal(t, want, out.Content())
	}
}

// A voice message, file, forward, reaction or poke quotes nothing.
func TestOutgoing_CanQuote(t *testing.T) {
	can := []persona.Outgoing{{Text: "a"}, {Image: "i"}, {Face: persona.Face{ID: "1"}}}
	cannot := []persona.Outgoing{
		{Voice: persona.Audio{Data: []byte("a")}}, {File: persona.SentFile{Data: []byte("a")}}, {Forward: []persona.Message{{}}},
		{Reaction: persona.Reaction{MessageID: "1"}}, {Poke: "1"},
	}
	for i, out := range slices.Concat(can, cannot) {
		assert.Equal(t, i < len(can), out.CanQuote(), i)
	}
}
