package nit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var kick = nit.ToolInfo{Target: &nit.Target{CommandWords: []string{"踢", "移出", "kick"}, Args: []string{"group_id", "user_id"}}}

func TestToolInfo_RequestedIn(t *testing.T) {
	for _, tt := range []struct {
		args, text string
		want       bool
	}{
		// by number
		{`{"user_id":12345}`, "把12345踢了", true},
		{`{"user_id":"12345"}`, "踢掉 QQ12345", true},
		{`{"user_id":"user_12345"}`, "kick 12345", true},
		{`{"group_id":"group_678","user_id":12345}`, "把 12345 移出群678。", true},
		{`{"group_id":678,"user_id":12345}`, "踢１２３４５，６７８群的", true},
		{`{"user_id":12345}`, "踢12345，10086在旁边看", true},
		{`{"user_id":12345}`, "踢12345：10点以前", true},
		{`{"user_id":12345}`, "踢12345,67890", true},
		{`{"user_id":-2147483648}`, "踢 -2147483648", true},
		{`{"user_id":12345,"reject_add_request":true}`, "踢12345", true},
		{`{"user_id":12345}`, "踢112345", false},
		{`{"user_id":12345}`, "踢123456", false},
		{`{"user_id":12345}`, "踢１12345", false},
		{`{"user_id":12345}`, "踢1\u200b12345", false},
		{`{"user_id":234}`, "踢了他，1,234 次了", false},
		{`{"user_id":30}`, "12:30 踢", false},
		{`{"user_id":10}`, "2026-04-10 踢", false},
		{`{"user_id":26}`, "踢 go1.26", false},
		{`{"user_id":5}`, "踢 -5", false},
		{`{"user_id":2147483648}`, "踢 -2147483648", false},
		{`{"user_id":3}`, "踢 1e3", false},
		{`{"user_id":1e3}`, "踢 1e3 1000", false},
		{`{"user_id":1.5}`, "踢 1.5", false},
		{`{"user_id":"１２３４５"}`, "踢12345", false},
		{`{"group_id":678,"user_id":12345}`, "踢12345", false},
		{`{"group_id":678}`, "踢12345", false},
		{`{"user_id":9007199254740993}`, "踢9007199254740992", false},

		// by name
		{`{"user_id":"小明"}`, "把小明踢了吧", true},
		{`{"group_id":"技术 群","user_id":"小明"}`, "把小明移出技术 群", true},
		{`{"user_id":"Bob"}`, "please KICK ｂｏｂ!", true},
		{`{"user_id":"Bob"}`, "踢@bob", true},
		{`{"user_id":"bob smith"}`, "踢 Bob\n Smith", true},
		{`{"user_id":"小明"}`, "把小红踢了", false},
		{`{"user_id":"小明"}`, "小明说了什么", false},
		{`{"user_id":"明"}`, "把小明踢了", false},
		{`{"user_id":"？？"}`, "踢谁？？", false},
		{`{"user_id":"bob"}`, "kick bobby", false},
		{`{"user_id":"bob"}`, "kick a-bob", false},
		{`{"user_id":"bob"}`, "kick bob.smith", false},
		{`{"user_id":"bob"}`, "sidekick bob", false},
		{`{"user_id":"小明\u3164"}`, "把小明踢了", false},
		{`{"user_id":"小明\u200b"}`, "把小明踢了", false},
		{`{"user_id":"ne"}`, "kick ne\u0301", false},

		// overlapping parts of the text
		{`{"user_id":"小踢踢"}`, "把小踢踢踢了", true},
		{`{"user_id":"小踢踢"}`, "小踢踢说了什么", false},
		{`{"user_id":"踢了"}`, "踢了小明", false},
		{`{"group_id":"踢球群","user_id":"踢球"}`, "踢出踢球群的小明", false},
		{`{"group_id":"user_5","user_id":5}`, "踢 5", true},

		// negation
		{`{"user_id":"小明"}`, "别踢小明", false},
		{`{"user_id":"小明"}`, "别把小明踢了", false},
		{`{"user_id":"小明"}`, "不能踢小明", false},
		{`{"user_id":"小明"}`, "don't kick 小明", false},
		{`{"user_id":"小明"}`, "别理小红，踢小明", true},
		{`{"user_id":"小明"}`, "能不能把小明踢了", true},
		{`{"user_id":"小明"}`, "不踢小红了，踢小明", true},

		// no target
		{``, "踢12345", false},
		{`null`, "踢12345", false},
		{`{}`, "踢12345", false},
		{`{"other":12345}`, "踢12345", false},
		{`{"user_id":null}`, "踢12345", false},
		{`{"group_id":null,"user_id":12345}`, "踢12345", false},
		{`{"user_id":""}`, "踢12345", false},
		{`{"user_id":" "}`, "踢 12345", false},
		{`{"user_id":[12345]}`, "踢12345", false},
		{`{"user_id":{"id":12345}}`, "踢12345", false},
		{`{"user_id":true}`, "踢true", false},
		{`{"user_id":12345,"user_id":12345}`, "踢12345", false},
		{`{"group_id":678,"USER_ID":12345}`, "踢678", false},
		{`{"user_id":12345}x`, "踢12345", false},
		{`{"user_id":12345`, "踢12345", false},
		{`{"user_id":12345}`, "", false},
	} {
		assert.Equal(t, tt.want, kick.RequestedIn(json.RawMessage(tt.args), tt.text), "%s in %q", tt.args, tt.text)
	}
	assert.False(t, nit.ToolInfo{}.RequestedIn(json.RawMessage(`{"user_id":12345}`), "踢12345"), "a tool that does not say on whom it acts")
}

// fetcher returns the ToolInfo of an open-world tool.
func fetcher(t testing.TB) (i nit.ToolInfo) {
	t.Helper()
	tool, err := nit.DefineRaw("fetch", nit.L3, "d", json.RawMessage(`{"type":"object","properties":{"url":{},"q":{},"n":{},"all":{},"tags":{}}}`),
		func(context.Context, json.RawMessage) (string, error) { return "", nil }, nit.ReadOnly(), nit.OpenWorld())
	require.NoError(t, err)
	var r nit.Registry
	add(t, &r, tool)
	require.True(t, r.View(agent).HasFunc(func(found nit.ToolInfo) bool { i = found; return true }))
	return i
}

func TestToolInfo_ArgumentsFoundIn(t *testing.T) {
	fetch := fetcher(t)
	for _, tt := range []struct {
		args, text string
		want       bool
	}{
		{`{"url":"https://a.com/x"}`, "看看https://a.com/x说了什么", true},
		{`{"url":"https://a.com/x"}`, "see https://a.com/x.", true},
		{`{"q":"北京天气"}`, "搜一下北京天气怎么样", true},
		{`{"q":"Go 1.26","n":10,"all":true}`, "搜 Go 1.26，要 10 条", true},
		{`{"q":"Go 1.26","all":null}`, "搜 Go 1.26", true},
		{`{"tags":["北京","上海"]}`, "搜北京和上海", true},
		{`{"n":13800138000}`, "查 13800138000", true},
		{`{"n":1.5}`, "搜 1.5", true},
		{`{"url":"https://evil.com"}`, "看https://evil.com.example.org/x", false},
		{`{"url":"https://a.com"}`, "看https://a.com:8080/x", false},
		{`{"url":"https://a.com"}`, "看https://a.com?x=1", false},
		{`{"url":"https://a.com/"}`, "看https://a.com/secret", false},
		{`{"url":"evil.com/x"}`, "看https://evil.com/x", false},
		{`{"url":"https://a.com/x?d=暗号"}`, "看https://a.com/x", false},
		{`{"q":"北京天气","url":"https://b.com"}`, "搜北京天气", false},
		{`{"q":"BEIJING"}`, "搜 beijing", false},
		{`{"q":"a  b"}`, "搜 a b", false},
		{`{"q":"北"}`, "搜北京", false},
		{`{"q":""}`, "搜北京", false},
		{`{"q":"北京","n":10}`, "搜北京", false},
		{`{"q":"北京","n":1e1}`, "搜北京 10 1e1", false},
		{`{"tags":["北京","上海","北京"]}`, "搜北京和上海，北京", false},
		{`{"tags":["北京",true]}`, "搜北京", false},
		{`{"tags":["北京",null]}`, "搜北京", false},
		{`{"tags":["北京",["上海"]]}`, "搜北京上海", false},
		{`{"q":"北京","tags":[]}`, "搜北京", false},
		{`{"q":{"text":"北京"}}`, "搜北京", false},
		{`{"q":"北京","secret":true}`, "搜北京 secret", false},
		{`{"q":"北京","q":"北京"}`, "搜北京", false},
		{`{"all":true}`, "true", false},
		{`{}`, "搜北京", false},
		{``, "搜北京", false},
		{`["北京"]`, "搜北京", false},
	} {
		assert.Equal(t, tt.want, fetch.ArgumentsFoundIn(json.RawMessage(tt.args), tt.text), "%s in %q", tt.args, tt.text)
	}
	assert.False(t, nit.ToolInfo{OpenWorld: true}.ArgumentsFoundIn(json.RawMessage(`{"q":"北京"}`), "搜北京"), "an Info that no view gave")
}

// On random texts: a matched value stands in the text as a whole, and a value inserted as a whole next to a command
// matches.
func TestToolInfo_RequestedIn_Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 0))
	pieces := []string{"踢", "移出", "kick", "小明", "明", "bob", "bobby", "12345", "123", "45", "1", ",", "，", " ", ".", "-", ":", "把", "吧", "@", "e", "\u0301", "小明明"}
	named := 0
	for range 20_000 {
		var text strings.Builder
		for range rng.IntN(8) {
			text.WriteString(pieces[rng.IntN(len(pieces))])
		}
		value := pieces[3+rng.IntN(8)]
		args := json.RawMessage(fmt.Sprintf(`{"user_id":%q}`, value))
		got := kick.RequestedIn(args, text.String())
		if !got {
			ordered := text.String() + " 。踢 " + value + " 吧"
			assert.Equal(t, value != "明", kick.RequestedIn(args, ordered), "%s in %q", value, ordered)
			continue
		}
		named++
		require.True(t, standsIn(value, text.String()), "%s in %q", value, text.String())
		rest := strings.ReplaceAll(text.String(), value, "")
		require.True(t, slices.ContainsFunc(kick.Target.CommandWords, func(w string) bool { return strings.Contains(rest, w) }), text.String())
	}
	assert.Greater(t, named, 100)
}

// standsIn is a naive version of the minimum that RequestedIn promises.
func standsIn(value, text string) bool {
	v, s := []rune(value), []rune(text)
	same := func(a, b rune) bool { // both belong to one word or number
		return unicode.IsDigit(a) && unicode.IsDigit(b) || a < 128 && b < 128 && unicode.IsLetter(a) && unicode.IsLetter(b)
	}
	for i := 0; i+len(v) <= len(s); i++ {
		end := i + len(v)
		if slices.Equal(s[i:end], v) && (i == 0 || !same(s[i-1], s[i])) && (end == len(s) || !same(s[end-1], s[end])) {
			return true
		}
	}
	return false
}

func FuzzNamed(f *testing.F) {
	for _, s := range [][2]string{
		{`{"user_id":12345}`, "把12345踢了"}, {`{"user_id":"小明","group_id":"group_1"}`, "踢小明 1"}, {`{"q":"Go 1.26","n":10}`, "搜 Go 1.26，要 10 条"},
		{`{"tags":["北京","\ud83d\ude00\ud83d"]}`, "\xff北京"}, {`{"user_id":"\u0000\u3164ſK"}`, "踢\x00sk"}, {`{"url":"https://a.com/"}`, "https://a.com/x"},
	} {
		f.Add(s[0], s[1])
	}
	fetch := fetcher(f)
	f.Fuzz(func(t *testing.T, args, text string) {
		raw := json.RawMessage(args)
		named, given := kick.RequestedIn(raw, text), fetch.ArgumentsFoundIn(raw, text)
		if named != kick.RequestedIn(raw, text) || given != fetch.ArgumentsFoundIn(raw, text) {
			t.Fatal("the answer depends on the order of keys")
		}
		if !named && !given {
			return
		}
		var fields map[string]any
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		if kick.RequestedIn(raw, "") || fetch.ArgumentsFoundIn(raw, "") {
			t.Fatal("an empty text says something")
		}
		targets := 0
		for key, value := range fields {
			s, isText := value.(string)
			if given && isText && !strings.Contains(text, strings.TrimPrefix(strings.TrimPrefix(s, "group_"), "user_")) {
				t.Fatalf("%q leaves", s)
			}
			if !slices.Contains(kick.Target.Args, key) {
				continue
			}
			if targets++; named && isText && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }) {
				t.Fatalf("%q is no target", s)
			}
		}
		if named && targets == 0 {
			t.Fatal("nobody is named")
		}
	})
}
