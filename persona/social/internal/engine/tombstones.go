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

// tombstonePrefix is the prefix of the rows with the times of erasures.
const tombstonePrefix = "gone/"

// tombstones holds the time until which a person or chat is erased. Older messages are ignored, because the
// platform's history may still contain them. The keys are hashes: no row names the person or chat.
type tombstones struct {
	writeMu Mutex // held during a write
	mu      sync.RWMutex
	until   map[string]time.Time
}

func (g *tombstones) load(ctx context.Context, s Store) error {
	rows, err := s.Load(ctx, tombstonePrefix)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = map[string]time.Time{}
	for key, row := range rows {
		var t time.Time
		if t.UnmarshalText(row) == nil {
			g.until[strings.TrimPrefix(key, tombstonePrefix)] = t
		}
	}
	return nil
}

// Add sets the time of erasure of hashes to now, unless it is already later.
func (t *tombstones) Add(ctx context.Context, s Store, now time.Time, who ...string) error {
	if err := t.writeMu.Lock(ctx); err != nil {
		return err
	}
	defer t.writeMu.Unlock()
	until, rows := map[string]time.Time{}, map[string][]byte{}
	for _, digest := range who {
		at := now.Round(0)
		if was := t.erasedUntil(digest); was.After(at) {
			at = was
		}
		text, err := at.MarshalText()
		if err != nil {
			return err
		}
		until[digest], rows[tombstonePrefix+digest] = at, text
	}
	if err := s.Apply(ctx, rows); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.until == nil {
		t.until = map[string]time.Time{}
	}
	maps.Copy(t.until, until)
	return nil
}

func (t *tombstones) erasedUntil(digest string) time.Time {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.until[digest]
}

// Covers reports whether a person's message in a chat at a time is erased.
func (t *tombstones) Covers(chat persona.Chat, from string, at time.Time) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.until) == 0 { // the common case
		return false
	}
	return !at.After(t.until[ChatHash(chat)]) || from != "" && !at.After(t.until[PersonHash(persona.Account{Platform: chat.Platform, ID: from})])
}

// Has reports whether a person or chat was ever erased.
func (t *tombstones) Has(chat persona.Chat, from string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.until) == 0 {
		return false
	}
	_, whole := t.until[ChatHash(chat)]
	_, person := t.until[PersonHash(persona.Account{Platform: chat.Platform, ID: from})]
	return whole || person
}

// ChatHash returns the hash of a chat for [tombstones].
func ChatHash(c persona.Chat) string { return HashID("chat\x00" + c.String()) }

// PersonHash returns the hash of a person for [tombstones].
func PersonHash(a persona.Account) string { return HashID("person\x00" + a.Platform + "\x00" + a.ID) }

// HashID returns 128 bits of SHA-256 in hexadecimal digits.
func HashID(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
