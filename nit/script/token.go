package script

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
)

// NewToken returns a random token for the blocks of one turn: 26 letters and digits with at least 128 bits of entropy.
func NewToken() string { return rand.Text() }

type tokenKey struct{}

// WithToken returns a context in which all model calls share one token. Without it [Model] draws a token for each call.
// That is equally safe, but the prompts of a turn then differ and cannot be cached.
func WithToken(ctx context.Context) context.Context {
	return context.WithValue(ctx, tokenKey{}, NewToken())
}

func tokenOf(ctx context.Context) string {
	if t, ok := ctx.Value(tokenKey{}).(string); ok {
		return t
	}
	return NewToken()
}

// tokensEqual compares in constant time.
func tokensEqual(token, given string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(given)) == 1
}
