package social_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A reply quotes the message that it answers if more than 4 messages or 250 characters stand between, or if several people
// wait. The settings may ask for more or less.
func TestQuote_Rules(t *testing.T) {
	between := func(texts ...string) func(f *fixture) {
		return func(f *fixture) {
			for _, text := range texts {
				f.group.Say(bob, say(text))
			}
		}
	}
	nobody := func(*fixture) {}
	for name, c := range map[string]struct {
		mode    social.Quote
		between func(f *fixture)
		want    bool
	}{
		"nothing between":    {social.QuoteAuto, nobody, false},
		"4 messages":         {social.QuoteAuto, between("一", "二", "三", "四"), false},
		"5 messages":         {social.QuoteAuto, between("一", "二", "三", "四", "五"), true},
		"250 characters":     {social.QuoteAuto, between(strings.Repeat("长", 125), strings.Repeat("长", 125)), false},
		"251 characters":     {social.QuoteAuto, between(strings.Repeat("长", 125), strings.Repeat("长", 126)), true},
		"acts do not count":  {social.QuoteAuto, func(f *fixture) { between("一", "二", "三", "四")(f); f.group.Poke(alice, bob) }, false},
		"a second caller":    {social.QuoteAuto, func(f *fixture) { f.group.Say(bob, at(botID, "在吗")) }, true},
		"the same caller":    {social.QuoteAuto, func(f *fixture) { f.group.Say(alice, at(botID, "在吗")) }, false},
		"always":             {social.QuoteAlways, nobody, true},
		"never":              {social.QuoteNever, between("一", "二", "三", "四", "五"), false},
		"never, two callers": {social.QuoteNever, func(f *fixture) { f.group.Say(bob, at(botID, "在吗")) }, false},
		"retracted meanwhile": {social.QuoteAlways, func(f *fixture) {
			f.qq.Recall(f.qq.History(f.group.Chat())[0].MessageID)
			f.group.Say(bob, at(botID, "呢"))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, modeltest.Always(modeltest.Say("在").After(5*time.Second)), func(o *social.Options) {
				mentionOnly(o)
				o.Reply.Quote = c.mode
			}, func(f *fixture) {
				f.group.Say(alice, at(botID, "在吗"))
				c.between(f)
				f.advance(time.Minute)
				sent := f.qq.Sent()
				require.NotEmpty(t, sent)
				history := f.qq.History(f.group.Chat())
				quoted, quotes := sent[0].Message.ReplyID()
				require.Equal(t, c.want, quotes)
				if !quotes {
					return
				}
				for _, m := range history {
					if onebot.MessageKey(m.MessageID) == onebot.MessageKey(onebot.Message(sent[0].Message)[0].Int("id")) {
						assert.False(t, m.Retracted, quoted)
						assert.True(t, m.Message.Mentions(botID), "it answers a call")
					}
				}
				assert.Contains(t, f.journal(techSpace), "在")
			})
		})
	}
}

// Messages that arrive while the model writes stand between, too.
func TestQuote_WhileModelWrites(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("在").After(20*time.Second)), mentionOnly, func(f *fixture) {
		asked := f.group.Say(alice, at(botID, "在吗"))
		f.advance(5 * time.Second)
		require.Len(t, f.model.Prompts(), 1)
		for range 5 {
			f.group.Say(bob, say("哈"))
		}
		f.advance(time.Minute)
		sent := f.qq.Sent()
		require.Len(t, sent, 1)
		quoted, ok := sent[0].Message[0].QuotedID()
		assert.True(t, ok)
		assert.Equal(t, asked, quoted)
	})
}

// Only the first part of a reply quotes, and a reply to nobody quotes nothing.
func TestQuote_FirstPartOnly(t *testing.T) {
	quote := func(o *social.Options) { o.Reply.Quote = social.QuoteAlways }
	withFixture(t, modeltest.Always(modeltest.Say(threeSentences)), withSpeech(quote, mentionOnly), func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		var quotes []bool
		for _, m := range f.qq.Sent() {
			_, ok := m.Message.ReplyID()
			quotes = append(quotes, ok)
		}
		assert.Equal(t, []bool{true, false, false}, quotes)
	})
	withFixture(t, modeltest.Always(modeltest.Say("插一句")), func(o *social.Options) { quote(o); o.When.Attention.Policy = always{} }, func(f *fixture) {
		f.group.Say(alice, say("今天好冷"))
		f.advance(time.Minute)
		require.Len(t, f.qq.Sent(), 1)
		_, ok := f.qq.Sent()[0].Message.ReplyID()
		assert.False(t, ok)
	})
}

// A needyLink must quote. It keeps what was sent.
type needyLink struct {
	*fakeLink
	out []persona.Outgoing
}

func (l *needyLink) Features() social.LinkFeatures { return social.LinkFeatures{NeedsQuote: true} }

func (l *needyLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	l.out = append(l.out, out)
	return l.fakeLink.Send(ctx, chat, out)
}

// A platform that needs a quote gets one, whatever the setting.
func TestQuote_PlatformNeedsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &needyLink{fakeLink: fake()}
		_, stop := startBot(t, l, numbered(), memory.NewMemStore(), nil, func(o *social.Options) { o.Reply.Quote = social.QuoteNever })
		l.events <- newMessage("1", "a", "小炉 在吗")
		advance(time.Minute)
		stop()
		require.Len(t, l.out, 1)
		assert.Equal(t, "1", l.out[0].ReplyTo)
	})
}
