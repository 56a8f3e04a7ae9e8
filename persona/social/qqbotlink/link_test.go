package qqbotlink_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLink_Replies(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		in, private := f.ann.At("在吗"), f.user.Say("你好")
		f.pass(time.Minute)
		sent := f.s.Sent()
		require.Len(t, sent, 2)
		for _, m := range sent {
			want := in.ID
			if !m.Chat.Group {
				want = private.ID
			}
			assert.Equal(t, want, m.MsgID)
			assert.Equal(t, 1, m.Seq)
			assert.Equal(t, "在", m.Text)
		}
		prompts := f.model.Prompts()
		require.Len(t, prompts, 2)
		assert.Contains(t, prompts[0].Text()+prompts[1].Text(), "Ann")
		assert.Contains(t, prompts[0].Text()+prompts[1].Text(), "成员·0001")
	})
}

// The sixth message within the window of one message is not sent, and a seventh is possible after the next one.
func TestLink_SixthReply(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		f.ann.At("在吗")
		f.pass(30 * time.Second)
		chat := groupChat("G1")
		for i := range 4 {
			_, err := f.bot.Say(f.Context(), chat, fmt.Sprint("第", i))
			require.NoError(t, err)
		}
		_, err := f.bot.Say(f.Context(), chat, "第五")
		assert.ErrorIs(t, err, social.ErrNotPermitted)
		sent := f.s.Sent()
		require.Len(t, sent, 5)
		for i, m := range sent {
			assert.Equal(t, i+1, m.Seq)
		}
		f.ann.At("还有吗")
		f.pass(30 * time.Second)
		assert.Len(t, f.s.Sent(), 6)
	})
}

// When the window is over while a batch waits, no model is asked. Within it, the same batch is answered.
func TestLink_WindowOver(t *testing.T) {
	for _, late := range []bool{true, false} {
		run(t, say("在"), qqbotlink.Options{}, func(o *social.Options) {
			o.When.MaxAge = 30 * time.Minute
		}, func(f *fixture) {
			f.pass(10 * time.Minute)
			at := time.Now()
			if late {
				at = at.Add(-6 * time.Minute)
			}
			f.ann.Post(qqbottest.Post{Text: "在吗", At: true, Fields: map[string]any{"timestamp": at.Format(time.RFC3339)}})
			f.pass(time.Minute)
			if late {
				assert.Empty(t, f.model.Prompts())
				assert.Equal(t, 1, f.skipped(heartflow.WhyNoWindow))
				assert.Empty(t, f.s.Sent())
			} else {
				assert.Len(t, f.model.Prompts(), 1)
				assert.Zero(t, f.skipped(heartflow.WhyNoWindow))
				assert.Len(t, f.s.Sent(), 1)
			}
		})
	}
}

// The model may take longer than the window lasts.
func TestLink_WindowEndsWhileThinking(t *testing.T) {
	run(t, modeltest.Always(modeltest.Say("在").After(6*time.Minute)), qqbotlink.Options{}, func(o *social.Options) {
		o.Reply.Turn.Timeout = 10 * time.Minute
		o.When.MaxAge = 20 * time.Minute
	}, func(f *fixture) {
		f.ann.At("在吗")
		f.pass(10 * time.Minute)
		assert.Empty(t, f.s.Sent())
		assert.Equal(t, 1, f.skipped(heartflow.WhyNoWindow))
	})
}

func TestLink_Proactive(t *testing.T) {
	for name, c := range map[string]struct {
		allow bool
		o     qqbotlink.Options
		want  int
	}{
		"permitted":     {allow: true, want: 1},
		"not permitted": {},
		"not wanted":    {allow: true, o: qqbotlink.Options{NoProactive: true}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, say("在"), c.o, func(o *social.Options) { o.When.MaxAge = time.Hour }, func(f *fixture) {
				f.group.AllowProactive(c.allow)
				f.ann.At("在吗")
				f.pass(10 * time.Minute)
				before := len(f.s.Sent())
				require.Equal(t, 1, before)
				_, err := f.bot.Say(f.Context(), groupChat("G1"), "开会了")
				sent := f.s.Sent()[before:]
				require.Len(t, sent, c.want)
				if c.want == 0 {
					assert.ErrorIs(t, err, social.ErrNotPermitted)
					return
				}
				assert.NoError(t, err)
				assert.Empty(t, sent[0].MsgID)
			})
		})
	}
}

// The platform's quota of messages without a reply is not exceeded.
func TestLink_Quota(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		refused := 0
		for i := range 25 {
			if _, err := f.bot.Say(f.Context(), userChat("U00000001"), fmt.Sprint("第", i)); err != nil {
				assert.ErrorIs(t, err, social.ErrNotPermitted)
				refused++
			}
		}
		assert.Equal(t, 5, refused)
		assert.Len(t, f.s.Sent(), 20)
	})
}

func TestLink_Switched(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		f.group.Reject("M00000001")
		f.user.Reject()
		f.pass(time.Second)
		f.ann.At("在吗")
		f.user.Say("在吗")
		f.pass(time.Minute)
		assert.Empty(t, f.model.Prompts())
		f.group.Receive("M00000001")
		f.user.Receive()
		f.pass(time.Second)
		f.ann.At("还在吗")
		f.user.Say("还在吗")
		f.pass(time.Minute)
		assert.Len(t, f.s.Sent(), 2)
		f.group.Remove("M00000001")
		f.pass(time.Second)
		assert.Contains(t, f.told(), "已不在 qqbot:group:G1 里")
		assert.Contains(t, f.told(), "没有期限")
	})
}

// A message with a mention that comes as two events is answered once.
func TestLink_Duplicates(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		f.group.SetMode(qqbottest.Both)
		f.ann.At("在吗")
		f.s.ReplayDelivered(5)
		f.s.DropLinks()
		f.pass(2 * time.Minute)
		assert.Len(t, f.model.Prompts(), 1)
		assert.Len(t, f.s.Sent(), 1)
	})
}

func TestLink_Content(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		bob := f.group.Member("M00000002", "Bob")
		old := bob.Say("周三去看海") // the bot does not get it
		f.group.SetMode(qqbottest.Full)
		f.ann.Post(qqbottest.Post{Text: `好 <faceType=1,faceId="14",ext="eyJ0ZXh0IjoiW+W+rueskV0ifQ==">`, At: true, Mentions: []*qqbottest.Member{bob}, Quote: old.Index, Files: []qqbottest.File{
			{Type: qqbot.VoiceFile, Transcript: "我晚点到"}, {Type: qqbot.ImageFile}, {Type: qqbot.OtherFile, Name: "表.csv", Data: make([]byte, 3000)},
		}})
		f.pass(time.Minute)
		require.Len(t, f.model.Prompts(), 1)
		prompt := f.model.Prompts()[0].Text()
		assert.Contains(t, prompt, "@Bob")
		assert.Contains(t, prompt, "[微笑]")
		assert.Contains(t, prompt, "[语音：我晚点到]")
		assert.Contains(t, prompt, "[图片]")
		assert.Contains(t, prompt, "表.csv 3 kB")
		assert.Contains(t, prompt, "周三去看海")
		assert.NotContains(t, prompt, "faceType")
	})
}

// The text of the model never becomes a mention, a face or markdown.
func TestLink_TextIsPlain(t *testing.T) {
	const hostile = `**x** <@M00000002> <qqbot-at-user id="M00000002" /> <faceType=1,faceId="14",ext=""> <@everyone>`
	run(t, say(hostile), qqbotlink.Options{}, nil, func(f *fixture) {
		f.ann.At("在吗")
		f.pass(time.Minute)
		sent := f.s.Sent()
		require.Len(t, sent, 1)
		assert.Equal(t, 0, sent[0].Type)
		assert.NotContains(t, sent[0].Text, "<")
	})
}

// A reply whose outcome is unknown is told to the owner once and never sent again.
func TestLink_Unclear(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		f.s.Cut(qqbottest.Messages, qqbottest.After, 1)
		f.ann.At("在吗")
		f.pass(10 * time.Minute)
		assert.Equal(t, []string{"在"}, f.texts())
		assert.Equal(t, 1, strings.Count(f.told(), "没有重发"))
		f.s.Cut(qqbottest.Messages, qqbottest.Before, 1)
		f.ann.At("还在吗")
		f.pass(10 * time.Minute)
		assert.Equal(t, []string{"在"}, f.texts())
		assert.Equal(t, 2, strings.Count(f.told(), "没有重发"))
	})
}

// With ResendUnclear it is sent once more with the same number, so it arrives once in both cases.
func TestLink_ResendUnclear(t *testing.T) {
	for _, at := range []qqbottest.Point{qqbottest.Before, qqbottest.After} {
		run(t, say("在"), qqbotlink.Options{ResendUnclear: true}, nil, func(f *fixture) {
			f.s.Cut(qqbottest.Messages, at, 1)
			f.ann.At("在吗")
			f.pass(10 * time.Minute)
			assert.Equal(t, []string{"在"}, f.texts())
			assert.Equal(t, 1, f.s.Sent()[0].Seq)
			assert.Empty(t, f.told())
			assert.EqualValues(t, 1, f.bot.Stats().Sent)
		})
	}
	run(t, say("在"), qqbotlink.Options{ResendUnclear: true}, nil, func(f *fixture) {
		f.s.Cut(qqbottest.Messages, qqbottest.Before, -1)
		f.ann.At("在吗")
		f.pass(10 * time.Minute)
		assert.Empty(t, f.texts())
		assert.Equal(t, 1, strings.Count(f.told(), "没有重发"))
	})
}

// Online follows the session with the gateway.
func TestLink_Online(t *testing.T) {
	run(t, say("在"), qqbotlink.Options{}, nil, func(f *fixture) {
		f.pass(time.Minute)
		assert.Equal(t, map[string]bool{"qqbot": true}, f.bot.Online())
		f.s.RefuseLinks(true)
		f.s.DropLinks()
		f.pass(time.Second)
		assert.Equal(t, map[string]bool{"qqbot": false}, f.bot.Online())
		f.s.RefuseLinks(false)
		f.pass(10 * time.Minute)
		assert.Equal(t, map[string]bool{"qqbot": true}, f.bot.Online())
	})
}

// A webhook is another source of the same events.
func TestLink_Webhook(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	client := s.Client(qqbot.Options{BaseURL: s.Start()})
	hook := client.Webhook()
	server := httptest.NewServer(hook)
	defer server.Close()
	connected := make(chan struct{})
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "炉边"}, Model: say("在"), Link: watched{qqbotlink.New(client, qqbotlink.Options{Source: hook}), connected},
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	<-connected
	s.Post(server.URL, nil)
	said := s.User("U1").Say("在吗")
	sent, err := s.WaitSent(ctx, 1)
	require.NoError(t, err)
	assert.Equal(t, said.ID, sent[0].MsgID)
	assert.Equal(t, map[string]bool{"qqbot": true}, bot.Online(), "a webhook is always reachable")
	stop()
	require.NoError(t, <-ended)
}

// A watched link tells when it is connected.
type watched struct {
	social.Link
	connected chan struct{}
}

func (w watched) Features() social.LinkFeatures { return social.FeaturesOf(w.Link) }

func (w watched) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	return w.Link.Run(ctx, func(ctx context.Context, e persona.Event) {
		handle(ctx, e)
		if _, ok := e.(persona.Connected); ok {
			close(w.connected)
		}
	})
}
