package qqbotlink

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// Pairing learns the owner's openid: the host shows a code where only the owner sees it, and the owner says it to the bot in a
// private chat. The bot never sees that message.
type Pairing struct {
	Code  string                      // at least 8 characters, see NewPairingCode; it works once
	Until time.Time                   // the end of the code; zero: never
	Found func(owner persona.Account) // is called with the account that said the code, at most once; put it into Access.Owners
}

// pairingRunes is the least length of a code.
const pairingRunes = 8

// NewPairingCode returns a new random code.
func NewPairingCode() string { return rand.Text()[:12] }

// check returns an error for a code that could be guessed.
func (p *Pairing) check() error {
	switch {
	case p == nil:
	case len([]rune(p.Code)) < pairingRunes || strings.TrimSpace(p.Code) != p.Code:
		return errors.New("qqbotlink: Options.Pairing.Code is shorter than 8 characters, or begins or ends with a space: use NewPairingCode")
	case p.Found == nil:
		return errors.New("qqbotlink: Options.Pairing.Found is nil")
	}
	return nil
}

// pair reports whether a message is the pairing code, also a used or expired one. It calls Found for the first one in time.
func (l *link) pair(e *qqbot.Message) bool {
	p := l.o.Pairing
	if p == nil || e.Chat.Group {
		return false
	}
	said, want := sha256.Sum256([]byte(strings.TrimSpace(e.Text()))), sha256.Sum256([]byte(p.Code))
	if subtle.ConstantTimeCompare(said[:], want[:]) != 1 {
		return false
	}
	if (p.Until.IsZero() || time.Now().Before(p.Until)) && e.Author.ID != "" && l.paired.CompareAndSwap(false, true) {
		p.Found(persona.Account{Platform: platform, ID: e.Author.ID})
	}
	return true
}
