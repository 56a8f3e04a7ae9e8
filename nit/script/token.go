package script

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
)

// NewToken draws a token for the blocks of one turn: 26 letters and digits of at least 128 random bits.
func NewToken() string { return rand.Text() }

type tokenKey struct{}

// WithToken gives a context whose model calls share one token. Without it, [Model] draws one for each call, which is
// as safe, but makes the prompt of each call of a turn a different one.
func WithToken(ctx context.Context) context.Context {
	return context.WithValue(ctx, tokenKey{}, NewToken())
}

func tokenOf(ctx context.Context) string {
	if t, ok := ctx.Value(tokenKey{}).(string); ok {
		return t
	}
	return NewToken()
}

// same compares in a time that does not tell how much of given is right.
func same(token, given string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(given)) == 1
}
