package qq_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// wire is the connection of an account. It records actions with their parameters.
type wire struct {
	sent    []string
	answer  string            // for all actions
	answers map[string]string // by action; checked first
	err     error
	errs    map[string]error
}

func (w *wire) Call(_ context.Context, action string, params, result any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	w.sent = append(w.sent, action+" "+string(b))
	if err := cmp.Or(w.errs[action], w.err); err != nil {
		return err
	}
	if answer := cmp.Or(w.answers[action], w.answer); answer != "" && result != nil {
		return json.Unmarshal([]byte(answer), result)
	}
	return nil
}

// recorder records sent messages: the target, unless it is the chat of the turn, and the segments.
type recorder struct {
	said []string
	err  error
}

func (m *recorder) Call(ctx context.Context, action string, params, result any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var sent struct {
		Group   int64 `json:"group_id"`
		User    int64 `json:"user_id"`
		Message json.RawMessage
		Nodes   json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(b, &sent); err != nil {
		return err
	}
	target := "" // a reaction has none
	switch {
	case strings.HasPrefix(action, "send_group_"):
		target = fmt.Sprint("group_", sent.Group)
	case strings.HasPrefix(action, "send_private_"):
		target = fmt.Sprint("user_", sent.User)
	}
	if p, _ := nit.PrincipalFrom(ctx); p.Session == target {
		target = ""
	}
	m.said = append(m.said, target+" "+string(sent.Message)+string(sent.Nodes))
	if m.err != nil {
		return m.err
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal([]byte(`{"message_id":42}`), result)
}

type stage struct {
	wire
	recorder
	r nit.Registry
}

func newStage(t testing.TB) *stage { return stageWith(t, qq.Options{}) }

func stageWith(t testing.TB, o qq.Options) *stage {
	s := &stage{r: nit.Registry{Limits: nit.Limits{Calls: -1}}}
	tools, err := qq.Tools(s.actor(), o)
	require.NoError(t, err)
	require.NoError(t, s.r.Add(tools...))
	return s
}

// actor acts on the wire and sends through the recorder.
func (s *stage) actor() qq.Actor {
	a := onebotlink.Actor(onebot.NewBot(&s.wire, 10000))
	a.Send = onebotlink.Actor(onebot.NewBot(&s.recorder, 10000)).Send
	return a
}

func (s *stage) call(p nit.Principal, name, args string) llms.ToolCallResponse {
	return s.callIn(context.Background(), p, name, args)
}

func (s *stage) callIn(ctx context.Context, p nit.Principal, name, args string) llms.ToolCallResponse {
	p.Tiers = nit.L1
	return s.r.View(p).Call(ctx, llms.ToolCall{ID: "c", FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}})
}

var (
	inGroup   = nit.Principal{Platform: "qq", Person: "987", Session: "group_123"}
	inPrivate = nit.Principal{Platform: "qq", Person: "987", Session: "user_987"}
	agent     = nit.Principal{Mode: nit.ModeAgent}
	agentIn   = nit.Principal{Mode: nit.ModeAgent, Session: "group_123", Person: "987"}
	elsewhere = nit.Principal{Platform: "telegram", Person: "987", Session: "group_123"}
	nowhere   = nit.Principal{}
)

const unknown = "error: unknown tool"

func TestSendText(t *testing.T) {
	const hi = ` [{"type":"text","data":{"text":"在"}}]`
	s := newStage(t)
	for _, tt := range []struct {
		who        nit.Principal
		args, want string // want is the sent message, or begins with "error"
	}{
		{inGroup, `{"content":"在"}`, hi},
		{inGroup, `{"content":"在","target_id":null}`, hi},
		{inGroup, `{"content":"在","target_id":"group_123"}`, hi},
		{inGroup, `{"content":"在","target_id":"123"}`, hi},
		{inGroup, `{"content":"在","target_id":123}`, hi},
		{inGroup, `{"content":"在","target_id":123,"type":"group"}`, hi},
		{inGroup, `{"content":"在","target_id":123,"type":"private"}`, unknown},
		{inGroup, `{"content":"在","target_id":"group_124"}`, unknown},
		{inGroup, `{"content":"在","target_id":"user_987"}`, unknown},
		{inGroup, `{"content":"在","target_id":987}`, unknown},
		{inGroup, `{"content":"在","target_id":124}`, unknown},
		{inPrivate, `{"content":"在"}`, hi},
		{inPrivate, `{"content":"在","target_id":"987"}`, hi},
		{inPrivate, `{"content":"在","target_id":"987","type":"private"}`, hi},
		{inPrivate, `{"content":"在","target_id":"987","type":"group"}`, unknown},
		{inPrivate, `{"content":"在","target_id":"group_987"}`, unknown},
		{agent, `{"content":"在","target_id":"group_5"}`, "group_5" + hi},
		{agent, `{"content":"在","target_id":5}`, "group_5" + hi},
		{agent, `{"content":"在","target_id":9007199254740993,"type":"private"}`, "user_9007199254740993" + hi},
		{agent, `{"content":"在","target_id":"user_5","type":"group"}`, "user_5" + hi},
		{agent, `{"content":"在"}`, "error: the tool failed: 现在不在任何会话里"},
		{agentIn, `{"content":"在"}`, hi},
		{agentIn, `{"content":"在","target_id":"group_123"}`, hi},
		{agentIn, `{"content":"在","target_id":"user_987"}`, "user_987" + hi},
		{elsewhere, `{"content":"在"}`, unknown},
		{elsewhere, `{"content":"在","target_id":"group_123"}`, unknown},
		{nowhere, `{"content":"在"}`, unknown},
		{nowhere, `{"content":"在","target_id":"group_123"}`, unknown},
		{nit.Principal{Session: "group_123"}, `{"content":"在"}`, hi},
		{nit.Principal{Session: "desktop"}, `{"content":"在"}`, unknown},
		{nit.Principal{Session: "group_0"}, `{"content":"在"}`, unknown},

		{inGroup, `{"content":""}`, "error: bad arguments: content is too short"},
		{inGroup, `{"content":" \n\t　\u200b\u2060"}`, "error: the tool failed: 内容是空的"},
		{inGroup, `{"content":"` + strings.Repeat("长", 3001) + `"}`, "error: bad arguments: content is too long"},
		{inGroup, `{"content":"在","type":"channel"}`, "error: bad arguments: type is none of"},
		{inGroup, `{"content":"在","target_id":"group_12x"}`, unknown},
		{inGroup, `{"content":"在","target_id":"group_0"}`, unknown},
		{inGroup, `{"content":"在","target_id":-123}`, unknown},
		{inGroup, `{"content":"在","target_id":"炉边"}`, unknown},
		{inGroup, `{"content":"在","target_id":"0123"}`, unknown},
		{inGroup, `{"content":"在","target_id":" group_123"}`, unknown},
		{agent, `{"content":"在","target_id":-123}`, "error: the tool failed: target_id 的写法"},
		{agent, `{"content":"在","target_id":"group_0"}`, "error: the tool failed: target_id 的写法"},
		{agent, `{"content":"在","target_id":"group_9999999999999999999"}`, "error: the tool failed: target_id 的写法"},
		{agent, `{"content":"在","target_id":99999999999999999999}`, "error: the tool failed: target_id 的写法"},
		{inGroup, `{"content":"在","Target_ID":"group_5"}`, "error: bad arguments"},
		{inGroup, `{"content":"在","content":"不在"}`, "error: bad arguments"},
	} {
		s.said = nil
		resp := s.call(tt.who, "qq_send_text", tt.args)
		if strings.HasPrefix(tt.want, "error") {
			assert.Contains(t, resp.Content, tt.want, tt.args)
			assert.Empty(t, s.said, tt.args)
			if tt.want == unknown {
				assert.Equal(t, s.call(tt.who, "no_such_tool", tt.args), resp, "%+v %s", tt.who, tt.args)
			}
			continue
		}
		assert.Equal(t, `{"message_id":"42"}`, resp.Content, tt.args)
		assert.Equal(t, []string{tt.want}, s.said, tt.args)
	}
}

// Any content is sent as one text segment with exactly this text.
func TestSendText_CQCodesAreText(t *testing.T) {
	s := newStage(t)
	for _, content := range []string{
		"[CQ:at,qq=all] 大家好", "[CQ:image,file=file:///etc/passwd]", "&#91;CQ:poke&#93;", `{"type":"at","data":{"qq":"all"}}`,
		`[{"type":"at","data":{"qq":"all"}}]`, "@全体成员", "<nit>shell_exec()</nit>", "a\u2028b\"\\", strings.Repeat("长", 3000),
	} {
		s.said = nil
		args, err := json.Marshal(map[string]string{"content": content})
		require.NoError(t, err)
		require.Equal(t, `{"message_id":"42"}`, s.call(inGroup, "qq_send_text", string(args)).Content)
		require.Len(t, s.said, 1)
		var segments []struct {
			Type string
			Data map[string]string
		}
		require.NoError(t, json.Unmarshal([]byte(s.said[0]), &segments))
		require.Len(t, segments, 1)
		assert.Equal(t, "text", segments[0].Type)
		assert.Equal(t, map[string]string{"text": content}, segments[0].Data)
	}
}

// No call of a persona's model sends to another chat.
func TestTools_PersonaStaysInItsSession(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	ids := []string{"123", "987", "5", "1"}
	forms := []string{`"group_%s"`, `"user_%s"`, `"%s"`, `%s`, `"private_%s"`, `" group_%s"`}
	s := newStage(t)
	for range 2000 {
		s.said, s.sent = nil, nil
		p := inGroup
		if rng.IntN(2) == 0 {
			p = inPrivate
		}
		p.Mode = []string{nit.ModePersona, "Agent", "agents"}[rng.IntN(3)]
		args := fmt.Sprintf(`{"target_id":`+forms[rng.IntN(len(forms))]+`,`, ids[rng.IntN(len(ids))])
		name := "qq_poke"
		if rng.IntN(2) == 0 {
			name, args = "qq_send_text", args+`"content":"x","type":"`+[]string{"group", "private"}[rng.IntN(2)]+`",`
		} else if rng.IntN(2) == 0 {
			args += `"user_id":` + ids[rng.IntN(len(ids))] + `,`
		}
		s.call(p, name, strings.TrimSuffix(args, ",")+"}")
		for _, said := range s.said {
			require.True(t, strings.HasPrefix(said, " "), "to the session of the turn: %s", said)
		}
		for _, action := range s.sent {
			if p.Session == "group_123" {
				require.Contains(t, action, `"group_id":123`)
			} else {
				require.Contains(t, action, `"user_id":987`)
				require.NotContains(t, action, "group_id")
			}
		}
	}
}

func TestPoke(t *testing.T) {
	s := newStage(t)
	for _, tt := range []struct {
		who        nit.Principal
		args, want string
	}{
		{inGroup, ``, `group_poke {"group_id":123,"user_id":987}`},
		{inGroup, `{"target_id":"group_123","user_id":5}`, `group_poke {"group_id":123,"user_id":5}`},
		{inGroup, `{"user_id":"5"}`, `group_poke {"group_id":123,"user_id":5}`},
		{inGroup, `{"target_id":"user_987"}`, unknown},
		{inGroup, `{"target_id":987}`, unknown},
		{inGroup, `{"target_id":"group_5","user_id":987}`, unknown},
		{inGroup, `{"user_id":"小明"}`, "error: the tool failed: user_id"},
		{inGroup, `{"user_id":0}`, "error: the tool failed: user_id"},
		{inPrivate, ``, `friend_poke {"user_id":987}`},
		{inPrivate, `{"target_id":987}`, `friend_poke {"user_id":987}`},
		{inPrivate, `{"user_id":987}`, `friend_poke {"user_id":987}`},
		{inPrivate, `{"user_id":5}`, "error: the tool failed: 私聊里只能戳对方"},
		{nit.Principal{Session: "group_123", Person: "user_987"}, ``, `group_poke {"group_id":123,"user_id":987}`},
		{nit.Principal{Session: "group_123"}, ``, "error: the tool failed: 要戳谁"},
		{agentIn, `{"target_id":"group_5"}`, "error: the tool failed: 要戳谁"},
		{agentIn, `{"target_id":"group_5","user_id":6}`, `group_poke {"group_id":5,"user_id":6}`},
		{agent, `{"target_id":6}`, `friend_poke {"user_id":6}`},
	} {
		s.sent = nil
		resp := s.call(tt.who, "qq_poke", tt.args)
		if strings.HasPrefix(tt.want, "error") {
			assert.Contains(t, resp.Content, tt.want, tt.args)
			assert.Empty(t, s.sent, tt.args)
			continue
		}
		assert.Equal(t, "戳了一下", resp.Content, tt.args)
		require.Len(t, s.sent, 1, tt.args)
		action, params, _ := strings.Cut(s.sent[0], " ")
		wantAction, wantParams, _ := strings.Cut(tt.want, " ")
		assert.Equal(t, wantAction, action)
		assert.JSONEq(t, wantParams, params)
	}
}

func TestStrangerInfo(t *testing.T) {
	s := newStage(t)
	s.answer = `{"user_id":987,"nickname":"<b>小\u202e明","sex":"female","age":20}`
	assert.Equal(t, `{"user_id":987,"nickname":"<b>小明","sex":"female","age":20}`, s.call(inGroup, "qq_get_stranger_info", `{"user_id":"987"}`).Content)
	assert.Contains(t, s.sent[0], "get_stranger_info")
	s.answer = `{"nickname":"甲"}`
	assert.Equal(t, `{"user_id":5,"nickname":"甲"}`, s.call(agent, "qq_get_stranger_info", `{"user_id":5}`).Content)
	s.wire.err = errors.New("SECRET host")
	assert.Equal(t, "error: the tool failed: 没有查到这个人", s.call(inGroup, "qq_get_stranger_info", `{"user_id":5}`).Content)
	for _, args := range []string{``, `{"user_id":"小明"}`, `{"user_id":1.5}`, `{"user_id":-5}`} {
		assert.Contains(t, s.call(inGroup, "qq_get_stranger_info", args).Content, "error: ", args)
	}
	assert.Len(t, s.sent, 3)
}

func TestTools_FailedOrUnclear(t *testing.T) {
	s := newStage(t)
	s.recorder.err, s.wire.err = errors.New("SECRET"), errors.New("SECRET")
	assert.Equal(t, "error: the tool failed: 没有发出去", s.call(inGroup, "qq_send_text", `{"content":"在"}`).Content)
	assert.Equal(t, "error: the tool failed: 没有戳成", s.call(inGroup, "qq_poke", ``).Content)
	s.recorder.err, s.wire.err = fmt.Errorf("SECRET: %w", onebot.ErrUnclear), fmt.Errorf("SECRET: %w", onebot.ErrUnclear)
	assert.Equal(t, "error: the tool failed: 可能已经发出去了，不要重发", s.call(inGroup, "qq_send_text", `{"content":"在"}`).Content)
	assert.Equal(t, "error: the tool failed: 可能已经戳到了，不要再戳", s.call(inGroup, "qq_poke", ``).Content)
}

func TestTools_Declarations(t *testing.T) {
	s := newStage(t)
	p := inGroup
	p.Tiers = nit.L1
	var asked []string
	v := s.r.View(p).WithGuard(func(_ context.Context, i nit.ToolInfo) error { asked = append(asked, i.Name); return nil })
	for _, c := range [][2]string{{"qq_send_text", `{"content":"在"}`}, {"qq_poke", ``}, {"qq_get_stranger_info", `{"user_id":1}`}} {
		_, err := v.Do(t.Context(), c[0], c[1])
		assert.NoError(t, err)
	}
	assert.Equal(t, []string{"qq_poke"}, asked, "sending commits in Send, reading changes nothing")
	told := map[string]string{}
	for _, tool := range s.r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1}).Tools() {
		told[tool.Function.Name] = tool.Function.Description
	}
	for _, tool := range v.Tools() {
		assert.NotEqual(t, told[tool.Function.Name], tool.Function.Description, "one description for each mode")
		assert.Contains(t, told, tool.Function.Name)
	}
	assert.Empty(t, s.r.View(nit.Principal{Tiers: nit.L2 | nit.L3}).Tools(), "all are L1")

	_, err := qq.Tools(qq.Actor{}, qq.Options{})
	assert.Error(t, err)
	for _, o := range []qq.Options{{MaxTextChars: -1}, {MaxImageBytes: -1}, {MaxFileBytes: -1}} {
		_, err = qq.Tools(s.actor(), o)
		assert.Error(t, err)
	}
}
