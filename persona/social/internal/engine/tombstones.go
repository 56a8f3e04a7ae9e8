package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// goneRow is the prefix of the rows that say until when somebody, or a chat, is forgotten.
const goneRow = "gone/"

// tombstones is until when people and chats are forgotten: what was said up to then is not heard again, as the platform's
// history may still hold it. It knows them by a digest of who they are: no row names them.
type tombstones struct {
	writing Latch // held while one more is written down
	mu      sync.RWMutex
	until   map[string]time.Time
}

func (g *tombstones) load(ctx context.Context, s Store) error {
	rows, err := s.Load(ctx, goneRow)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = map[string]time.Time{}
	for key, row := range rows {
		var t time.Time
		if t.UnmarshalText(row) == nil {
			g.until[strings.TrimPrefix(key, goneRow)] = t
		}
	}
	return nil
}

// Add forgets from now on what was said up to now. One who was forgotten later already stays so.
func (g *tombstones) Add(ctx context.Context, s Store, now time.Time, who ...string) error {
	if err := g.writing.Lock(ctx); err != nil {
		return err
	}
	defer g.writing.Unlock()
	until, rows := map[string]time.Time{}, map[string][]byte{}
	for _, digest := range who {
		at := now.Round(0)
		if was := g.at(digest); was.After(at) {
			at = was
		}
		text, err := at.MarshalText()
		if err != nil {
			return err
		}
		until[digest], rows[goneRow+digest] = at, text
	}
	if err := s.Apply(ctx, rows); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until == nil {
		g.until = map[string]time.Time{}
	}
	maps.Copy(g.until, until)
	return nil
}

func (g *tombstones) at(digest string) time.Time {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.until[digest]
}

// Cover reports that what somebody said in a chat at a time is forgotten.
func (g *tombstones) Cover(chat persona.Chat, from string, at time.Time) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.until) == 0 { // mostly
		return false
	}
	return !at.After(g.until[ChatDigest(chat)]) || from != "" && !at.After(g.until[PersonDigest(persona.Account{Platform: chat.Platform, ID: from})])
}

// Has reports that somebody, or the chat, was ever forgotten.
func (g *tombstones) Has(chat persona.Chat, from string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.until) == 0 {
		return false
	}
	_, whole := g.until[ChatDigest(chat)]
	_, person := g.until[PersonDigest(persona.Account{Platform: chat.Platform, ID: from})]
	return whole || person
}

// ChatDigest is how the rows of what is forgotten name a chat.
func ChatDigest(c persona.Chat) string { return HashID("chat\x00" + c.String()) }

// PersonDigest is how the rows of what is forgotten name a person.
func PersonDigest(a persona.Account) string { return HashID("person\x00" + a.Platform + "\x00" + a.ID) }

// HashID returns 128 bits of SHA-256 in hexadecimal digits.
func HashID(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
