package social_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
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
		assert.Empty(t, got, "the other link is up")
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
