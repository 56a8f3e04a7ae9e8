package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Space is where something was said, and so who may be told: "qq:group:123", "qq:private:9", [Owner], [Self].
// It is an address, not a filter: what reads one space cannot see into another.
//
// Each space has a secret twin, [Space.Secret], which is a space of its own. A record lies in the one or in the other:
// putting it into its twin moves it.
type Space string

// Spaces that are no chat.
const (
	Owner Space = "owner" // what the owner told their being, outside any chat
	Self  Space = "self"  // the being's own thoughts that several chats share
)

const secretMark = "!"

// Secret is the space of what must be told to nobody but the owner. The secret of a secret space is itself.
func (s Space) Secret() Space { return s.Base() + secretMark }

// Base is the space without its secrecy. The plain of a plain space is itself.
func (s Space) Base() Space { return Space(strings.TrimSuffix(string(s), secretMark)) }

// Counterpart is the other of the two: the secret space of a plain one, the plain space of a secret one.
func (s Space) Counterpart() Space {
	if s.IsSecret() {
		return s.Base()
	}
	return s.Secret()
}

// IsSecret reports whether only an owner's reader may name this space.
func (s Space) IsSecret() bool { return strings.HasSuffix(string(s), secretMark) }

// Validate tells whether the space can be an address. The error matches [ErrInvalid].
func (s Space) Validate() error {
	if s.Base() == "" || s.Base().IsSecret() {
		return fmt.Errorf("memory: space %q: %w", string(s), ErrInvalid)
	}
	return validAddress("space", string(s))
}

// validAddress refuses what no database keeps apart safely: addresses are never mended, since a mended one
// could be somebody else's.
func validAddress(what, s string) error {
	switch {
	case len(s) > MaxAddress:
		return fmt.Errorf("memory: %s of %d bytes: %w", what, len(s), ErrInvalid)
	case !utf8.ValidString(s), strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("memory: %s %q: %w", what, s, ErrInvalid)
	}
	return nil
}
