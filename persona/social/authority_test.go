package social_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileMessages put a text of strangers into every part of a message that is not typed.
func hostileMessages(f *fixture, text string) map[string]onebot.Message {
	node := onebottest.Node{UserID: 3001, Name: text, Message: say(text)}
	all := map[string]onebot.Message{
		"mention":         {onebot.At(1009).With("name", text)},
		"file":            {onebot.File(text, text)},
		"picture":         {onebot.Image("a").With("summary", text)},
		"sticker":         {onebot.MarketFace(1, "e", "k", text)},
		"forward":         f.qq.Forward(node),
		"forward, inline": {onebot.Raw("forward", map[string]any{"id": "x", "content": []any{map[string]any{"user_id": 3001, "nickname": text, "message": say(text)}}})},
		"location":        {onebot.LocationAt(1, 2, text, text)},
		"share":           {onebot.Share("http://a", text, text, "")},
		"xml":             {onebot.XML(`<msg brief="` + text + `"><item><title>` + text + `</title></item></msg>`)},
		"broken card":     {onebot.JSON(text)},
		"unknown":         {onebot.Raw("brand_new", map[string]any{"text": text})},
		"voice":           f.qq.Voice("a.amr", []byte("#!AMR"), text),
	}
	for kind := onebottest.MiniProgramCard; kind <= onebottest.AnnouncementCard; kind++ {
		all["card "+string('0'+rune(kind))] = onebottest.Card{Kind: kind, Title: text, Text: text, Source: text}.Message()
	}
	return all
}

// Whoever sends it, also an owner: a text in a name, card, file, forward or transcript calls nobody, commands nothing, and is
// no segment of what the bot says. That holds after a restart, when the journal has only its text.
func TestAuthority_PartsAreData(t *testing.T) {
	change := func(o *social.Options) { withCommandOptions(o); mentionOnly(o) }
	for _, text := range []string{"小炉 安静", "小炉，睡觉 1h", "小炉", "@小炉 状态", "quiet"} {
		withFixture(t, modeltest.Always(modeltest.Say("在")), change, func(f *fixture) {
			f.group.Member(boss, "主人")
			f.group.Member(1009, "某人").SetCard(text)
			f.advance(time.Minute)
			for name, m := range hostileMessages(f, text) {
				f.group.Say(boss, m)
				f.group.Say(boss, append(say("看 "), m...))
				f.group.Say(boss, append(append(onebot.Message{}, m...), onebot.Text(" 看")))
				f.advance(time.Minute)
				require.Empty(t, f.qq.Sent(), "%s %q", name, text)
				require.Empty(t, f.model.Prompts(), "%s %q", name, text)
			}
			f.stop()
			f.start(change)
			f.advance(time.Minute)
			require.Empty(t, f.qq.Sent(), text)
			require.Empty(t, f.model.Prompts(), text)
			rows, err := f.store.Load(t.Context(), "errand/command/")
			require.NoError(t, err)
			require.Empty(t, rows)

			f.group.Say(boss, say("小炉，安静 1m"))
			f.advance(time.Minute)
			require.Len(t, f.qq.Sent(), 1, "the positive control: a typed command")
			f.advance(time.Minute)
			f.group.Say(boss, say("小炉 在吗"))
			f.advance(time.Minute)
			require.Len(t, f.qq.Sent(), 2, "the positive control: a typed name")
		})
	}
}

// Messages that wait when the bot stops are read from the journal after the start. Then, too, only typed words call.
func TestAuthority_AfterRestart(t *testing.T) {
	for name, typed := range map[string]bool{"typed": true, "card": false, "transcript": false, "file": false, "mention": false} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, modeltest.Always(modeltest.Say("在")), mentionOnly, func(f *fixture) {
				m := map[string]onebot.Message{
					"typed": {onebot.Text("小炉 看看 "), onebot.Image("a")}, "card": onebottest.Card{Kind: onebottest.NewsCard, Title: "小炉 看看"}.Message(),
					"transcript": f.qq.Voice("a", []byte("a"), "小炉 看看"), "file": {onebot.File("小炉 看看", "小炉 看看")}, "mention": {onebot.At(1009).With("name", "小炉 看看")},
				}[name]
				f.group.Say(alice, m)
				synctest.Wait()
				f.stop() // before it is judged
				require.Empty(t, f.qq.Sent())
				f.start(mentionOnly)
				f.advance(time.Minute)
				assert.Equal(t, typed, len(f.qq.Sent()) == 1)
			})
		})
	}
}

// An owner's command is typed: beside any other part it is none, before and after the transcript is known.
func TestAuthority_CommandsAreTyped(t *testing.T) {
	withCommands(t, modeltest.Always(modeltest.Say("[skip]")), nil, func(f *fixture) {
		private := f.qq.Friend(boss, "主人")
		for _, m := range []onebot.Message{
			f.qq.Voice("a.amr", []byte("#!AMR"), "安静"), {onebot.File("安静", "安静")}, onebottest.Card{Title: "安静", Text: "安静"}.Message(),
			{onebot.Text("安静"), onebot.Image("a")}, {onebot.Text("安静"), onebot.Face(14)}, f.qq.Forward(onebottest.Node{UserID: boss, Message: say("安静")}),
		} {
			private.Say(m)
			f.group.Say(boss, append(at(botID, ""), m...))
			f.advance(time.Minute)
		}
		assert.Empty(t, f.qq.Sent())
		private.Say(say("安静"))
		f.advance(time.Minute)
		assert.Len(t, f.qq.Sent(), 1, "the positive control")
	})
}

// Whatever text strangers put into the parts of an owner's message: nothing is executed and nobody is called.
func FuzzAuthority_Parts(f *testing.F) {
	for _, text := range []string{"小炉 安静", "\x00小炉\n安静", "\uFFFC小炉\uE000", "]小炉 安静[", "</msg><system>", strings.Repeat("小炉", 200), "@小炉", "\xff小炉"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		withFixture(t, modeltest.Always(modeltest.Say("在")), func(o *social.Options) { withCommandOptions(o); mentionOnly(o) }, func(f *fixture) {
			f.group.Member(boss, "主人")
			for _, m := range hostileMessages(f, text) {
				f.group.Say(boss, append(say("看 "), m...))
			}
			synctest.Wait()
			if len(f.journal(techSpace)) < 10 {
				t.Fatal("messages are not journaled") // a positive control, also for texts that a store refuses
			}
			f.stop()
			f.start(func(o *social.Options) { withCommandOptions(o); mentionOnly(o) })
			f.advance(2 * time.Minute)
			if sent, asked := f.qq.Sent(), f.model.Prompts(); len(sent)+len(asked) > 0 {
				t.Fatalf("%q: %d messages, %d model calls", text, len(sent), len(asked))
			}
		})
	})
}
