package onebot

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// hears returns the texts that pass the middleware.
func hears(around ...Middleware) func(e Event) (got []string) {
	return func(e Event) (got []string) {
		Chain(func(_ context.Context, _ *Bot, e Event) {
			if s := messageOf(e); s != nil {
				got = append(got, (*s.message).CQ())
			} else {
				got = append(got, "?")
			}
		}, around...)(context.Background(), nil, e)
		return got
	}
}

func TestMiddleware_Matchers(t *testing.T) {
	me := Common{SelfID: 10000}
	group := func(group, user int64, m ...Segment) Event {
		return &GroupMessage{Common: me, GroupID: group, UserID: user, Message: m}
	}
	private := func(user int64, m ...Segment) Event { return &PrivateMessage{Common: me, UserID: user, Message: m} }
	notice := Event(&GroupRecall{Common: me, GroupID: 1, UserID: 5})
	for name, k := range map[string]struct {
		by   []Middleware
		e    Event
		want bool
	}{
		"group":               {[]Middleware{GroupOnly}, group(1, 5), true},
		"group: private":      {[]Middleware{GroupOnly}, private(5), false},
		"group: notice":       {[]Middleware{GroupOnly}, notice, false},
		"private":             {[]Middleware{PrivateOnly}, private(5), true},
		"private: group":      {[]Middleware{PrivateOnly}, group(1, 5), false},
		"not own":             {[]Middleware{NotOwn}, group(1, 5), true},
		"not own: own":        {[]Middleware{NotOwn}, group(1, 10000), false},
		"not own: notice":     {[]Middleware{NotOwn}, notice, true},
		"at me":               {[]Middleware{AtMe}, group(1, 5, Text("喂"), At(10000)), true},
		"at me: other":        {[]Middleware{AtMe}, group(1, 5, At(10001)), false},
		"at me: all":          {[]Middleware{AtMe}, group(1, 5, AtAll()), false},
		"at me: text":         {[]Middleware{AtMe}, group(1, 5, Text("@10000 [CQ:at,qq=10000]")), false},
		"at me: private":      {[]Middleware{AtMe}, private(5, Text("喂")), false},
		"in group":            {[]Middleware{InGroup(1, 2)}, group(2, 5), true},
		"in group: other":     {[]Middleware{InGroup(1, 2)}, group(3, 5), false},
		"in group: temporary": {[]Middleware{InGroup(1)}, &PrivateMessage{Common: me, UserID: 5, GroupID: 1}, false},
		"owner":               {[]Middleware{FromUser(5, 6)}, group(1, 6), true},
		"owner: private":      {[]Middleware{FromUser(5, 6)}, private(5), true},
		"owner: other":        {[]Middleware{FromUser(5, 6)}, group(1, 7), false},
		"owner: none":         {[]Middleware{FromUser()}, group(1, 0), false},
		"owner: notice":       {[]Middleware{FromUser(5)}, notice, false},
		"chain":               {[]Middleware{GroupOnly, AtMe, FromUser(5)}, group(1, 5, At(10000)), true},
		"chain: one says no":  {[]Middleware{GroupOnly, AtMe, FromUser(5)}, group(1, 6, At(10000)), false},
		"chain of none":       {nil, notice, true},
	} {
		assert.Equal(t, k.want, len(hears(k.by...)(k.e)) == 1, name)
	}
}

func TestCommand(t *testing.T) {
	for cq, want := range map[string]string{
		"/echo":                     "",
		"/echo ":                    "",
		"/echo hi  there":           "hi  there",
		"  /echo\nhi":               "hi",
		"/echo\u3000你好":             "你好",
		"/echo [CQ:face,id=1] x":    "[CQ:face,id=1] x",
		"/echo[CQ:face,id=1]":       "[CQ:face,id=1]",
		"[CQ:at,qq=10000] /echo hi": "hi",
		"[CQ:reply,id=7][CQ:at,qq=10000] /echo hi": "[CQ:reply,id=7]hi",
		"[CQ:reply,id=7] [CQ:at,qq=10000]/echo":    "[CQ:reply,id=7]",
		"/echoes":                                  "no",
		"/ech":                                     "no",
		"say /echo":                                "no",
		"[CQ:at,qq=5] /echo":                       "no",
		"[CQ:image,file=a]/echo":                   "no",
		"":                                         "no",
		"[CQ:at,qq=10000]":                         "no",
		"/Echo":                                    "no",
		"/echo &#91;CQ:at,qq=all&#93;":             "&#91;CQ:at,qq=all&#93;",
	} {
		e := &GroupMessage{Common: Common{SelfID: 10000}, Message: ParseCQ(cq)}
		got := hears(Command("/echo"))(e)
		if want == "no" {
			assert.Empty(t, got, cq)
		} else {
			assert.Equal(t, []string{want}, got, cq)
		}
		assert.Equal(t, cq, e.Message.CQ(), "the event itself stays")
		assert.Equal(t, got, hears(Command("/echo"))(&PrivateMessage{Common: e.Common, Message: e.Message}), cq)
	}
	assert.Empty(t, hears(Command("/echo"))(&Poke{}))
}

func TestCommands_WithMultiHandler(t *testing.T) {
	var got []string
	say := func(s string) Handler { return func(context.Context, *Bot, Event) { got = append(got, s) } }
	h := MultiHandler(Commands(map[string]Handler{"/a": say("a"), "/ab": say("ab")}, say("other")), Commands(nil, nil), say("each"))
	for _, text := range []string{"/a", "/ab x", "/abc"} {
		h(t.Context(), nil, &PrivateMessage{Message: Message{Text(text)}})
	}
	h(t.Context(), nil, &Poke{})
	assert.Equal(t, []string{"a", "each", "ab", "each", "other", "each", "other", "each"}, got)
}

func TestRecover(t *testing.T) {
	var got any
	h := Recover(func(_ *Bot, e Event, v any) { got = v })(func(context.Context, *Bot, Event) { panic("oh") })
	h(t.Context(), nil, &Poke{})
	assert.Equal(t, "oh", got)
}
