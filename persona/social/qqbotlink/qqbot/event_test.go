package qqbot_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func messages(r *run) (all []*qqbot.Message) {
	synctest.Wait()
	for _, e := range r.all() {
		if m, ok := e.(*qqbot.Message); ok {
			all = append(all, m)
		}
	}
	return all
}

// A message with a mention comes as one or two events, but is delivered once, and mentions the bot in each mode.
func TestModes(t *testing.T) {
	for mode, want := range map[qqbottest.Mode]int{qqbottest.MentionsOnly: 2, qqbottest.Full: 4, qqbottest.Both: 4} {
		bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
			g := r.s.Group("G").SetMode(mode)
			ann, bob := g.Member("M1", "Ann").WithRole("admin"), g.Member("M2", "")
			ann.At("在吗")
			ann.Say("路过")
			bob.Post(qqbottest.Post{Text: "看", At: true, Mentions: []*qqbottest.Member{ann}})
			bob.Post(qqbottest.Post{Text: "开会", AtAll: true})
			all := messages(r)
			require.Len(t, all, want, mode)
			assert.Equal(t, "在吗", all[0].Text())
			assert.True(t, all[0].ToMe())
			assert.Equal(t, qqbot.Author{ID: "M1", Username: "Ann", Role: qqbot.RoleAdmin}, all[0].Author)
			assert.NotEmpty(t, all[0].Index)
			two := all[1]
			if mode != qqbottest.MentionsOnly {
				assert.False(t, all[1].ToMe())
				assert.False(t, all[3].ToMe(), "@all")
				two = all[2]
			}
			if mode == qqbottest.Both {
				assert.EqualValues(t, 2, r.c.Stats().Repeated)
			}
			assert.True(t, two.ToMe())
			assert.Equal(t, "@Ann 看", two.Text())
			sent, err := r.c.Send(t.Context(), all[0].Chat, qqbot.Out{Text: "在", MsgID: all[0].ID, Quote: all[0].Index})
			require.NoError(t, err)
			ann.Post(qqbottest.Post{Text: "好", At: true, Quote: sent.Index})
			quoting := messages(r)[want]
			require.NotNil(t, quoting.Quote)
			assert.Equal(t, sent.Index, quoting.Quote.Index)
			assert.Equal(t, "在", quoting.Quote.Text())
			assert.True(t, quoting.Quote.Author.Bot)
		})
	}
}

// Two events of one message without a common id are one if the option says so.
func TestMergeMentions(t *testing.T) {
	for window, want := range map[time.Duration]int{0: 2, 15 * time.Second: 1} {
		bubble(t, qqbottest.Options{}, qqbot.Options{MergeMentions: window}, nil, func(t *testing.T, r *run) {
			d := map[string]any{"id": "m1", "group_openid": "G", "content": " 在吗", "author": map[string]any{"member_openid": "M"}}
			r.s.Emit("GROUP_AT_MESSAGE_CREATE", d)
			d["id"], d["mentions"] = "m2", []any{map[string]any{"is_you": true, "member_openid": "B"}}
			r.s.Emit("GROUP_MESSAGE_CREATE", d)
			assert.Len(t, messages(r), want)
		})
	}
}

func TestMedia(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		u := r.s.User("U")
		u.Post(qqbottest.Post{Files: []qqbottest.File{{Type: qqbot.VoiceFile, Name: "v.silk", Data: []byte("silk"), WAV: "https://x.example/v.wav", Transcript: "你好"}}})
		u.Post(qqbottest.Post{Text: "图", Files: []qqbottest.File{{Type: qqbot.ImageFile, URL: "https://x.example/p.png", Name: "p.png", ContentType: "image/png", Width: 3, Height: 4}}})
		all := messages(r)
		require.Len(t, all, 2)
		assert.Equal(t, []qqbot.Attachment{{Type: qqbot.VoiceFile, URL: "https://multimedia.nt.qq.com.cn/download?rkey=x", WAV: "https://x.example/v.wav", Transcript: "你好", Name: "v.silk", ContentType: "voice", Size: 4}}, all[0].Attachments)
		assert.Equal(t, "https://x.example/p.png", all[1].Attachments[0].URL)
		assert.Equal(t, "图", all[1].Text())
	})
}

// Everything else that happens has a type, and the answers reach the platform.
func TestNotices(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		g, u := r.s.Group("G").SetRole("admin"), r.s.User("U")
		m := g.Member("M", "Ann")
		g.Add("M")
		g.Reject("M")
		g.Receive("M")
		g.Join(m)
		g.Leave(m)
		request := g.RequestJoin("N", "Bob", "暗号")
		g.Remove("M")
		u.Befriend(1003, "p")
		u.Reject()
		u.Receive()
		press := u.Press("b1", "data")
		u.Unfriend()
		r.s.Emit("SUBSCRIBE_MESSAGE_STATUS", map[string]any{"openid": "U"})
		synctest.Wait()
		assert.Equal(t, []int{1, 1, 1, 1, 1, 4, 1, 1, 1, 1}, []int{count[*qqbot.BotAdded](r.recorder), count[*qqbot.BotRemoved](r.recorder),
			count[*qqbot.MemberAdded](r.recorder), count[*qqbot.MemberRemoved](r.recorder), count[*qqbot.JoinRequest](r.recorder),
			count[*qqbot.ProactiveSwitched](r.recorder), count[*qqbot.FriendAdded](r.recorder), count[*qqbot.FriendRemoved](r.recorder),
			count[*qqbot.Interaction](r.recorder), count[*qqbot.Unknown](r.recorder)})
		g.Add("M")
		for _, e := range r.all() {
			switch e := e.(type) {
			case *qqbot.JoinRequest:
				assert.Equal(t, request, e.RequestID)
				require.NoError(t, r.c.AnswerJoin(t.Context(), e, false, "不"))
				approved, ok := r.s.Approval(request)
				assert.True(t, ok && !approved)
			case *qqbot.Interaction:
				assert.Equal(t, "data", e.ButtonData)
				require.NoError(t, r.c.Answer(t.Context(), e.ID, 0))
				code, ok := r.s.Answer(press)
				assert.True(t, ok && code == 0)
			}
		}
	})
}

// The bot's own messages are marked once its id in the group is known.
func TestOwn(t *testing.T) {
	bubble(t, qqbottest.Options{}, qqbot.Options{}, nil, func(t *testing.T, r *run) {
		g := r.s.Group("G").SetMode(qqbottest.Full)
		me := g.Member(g.BotID(), "炉边").AsBot()
		me.Say("一")
		synctest.Wait()
		_, err := r.c.BotState(t.Context(), "G")
		require.NoError(t, err)
		me.Say("二")
		all := messages(r)
		assert.False(t, all[0].Own)
		assert.True(t, all[0].Author.Bot)
		assert.True(t, all[1].Own)
	})
}
