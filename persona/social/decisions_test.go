package social_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A decisionFixture is a bot that leaves a friend request to its owner.
type decisionFixture struct {
	*fixture
	owner    *onebottest.Friend
	flag     string
	noticeID int64  // of the private message
	code     string // in it
}

var codeIn = regexp.MustCompile(`「同意 ([A-Z2-7]{6})」`)

func withDecision(t *testing.T, change func(*social.Options), test func(f *decisionFixture)) {
	model := modeltest.Always(modeltest.Say("嗯"))
	withFixture(t, model, func(o *social.Options) { askOwner(o, change) }, func(b *fixture) {
		f := &decisionFixture{fixture: b, owner: b.qq.Friend(ownerID, "老王")}
		b.group.Member(ownerID, "老王")
		f.flag = f.qq.FriendRequest(3001, "小满", "我是小满")
		f.advance(time.Minute)
		require.Len(f, f.sent(toOwner), 1)
		text := f.sent(toOwner)[0]
		assert.True(t, strings.HasPrefix(text, "好友申请：小满（3001），附言「我是小满」，没有处理：等主人决定。\n引用这条回复"), text)
		assert.NotContains(t, text, f.flag)
		found := codeIn.FindStringSubmatch(text)
		require.NotNil(t, found, text)
		f.code = found[1]
		for _, s := range f.qq.Sent() {
			f.noticeID = s.MessageID
		}
		test(f)
	})
}

var owners = []persona.Account{{Platform: "qq", ID: "900"}}

func askOwner(o *social.Options, change func(*social.Options)) {
	o.Access.Owners, o.Access.Requests = owners, social.AskOwner
	if change != nil {
		change(o)
	}
}

// last returns the bot's last message to the owner.
func (f *decisionFixture) last() string {
	all := f.sent(toOwner)
	return all[len(all)-1]
}

func quoting(id int64, text string) onebot.Message {
	return onebot.Message{onebot.Reply(id), onebot.Text(text)}
}

// The owner answers by quoting the private message or by its code, once, without a model call.
func TestDecisions_Answered(t *testing.T) {
	for name, tt := range map[string]struct {
		says func(f *decisionFixture) onebot.Message
		want string
	}{
		"quoted":     {func(f *decisionFixture) onebot.Message { return quoting(f.noticeID, "同意") }, "approve"},
		"quoted, no": {func(f *decisionFixture) onebot.Message { return quoting(f.noticeID, "拒绝，不认识") }, "reject"},
		"by code":    {func(f *decisionFixture) onebot.Message { return say("同意 " + f.code) }, "approve"},
		"by code, no": {func(f *decisionFixture) onebot.Message {
			return say("拒绝 " + strings.ToLower(f.code) + " 不认识")
		}, "reject"},
		"by code, elsewhere": {func(f *decisionFixture) onebot.Message { return quoting(1, "同意 "+f.code) }, "approve"},
	} {
		t.Run(name, func(t *testing.T) {
			withDecision(t, nil, func(f *decisionFixture) {
				f.owner.Say(tt.says(f))
				f.advance(time.Minute)
				assert.Equal(t, tt.want, f.answer(f.flag))
				assert.Equal(t, "好，已"+map[string]string{"approve": "同意", "reject": "拒绝"}[tt.want]+"小满（3001）的好友申请。", f.last())
				f.owner.Say(quoting(f.noticeID, "同意"))
				f.owner.Say(say("拒绝 " + f.code))
				f.advance(time.Minute)
				assert.Equal(t, "这个申请已经答过了，没有再答。", f.last())
				assert.Len(t, f.qq.Calls("set_friend_add_request"), 1)
				assert.Empty(t, f.model.Prompts(), "no model is asked")
			})
		})
	}
}

// Everything else answers nothing: the text alone, another quoted message, a message in a group, another person, a code of
// nobody.
func TestDecisions_NotAnswered(t *testing.T) {
	withDecision(t, nil, func(f *decisionFixture) {
		stranger := f.qq.Friend(bob, "李四")
		other := f.owner.Say(say("在吗"))
		f.advance(time.Minute)
		asked := len(f.model.Prompts())
		ordinary := func(what string, do func()) {
			f.Helper()
			do()
			f.advance(time.Minute)
			assert.Greater(t, len(f.model.Prompts()), asked, "%s is an ordinary message", what)
			asked = len(f.model.Prompts())
			assert.Empty(t, f.answer(f.flag), what)
		}
		ordinary("the text alone", func() { f.owner.Say(say("同意")) })
		ordinary("another quote", func() { f.owner.Say(quoting(other, "同意")) })
		ordinary("a sentence", func() { f.owner.Say(quoting(f.noticeID, "同意你的看法")) })
		ordinary("a word after it", func() { f.owner.Say(say("同意 monday")) })
		ordinary("a group", func() { f.group.Say(ownerID, at(botID, "同意 "+f.code)) })
		ordinary("another person", func() { stranger.Say(say("同意 " + f.code)) })
		ordinary("another person's quote", func() { stranger.Say(quoting(f.noticeID, "同意")) })
		assert.Empty(t, f.qq.Calls("set_friend_add_request"))

		f.owner.Say(say("同意 ABC234"))
		f.advance(time.Minute)
		assert.Contains(t, f.last(), "码不对，或者已经过期了")
		assert.Len(t, f.model.Prompts(), asked)
		f.advance(8 * 24 * time.Hour)
		f.owner.Say(say("同意 " + f.code))
		f.advance(time.Minute)
		assert.Contains(t, f.last(), "码不对，或者已经过期了")
		assert.Empty(t, f.answer(f.flag))
		rows, err := f.store.Load(f.Context(), "decision/")
		require.NoError(t, err)
		assert.Len(t, rows, 1, "it is deleted with the next one")
	})
}

// An answer never confirms a call of a tool.
func TestDecisions_NoConfirmation(t *testing.T) {
	ran, asked := 0, 0
	tool, err := nit.Define("shell_exec", nit.L3, "runs", func(context.Context, struct{}) (string, error) { ran++; return "done", nil })
	require.NoError(t, err)
	change := func(o *social.Options) {
		o.Tools.Registry = &nit.Registry{Confirm: func(ctx context.Context, _ nit.Request) (bool, error) {
			asked++
			<-ctx.Done()
			return false, ctx.Err()
		}}
		require.NoError(t, o.Tools.Registry.Add(tool))
	}
	withDecision(t, change, func(f *decisionFixture) {
		f.model.Append(modeltest.Call("shell_exec", `{}`), modeltest.Say("没有做"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = f.bot.OwnerMessage(f.Context(), "看看这个", social.Attachment{Name: "信", Text: "运行它"})
		}()
		f.advance(10 * time.Second)
		f.owner.Say(say("同意"))
		f.owner.Say(quoting(f.noticeID, "同意"))
		f.advance(5 * time.Minute)
		<-done
		assert.Zero(t, ran)
		assert.Equal(t, "approve", f.answer(f.flag), "the request alone is answered")
	})
}

// A certain failure lets the owner answer again, and an unclear answer is not repeated. After a restart codes still count.
func TestDecisions_Failures(t *testing.T) {
	withDecision(t, nil, func(f *decisionFixture) {
		f.qq.Fail("set_friend_add_request", 100, 1)
		f.owner.Say(say("同意 " + f.code))
		f.advance(time.Minute)
		assert.Contains(t, f.last(), "没有办成")
		f.stop()
		f.start(func(o *social.Options) { askOwner(o, nil) })
		f.owner.Say(quoting(f.noticeID, "同意"))
		f.advance(time.Minute)
		assert.Equal(t, "approve", f.answer(f.flag))
	})
	withDecision(t, nil, func(f *decisionFixture) {
		f.qq.WithholdResponse("set_friend_add_request", 1)
		f.owner.Say(say("同意 " + f.code))
		f.advance(3 * time.Minute)
		assert.Contains(t, f.last(), "不知道成了没有")
		f.owner.Say(say("同意 " + f.code))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Calls("set_friend_add_request"), 1)
	})
	withDecision(t, nil, func(f *decisionFixture) {
		_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "3001"}, nil)
		require.NoError(t, err)
		rows, err := f.store.Load(f.Context(), "decision/")
		require.NoError(t, err)
		assert.Empty(t, rows)
		f.owner.Say(say("同意 " + f.code))
		f.advance(time.Minute)
		assert.Empty(t, f.answer(f.flag))
	})
}

// If the process dies at any write, the request is answered at most once, and as the owner said.
func TestDecisions_Crashes(t *testing.T) {
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withDecision(t, nil, func(f *decisionFixture) {
				f.stop()
				store := &crashingStore{MemStore: f.store}
				options := func(o *social.Options) { askOwner(o, nil) }
				_, end := f.startOn(store, options)
				store.crashAt(doom, how)
				f.owner.Say(say("同意 " + f.code))
				f.advance(20 * time.Second)
				died = store.hasCrashed() || died
				end()
				f.qq.DropLinks()
				_, end = f.startOn(f.store, options)
				f.advance(10 * time.Minute)
				end()
				assert.LessOrEqual(t, len(f.qq.Calls("set_friend_add_request")), 1, "write %d, how %d", doom, how)
				assert.NotEqual(t, "reject", f.answer(f.flag))
			})
		}
		if !died {
			assert.Greater(t, doom, 4, "too few writes")
			return
		}
	}
}

// The turn that judges a request answers it by the tool of the specification, with the flag that it was shown. Other turns
// in persona mode do not have the tool.
func TestRequests_AnsweredByTool(t *testing.T) {
	const tool = "qq_handle_friend_request"
	for name, tt := range map[string]struct {
		args, then string
		want, why  string
	}{
		"approve":        {`{"flag":"FLAG","remark":"小满\n老师"}`, "[skip]", "approve", ""},
		"reject":         {`{"flag":"FLAG","approve":false}`, "[skip]", "reject", ""},
		"with a reason":  {`{"flag":"FLAG"}`, `{"decision":"approve","reason":"熟人","notify":true}`, "approve", "已同意：「熟人」"},
		"contradiction":  {`{"flag":"FLAG"}`, reject, "", "前后不一致"},
		"another flag":   {`{"flag":"x"}`, "[skip]", "", "看不懂"},
		"the user's id":  {`{"flag":"3001"}`, "[skip]", "", "看不懂"},
		"wrong tool":     {`{"flag":"FLAG","other":1}`, "[skip]", "", "看不懂"},
		"JSON as before": {"", approve, "approve", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := &requestModel{}
			model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
				switch {
				case !strings.Contains(p.Human(), headJudge):
					assert.NotContains(t, p.ToolNames(), tool)
					assert.NotContains(t, p.ToolNames(), "qq_handle_group_invite")
					return modeltest.Say("嗯")
				case len(p.ToolResults()) > 0 || tt.args == "" || strings.Contains(p.Human(), "只回答一个完整的 JSON"):
					return modeltest.Say(tt.then)
				}
				assert.Equal(t, []string{tool}, p.ToolNames())
				schema, err := json.Marshal(p.Options.Tools)
				assert.NoError(t, err)
				shown := flagInSchema.FindSubmatch(schema)
				if !assert.NotNil(t, shown) {
					return modeltest.Say("")
				}
				return modeltest.Call(tool, strings.ReplaceAll(tt.args, "FLAG", string(shown[1])))
			})
			withFixture(t, model, a.options, func(f *fixture) {
				asked := time.Now()
				flag := f.qq.FriendRequest(3001, "小满", "加我")
				f.advance(4900 * time.Millisecond)
				assert.Empty(t, f.answer(flag))
				f.advance(time.Minute)
				assert.Equal(t, tt.want, f.answer(flag))
				if tt.want != "" {
					calls := f.qq.Calls("set_friend_add_request")
					require.Len(t, calls, 1)
					assert.GreaterOrEqual(t, calls[0].At.Sub(asked), 5*time.Second)
					if name == "approve" {
						assert.Contains(t, string(calls[0].Params), `"remark":"小满 老师"`)
					}
				}
				if tt.why != "" {
					require.Len(t, a.notices, 1)
					assert.Contains(t, a.notices[0], tt.why)
				}
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
			})
		})
	}
}

// flagInSchema is the only flag that the schema of a tool allows.
var flagInSchema = regexp.MustCompile(`"enum":\["([^"]+)"\]`)

// A request that arrives while the bot sleeps, or in quiet hours, is judged and answered after waking.
func TestRequests_Asleep(t *testing.T) {
	a := newRequestModel(approve)
	options := func(o *social.Options) {
		a.options(o)
		o.Access.Owners, o.Access.Commands = owners, true
	}
	withFixture(t, a.model(), options, func(f *fixture) {
		owner := f.qq.Friend(ownerID, "老王")
		owner.Say(say("睡觉"))
		f.advance(time.Minute)
		flags := []string{f.qq.FriendRequest(3001, "甲", ""), f.qq.FriendRequest(3002, "乙", ""), f.qq.FriendRequest(3003, "丙", ""), f.qq.FriendRequest(3004, "丁", ""), f.qq.FriendRequest(3005, "戊", "")}
		f.advance(6 * 24 * time.Hour)
		assert.Empty(t, a.reads, "no model is asked")
		assert.Empty(t, f.qq.Calls("set_friend_add_request"))
		f.stop()
		f.start(options)
		f.advance(time.Hour)
		assert.Empty(t, a.reads, "the sleep survives a restart")
		owner.Say(say("起床"))
		woke := time.Now()
		f.advance(5 * time.Minute)
		for _, flag := range flags {
			assert.Equal(t, "approve", f.answer(flag))
		}
		for _, c := range f.qq.Calls("set_friend_add_request") {
			assert.GreaterOrEqual(t, c.At.Sub(woke), 5*time.Second)
		}
		owner.Say(say("睡觉"))
		f.advance(time.Minute)
		old := f.qq.FriendRequest(3006, "己", "")
		f.advance(8 * 24 * time.Hour)
		asked := len(a.reads)
		owner.Say(say("起床"))
		f.advance(5 * time.Minute)
		assert.Empty(t, f.answer(old))
		assert.Len(t, a.reads, asked)
		assert.Contains(t, a.notices[len(a.notices)-1], "已经过了一周")
	})
}
