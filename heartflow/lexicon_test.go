package heartflow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/fold"
)

func TestLexicon_Find(t *testing.T) {
	l, err := newLexicon([]string{"小炉", "Bot", "Little Fire", "Yahoo!", "ガルーダ"}, []string{"喂喂"}, []string{"Go语言", "C++", "민수"})
	require.NoError(t, err)
	for _, c := range []struct {
		text string
		want reasons
	}{
		// CJK: anywhere
		{"小炉在吗", isName}, {"问问小炉吧", isName}, {"小 炉", 0}, {"小火炉", 0}, {"喂喂，小炉", isName | isWakeWord}, {"喂", 0},
		{"민수야 안녕", isKeyword},
		// Latin: as a word
		{"bot", isName}, {"BOT!", isName}, {"hey bot's here", isName}, {"我的bot在吗", isName}, {"小明bot", isName},
		{"robot", 0}, {"bots", 0}, {"bot2", 0}, {"bot_", 0}, {"my-bot-net", isName}, {"ботbot", 0}, {"botté", 0},
		{"little fire 在吗", isName}, {"little\n  fire", isName}, {"little", 0}, {"littlefire", 0}, {"a little fires", 0},
		{"会Go语言吗", isKeyword}, {"Mango语言", 0}, {"c++好难", isKeyword}, {"abc++", 0},
		// width
		{"ｂｏｔ", isName}, {"ＢＯＴ　在吗", isName}, {"ｒｏｂｏｔ", 0}, {"yahoo!", isName}, {"ＹＡＨＯＯ！", isName}, {"yahoo！", isName},
		{"ｶﾞﾙｰﾀﾞ", isName}, {"カ\u3099ルータ\u3099", isName}, {"カルータ", 0},
		// styles and invisible characters
		{"𝐁𝐨𝐭 𝘩𝘪", isName}, {"Ⓑⓞⓣ", isName}, {"小\u200b炉", isName}, {"\ufeff小\u2060炉\ufe0f", isName}, {"b\u00adot", isName}, {"ro\u200bbot", 0},
		{"小\x00炉", isName},
		// look-alike letters stay different
		{"bоt (Cyrillic)", 0}, {"小爐", 0},
		// URLs
		{"https://example.com/bot", 0}, {"看 http://bot.example/小炉吗", isName}, {"https://a.cn/x小炉你看", isName}, {"https://bot,bot,bot", 0},
		{"www.bot.cn", 0}, {"bot.com", 0}, {"去bot.com看看", 0}, {"github.com/bot", 0}, {"github.com/a/bot?x=bot#bot", 0}, {"HTTPS://X.COM/BOT bot", isName},
		{"https://a.cn，bot 看看", isName}, {"ｈｔｔｐｓ://a.cn/bot", 0}, {"and/or bot", isName}, {"v1.2/bot", isName}, {"hi.bot", isName},
		{"https://小炉.cn/", isName}, // a link ends at the first non-ASCII character, as in QQ clients
		{"<https://a.cn>bot", isName}, {"://bot", isName},
		// e-mail
		{"bot@example.com", 0}, {"写给x.bot@example.com.", 0}, {"me@bot.example.org", 0}, {"ｂｏｔ＠ｅｘａｍｐｌｅ．ｃｏｍ", 0}, {"发到bot@example.com，bot", isName},
		{"a@b.cn,bot", isName},
		// @names of other people and of the bot
		{"@小炉", isName}, {"@小炉 在吗", isName}, {"＠小炉，在吗", isName}, {"@Bot.", isName}, {"@little fire hi", isName}, {"嗯@小炉", isName},
		{"@小炉铁粉 在吗", 0}, {"@爱小炉 在吗", 0}, {"@小炉铁粉 小炉在吗", isName}, {"@小明，小炉在吗", isName}, {"@小明小炉", 0}, {"@bot-fan hi", 0}, {"@@小炉", isName},
		{"@" + strings.Repeat("长", 80) + "小炉", isName}, // longer than any @name
		{"", 0}, {"@", 0}, {"\xff\xfe小炉", isName}, {"小\xff炉", 0},
	} {
		assert.Equal(t, c.want, l.find(c.text, true), "%q", c.text)
	}
	assert.Zero(t, l.find("@小炉 在吗", false), "an @ of somebody else with the bot's name")
	assert.Equal(t, isName, l.find("@小炉 小炉在吗", false))
	assert.Zero(t, l.find(strings.Repeat("哈", maxSearched)+"小炉", true), "too far from the beginning")
}

func TestFold_Idempotent(t *testing.T) {
	for _, s := range []string{"ＢＯＴ　ﾊﾟﾝ ヴ ς ſ K 𝟙Ⓩ", "ẞß İ", "か\u3099う\u3099は\u309aん\u3099", "a\u0301"} {
		once := string(fold.Append(nil, s))
		assert.Equal(t, once, string(fold.Append(nil, once)), "%q", s)
	}
	assert.Equal(t, "bot パン σ s k 1z", string(fold.Append(nil, "ＢＯＴ　ﾊﾟﾝ ς ſ K 𝟙Ⓩ")))
	assert.Equal(t, "がゔぱん", string(fold.Append(nil, "か\u3099う\u3099は\u309aん\u3099")))
}

func TestObserve_AuthorNameNotSearched(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"小炉"}})
	assert.False(t, a.Observe(t0, 1, Message{From: "小炉的粉丝", Text: "大家好"}).Addressed)
	assert.True(t, a.Observe(t0, 1, Message{From: "小炉的粉丝", Text: "小炉好"}).Addressed, "the text is searched")
}

func TestConfigure_ReplacesSettings(t *testing.T) {
	a := newAttention[int](Options{Names: []string{"小炉"}, Keywords: []string{"猫"}})
	say := func(text string) bool { return a.Observe(t0, 1, Message{Text: text}).Addressed }
	assert.True(t, say("小炉"))
	require.NoError(t, a.Configure(1, Settings{Names: []string{"阿炉"}}))
	assert.False(t, say("小炉"))
	assert.True(t, say("阿炉"))
	assert.True(t, say("猫"), "nil keeps the words of the Options")
	assert.True(t, a.Observe(t0, 2, Message{Text: "小炉"}).Addressed, "another chat")

	for _, bad := range []Settings{
		{Names: []string{"好", " \u200b "}}, {Keywords: []string{""}}, {WakeWords: []string{strings.Repeat("长", 100)}}, {Names: []string{"\xff"}},
		{Names: make([]string, maxWords+1)}, {Off: true, Policy: Interject{Base: 2}},
	} {
		require.Error(t, a.Configure(1, bad))
		assert.True(t, say("阿炉"), "the old Settings stay")
		assert.False(t, say("好"))
	}
	require.NoError(t, a.Configure(1, Settings{Names: []string{}, Keywords: []string{}}))
	assert.False(t, say("小炉 阿炉 猫"))
	require.NoError(t, a.Configure(1, Settings{Off: true}))
	assert.False(t, a.Observe(t0, 1, Message{AtMe: true}).Addressed)
	for _, bad := range []Options{{Names: []string{""}}, {Caps: Caps{Consecutive: -1}}, {MaxAge: -1}, {Policy: Interject{Topic: 1.5}}} {
		_, err := New[int](bad)
		assert.Error(t, err)
	}
}

func FuzzLexicon(f *testing.F) {
	f.Add("小炉", "@小炉铁粉 小炉在吗 https://a.cn/小炉")
	f.Add("Bot", "ｒｏｂｏｔ ｂｏｔ＠x.com bot")
	f.Add("c++", "c++/c.com@c++")
	f.Fuzz(func(t *testing.T, name, text string) {
		l, err := newLexicon([]string{name}, nil, nil)
		if err != nil {
			return
		}
		found := l.find(text, true) != 0
		assert.Equal(t, found, l.find(string(fold.Append(nil, strings.ToValidUTF8(text, "�"))), true) != 0 || found, "folding hides no word")
		if found && len(text) < 1000 {
			folded, want := string(fold.Append(nil, text)), strings.TrimSpace(string(fold.Append(nil, name)))
			assert.True(t, strings.Contains(folded, want) || strings.Contains(folded, widePunctuation.Replace(want)))
		}
	})
}

func TestTopicTerms_Overlap(t *testing.T) {
	topic := fold.Terms(nil, "空洞骑士我通关了 Hollow Knight")
	assert.Equal(t, 3, fold.Shared("空洞骑士", topic))
	assert.Equal(t, 2, fold.Shared("HOLLOW ｋｎｉｇｈｔ", topic))
	assert.Zero(t, fold.Shared("什么东西", fold.Terms(nil, "什么时候")), "function words are no topic")
	assert.Zero(t, fold.Shared("with this", fold.Terms(nil, "with this")))
	assert.Zero(t, fold.Shared("空间 骑车 cat", topic))
	assert.Zero(t, fold.Shared("", topic))
	assert.LessOrEqual(t, len(fold.Terms(nil, strings.Repeat("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜", 9))), fold.MaxTerms)
}
