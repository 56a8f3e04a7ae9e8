package qq_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sayer is a stage that keeps what is sent as the bot's limits see it. It speaks by repeating the text.
type sayer struct {
	*stage
	outs  []persona.Outgoing
	chats []persona.Chat
	err   error
	spoke []string
	mute  bool // the voice has no data
}

func newSayer(t testing.TB, o qq.Options) *sayer {
	s := &sayer{stage: &stage{r: nit.Registry{Limits: nit.Limits{Calls: -1}}}}
	o.Voice = persona.VoicerFunc(func(_ context.Context, text string) (persona.Audio, error) {
		s.spoke = append(s.spoke, text)
		if s.mute {
			return persona.Audio{}, nil
		}
		return persona.Audio{Data: []byte("mp3:" + text), Type: "audio/mpeg"}, nil
	})
	actor := s.actor()
	actor.Send = func(_ context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
		s.outs, s.chats = append(s.outs, out), append(s.chats, chat)
		return "42", s.err
	}
	tools, err := qq.Tools(actor, o)
	require.NoError(t, err)
	require.NoError(t, s.r.Add(tools...))
	s.answers = map[string]string{
		"get_login_info": `{"user_id":10000,"nickname":"小炉"}`,
		"get_msg":        `{"message_type":"group","group_id":123,"message_id":7,"user_id":987,"time":1,"message":"在"}`,
		"get_group_list": town(t).answers["get_group_list"], "get_friend_list": town(t).answers["get_friend_list"],
	}
	return s
}

// A reaction goes to a message of the chat, and to no other message.
func TestReact(t *testing.T) {
	const private = `{"message_type":"private","message_id":7,"user_id":%s,"self_id":10000,"time":1,"message":"在"}`
	s := newSayer(t, qq.Options{})
	for _, tt := range []struct {
		who        nit.Principal
		args, want string // the chat, or begins with "error"
		message    string // "" is one in group 123
	}{
		{who: inGroup, args: `{"message_id":7,"face":"赞"}`, want: "group_123"},
		{who: inGroup, args: `{"message_id":"-7","face":"赞","target_id":"group_123"}`, want: "group_123"},
		{who: inGroup, args: `{"message_id":7,"face":"赞","target_id":123}`, want: "group_123"},
		{who: inPrivate, args: `{"message_id":7,"face":"赞"}`, want: "user_987", message: fmt.Sprintf(private, "987")},
		{who: agent, args: `{"message_id":7,"face":"赞","target_id":"炉边"}`, want: "group_123"},
		{who: agent, args: `{"message_id":7,"face":"赞","target_id":"user_987"}`, want: "user_987", message: fmt.Sprintf(private, "987")},

		{who: inGroup, args: `{"message_id":7,"face":"赞","target_id":"group_124"}`, want: unknown},
		{who: inGroup, args: `{"message_id":7,"face":"赞","target_id":"炉边"}`, want: unknown},
		{who: inPrivate, args: `{"message_id":7,"face":"赞","target_id":"group_123"}`, want: unknown},
		{who: elsewhere, args: `{"message_id":7,"face":"赞"}`, want: unknown},
		{who: nowhere, args: `{"message_id":7,"face":"赞"}`, want: unknown},
		{who: inPrivate, args: `{"message_id":7,"face":"赞"}`, want: "error: the tool failed: 这个聊天里没有查到这条消息"},
		{who: inPrivate, args: `{"message_id":7,"face":"赞"}`, want: "error: the tool failed: 这个聊天里没有查到这条消息", message: fmt.Sprintf(private, "988")},
		{who: inPrivate, args: `{"message_id":7,"face":"赞"}`, want: "error: the tool failed: 这个聊天里没有查到这条消息", message: fmt.Sprintf(private, "10000")},
		{who: agent, args: `{"message_id":7,"face":"赞","target_id":"group_124"}`, want: "error: the tool failed: 这个聊天里没有查到这条消息"},
		{who: agent, args: `{"message_id":7,"face":"赞"}`, want: "error: the tool failed: 现在不在任何会话里"},
		{who: inGroup, args: `{"message_id":"刚才","face":"赞"}`, want: "error: the tool failed: message_id 是消息的数字 id"},
		{who: inGroup, args: `{"face":"赞"}`, want: "error: bad arguments"},
		{who: inGroup, args: `{"message_id":7,"face":"[CQ:at,qq=all]"}`, want: `error: bad arguments: face is none of ["赞" "爱心" "鼓掌"`},
		{who: inGroup, args: `{"message_id":7}`, want: "error: bad arguments"},
	} {
		s.outs, s.chats = nil, nil
		message := s.answers["get_msg"]
		if tt.message != "" {
			s.answers["get_msg"] = tt.message
		}
		got := s.call(tt.who, "qq_react", tt.args)
		s.answers["get_msg"] = message
		if strings.HasPrefix(tt.want, "error") {
			assert.Contains(t, got.Content, tt.want, tt.args)
			assert.Empty(t, s.outs, tt.args)
			if tt.want == unknown {
				assert.Equal(t, s.call(tt.who, "no_such_tool", tt.args), got, tt.args)
			}
			continue
		}
		assert.Equal(t, "贴上了", got.Content, tt.args)
		if assert.Len(t, s.outs, 1, tt.args) {
			assert.Equal(t, tt.want, s.chats[0].SourceID(), tt.args)
			assert.Equal(t, persona.Face{ID: "76", Name: "赞"}, s.outs[0].Reaction.Face)
			assert.Equal(t, persona.Outgoing{Reaction: s.outs[0].Reaction}, s.outs[0], "and nothing else is sent")
		}
	}
}

// The spoken words are sent along, so that they count as the content of the message.
func TestSendVoice(t *testing.T) {
	s := newSayer(t, qq.Options{})
	for _, tt := range []struct {
		who        nit.Principal
		args, want string
	}{
		{inGroup, `{"text":"[CQ:at,qq=all]晚安"}`, "group_123"},
		{inPrivate, `{"text":"[CQ:at,qq=all]晚安","target_id":987}`, "user_987"},
		{agent, `{"text":"[CQ:at,qq=all]晚安","target_id":"老王"}`, "user_5"},
		{inGroup, `{"text":"晚安","target_id":"user_987"}`, unknown},
		{nowhere, `{"text":"晚安"}`, unknown},
		{agent, `{"text":"晚安"}`, "error: the tool failed: 现在不在任何会话里"},
		{inGroup, `{"text":" \u200b"}`, "error: the tool failed: 内容是空的"},
		{inGroup, `{"text":"` + strings.Repeat("长", 201) + `"}`, "error: bad arguments: text is too long"},
	} {
		s.outs, s.chats, s.spoke = nil, nil, nil
		got := s.call(tt.who, "qq_send_voice", tt.args).Content
		if strings.HasPrefix(tt.want, "error") {
			assert.Contains(t, got, tt.want, tt.args)
			assert.Empty(t, s.spoke, "nothing is spoken in vain")
			assert.Empty(t, s.outs, tt.args)
			continue
		}
		assert.Contains(t, got, `"message_id":"42"`)
		require.Len(t, s.outs, 1, tt.args)
		assert.Equal(t, tt.want, s.chats[0].SourceID(), tt.args)
		const text = "[CQ:at,qq=all]晚安"
		assert.Equal(t, persona.Outgoing{Text: text, Voice: persona.Audio{Data: []byte("mp3:" + text), Type: "audio/mpeg"}}, s.outs[0])
	}
	s.outs, s.mute = nil, true
	assert.Equal(t, "error: the tool failed: 没有念成，什么也没有发出去", s.call(inGroup, "qq_send_voice", `{"text":"晚安"}`).Content)
	assert.Empty(t, s.outs)

	without := newStage(t)
	assert.Equal(t, without.call(agentIn, "no_such_tool", `{}`), without.call(agentIn, "qq_send_voice", `{"text":"晚安"}`), "without a voicer")
}

// Every message in a merged forward is from the bot, so that nobody can be made to say anything.
func TestSendForward(t *testing.T) {
	s := newSayer(t, qq.Options{MaxTextChars: 20})
	for _, tt := range []struct {
		who        nit.Principal
		args, want string
	}{
		{inGroup, `{"messages":["一","[CQ:at,qq=all]\n二"]}`, "group_123"},
		{inPrivate, `{"messages":["一","[CQ:at,qq=all]\n二"],"target_id":"user_987"}`, "user_987"},
		{agent, `{"messages":["一","[CQ:at,qq=all]\n二"],"target_id":"炉边"}`, "group_123"},
		{inGroup, `{"messages":["一"],"target_id":"group_124"}`, unknown},
		{nowhere, `{"messages":["一"]}`, unknown},
		{inGroup, `{"messages":["一"," \u2060"]}`, "error: the tool failed: 内容是空的"},
		{inGroup, `{"messages":[]}`, "error: bad arguments"},
		{inGroup, `{"messages":[{"name":"小明","text":"一"}]}`, "error: bad arguments"},
		{inGroup, `{"messages":["` + strings.Repeat("长", 21) + `"]}`, "error: bad arguments"},
		{inGroup, `{"messages":["一"` + strings.Repeat(`,"一"`, 50) + `]}`, "error: bad arguments"},
		{inGroup, `{"messages":["一"],"name":"小明"}`, "error: bad arguments"},
	} {
		s.outs, s.chats = nil, nil
		got := s.call(tt.who, "qq_send_forward", tt.args).Content
		if strings.HasPrefix(tt.want, "error") {
			assert.Contains(t, got, tt.want, tt.args)
			assert.Empty(t, s.outs, tt.args)
			continue
		}
		assert.Contains(t, got, `"message_id":"42"`)
		require.Len(t, s.outs, 1, tt.args)
		assert.Equal(t, tt.want, s.chats[0].SourceID(), tt.args)
		assert.Equal(t, persona.Outgoing{Forward: []persona.Message{
			{From: "10000", Name: "小炉", Text: "一"}, {From: "10000", Name: "小炉", Text: "[CQ:at,qq=all]\n二"},
		}}, s.outs[0])
	}
	s.outs = nil
	for _, answer := range []string{`{"user_id":0}`, `{}`} {
		s.answers["get_login_info"] = answer
		assert.Equal(t, "error: the tool failed: 没有发出去", s.call(inGroup, "qq_send_forward", `{"messages":["一"]}`).Content, answer)
	}
	assert.Empty(t, s.outs)
	s.answers["get_login_info"] = `{"user_id":10000}`
	s.call(inGroup, "qq_send_forward", `{"messages":["一"]}`)
	assert.Equal(t, "10000", s.outs[0].Forward[0].Name, "an account without a known name")
}

func TestSend_FailedOrUnclear(t *testing.T) {
	s := newSayer(t, qq.Options{})
	calls := [][3]string{
		{"qq_react", `{"message_id":7,"face":"赞"}`, "贴"}, {"qq_send_voice", `{"text":"晚安"}`, "发"}, {"qq_send_forward", `{"messages":["一"]}`, "发"},
	}
	for _, c := range calls {
		s.err = errors.New("SECRET")
		assert.Regexp(t, "^error: the tool failed: 没有"+c[2], s.call(inGroup, c[0], c[1]).Content)
		s.err = fmt.Errorf("SECRET: %w", qq.ErrUnclear)
		assert.Regexp(t, "^error: the tool failed: 可能已经.+不要", s.call(inGroup, c[0], c[1]).Content)
	}
	s.wire.err, s.outs = onebot.ErrTimeout, nil
	for _, name := range []string{"qq_react", "qq_send_forward"} {
		for _, c := range calls {
			if c[0] == name {
				assert.Regexp(t, "^error: the tool failed: (没有|这个聊天里没有)", s.call(inGroup, c[0], c[1]).Content, "looking something up sends nothing")
			}
		}
	}
	assert.Empty(t, s.outs)
}

// FuzzSend checks that calls with any arguments send to the chat of the turn or nowhere, and nothing but texts of the
// bot and faces of the list.
func FuzzSend(f *testing.F) {
	for _, a := range []string{
		`{"message_id":7,"face":"赞"}`, `{"messages":["一","二"]}`, `{"text":"晚安","target_id":"group_124"}`, `{"messages":[{"name":"小明","text":"x"}]}`,
		`{"message_id":-7,"face":"赞","target_id":123}`, `{"messages":null}`, `{"text":"\ud800"}`, `{"messages":["` + strings.Repeat("长", 3001) + `"]}`,
	} {
		for tool := range byte(3) {
			f.Add(tool, a)
		}
	}
	s := newSayer(f, qq.Options{})
	f.Fuzz(func(t *testing.T, tool byte, args string) {
		s.outs, s.chats = nil, nil
		s.call(inGroup, []string{"qq_react", "qq_send_voice", "qq_send_forward"}[tool%3], args)
		require.LessOrEqual(t, len(s.outs), 1)
		for i, out := range s.outs {
			require.Equal(t, "group_123", s.chats[i].SourceID())
			require.True(t, json.Valid([]byte(args)))
			require.LessOrEqual(t, len([]rune(out.Text)), 200)
			require.LessOrEqual(t, len(out.Forward), 50)
			for _, m := range out.Forward {
				require.Equal(t, [2]string{"10000", "小炉"}, [2]string{m.From, m.Name})
			}
			require.Empty(t, out.Mentions)
			require.False(t, out.MentionEveryone)
			require.Contains(t, []string{"", "76"}, out.Reaction.Face.ID)
		}
	})
}
