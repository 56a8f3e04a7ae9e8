package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Space identifies a chat or another place with its own memory: "qq:group:123", "qq:private:9", [Owner], [Self]. It
// decides who may read a record. A space is an address and not a filter, so a reader of one space cannot see into
// another.
//
// Each space has a secret counterpart, [Space.Secret], which is a separate space. A record lies in one of the two.
// Putting it into the other moves it.
type Space string

// Spaces that are not chats.
const (
	Owner Space = "owner" // data from the owner outside any chat
	Self  Space = "self"  // the bot's own notes, shared by several chats
)

const secretMark = "!"

// Secret returns the space for data that only the owner may read. A secret space returns itself.
func (s Space) Secret() Space { return s.Base() + secretMark }

// Base returns the space without its secrecy mark. A base space returns itself.
func (s Space) Base() Space { return Space(strings.TrimSuffix(string(s), secretMark)) }

// Counterpart returns the secret space of a base space, and the base space of a secret one.
func (s Space) Counterpart() Space {
	if s.IsSecret() {
		return s.Base()
	}
	return s.Secret()
}

// IsSecret reports whether only [Memory.OwnerReader] may read this space.
func (s Space) IsSecret() bool { return strings.HasSuffix(string(s), secretMark) }

// Validate checks whether the space is a valid address. The error matches [ErrInvalid].
func (s Space) Validate() error {
	if s.Base() == "" || s.Base().IsSecret() {
		return fmt.Errorf("memory: space %q: %w", string(s), ErrInvalid)
	}
	return validAddress("space", string(s))
}

// validAddress rejects strings that some databases cannot tell apart. It never repairs them, because a repaired address
// could belong to somebody else.
func validAddress(what, s string) error {
	switch {
	case len(s) > MaxAddress:
		return fmt.Errorf("memory: %s of %d bytes: %w", what, len(s), ErrInvalid)
	case !utf8.ValidString(s), strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("memory: %s %q: %w", what, s, ErrInvalid)
	}
	return nil
}
