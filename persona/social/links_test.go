package social_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One bot lives in OneBot's QQ and on the official platform. What is said on one platform is not known on the other.
func TestLinks(t *testing.T) {
	var official *qqbottest.Server
	model := modeltest.Always(modeltest.Say("在"))
	withFixture(t, model, func(o *social.Options) {
		official = qqbottest.New(qqbottest.Options{})
		o.Link = social.Links(o.Link, qqbotlink.New(official.Client(qqbot.Options{}), qqbotlink.Options{}))
	}, func(f *fixture) {
		defer official.Close()
		defer f.stop()
		f.group.Say(alice, at(botID, "暗号是海"))
		f.advance(time.Minute)
		said := official.Group("1").Member("1001", "张三").At("暗号是什么")
		f.advance(time.Minute)
		assert.Equal(t, []string{"在"}, f.sent(f.group.Chat()))
		sent := official.Sent()
		require.Len(t, sent, 1)
		assert.Equal(t, said.ID, sent[0].MsgID)
		prompts := f.model.Prompts()
		require.Len(t, prompts, 2)
		assert.Contains(t, prompts[0].Text(), "暗号是海")
		assert.NotContains(t, prompts[1].Text(), "暗号是海", "the same ids on another platform are other people")

		features := social.FeaturesOf(social.Links(stub{platform: "a"}, stub{platform: "b", reject: true}))
		_, err := features.Permit(time.Now(), persona.Chat{Platform: "a", Kind: persona.Group, ID: "1"}, "")
		assert.NoError(t, err)
		_, err = features.Permit(time.Now(), persona.Chat{Platform: "b", Kind: persona.Group, ID: "1"}, "")
		assert.Error(t, err)
		assert.True(t, features.SendsTo(persona.Chat{Platform: "a"}).Poke)
		assert.False(t, features.SendsTo(persona.Chat{Platform: "c"}).Poke)
		assert.Equal(t, []trace.LinkHealth{{Self: persona.Account{Platform: "a"}}, {Self: persona.Account{Platform: "b"}}}, features.Health(), "links that do not tell")
		_, limited := features.Allowance(time.Now(), persona.Chat{Platform: "a", Kind: persona.Group, ID: "1"})
		assert.False(t, limited)

		health := f.bot.LinkHealth()
		require.Len(t, health, 2)
		for i, platform := range []string{"qq", "qqbot"} {
			assert.Equal(t, platform, health[i].Self.Platform)
			assert.True(t, health[i].Online)
			assert.NotZero(t, health[i].Calls, platform)
		}
		_, limited = f.bot.Allowance(persona.Chat{Platform: "qqbot", Kind: persona.Group, ID: "1"})
		assert.True(t, limited)
		_, limited = f.bot.Allowance(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"})
		assert.False(t, limited)

		assert.Equal(t, map[string]bool{"qq": true, "qqbot": true}, f.bot.Online())
		official.RefuseLinks(true)
		official.DropLinks()
		f.advance(time.Second)
		assert.Equal(t, map[string]bool{"qq": true, "qqbot": false}, f.bot.Online(), "each platform for itself")
	})
}

// A stub is a link that ends with an error, or with its context.
type stub struct {
	platform string
	reject   bool
	err      error
	events   []persona.Event
}

func (s stub) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	for _, e := range s.events {
		handle(ctx, e)
	}
	if s.err == nil {
		<-ctx.Done()
	}
	return s.err
}

func (s stub) Send(context.Context, persona.Chat, persona.Outgoing) (string, error) {
	return s.platform, nil
}

func (s stub) Features() social.LinkFeatures {
	f := social.LinkFeatures{Platform: s.platform, Sends: persona.Sends{Poke: true}}
	if s.reject {
		f.Permit = func(time.Time, persona.Chat, string) (int, error) { return 0, errors.New("no") }
	}
	return f
}

func TestLinks_Run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("banned")
		a := stub{platform: "a"}
		b := stub{platform: "b", err: failed, events: []persona.Event{persona.Disconnected{Reason: "banned"}}}
		both := social.Links(a, b)
		var got []persona.Event
		assert.ErrorIs(t, both.Run(t.Context(), func(_ context.Context, e persona.Event) { got = append(got, e) }), failed)
		assert.Equal(t, []persona.Event{persona.Disconnected{Self: persona.Account{Platform: "b"}, Reason: "banned", Others: true}}, got)
		permit := social.FeaturesOf(both).Permit
		_, err := permit(time.Now(), persona.Chat{Platform: "b"}, "")
		assert.ErrorContains(t, err, "disconnected")
		_, err = permit(time.Now(), persona.Chat{Platform: "a"}, "")
		assert.NoError(t, err)

		id, err := both.Send(t.Context(), persona.Chat{Platform: "a"}, persona.Outgoing{})
		assert.NoError(t, err)
		assert.Equal(t, "a", id)
		_, err = both.Send(t.Context(), persona.Chat{Platform: "c"}, persona.Outgoing{})
		assert.Error(t, err)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		assert.NoError(t, social.Links(a, stub{platform: "c"}).Run(ctx, nil))
		assert.Panics(t, func() { social.Links(a, a) })
	})
}

// onTwoHomes runs a test with a bot that lives in OneBot's QQ and on the official platform.
func onTwoHomes(t *testing.T, change func(*social.Options), test func(f *fixture, official *qqbottest.Server)) {
	var official *qqbottest.Server
	withFixture(t, modeltest.Always(modeltest.Say("在")), func(o *social.Options) {
		official = qqbottest.New(qqbottest.Options{})
		o.Link = social.Links(o.Link, qqbotlink.New(official.Client(qqbot.Options{}), qqbotlink.Options{}))
		if change != nil {
			change(o)
		}
	}, func(f *fixture) {
		defer official.Close()
		defer f.stop()
		test(f, official)
	})
}

// texts returns the stored messages of a chat.
func (f *fixture) texts(chat persona.Chat) (texts []string) {
	for r, err := range f.store.Scan(f.Context(), memory.Space(chat.String()), 0) {
		require.NoError(f, err)
		texts = append(texts, r.Text)
	}
	return texts
}

// If one home is lost, the owner is told, and the bot goes on in the other.
func TestLinks_OneIsLost(t *testing.T) {
	var told notices
	onTwoHomes(t, func(o *social.Options) { o.Hooks.Notify = told.add }, func(f *fixture, official *qqbottest.Server) {
		ann := official.Group("G").Member("M", "安")
		f.qq.SetOnline(false)
		f.advance(time.Minute)
		assert.Contains(t, strings.Join(told.all(), "\n"), "qq 上的账号掉线了")
		ann.At("还在吗")
		f.group.Say(alice, at(botID, "还在吗"))
		f.advance(time.Minute)
		assert.Len(t, official.Sent(), 1)
		assert.Empty(t, f.qq.Sent())
	})
}

// Forgetting a person leaves a person with the same ID on another platform alone, unless the owner says that they are one.
func TestLinks_ErasePerson(t *testing.T) {
	here, there := qqAccount(alice), persona.Account{Platform: "qqbot", ID: "1001"}
	for name, same := range map[string][][]persona.Account{"two people": nil, "one person": {{here, there}}} {
		t.Run(name, func(t *testing.T) {
			onTwoHomes(t, func(o *social.Options) { o.Access.SamePerson = same }, func(f *fixture, official *qqbottest.Server) {
				f.group.Say(alice, say("我喜欢爬山"))
				official.Group("G").Member(there.ID, "老魏").At("我喜欢下棋")
				f.advance(time.Minute)
				_, err := f.bot.ErasePerson(f.Context(), here, nil)
				require.NoError(t, err)
				assert.NotContains(t, f.texts(techGroup), "我喜欢爬山")
				assert.Equal(t, same == nil, slices.Contains(f.texts(persona.Chat{Platform: "qqbot", Kind: persona.Group, ID: "G"}), "@炉边 我喜欢下棋"))
			})
		})
	}
}

// A right of one account is a right of all accounts of the person, and of no account with the same ID elsewhere.
func TestLinks_Rights(t *testing.T) {
	here, there := qqAccount(alice), persona.Account{Platform: "qqbot", ID: "1001"}
	for name, same := range map[string][][]persona.Account{"two people": nil, "one person": {{there, here}}} {
		t.Run(name, func(t *testing.T) {
			onTwoHomes(t, func(o *social.Options) {
				o.Access.Owners, o.Access.Commands, o.Access.SamePerson = []persona.Account{here}, true, same
			}, func(f *fixture, official *qqbottest.Server) {
				official.Group("G").Member(there.ID, "张三").At("安静")
				f.advance(time.Minute)
				told := ""
				for _, m := range official.Sent() {
					told += m.Text
				}
				assert.Equal(t, same == nil, told == "在", "ordinary words of a stranger: %q", told)
			})
		})
	}
}
