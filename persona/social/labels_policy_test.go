package social_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labelsOf returns the labels of a space's records by text.
func (f *autonomyFixture) labelsOf(s memory.Space) map[string]string {
	f.Helper()
	all := map[string]string{}
	recs, err := memorytest.New(f, f.store, memory.Options{}).Recent(f.Context(), s, 100)
	require.NoError(f, err)
	for _, r := range recs {
		all[r.Text] = r.LabelOrDefault().String()
	}
	return all
}

func TestLabels_AttachmentRestrictsTurn(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Say("看过了"))
		_, err := f.bot.OwnerMessage(f.Context(), "看看这个", social.Attachment{Name: "说明.txt", Text: canary})
		require.NoError(t, err)
		first := f.prompts("")[0]
		assert.Contains(t, first.Text(), canary)
		assert.Contains(t, first.Text(), "说明.txt")
		assert.NotContains(t, first.ToolNames(), "shell_exec")
		next := f.ask("继续")
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.NotContains(t, next.Text(), canary)
		assert.NotContains(t, next.Text(), "说明.txt")
		assert.Contains(t, next.Text(), "看看这个")
		assert.NotContains(t, next.Text(), "看过了", "the answer is derived from it")
	})
}

func TestLabels_OwnersChatMessageIsTrusted(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.group.Say(ownerID, onebot.Message{onebot.Text("明天我请客")})
		f.group.Say(ownerID, onebot.Message{onebot.At(alice), onebot.Text(" 你也来")})
		f.group.Say(ownerID, onebot.Message{onebot.Text("看这张"), onebot.Image("http://127.0.0.1:1/a.png")})
		f.group.Say(alice, onebot.Message{onebot.Text("好啊")})
		f.advance(time.Minute)
		trusted := 0
		for text, label := range f.labelsOf("qq:group:1") {
			if text == "明天我请客" {
				assert.Equal(t, "T qq:group:1", label)
				trusted++
			} else {
				assert.Equal(t, "U qq:group:1", label, text)
			}
		}
		assert.Equal(t, 1, trusted)
	})
}

func TestLabels_ReportIsStub(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer("", modeltest.Call("notify_master", map[string]any{"content": canary}), modeltest.Say("告诉他了"))
		f.group.Say(alice, at(botID, "你主人在吗"))
		f.advance(time.Minute)
		require.Len(t, f.notices(), 1)
		assert.Contains(t, f.notices()[0], canary)
		assert.Equal(t, "U owner qq:group:1", f.labelsOf(memory.Owner)[f.notices()[0]])
		next := f.ask("刚才是什么事")
		assert.NotContains(t, next.Text(), canary)
		assert.Contains(t, next.Text(), "qq:group:1")
		_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		assert.NotContains(t, f.labelsOf(memory.Owner), f.notices()[0], "it was derived from erased data")
	})
}

// tool returns a tool of the host.
func tool(t *testing.T, name string, tier nit.Tier, result string, opts ...nit.Option) nit.Tool {
	t.Helper()
	made, err := nit.Define(name, tier, "a tool of the host", func(context.Context, struct{}) (string, error) { return result, nil }, opts...)
	require.NoError(t, err)
	return made
}

func TestLabels_StrictHostTools(t *testing.T) {
	for _, strict := range []bool{true, false} {
		withAutonomy(t, func(o *social.Options) {
			o.Access.Labels.Strict = strict
			require.NoError(t, o.Tools.Registry.Add(tool(t, "read_file", nit.L3, canary, nit.ReadOnly())))
		}, func(f *autonomyFixture) {
			f.ask("看看文件，再清理", modeltest.Call("read_file", nil), modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
			assert.Equal(t, !strict, slices.Contains(f.ran, "rm"))
		})
	}
}

func TestLabels_HostOverrides(t *testing.T) {
	var mu sync.Mutex
	var kinds []social.Datum
	withAutonomy(t, func(o *social.Options) {
		o.Access.Labels.Of = func(d social.Datum, l memory.Label) memory.Label {
			mu.Lock()
			defer mu.Unlock()
			kinds = append(kinds, d)
			if d == social.DatumOwnerAnswer { // the host endorses the bot's answers
				return memory.Trusted(memory.Owner)
			}
			return l
		}
		o.Access.Labels.Show = func(to memory.Space, d social.Datum, l memory.Label, show bool) bool {
			return show && !(d == social.DatumOwnerTyped && to == memory.Owner && strings.HasPrefix(l.String(), "T"))
		}
	}, func(f *autonomyFixture) {
		f.readPrivate()
		next := f.ask("继续")
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.Contains(t, next.Text(), canary, "it is endorsed")
		assert.NotContains(t, next.Text(), "小满说什么了", "it is not shown")
		assert.Subset(t, kinds, []social.Datum{social.DatumOwnerTyped, social.DatumChatMessage, social.DatumOwnerAnswer})
	})
}

func TestLabels_PublicBackgroundStaysInNotes(t *testing.T) {
	withPublicChat(t, func(f *autonomyFixture, say func(string)) {
		say("广场上今天真热闹")
		f.advance(time.Minute)
		f.answer("", modeltest.Call("set_slot", map[string]string{"name": "记着", "text": "广场很热闹"}), modeltest.Say("好"))
		f.group.Say(alice, at(botID, "在干嘛"))
		f.advance(time.Minute)
		require.Contains(t, f.lastPrompt(""), "广场上今天真热闹")
		slots, err := memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1").Slots(f.Context())
		require.NoError(t, err)
		require.Len(t, slots, 1)
		assert.Equal(t, "U qq:group:1 qq:group:2", slots[0].Label.String())
		f.group.Say(alice, at(botID, "还在吗"))
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(""), "广场很热闹", "the note is shown while its source is public")
	})
}

// A kickCall is a call of the host's tool.
type kickCall struct {
	Group string `json:"group_id"`
	User  string `json:"user_id"`
}

// withKick adds a host tool that removes a person from a group.
func withKick(t *testing.T, confirm nit.Confirm, test func(f *autonomyFixture, done *[]kickCall)) {
	var done []kickCall
	kick, err := nit.Define("kick", nit.L1, "移出一个成员", func(_ context.Context, d kickCall) (string, error) {
		done = append(done, d)
		return "好", nil
	}, nit.OnlyIn(nit.ModeAgent), nit.ResultIntegrity(nit.Trusted), nit.ActsOn([]string{"踢", "移出"}, "group_id", "user_id"))
	require.NoError(t, err)
	withAutonomy(t, func(o *social.Options) {
		require.NoError(t, o.Tools.Registry.Add(kick))
		o.Tools.Registry.Confirm = confirm
	}, func(f *autonomyFixture) { test(f, &done) })
}

func TestLabels_AfterReading_NamedTargets(t *testing.T) {
	read, kick := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}), modeltest.Call("kick", kickCall{Group: "1", User: "1001"})
	for text, want := range map[string]bool{
		"看看小满说什么，然后把 1001 踢出群 1":  true,
		"看看小满说什么，然后把 1002 踢出群 1":  false,
		"看看小满说什么，别管 1001 和群 1 的事": false,
	} {
		withKick(t, nil, func(f *autonomyFixture, done *[]kickCall) {
			f.readPrivate()
			f.ask(text, read, kick, kick)
			assert.Equal(t, want, len(*done) > 0, text)
			if want {
				assert.Empty(t, f.notices())
			} else {
				require.Len(t, f.notices(), 1, "one notice")
				assert.Contains(t, f.notices()[0], "kick")
				results := f.prompts("")
				assert.Contains(t, results[len(results)-1].ToolResults()[1].Content, "照主人的原话写", "the model learns how to ask")
			}
			*done = nil
			f.ask("随便", kick)
			assert.Len(t, *done, 1, "a turn that has read nothing needs no confirmation")
		})
	}
}

func TestLabels_AfterReading_Confirmation(t *testing.T) {
	for _, yes := range []bool{true, false} {
		asked := 0
		withKick(t, func(context.Context, nit.Request) (bool, error) { asked++; return yes, nil }, func(f *autonomyFixture, done *[]kickCall) {
			f.readPrivate()
			f.ask("看看小满说什么", modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}),
				modeltest.Call("kick", kickCall{Group: "1", User: "1001"}), modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
			assert.Equal(t, yes, len(*done) > 0)
			assert.Equal(t, yes, len(f.ran) > 0)
			assert.Equal(t, 2, asked)
			assert.Empty(t, f.notices(), "the owner was asked already")
		})
	}
}

func TestLabels_AfterReading_GivenURLs(t *testing.T) {
	var fetched []string
	type in struct {
		URL string `json:"url"`
	}
	fetch, err := nit.Define("fetch", nit.L3, "读一个网页", func(_ context.Context, in in) (string, error) {
		fetched = append(fetched, in.URL)
		return "网页", nil
	}, nit.ReadOnly(), nit.OpenWorld(), nit.ResultIntegrity(nit.Untrusted))
	require.NoError(t, err)
	withAutonomy(t, func(o *social.Options) { require.NoError(t, o.Tools.Registry.Add(fetch)) }, func(f *autonomyFixture) {
		f.readPrivate()
		read, given := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}), "https://example.com/a"
		f.ask("看看小满说什么，再读 "+given, read, modeltest.Call("fetch", in{URL: given}), modeltest.Call("fetch", in{URL: given + "?" + canary}))
		assert.Equal(t, []string{given}, fetched)
		f.ask("查一查", modeltest.Call("fetch", in{URL: given + "/b"}), modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
		assert.Equal(t, []string{given, given + "/b"}, fetched, "a turn that has read nothing may fetch any page")
		assert.Empty(t, f.ran, "a page is untrusted")
	})
}

func TestLabels_AfterReading_Sending(t *testing.T) {
	read := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"})
	send := func(to string) modeltest.Step {
		return modeltest.Call("qq_send_text", map[string]any{"target_id": to, "content": canary})
	}
	for _, is := range []struct {
		text, to string
		want     bool
	}{
		{"看看小满说什么，回一声", "user_2001", true},
		{"看看小满说什么", "group_1", false},
		{"看看小满说什么，告诉 group_1", "group_1", true},
		{"看看小满说什么，告诉技术群", "技术群", true},
		{"看看小满说什么，告诉 group_1", "user_900", false},
	} {
		withAutonomy(t, nil, func(f *autonomyFixture) {
			friend := f.qq.Friend(2001, "小满")
			f.readPrivate()
			f.ask(is.text, read, send(is.to))
			f.advance(time.Minute)
			said := append(f.sent(f.group.Chat()), f.sent(friend.Chat())...)
			assert.Equal(t, is.want, slices.Contains(said, canary), "%s: %s", is.text, is.to)
			assert.Equal(t, is.want, len(f.notices()) == 0)
			f.ask("发到群里", send("group_1"))
			f.advance(time.Minute)
			assert.Contains(t, f.sent(f.group.Chat()), canary, "a turn that has read nothing may send anywhere")
		})
	}
}

func TestLabels_ReadingOwnersTextRestrictsNothing(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.group.Say(ownerID, onebot.Message{onebot.Text("明天我请客吃火锅")})
		f.advance(time.Minute)
		read := modeltest.Call("read_social_memory", map[string]any{"query": "火锅"})
		f.ask("我在群里说过吃什么", read, modeltest.Call("shell_exec", map[string]any{"command": "ls"}))
		results := f.prompts("")
		assert.Contains(t, results[len(results)-1].ToolResults()[0].Content, "明天我请客吃火锅")
		assert.Equal(t, []string{"ls"}, f.ran)
		f.group.Say(alice, onebot.Message{onebot.Text("火锅好")})
		f.advance(time.Minute)
		f.ask("还有谁说了", read, modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
		assert.Equal(t, []string{"ls"}, f.ran)
	})
}

func TestLabels_ConfirmationTimeout(t *testing.T) {
	for wait, want := range map[time.Duration]bool{110 * time.Second: true, 130 * time.Second: false} {
		withKick(t, func(ctx context.Context, _ nit.Request) (bool, error) {
			select {
			case <-time.After(wait):
				return true, nil
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}, func(f *autonomyFixture, done *[]kickCall) {
			f.readPrivate()
			f.ask("看看小满说什么", modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}), modeltest.Call("kick", kickCall{Group: "1", User: "1001"}))
			assert.Equal(t, want, len(*done) > 0, wait)
		})
	}
}
