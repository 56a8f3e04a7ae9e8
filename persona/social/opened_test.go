package social_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// voice returns a message that mentions the bot and has a voice message with a transcript of the platform.
func (f *fixture) voice(transcript string) onebot.Message {
	return append(at(botID, "听"), f.qq.Voice("a.amr", []byte("#!AMR"), transcript)...)
}

// chats returns n messages of a merged forward.
func chats(text string, n int) (nodes []onebottest.Node) {
	for range n {
		nodes = append(nodes, onebottest.Node{UserID: 3001, Name: "小明", Message: say(text)})
	}
	return nodes
}

// The words of a voice message are in the prompt, in the journal, and in prompts after a restart. The platform is asked once.
func TestOpened_VoiceIsRemembered(t *testing.T) {
	p := &planner{plan: `{"action":"text_reply"}`}
	change := func(o *social.Options) { threeCalls(o); mentionOnly(o) }
	withFixture(t, p.model(), change, func(f *fixture) {
		f.group.Say(alice, f.voice("我晚点到"))
		f.advance(time.Minute)
		require.Equal(t, []string{"想", "决定", "写"}, p.asked())
		for _, part := range p.asked() {
			assert.Contains(t, p.read(part), ">@小炉 听[语音：我晚点到]</msg>", part)
		}
		assert.Contains(t, f.journal(techSpace), "@小炉 听[语音：我晚点到]")
		f.stop()
		f.start(change)
		f.group.Say(bob, at(botID, "他说什么"))
		f.advance(time.Minute)
		assert.Contains(t, p.read("想"), ">@小炉 听[语音：我晚点到]</msg>")
		assert.Len(t, f.qq.Calls("fetch_ptt_text"), 1)
		assert.EqualValues(t, 0, f.bot.Stats().Opened.Parts, "nothing was opened again")
	})
}

// A forward, a card, a file and a location are read by their content.
func TestOpened_InPrompt(t *testing.T) {
	srv := &imageServer{}
	withFixture(t, numbered(), srv.options(social.Pictures{}), func(f *fixture) {
		f.group.Say(alice, f.qq.Forward(append(chats("在吗", 1), onebottest.Node{UserID: 3002, Name: "小红", Message: f.qq.Forward(chats("里面", 1)...)})...))
		f.group.Say(alice, onebottest.Card{Kind: onebottest.MiniProgramCard, Title: "猫", Text: "猫在推杯子", Source: "哔哩哔哩"}.Message())
		f.group.Say(alice, onebottest.Card{Kind: onebottest.MapCard, Title: "虹桥站", Text: "申贵路1500号"}.Message())
		f.group.Say(alice, onebot.Message{onebot.File("表.xls", "").With("file_size", 3141)})
		f.group.Say(alice, at(botID, "看"))
		f.advance(time.Minute)
		require.Len(t, f.model.Prompts(), 1)
		for _, want := range []string{
			"[聊天记录：\n小明: 在吗\n小红: [聊天记录：\n  小明: 里面]]", "[小程序：猫在推杯子 · 哔哩哔哩]", "[位置：虹桥站 申贵路1500号]", "[文件 表.xls 3.1 kB]",
		} {
			assert.Contains(t, f.lastPrompt(), ">"+want+"</msg>")
		}
		assert.Len(t, f.qq.Calls("get_forward_msg"), 2)
		f.group.Say(alice, at(botID, "再看"))
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(), "小红: [聊天记录：\n  小明: 里面]]</msg>", "as history")
		assert.Len(t, f.qq.Calls("get_forward_msg"), 2, "opened once")
	})
}

// Messages that no turn answers are not opened.
func TestOpened_OnlyForTurns(t *testing.T) {
	withFixture(t, numbered(), mentionOnly, func(f *fixture) {
		f.group.Say(alice, f.qq.Voice("a.amr", []byte("#!AMR"), "我晚点到"))
		f.group.Say(alice, f.qq.Forward(chats("在吗", 2)...))
		f.advance(time.Hour)
		assert.Empty(t, f.qq.Calls("fetch_ptt_text", "get_forward_msg"))
		assert.Equal(t, []string{"[语音]", "[聊天记录]"}, f.journal(techSpace))
	})
}

// Of a message that is retracted, or whose author is erased, while it is opened, nothing stays.
func TestOpened_GoneMeanwhile(t *testing.T) {
	for name, remove := range map[string]func(f *fixture, id int64){
		"kept":      func(*fixture, int64) {},
		"retracted": func(f *fixture, id int64) { f.qq.Recall(id) },
		"erased": func(f *fixture, _ int64) {
			_, err := f.bot.ErasePerson(f.Context(), qqAccount(alice), nil)
			require.NoError(f, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, numbered(), mentionOnly, func(f *fixture) {
				f.qq.DelayResponse("fetch_ptt_text", 3*time.Second)
				id := f.group.Say(alice, f.voice("秘密四十二"))
				f.advance(4 * time.Second) // the platform is transcribing
				require.Len(t, f.qq.Calls("fetch_ptt_text"), 1)
				require.Empty(t, f.model.Prompts())
				remove(f, id)
				f.group.Say(bob, at(botID, "在吗"))
				f.advance(time.Minute)
				read := f.lastPrompt() + everything(f)
				assert.Equal(t, name == "kept", strings.Contains(read, "四十二"))
				assert.Equal(t, name == "kept", strings.Contains(read, "听[语音"))
			})
		})
	}
}

// If the process dies at any write, a later prompt has the message once, with or without the words.
func TestOpened_Crashes(t *testing.T) {
	withWords := 0
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withFixture(t, numbered(), mentionOnly, func(f *fixture) {
				f.stop()
				s := &crashingStore{MemStore: f.store}
				_, end := f.startOn(s, mentionOnly)
				f.group.Say(alice, say("早"))
				f.advance(time.Minute)
				s.crashAt(doom, how)
				f.group.Say(alice, f.voice("我晚点到"))
				f.advance(30 * time.Second)
				end()
				died = died || s.hasCrashed()
				_, end = f.startOn(f.store, mentionOnly)
				f.advance(time.Minute)
				f.group.Say(bob, at(botID, "他说什么"))
				f.advance(time.Minute)
				end()
				require.LessOrEqual(f, len(f.qq.Sent()), 2, "write %d, %d", doom, how)
				require.Equal(f, 1, strings.Count(f.lastPrompt(), "听[语音"), "write %d, %d", doom, how)
				if strings.Contains(f.lastPrompt(), "听[语音：我晚点到]") {
					withWords++
				}
			})
		}
		if !died {
			assert.Greater(t, doom, 3, "too few writes")
			break
		}
	}
	assert.Positive(t, withWords)
}

// A transcript with a banned word changes nothing.
func TestOpened_Banned(t *testing.T) {
	banned, err := heartflow.NewFilter([]string{"违禁词"}, nil)
	require.NoError(t, err)
	withFixture(t, numbered(), func(o *social.Options) { o.When.Banned = banned }, func(f *fixture) {
		f.group.Say(alice, f.voice("说违禁词"))
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(), ">@小炉 听[语音]</msg>")
		assert.NotContains(t, everything(f), "违禁词")
	})
}

// A part that the platform does not open leaves prompt and journal as without it.
func TestOpened_FailingPlatform(t *testing.T) {
	ask := func(fail bool) (read string, journal []string) {
		withFixture(t, numbered(), nil, func(f *fixture) {
			transcript := ""
			if !fail {
				transcript = "我晚点到"
			}
			f.group.Say(alice, append(f.voice(transcript), onebot.Forward("7400000000000000001")))
			f.advance(time.Minute)
			require.Len(t, f.qq.Sent(), 1)
			read, journal = f.lastPrompt(), f.journal(techSpace)
			assert.EqualValues(t, 1, f.bot.Stats().Opened.PartsFailed, "the forward")
		})
		return read, journal
	}
	read, journal := ask(true)
	assert.Contains(t, read, ">@小炉 听[语音][聊天记录]</msg>")
	assert.Equal(t, "@小炉 听[语音][聊天记录]", journal[0])
	read, journal = ask(false)
	assert.Contains(t, read, ">@小炉 听[语音：我晚点到][聊天记录]</msg>")
	assert.Equal(t, "@小炉 听[语音：我晚点到][聊天记录]", journal[0])
}

// A Transcriber hears the recordings of a platform without transcripts. A failing one changes nothing.
func TestOpened_Transcriber(t *testing.T) {
	for name, hears := range map[string]persona.TranscriberFunc{
		"works": func(_ context.Context, a persona.Audio) (string, error) {
			return fmt.Sprintf("%s %s", a.Type, a.Data), nil
		},
		"panics": func(context.Context, persona.Audio) (string, error) { panic("no") },
		"slow":   func(ctx context.Context, _ persona.Audio) (string, error) { <-ctx.Done(); return "晚了", nil },
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, numbered(), nil, func(f *fixture) {
				f.stop()
				f.qq.Close()
				f.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉", Quirks: onebottest.SnowLuma})
				f.group = f.qq.Group(1, "技术群")
				f.start(func(o *social.Options) { o.Reply.Transcriber = hears })
				f.group.Say(alice, f.voice(""))
				f.advance(time.Minute)
				require.Len(t, f.qq.Sent(), 1)
				want := "听[语音]</msg>"
				if name == "works" {
					want = "听[语音：audio/amr #!AMR]</msg>"
				}
				assert.Contains(t, f.lastPrompt(), want)
			})
		})
	}
}

// A quoted forward is read like a sent one.
func TestOpened_Quoted(t *testing.T) {
	withFixture(t, numbered(), mentionOnly, func(f *fixture) {
		id := f.group.Say(alice, f.qq.Forward(chats("在吗", 1)...))
		f.advance(time.Hour)
		f.group.Say(bob, append(onebot.Message{onebot.Reply(id)}, at(botID, "这里说什么")...))
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(), `quote="[聊天记录： 小明: 在吗]"`)
	})
}
