package qqbot

import (
	"crypto/ed25519"
	"encoding/hex"
	"strings"
)

// signingKey returns the key of a secret: the secret is doubled until it is long enough for a seed.
func signingKey(secret string) ed25519.PrivateKey {
	seed := strings.Repeat(secret, ed25519.SeedSize/len(secret)+1) // its beginning is the same as after doubling
	return ed25519.NewKeyFromSeed([]byte(seed[:ed25519.SeedSize]))
}

// parseSignature returns nil unless s has the form of a signature.
func parseSignature(s string) []byte {
	if len(s) != hex.EncodedLen(ed25519.SignatureSize) {
		return nil
	}
	sig, err := hex.DecodeString(s)
	if err != nil || sig[ed25519.SignatureSize-1]&0xE0 != 0 { // the platform's documents demand this check
		return nil
	}
	return sig
}

// isEventTime reports whether s is a time in seconds.
func isEventTime(s string) bool {
	return s != "" && len(s) <= 16 && strings.Trim(s, "0123456789") == ""
}

// proveSecret returns the answer to a validation: it shows that the webhook knows the secret. Nothing but a token and a time is
// signed: otherwise anybody could have an event signed as a token, and post it with that signature. An event contains a brace.
func proveSecret(key ed25519.PrivateKey, d object) (answer map[string]string, ok bool) {
	token, at := d.text("plain_token"), d.text("event_ts")
	if !isID(token, 256) || !isEventTime(at) {
		return nil, false
	}
	return map[string]string{"plain_token": token, "signature": hex.EncodeToString(ed25519.Sign(key, []byte(at+token)))}, true
}
