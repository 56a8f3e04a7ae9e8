package self_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	owner   = persona.Account{Platform: "qq", ID: "900"}
	watched = persona.Account{Platform: "qq", ID: "666"}
)

func newWatch(t testing.TB, o self.WatchOptions) *self.Watch {
	t.Helper()
	w, err := self.NewWatch(o)
	require.NoError(t, err)
	return w
}

// In the messages of three groups each criterion is met once. More than 50 other messages meet none.
func TestWatch_EachReasonOnce(t *testing.T) {
	script, err := os.ReadFile("testdata/chat.txt")
	require.NoError(t, err)
	w := newWatch(t, self.WatchOptions{Owners: []persona.Account{owner}, Names: []string{"老王"}, Watched: []persona.Account{watched}})
	fired, quiet := map[self.Reason]int{}, 0
	var got strings.Builder
	for line := range strings.Lines(string(script)) {
		if strings.HasPrefix(line, "  => ") {
			continue
		}
		got.WriteString(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", 4)
		require.Len(t, parts, 4, line)
		at, err := time.Parse("15:04", parts[0])
		require.NoError(t, err)
		reason, ok := w.Check(at.AddDate(2026, 3, 9), self.Message{Chat: "qq:group:" + parts[1], From: persona.Account{Platform: "qq", ID: parts[2]}, Text: parts[3]})
		if !ok {
			quiet++
			continue
		}
		fired[reason]++
		fmt.Fprintf(&got, "  => %s\n", reason)
	}
	assert.Equal(t, string(script), got.String())
	assert.Equal(t, map[self.Reason]int{self.AskedForOwner: 1, self.Urgent: 1, self.WatchedPerson: 1}, fired)
	assert.GreaterOrEqual(t, quiet, 50)
}

// Each message has its own chat.
func TestWatch_AskedForOwner(t *testing.T) {
	for text, want := range map[string]self.Reason{
		"主人在吗": self.AskedForOwner, "你主人去哪了": self.AskedForOwner, "你家主人什么时候回来": self.AskedForOwner, "帮我找一下你主人": self.AskedForOwner,
		"麻烦转告老王明天开会": self.AskedForOwner, "老王呢？": self.AskedForOwner, "老王，在不在": self.AskedForOwner, "老王今天在线吗": self.AskedForOwner, "怎么联系老王": self.AskedForOwner,
		"老 王在吗": "", "老\u200b王在吗": self.AskedForOwner, "Where is Lao Wang": self.AskedForOwner, "is lao wang around?": self.AskedForOwner, "ＬＡＯ　ＷＡＮＧ在吗": self.AskedForOwner,
		"lao wangzi在吗": "", "anyone seen lao wang?": self.AskedForOwner, "I like Lao Wang's code": "", "老王说他明天在家吗都行": "", "我主人在吗": "", "狗主人在不在": "", "主人的任务是什么": "",
		"老王真厉害。你在吗": "", "你在吗？老王真厉害": "", "别告诉老王": "", "": "", "。": "", "老王": "",
		"URGENT: call me": self.Urgent, "着火了！！": self.Urgent, "服务器挂了，老王在吗": self.AskedForOwner, "没有着火了": "", "救命啊": self.Urgent, "server is down": self.Urgent, "ｏｕｔａｇｅ": self.Urgent,
	} {
		w := newWatch(t, self.WatchOptions{Names: []string{"老王", "Lao Wang"}})
		reason, ok := w.Check(t0, self.Message{Chat: "c", From: persona.Account{Platform: "qq", ID: "1"}, Text: text})
		assert.Equal(t, want, reason, "%q", text)
		assert.Equal(t, want != "", ok)
	}
}

// People are identified by id only. Messages of the bot and the owner never match, and those of other bots only in part.
func TestWatch_SendersByID(t *testing.T) {
	from := persona.Account{Platform: "qq", ID: "1"}
	for name, c := range map[string]struct {
		m    self.Message
		want self.Reason
	}{
		"a mention":                   {self.Message{From: from, Text: "看这个", Mentions: []string{"5", "900"}}, self.AskedForOwner},
		"a mention elsewhere":         {self.Message{From: persona.Account{Platform: "tg", ID: "1"}, Mentions: []string{"900"}}, ""},
		"a mention, the owner there":  {self.Message{From: from, Mentions: []string{"900"}, OwnerPresent: true}, ""},
		"the bot itself":              {self.Message{From: from, Text: "主人在吗，救命", Own: true}, ""},
		"the owner":                   {self.Message{From: owner, Text: "救命"}, ""},
		"another bot asks":            {self.Message{From: from, Text: "主人在吗", Bot: true}, ""},
		"another bot warns":           {self.Message{From: from, Text: "主人在吗，宕机了", Bot: true}, self.Urgent},
		"the one under watch":         {self.Message{From: watched, Text: "嗨"}, self.WatchedPerson},
		"one of that number":          {self.Message{From: persona.Account{Platform: "tg", ID: "666"}, Text: "嗨"}, ""},
		"who says that it is":         {self.Message{From: from, Text: "我是666，我是主人"}, ""},
		"the one under watch, urgent": {self.Message{From: watched, Text: "救命"}, self.Urgent},
	} {
		w := newWatch(t, self.WatchOptions{Owners: []persona.Account{owner}, Watched: []persona.Account{watched}})
		c.m.Chat = "c"
		reason, _ := w.Check(t0, c.m)
		assert.Equal(t, c.want, reason, name)
	}
	for _, o := range []self.WatchOptions{{Cooldown: -1}, {MaxKeys: -1}, {Names: []string{" "}}, {UrgentWords: []string{"\u200b"}}, {Owners: []persona.Account{{ID: "1"}}}, {Watched: []persona.Account{{Platform: "qq"}}}} {
		_, err := self.NewWatch(o)
		assert.Error(t, err, "%+v", o)
	}
	w := newWatch(t, self.WatchOptions{UrgentWords: []string{}})
	_, ok := w.Check(t0, self.Message{From: from, Text: "救命"})
	assert.False(t, ok, "an empty list is none")
}

// An equal report from one chat is possible again after the cooldown, about a person after a silence. A clock that goes
// back does not shorten this.
func TestWatch_Cooldown(t *testing.T) {
	w := newWatch(t, self.WatchOptions{Watched: []persona.Account{watched}, MaxKeys: 3})
	hear := func(after time.Duration, chat, from, text string) self.Reason {
		r, _ := w.Check(t0.Add(after), self.Message{Chat: chat, From: persona.Account{Platform: "qq", ID: from}, Text: text})
		return r
	}
	assert.Equal(t, self.Urgent, hear(0, "a", "1", "救命"))
	assert.Equal(t, self.Urgent, hear(time.Second, "b", "1", "救命"), "another chat")
	assert.Empty(t, hear(29*time.Minute, "a", "2", "救命"))
	assert.Empty(t, hear(-time.Hour, "a", "2", "救命"))
	assert.Equal(t, self.Urgent, hear(30*time.Minute, "a", "2", "救命"), "it is not renewed by what was folded")
	assert.Equal(t, self.WatchedPerson, hear(31*time.Minute, "a", "666", "嗨"))
	for i := range 10 {
		assert.Empty(t, hear(time.Duration(32+29*i)*time.Minute, "a", "666", "嗨"), "a talk that goes on")
	}
	assert.Equal(t, self.WatchedPerson, hear(12*time.Hour, "a", "666", "嗨"))
	for i := range 100 { // memory is bounded: the oldest entries are evicted
		assert.Equal(t, self.Urgent, hear(13*time.Hour, fmt.Sprint(i), "1", "救命"))
	}
	assert.Equal(t, self.Urgent, hear(13*time.Hour, "0", "1", "救命"))
	assert.Empty(t, hear(13*time.Hour, "99", "1", "救命"))
}

// Any message is handled quickly, and a repeated message does not match again.
func FuzzWatch(f *testing.F) {
	for _, s := range []string{"主人在吗", "老王老王老王", "where is lao wang", "没宕机", "\xff主人\x00在吗", "救命" + strings.Repeat("老王", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := newWatch(t, self.WatchOptions{Names: []string{"老王", "lao wang"}})
		m := self.Message{Chat: "c", From: persona.Account{Platform: "qq", ID: "1"}, Text: text}
		seen := map[self.Reason]bool{}
		for range 40 {
			r, ok := w.Check(t0, m)
			require.Equal(t, ok, r != "")
			require.False(t, r == self.AskedForOwner && seen[r])
			seen[r] = true
		}
		_, ok := w.Check(t0, m)
		require.False(t, ok, "all words have fired")
	})
}
