package qqbotlink_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
)

// The code works once, in private, and until it expires. The bot never sees it.
func TestPairing(t *testing.T) {
	var found []persona.Account
	var code string
	p := &qqbotlink.Pairing{Code: qqbotlink.NewPairingCode(), Found: func(a persona.Account) { found = append(found, a) }}
	code = p.Code
	run(t, say("在"), qqbotlink.Options{Pairing: p}, nil, func(f *fixture) {
		f.group.SetMode(qqbottest.Full)
		f.ann.Say(code)
		f.user.Say(code[:len(code)-1])
		f.pass(time.Minute)
		assert.Empty(t, found)
		before := len(f.model.Prompts())
		f.user.Say(" " + code + "\n")
		f.s.User("U2").Say(code)
		f.pass(time.Minute)
		assert.Equal(t, []persona.Account{{Platform: "qqbot", ID: "U00000001"}}, found)
		assert.Len(t, f.model.Prompts(), before)
	})
	found = nil
	run(t, say("在"), qqbotlink.Options{Pairing: p}, nil, func(f *fixture) { f.pass(0) })
	run(t, say("在"), qqbotlink.Options{Pairing: &qqbotlink.Pairing{Code: code, Until: time.Unix(1, 0), Found: p.Found}}, nil, func(f *fixture) {
		f.user.Say(code)
		f.pass(time.Minute)
		assert.Empty(t, found, "it has expired")
		assert.Empty(t, f.model.Prompts())
	})
	for _, bad := range []qqbotlink.Pairing{{Code: "1234567", Found: p.Found}, {Code: " 12345678", Found: p.Found}, {Code: code}} {
		s := qqbottest.New(qqbottest.Options{})
		assert.Error(t, qqbotlink.New(s.Client(qqbot.Options{}), qqbotlink.Options{Pairing: &bad}).Run(t.Context(), nil))
		s.Close()
	}
}
