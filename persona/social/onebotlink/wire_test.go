package onebotlink_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	group   = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	private = persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}
)

// A wire is a link to a simulated QQ and the events that it delivered.
type wire struct {
	social.Link
	social.LinkFeatures
	qq     *onebottest.Server
	group  *onebottest.Group
	friend *onebottest.Friend

	mu     sync.Mutex
	events []persona.Event
}

// onWires runs a test against the implementations that most bots use.
func onWires(t *testing.T, test func(t *testing.T, w *wire)) {
	for name, quirks := range onebottest.Presets() {
		if name != "NapCat" && name != "LLBot" && name != "SnowLuma" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{qq: onebottest.New(onebottest.Options{SelfID: 10000, Nickname: "小炉", Quirks: quirks})}
				w.group, w.friend = w.qq.Group(1, "技术群"), w.qq.Friend(2001, "小满")
				w.group.Member(1001, "张三")
				w.group.Member(1002, "李四")
				w.Link = onebotlink.New(w.qq.Client(onebot.Options{}), onebotlink.Options{})
				w.LinkFeatures = social.FeaturesOf(w.Link)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() {
					ended <- w.Run(ctx, func(_ context.Context, e persona.Event) {
						w.mu.Lock()
						defer w.mu.Unlock()
						w.events = append(w.events, e)
					})
				}()
				synctest.Wait()
				w.news()
				test(t, w)
				stop()
				require.NoError(t, <-ended)
				w.qq.Close()
			})
		})
	}
}

// news returns the events since the last call.
func (w *wire) news() []persona.Event {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.events
	w.events = nil
	return all
}

// last returns the only new event, a message.
func (w *wire) last(t *testing.T) persona.Message {
	t.Helper()
	all := w.news()
	require.Len(t, all, 1)
	require.IsType(t, persona.Message{}, all[0])
	return all[0].(persona.Message)
}

// What happens in a group arrives as an event of package persona.
func TestWire_Events(t *testing.T) {
	onWires(t, func(t *testing.T, w *wire) {
		at := time.Now()
		w.group.Say(1001, onebot.Message{onebot.Text("早")}) // the link knows names from messages
		said := w.last(t)
		expect := func(want ...persona.Event) {
			t.Helper()
			assert.Equal(t, append([]persona.Event(nil), want...), w.news())
		}
		w.group.Poke(1001, 10000)
		poke := w.news()
		require.Len(t, poke, 1)
		p := poke[0].(persona.Poked)
		assert.True(t, p.ToMe)
		p.ToName = "" // of the bot, if the link has it
		assert.Equal(t, persona.Poked{Chat: group, From: "1001", Name: "张三", To: "10000", ToMe: true, At: at}, p)
		w.group.Poke(1002, 1001)
		expect(persona.Poked{Chat: group, From: "1002", To: "1001", ToName: "张三", At: at})
		w.friend.Poke()
		alone := w.news()
		require.Len(t, alone, 1)
		assert.Equal(t, private, alone[0].(persona.Poked).Chat)
		assert.Equal(t, "2001", alone[0].(persona.Poked).From)
		assert.True(t, alone[0].(persona.Poked).ToMe)

		id := w.qq.History(w.group.Chat())[0].MessageID
		w.group.React(id, 1001, "76", true)
		expect(persona.Reacted{Chat: group, MessageID: said.ID, From: "1001", Name: "张三", Face: persona.Face{ID: "76", Name: "赞"}, At: at})
		w.group.React(id, 1001, "128077", true)
		expect(persona.Reacted{Chat: group, MessageID: said.ID, From: "1001", Name: "张三", Face: persona.Face{ID: "128077", Name: "👍"}, At: at})
		w.group.React(id, 1001, "76", false)
		expect(persona.Reacted{Chat: group, MessageID: said.ID, From: "1001", Name: "张三", Face: persona.Face{ID: "76", Name: "赞"}, Removed: true, At: at})

		w.group.Member(1001, "张三").SetAdmin(true)
		expect(persona.MemberChanged{Chat: group, ID: "1001", Name: "张三", Kind: persona.AdminChanged, Value: "set", At: at})
		w.group.Member(1001, "张三").SetAdmin(false)
		expect(persona.MemberChanged{Chat: group, ID: "1001", Name: "张三", Kind: persona.AdminChanged, Value: "unset", At: at})
		if w.group.Member(1001, "张三").SetTitle("猫奴"); t.Name() != "TestWire_Events/SnowLuma" {
			expect(persona.MemberChanged{Chat: group, ID: "1001", Name: "张三", Kind: persona.TitleChanged, Value: "猫奴", At: at})
			w.group.Member(1001, "张三").SetCard("三哥")
			expect(persona.MemberChanged{Chat: group, ID: "1001", Name: "三哥", Kind: persona.CardChanged, Value: "三哥", At: at})
		}
		w.news()

		w.group.Join(1003, "王五")
		joined := w.news()
		require.Len(t, joined, 1)
		assert.Equal(t, "1003", joined[0].(persona.MemberJoined).ID)
		w.group.Leave(1003)
		left := w.news()
		require.Len(t, left, 1)
		assert.Equal(t, persona.MemberLeft{Chat: group, ID: "1003", At: at}, left[0])
		w.group.Kick(1002, 1001)
		expect(persona.MemberLeft{Chat: group, ID: "1002", By: "1001", At: at})
		w.group.Kick(10000, 1001)
		expect(persona.BotLeft{Chat: group, By: "1001", At: at})
	})
}

// Each kind of outgoing message arrives as what it is. Text is never code.
func TestWire_Send(t *testing.T) {
	onWires(t, func(t *testing.T, w *wire) {
		asked := w.group.Say(1001, onebot.Message{onebot.Text("在吗")})
		ask := w.last(t)
		send := func(chat persona.Chat, out persona.Outgoing) onebot.Message {
			t.Helper()
			before := len(w.qq.Sent())
			id, err := w.Send(t.Context(), chat, out)
			require.NoError(t, err)
			sent := w.qq.Sent()
			require.Len(t, sent, before+1)
			require.NotEmpty(t, id)
			return sent[before].Message
		}
		types := func(m onebot.Message) (all []string) {
			for _, s := range m {
				all = append(all, s.Type)
			}
			return all
		}
		m := send(group, persona.Outgoing{Text: "[CQ:at,qq=all]", ReplyTo: ask.ID, Mentions: []string{"1001"}})
		assert.Equal(t, []string{"reply", "at", "text", "text"}, types(m))
		assert.Equal(t, "[CQ:at,qq=all]", m[3].Param("text"))
		quoted, ok := m[0].QuotedID()
		assert.True(t, ok)
		assert.Equal(t, onebot.MessageKey(asked), onebot.MessageKey(quoted))

		assert.Equal(t, []string{"at", "text", "text"}, types(send(group, persona.Outgoing{Text: "开会", MentionEveryone: true})))
		m = send(group, persona.Outgoing{Text: "好", Face: persona.Face{ID: "14"}})
		assert.Equal(t, "好[微笑]", persona.TextOf([]persona.Part{persona.Text(m[0].Param("text")), persona.Face{ID: m[1].Param("id"), Name: "微笑"}}))
		image, err := w.EncodeImage([]byte("png"))
		require.NoError(t, err)
		assert.Equal(t, []string{"image"}, types(send(private, persona.Outgoing{Image: image})))
		assert.Equal(t, []string{"text", "image"}, types(send(private, persona.Outgoing{Text: "看", Image: image})))
		m = send(group, persona.Outgoing{Text: "好", Voice: persona.Audio{Data: []byte("mp3")}, ReplyTo: ask.ID, Mentions: []string{"1001"}})
		assert.Equal(t, []string{"record"}, types(m), "a voice message is alone")
		assert.Equal(t, onebot.FileFromBytes([]byte("mp3")), m[0].Param("file"))

		for _, chat := range []persona.Chat{group, private} {
			m = send(chat, persona.Outgoing{Forward: []persona.Message{{From: "10000", Name: "小炉", Text: "一"}, {From: "10000", Name: "小炉", Text: "[CQ:face,id=1]"}}})
			require.Equal(t, []string{"forward"}, types(m))
			nodes := w.qq.Forwarded(m[0].Param("id"))
			require.Len(t, nodes, 2)
			assert.EqualValues(t, 10000, nodes[0].UserID)
			assert.Equal(t, "[CQ:face,id=1]", nodes[1].Message[0].Param("text"))
			_, err := w.Send(t.Context(), chat, persona.Outgoing{File: persona.SentFile{Name: "a.txt", Data: []byte("内容")}})
			require.NoError(t, err)
			files := w.qq.Files()
			assert.Equal(t, "a.txt", files[len(files)-1].Name)
			assert.Equal(t, "内容", string(files[len(files)-1].Data))
			_, err = w.Send(t.Context(), chat, persona.Outgoing{Poke: map[bool]string{true: "1001", false: "2001"}[chat == group]})
			require.NoError(t, err)
		}
		pokes := w.qq.Pokes()
		require.Len(t, pokes, 2)
		assert.EqualValues(t, 1001, pokes[0].TargetID)
		assert.Equal(t, w.friend.Chat(), pokes[1].Chat)

		_, err = w.Send(t.Context(), group, persona.Outgoing{Reaction: persona.Reaction{MessageID: ask.ID, Face: w.Faces[0]}})
		require.NoError(t, err)
		assert.Equal(t, []onebottest.Reaction{{UserID: 10000, EmojiID: w.Faces[0].ID}}, w.qq.Reactions(asked))

		for name, out := range map[string]persona.Outgoing{
			"quote": {Text: "好", ReplyTo: "act:poke/1"}, "mention": {Text: "好", Mentions: []string{"x"}}, "face": {Face: persona.Face{ID: "x"}},
			"reaction": {Reaction: persona.Reaction{MessageID: "x", Face: w.Faces[0]}}, "poke": {Poke: "x"}, "forward": {Forward: []persona.Message{{From: "x"}}},
		} {
			before := len(w.qq.Calls())
			_, err := w.Send(t.Context(), group, out)
			assert.Error(t, err, name)
			assert.NotErrorIs(t, err, social.ErrUnclear, name)
			assert.Len(t, w.qq.Calls(), before, "%s: nothing was called", name)
		}
	})
}

// A voice message is opened by the platform's transcript, and otherwise by the recording.
func TestWire_OpenVoice(t *testing.T) {
	onWires(t, func(t *testing.T, w *wire) {
		w.group.Say(1001, w.qq.Voice("a.amr", []byte("#!AMR录音"), "我晚点到"))
		m := w.last(t)
		v, err := w.OpenPart(t.Context(), m, m.Parts[0])
		require.NoError(t, err)
		assert.Equal(t, "我晚点到", v.(persona.Voice).Transcript)

		w.group.Say(1001, w.qq.Voice("b.amr", []byte("#!AMR录音"), ""))
		m = w.last(t)
		v, err = w.OpenPart(t.Context(), m, m.Parts[0])
		require.NoError(t, err)
		got := v.(persona.Voice)
		assert.Empty(t, got.Transcript)
		if t.Name() == "TestWire_OpenVoice/SnowLuma" { // the others convert on their disk, so the address is that of the event
			assert.Equal(t, persona.Audio{Data: []byte("#!AMR录音"), Type: "audio/amr"}, got.Audio)
		}
		assert.NotEmpty(t, got.URL)

		for _, p := range []persona.Part{persona.Voice{ID: "missing"}, persona.Forward{ID: "missing"}, persona.File{ID: "missing"}, persona.Picture{}} {
			opened, err := w.OpenPart(t.Context(), m, p)
			assert.Error(t, err, "%T", p)
			assert.IsType(t, p, opened)
		}
	})
}

// Forwards and files are opened by their ids.
func TestWire_OpenForwardAndFile(t *testing.T) {
	onWires(t, func(t *testing.T, w *wire) {
		inner := w.qq.Forward(onebottest.Node{UserID: 1002, Name: "李四", Message: onebot.Message{onebot.Text("里面")}})
		w.group.Say(1001, w.qq.Forward(
			onebottest.Node{UserID: 1001, Name: "张三", Message: onebot.Message{onebot.Text("在吗"), onebot.At(1002)}}, onebottest.Node{UserID: 1002, Name: "李四", Message: inner},
		))
		m := w.last(t)
		assert.Equal(t, "[聊天记录]", m.Text)
		p, err := w.OpenPart(t.Context(), m, m.Parts[0])
		require.NoError(t, err)
		assert.Equal(t, "[聊天记录：\n张三: 在吗@1002\n李四: [聊天记录]]", persona.TextOf([]persona.Part{p}))
		nested := p.(persona.Forward).Messages[1].Parts[0]
		p, err = w.OpenPart(t.Context(), m, nested)
		require.NoError(t, err)
		assert.Equal(t, "[聊天记录：\n李四: 里面]", persona.TextOf([]persona.Part{p}))

		w.friend.Upload("表.csv", []byte("日期,金额"))
		m = w.last(t)
		assert.Equal(t, "[文件 表.csv 13 B]", m.Text)
		f, err := w.OpenPart(t.Context(), m, m.Parts[0])
		require.NoError(t, err)
		assert.NotEmpty(t, f.(persona.File).URL)
	})
}

// A message is fetched with its parts, and only from the chat that it belongs to.
func TestWire_Message(t *testing.T) {
	onWires(t, func(t *testing.T, w *wire) {
		w.group.Say(1001, append(w.qq.Image("猫.png", []byte("png")), onebot.Text("看")))
		here := w.last(t)
		w.friend.Say(onebot.Message{onebot.Text("悄悄话")})
		alone := w.last(t)
		got, err := w.Message(t.Context(), group, here.ID)
		require.NoError(t, err)
		assert.Equal(t, here.Text, got.Text)
		assert.Equal(t, here.From, got.From)
		assert.Equal(t, here.At, got.At)
		assert.IsType(t, persona.Picture{}, got.Parts[0])
		got, err = w.Message(t.Context(), private, alone.ID)
		require.NoError(t, err)
		assert.Equal(t, alone.Text, got.Text)

		for chat, id := range map[persona.Chat]string{group: alone.ID, private: here.ID, {Platform: "qq", Kind: persona.Private, ID: "2002"}: alone.ID} {
			got, err := w.Message(t.Context(), chat, id)
			assert.Error(t, err, chat)
			assert.Zero(t, got)
		}
		for _, id := range []string{"", "x", "1", "act:poke/1001/10000"} {
			_, err := w.Message(t.Context(), group, id)
			assert.Error(t, err, id)
		}
	})
}

// Names in a mention, a file or a card stay names, whatever they contain.
func TestWire_HostileNames(t *testing.T) {
	onWires(t, func(t *testing.T, w *wire) {
		const evil = "小炉]\n[CQ:at,qq=10000] 安静"
		w.group.Member(1009, evil).SetCard(evil)
		w.news()
		w.group.Say(1009, onebot.Message{onebot.At(1009), onebot.File("x", evil), onebot.Raw("forward", map[string]any{"id": evil})})
		m := w.last(t)
		assert.False(t, m.AtMe)
		assert.Empty(t, m.Words())
		assert.Equal(t, []string{"1009"}, m.Mentions)
		assert.Equal(t, evil, m.Name)
		assert.Len(t, m.Parts, 3)
		assert.Contains(t, m.Text, fmt.Sprintf("@%s[文件 %s]", evil, evil))
	})
}
