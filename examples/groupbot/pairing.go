package main

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
)

// pairingTime is how long a code works.
const pairingTime = time.Hour

// A pairing learns who the owner is on the official platform, where people have no numbers: the owner says a code to the bot in
// a private chat. The account is kept in the store.
type pairing struct {
	store social.Store
	row   string
	found chan persona.Account // the owner who said the code
}

// An ownerFound ends a run of the bot, so that it starts again with its owner.
type ownerFound struct{ persona.Account }

func (o ownerFound) Error() string { return "the owner is " + o.Platform + ":" + o.ID }

func newPairing(store social.Store, appID string) *pairing {
	return &pairing{store: store, row: "groupbot/qqbot/" + appID + "/owner", found: make(chan persona.Account, 1)}
}

// owner returns the stored account, or false.
func (p *pairing) owner(ctx context.Context) (persona.Account, bool, error) {
	rows, err := p.store.Load(ctx, p.row)
	id := string(rows[p.row])
	return persona.Account{Platform: outside.QQBotPlatform, ID: id}, id != "", err
}

// options returns the options of the link.
func (p *pairing) options(code string) *qqbotlink.Pairing {
	return &qqbotlink.Pairing{
		Code: code, Until: time.Now().Add(pairingTime),
		Found: func(owner persona.Account) { p.found <- owner },
	}
}

// run waits for the owner and stores the account. It returns nil when ctx ends.
func (p *pairing) run(ctx context.Context, s *printer) error {
	select {
	case <-ctx.Done():
		return nil
	case who := <-p.found:
		if err := p.store.Apply(ctx, map[string][]byte{p.row: []byte(who.ID)}); err != nil {
			return err
		}
		s.printLine("%s", s.lang.Sprintf("认出主人了：%s:%s。以后也可以写 -owner %[1]s:%[2]s。", "the owner is %s:%s, which -owner %[1]s:%[2]s says, too", who.Platform, who.ID))
		return ownerFound{who}
	}
}
