package qqbotlink_test

import (
	"context"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bare is a link without a bot.
type bare struct {
	*testing.T
	s      *qqbottest.Server
	link   social.Link
	events []persona.Event
}

// alone runs a test with a link whose events are recorded.
func alone(t *testing.T, o qqbotlink.Options, test func(b *bare)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bare{T: t, s: qqbottest.New(qqbottest.Options{})}
		defer b.s.Close()
		b.s.Group("G1")
		b.s.User("U1")
		b.link = qqbotlink.New(b.s.Client(qqbot.Options{}), o)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- b.link.Run(ctx, func(_ context.Context, e persona.Event) { b.events = append(b.events, e) })
		}()
		synctest.Wait()
		test(b)
		cancel()
		require.NoError(t, <-ended)
	})
}

func (b *bare) last() persona.Event {
	synctest.Wait()
	return b.events[len(b.events)-1]
}

func (b *bare) send(chat persona.Chat, out persona.Outgoing) (string, error) {
	return b.link.Send(b.Context(), chat, out)
}

func TestSend(t *testing.T) {
	alone(t, qqbotlink.Options{}, func(b *bare) {
		g := b.s.Group("G1")
		ann := g.Member("M1", "Ann")
		first, second := ann.At("一"), ann.At("二")
		synctest.Wait()
		chat := groupChat("G1")
		_, err := b.send(chat, persona.Outgoing{Text: "a", ReplyTo: first.ID, Mentions: []string{"M1"}})
		require.NoError(t, err)
		_, err = b.send(chat, persona.Outgoing{Text: "b"})
		require.NoError(t, err)
		picture, err := social.FeaturesOf(b.link).EncodeImage([]byte("\x89PNG"))
		require.NoError(t, err)
		_, err = b.send(chat, persona.Outgoing{Text: "c", Image: picture})
		require.NoError(t, err)
		_, err = b.send(userChat("U1"), persona.Outgoing{Text: "话", Voice: persona.Audio{Data: []byte("#!SILK_V3")}})
		require.NoError(t, err)
		_, err = b.send(userChat("U1"), persona.Outgoing{Text: "话", Voice: persona.Audio{Data: []byte("?")}})
		require.Error(t, err)
		_, err = b.send(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, persona.Outgoing{Text: "x"})
		require.Error(t, err)
		_, err = b.send(chat, persona.Outgoing{Text: "x", Image: "file:///etc/passwd"})
		require.Error(t, err)
		sent := b.s.Sent()
		require.Len(t, sent, 4)
		assert.Equal(t, `<qqbot-at-user id="M1" /> a`, sent[0].Text)
		assert.Equal(t, first.ID, sent[0].MsgID)
		assert.Equal(t, first.Index, sent[0].Quote)
		assert.Equal(t, second.ID, sent[1].MsgID)
		assert.Equal(t, 2, sent[2].Seq)
		assert.Equal(t, []byte("\x89PNG"), sent[2].Media.Data)
		assert.Equal(t, "c", sent[2].Text)
		assert.Equal(t, qqbot.VoiceFile, sent[3].Media.Type)

		ann.Post(qqbottest.Post{Text: "好", At: true, Quote: sent[1].Index})
		m := b.last().(persona.Message)
		require.NotNil(t, m.Quote)
		assert.True(t, m.Quote.Own)
		assert.Equal(t, sent[1].ID, m.ReplyTo)
		assert.True(t, m.AtMe)
		assert.Equal(t, "@炉边 好", m.Text)
	})
}

// A message that the platform refuses to be replied to is not the end: the next one is tried.
func TestSend_NextTarget(t *testing.T) {
	alone(t, qqbotlink.Options{}, func(b *bare) {
		ann := b.s.Group("G1").Member("M1", "Ann")
		ann.At("一")
		ann.At("二")
		synctest.Wait()
		b.s.Fail(qqbottest.Messages, 400, 40034024, 1)
		_, err := b.send(groupChat("G1"), persona.Outgoing{Text: "a"})
		require.NoError(t, err)
		b.s.Fail(qqbottest.Messages, 400, 40054002, 1)
		_, err = b.send(groupChat("G1"), persona.Outgoing{Text: "b"})
		require.Error(t, err)
		assert.NotErrorIs(t, err, social.ErrUnclear)
		permit := social.FeaturesOf(b.link).Permit
		_, err = permit(time.Now(), groupChat("G1"), "")
		assert.ErrorContains(t, err, "muted")
		left, err := permit(time.Now().Add(4*time.Minute+59*time.Second), groupChat("G1"), "")
		assert.Error(t, err)
		assert.Zero(t, left)
	})
}

// After a restart, the link believes that a message that it does not know can be replied to, for as long as a window lasts.
func TestSend_AfterRestart(t *testing.T) {
	alone(t, qqbotlink.Options{}, func(b *bare) {
		permit := social.FeaturesOf(b.link).Permit
		left, err := permit(time.Now(), groupChat("G1"), "ROBOT1.0_before")
		assert.NoError(t, err)
		assert.Equal(t, 5, left)
		_, err = permit(time.Now().Add(6*time.Minute), groupChat("G1"), "ROBOT1.0_before2")
		assert.Error(t, err)
	})
}

func TestTyping(t *testing.T) {
	alone(t, qqbotlink.Options{Typing: true}, func(b *bare) {
		said := b.s.User("U1").Say("在吗")
		synctest.Wait()
		for range 3 {
			require.NoError(t, social.FeaturesOf(b.link).Typing(b.Context(), userChat("U1")))
		}
		assert.Equal(t, []qqbottest.Typing{{User: "U1", MsgID: said.ID, Seconds: 60}}, b.s.Typings())
		for range 3 {
			_, err := b.send(userChat("U1"), persona.Outgoing{Text: "在"})
			require.NoError(t, err)
		}
		sent := b.s.Sent()
		assert.Equal(t, 4, sent[2].Seq)
	})
}

func TestEvents(t *testing.T) {
	alone(t, qqbotlink.Options{}, func(b *bare) {
		require.IsType(t, persona.Connected{}, b.last())
		g := b.s.Group("G1")
		ann := g.Member("M00000001", "")
		g.Join(ann)
		assert.Equal(t, "成员·0001", b.last().(persona.MemberJoined).Name)
		g.Leave(ann)
		assert.Equal(t, "M00000001", b.last().(persona.MemberLeft).ID)
		g.Remove("M2")
		assert.Equal(t, "M2", b.last().(persona.BotLeft).By)
		g.Add("M2")
		assert.IsType(t, persona.BotJoined{}, b.last())
		_, err := b.send(groupChat("G1"), persona.Outgoing{Text: "大家好"})
		require.NoError(t, err, "the event permits a reply")
		assert.NotEmpty(t, b.s.Sent()[0].EventID)
		id := g.RequestJoin("M3", "Cat", "我想进群")
		r := b.last().(persona.Request)
		assert.Equal(t, persona.GroupJoin, r.Kind)
		assert.Contains(t, r.Comment, "我想进群")
		require.NoError(t, social.FeaturesOf(b.link).AnswerRequest(b.Context(), r, true, ""))
		approved, ok := b.s.Approval(id)
		assert.True(t, approved && ok)
		n := len(b.events)
		b.s.User("U1").Befriend(1000, "")
		synctest.Wait()
		assert.Len(t, b.events, n)
		b.s.DropLinks()
		time.Sleep(2 * time.Minute)
		assert.IsType(t, persona.Connected{}, b.last())
	})
}

var anyTag = regexp.MustCompile(`(?i)<[\s\p{Z}\p{C}/!]*(?:@|#|qqbot|face|emoji)`)

// FuzzSend sends any text. It never becomes a mention, a face or markdown.
func FuzzSend(f *testing.F) {
	f.Add("<@M1> **x**")
	f.Add("<\u200b@M1>")
	f.Add(`< qqbot-at-user id="M1" />`)
	s := qqbottest.New(qqbottest.Options{})
	f.Cleanup(s.Close)
	s.User("U1")
	f.Fuzz(func(t *testing.T, text string) {
		s.Advance(time.Hour) // the quota
		fresh := qqbotlink.New(s.Client(qqbot.Options{BaseURL: s.Start()}), qqbotlink.Options{})
		before := len(s.Sent())
		if _, err := fresh.Send(t.Context(), userChat("U1"), persona.Outgoing{Text: text}); err != nil {
			return
		}
		sent := s.Sent()
		require.Len(t, sent, before+1)
		m := sent[before]
		assert.Equal(t, 0, m.Type)
		assert.NotRegexp(t, anyTag, m.Text)
		assert.Empty(t, m.Markdown)
	})
}
