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

// labels are those of the records of a space, by text.
func (l *lively) labelsOf(s memory.Space) map[string]string {
	l.Helper()
	all := map[string]string{}
	recs, err := memorytest.New(l, l.store, memory.Options{}).Recent(l.Context(), s, 100)
	require.NoError(l, err)
	for _, r := range recs {
		all[r.Text] = r.LabelOrDefault().String()
	}
	return all
}

func TestLabels_AnAttachmentTakesThePowerToAct(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", modeltest.Say("看过了"))
		_, err := l.being.OwnerMessage(l.Context(), "看看这个", social.Attachment{Name: "说明.txt", Text: canary})
		require.NoError(t, err)
		first := l.prompts("")[0]
		assert.Contains(t, first.Text(), canary)
		assert.Contains(t, first.Text(), "说明.txt")
		assert.NotContains(t, first.ToolNames(), "shell_exec")
		next := l.ask("继续")
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.NotContains(t, next.Text(), canary)
		assert.NotContains(t, next.Text(), "说明.txt")
		assert.Contains(t, next.Text(), "看看这个")
		assert.NotContains(t, next.Text(), "看过了", "the answer was made of it")
	})
}

func TestLabels_WhatTheOwnerTypedInAChatIsTrustedThere(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.group.Say(master, onebot.Message{onebot.Text("明天我请客")})
		l.group.Say(master, onebot.Message{onebot.At(alice), onebot.Text(" 你也来")})
		l.group.Say(master, onebot.Message{onebot.Text("看这张"), onebot.Image("http://127.0.0.1:1/a.png")})
		l.group.Say(alice, onebot.Message{onebot.Text("好啊")})
		l.pass(time.Minute)
		trusted := 0
		for text, label := range l.labelsOf("qq:group:1") {
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

func TestLabels_AReportIsAStubBesideToolsThatAct(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer("", modeltest.Call("notify_master", map[string]any{"content": canary}), modeltest.Say("告诉他了"))
		l.group.Say(alice, at(bot, "你主人在吗"))
		l.pass(time.Minute)
		require.Len(t, l.notices(), 1)
		assert.Contains(t, l.notices()[0], canary)
		assert.Equal(t, "U owner qq:group:1", l.labelsOf(memory.Owner)[l.notices()[0]])
		next := l.ask("刚才是什么事")
		assert.NotContains(t, next.Text(), canary)
		assert.Contains(t, next.Text(), "qq:group:1")
		_, err := l.being.EraseChat(l.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		assert.NotContains(t, l.labelsOf(memory.Owner), l.notices()[0], "it is made of what is forgotten")
	})
}

// tool gives a tool of the host that acts or looks.
func tool(t *testing.T, name string, tier nit.Tier, result string, opts ...nit.Option) nit.Tool {
	t.Helper()
	made, err := nit.Define(name, tier, "a tool of the host", func(context.Context, struct{}) (string, error) { return result, nil }, opts...)
	require.NoError(t, err)
	return made
}

func TestLabels_StrictCountsTheHostsToolsAsUntrusted(t *testing.T) {
	for _, strict := range []bool{true, false} {
		withDays(t, func(o *social.Options) {
			o.Access.Labels.Strict = strict
			require.NoError(t, o.Tools.Registry.Add(tool(t, "read_file", nit.L3, canary, nit.ReadOnly())))
		}, func(l *lively) {
			l.ask("看看文件，再清理", modeltest.Call("read_file", nil), modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
			assert.Equal(t, !strict, slices.Contains(l.ran, "rm"))
		})
	}
}

func TestLabels_TheHostSetsSingleCells(t *testing.T) {
	var mu sync.Mutex
	var kinds []social.Datum
	withDays(t, func(o *social.Options) {
		o.Access.Labels.Of = func(d social.Datum, l memory.Label) memory.Label {
			mu.Lock()
			defer mu.Unlock()
			kinds = append(kinds, d)
			if d == social.DatumOwnerAnswer { // the host endorses what its being answers
				return memory.Trusted(memory.Owner)
			}
			return l
		}
		o.Access.Labels.Show = func(to memory.Space, d social.Datum, l memory.Label, show bool) bool {
			return show && !(d == social.DatumOwnerTyped && to == memory.Owner && strings.HasPrefix(l.String(), "T"))
		}
	}, func(l *lively) {
		l.readPrivate()
		next := l.ask("继续")
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.Contains(t, next.Text(), canary, "it was endorsed")
		assert.NotContains(t, next.Text(), "小满说什么了", "it is not shown")
		assert.Subset(t, kinds, []social.Datum{social.DatumOwnerTyped, social.DatumChatMessage, social.DatumOwnerAnswer})
	})
}

func TestLabels_WhatATurnSeesOfPublicChatsStaysWithWhatItWrites(t *testing.T) {
	withPublic(t, func(l *lively, say func(string)) {
		say("广场上今天真热闹")
		l.pass(time.Minute)
		l.answer("", modeltest.Call("set_slot", map[string]string{"name": "记着", "text": "广场很热闹"}), modeltest.Say("好"))
		l.group.Say(alice, at(bot, "在干嘛"))
		l.pass(time.Minute)
		require.Contains(t, l.last(""), "广场上今天真热闹")
		slots, err := memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1").Slots(l.Context())
		require.NoError(t, err)
		require.Len(t, slots, 1)
		assert.Equal(t, "U qq:group:1 qq:group:2", slots[0].Label.String())
		l.group.Say(alice, at(bot, "还在吗"))
		l.pass(time.Minute)
		assert.Contains(t, l.last(""), "广场很热闹", "as long as everybody may read that")
	})
}

// A deed is a call that a tool of the host's got.
type deed struct {
	Group string `json:"group_id"`
	User  string `json:"user_id"`
}

// withKick has a tool of the host that takes somebody out of a group.
func withKick(t *testing.T, confirm nit.Confirm, test func(l *lively, done *[]deed)) {
	var done []deed
	kick, err := nit.Define("kick", nit.L1, "移出一个成员", func(_ context.Context, d deed) (string, error) {
		done = append(done, d)
		return "好", nil
	}, nit.OnlyIn(nit.ModeAgent), nit.ResultIntegrity(nit.Trusted), nit.ActsOn([]string{"踢", "移出"}, "group_id", "user_id"))
	require.NoError(t, err)
	withDays(t, func(o *social.Options) {
		require.NoError(t, o.Tools.Registry.Add(kick))
		o.Tools.Registry.Confirm = confirm
	}, func(l *lively) { test(l, &done) })
}

func TestLabels_AfterReadingAnActIsWhatTheOwnerNamed(t *testing.T) {
	read, kick := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}), modeltest.Call("kick", deed{Group: "1", User: "1001"})
	for text, want := range map[string]bool{
		"看看小满说什么，然后把 1001 踢出群 1":  true,
		"看看小满说什么，然后把 1002 踢出群 1":  false,
		"看看小满说什么，别管 1001 和群 1 的事": false,
	} {
		withKick(t, nil, func(l *lively, done *[]deed) {
			l.readPrivate()
			l.ask(text, read, kick, kick)
			assert.Equal(t, want, len(*done) > 0, text)
			if want {
				assert.Empty(t, l.notices())
			} else {
				require.Len(t, l.notices(), 1, "it is told once")
				assert.Contains(t, l.notices()[0], "kick")
				results := l.prompts("")
				assert.Contains(t, results[len(results)-1].ToolResults()[1].Content, "照主人的原话写", "the model is told how")
			}
			*done = nil
			l.ask("随便", kick)
			assert.Len(t, *done, 1, "a turn that has read nothing is not asked")
		})
	}
}

func TestLabels_AfterReadingSomebodyIsAsked(t *testing.T) {
	for _, yes := range []bool{true, false} {
		asked := 0
		withKick(t, func(context.Context, nit.Request) (bool, error) { asked++; return yes, nil }, func(l *lively, done *[]deed) {
			l.readPrivate()
			l.ask("看看小满说什么", modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}),
				modeltest.Call("kick", deed{Group: "1", User: "1001"}), modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
			assert.Equal(t, yes, len(*done) > 0)
			assert.Equal(t, yes, len(l.ran) > 0)
			assert.Equal(t, 2, asked)
			assert.Empty(t, l.notices(), "they know")
		})
	}
}

func TestLabels_AfterReadingWhatLeavesTheMachineIsWhatTheOwnerGave(t *testing.T) {
	var fetched []string
	type in struct {
		URL string `json:"url"`
	}
	fetch, err := nit.Define("fetch", nit.L3, "读一个网页", func(_ context.Context, in in) (string, error) {
		fetched = append(fetched, in.URL)
		return "网页", nil
	}, nit.ReadOnly(), nit.OpenWorld(), nit.ResultIntegrity(nit.Untrusted))
	require.NoError(t, err)
	withDays(t, func(o *social.Options) { require.NoError(t, o.Tools.Registry.Add(fetch)) }, func(l *lively) {
		l.readPrivate()
		read, given := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}), "https://example.com/a"
		l.ask("看看小满说什么，再读 "+given, read, modeltest.Call("fetch", in{URL: given}), modeltest.Call("fetch", in{URL: given + "?" + canary}))
		assert.Equal(t, []string{given}, fetched)
		l.ask("查一查", modeltest.Call("fetch", in{URL: given + "/b"}), modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
		assert.Equal(t, []string{given, given + "/b"}, fetched, "a turn that has read nothing fetches what it likes")
		assert.Empty(t, l.ran, "a page is untrusted")
	})
}

func TestLabels_AfterReadingItSpeaksWhereItHasReadOrTheOwnerNamed(t *testing.T) {
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
		withDays(t, nil, func(l *lively) {
			friend := l.qq.Friend(2001, "小满")
			l.readPrivate()
			l.ask(is.text, read, send(is.to))
			l.pass(time.Minute)
			said := append(l.sent(l.group.Chat()), l.sent(friend.Chat())...)
			assert.Equal(t, is.want, slices.Contains(said, canary), "%s: %s", is.text, is.to)
			assert.Equal(t, is.want, len(l.notices()) == 0)
			l.ask("发到群里", send("group_1"))
			l.pass(time.Minute)
			assert.Contains(t, l.sent(l.group.Chat()), canary, "a turn that has read nothing speaks where it likes")
		})
	}
}

func TestLabels_ReadingWhatTheOwnerTypedKeepsThePowerToAct(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.group.Say(master, onebot.Message{onebot.Text("明天我请客吃火锅")})
		l.pass(time.Minute)
		read := modeltest.Call("read_social_memory", map[string]any{"query": "火锅"})
		l.ask("我在群里说过吃什么", read, modeltest.Call("shell_exec", map[string]any{"command": "ls"}))
		results := l.prompts("")
		assert.Contains(t, results[len(results)-1].ToolResults()[0].Content, "明天我请客吃火锅")
		assert.Equal(t, []string{"ls"}, l.ran)
		l.group.Say(alice, onebot.Message{onebot.Text("火锅好")})
		l.pass(time.Minute)
		l.ask("还有谁说了", read, modeltest.Call("shell_exec", map[string]any{"command": "rm"}))
		assert.Equal(t, []string{"ls"}, l.ran)
	})
}

func TestLabels_WhoIsAskedHasTwoMinutes(t *testing.T) {
	for wait, want := range map[time.Duration]bool{110 * time.Second: true, 130 * time.Second: false} {
		withKick(t, func(ctx context.Context, _ nit.Request) (bool, error) {
			select {
			case <-time.After(wait):
				return true, nil
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}, func(l *lively, done *[]deed) {
			l.readPrivate()
			l.ask("看看小满说什么", modeltest.Call("read_social_memory", map[string]any{"query": "暗号"}), modeltest.Call("kick", deed{Group: "1", User: "1001"}))
			assert.Equal(t, want, len(*done) > 0, wait)
		})
	}
}
