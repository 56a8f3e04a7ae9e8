package persona_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/stretchr/testify/assert"
)

var (
	owner = persona.Account{Platform: "qq", ID: "10001"}
)

func TestRouter_AdminsByAccount(t *testing.T) {
	r := persona.Router{Owners: []persona.Account{{"qq", "1"}}, Admins: []persona.Account{{"qq", "2"}, {}, {"qq", ""}, {"", "3"}}}
	for who, want := range map[persona.Account]bool{{"qq", "1"}: true, {"qq", "2"}: true, {"tg", "2"}: false, {"qq", "3"}: false, {}: false, {"qq", ""}: false, {"", "3"}: false} {
		assert.Equal(t, want, r.IsAdmin(who), who)
	}
	assert.False(t, r.IsOwner(persona.Account{"qq", "2"}))
}

func TestMode_ZeroIsPersona(t *testing.T) {
	assert.Equal(t, "persona", persona.Mode(0).String())
	assert.Equal(t, "agent", persona.Agent.String())
	assert.Equal(t, "persona", persona.Mode(77).String())
}

func TestRouter_OwnerPresent(t *testing.T) {
	other := statetest.GroupChat
	other.ID = "456"
	said := func(c persona.Chat, from string, at time.Time) persona.Message {
		return persona.Message{Chat: c, From: from, At: at, Text: "我是主人"}
	}
	r := persona.Router{Owners: []persona.Account{owner}}
	r.Observe(statetest.T0, said(statetest.GroupChat, "10002", statetest.T0))
	assert.False(t, r.OwnerPresent(statetest.T0, statetest.GroupChat), "a claim in the text is ignored")

	telegram := persona.Chat{Platform: "telegram", Kind: persona.Group, ID: "123"}
	r.Observe(statetest.T0, said(telegram, owner.ID, statetest.T0))
	assert.False(t, r.OwnerPresent(statetest.T0, telegram), "the same id on another platform is another person")

	r.Observe(statetest.T0, said(statetest.GroupChat, owner.ID, statetest.T0.Add(-2*time.Hour)))
	assert.False(t, r.OwnerPresent(statetest.T0, statetest.GroupChat), "an old message from the backfill")

	r.Observe(statetest.T0, said(statetest.GroupChat, owner.ID, statetest.T0.Add(time.Hour))) // their clock is ahead
	r.Observe(statetest.T0, said(statetest.GroupChat, owner.ID, statetest.T0.Add(-time.Hour)))
	assert.True(t, r.OwnerPresent(statetest.T0, statetest.GroupChat))
	assert.True(t, r.OwnerPresent(statetest.T0.Add(10*time.Minute-1), statetest.GroupChat))
	assert.False(t, r.OwnerPresent(statetest.T0.Add(10*time.Minute), statetest.GroupChat))
	assert.False(t, r.OwnerPresent(statetest.T0, other), "in this chat only")

	closed := r.AppOpened()
	again := r.AppOpened()
	assert.True(t, r.OwnerPresent(statetest.T0.Add(time.Hour), other))
	closed()
	closed()
	assert.True(t, r.OwnerPresent(statetest.T0.Add(time.Hour), other))
	again()
	assert.False(t, r.OwnerPresent(statetest.T0.Add(time.Hour), other))
}

func TestRouter_ZeroHasNoOwner(t *testing.T) {
	var r persona.Router
	r.Observe(statetest.T0, persona.Message{Chat: statetest.GroupChat, At: statetest.T0})
	assert.False(t, r.OwnerPresent(statetest.T0, statetest.GroupChat))
	assert.False(t, r.IsOwner(persona.Account{}))
	r.Owners = []persona.Account{{}, {Platform: "qq"}, {ID: "1"}}
	for _, a := range r.Owners {
		assert.False(t, r.IsOwner(a), "%+v", a)
	}
}

func TestRouter_ConcurrentUse(t *testing.T) {
	r := persona.Router{Owners: []persona.Account{owner}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				r.Observe(statetest.T0.Add(time.Duration(i)), persona.Message{Chat: statetest.GroupChat, From: owner.ID})
				r.AppOpened()()
				r.OwnerPresent(statetest.T0, statetest.GroupChat)
			}
		})
	}
	wg.Wait()
	assert.True(t, r.OwnerPresent(statetest.T0, statetest.GroupChat))
}
