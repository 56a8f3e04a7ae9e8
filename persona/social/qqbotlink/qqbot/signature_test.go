package qqbot

import (
	"crypto/ed25519"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The vector of the platform's documents.
func TestProveSecret(t *testing.T) {
	key := signingKey("DG5g3B4j9X2KOErG")
	answer, ok := proveSecret(key, object{"plain_token": []byte(`"Arq0D5A61EgUu4OxUvOp"`), "event_ts": []byte(`"1725442341"`)})
	require.True(t, ok)
	assert.Equal(t, map[string]string{
		"plain_token": "Arq0D5A61EgUu4OxUvOp",
		"signature":   "87befc99c42c651b3aac0278e71ada338433ae26fcb24307bdc5ad38c1adc2d01bcfcadc0842edac85e85205028a1132afe09280305f13aa6909ffc2d652c706",
	}, answer)
}

func TestSignature(t *testing.T) {
	key := signingKey("naOC0ocQE3shWLAfffVLB1rhYPG7")
	assert.Equal(t, "naOC0ocQE3shWLAfffVLB1rhYPG7naOC", string(key.Seed()))
	assert.True(t, strings.HasPrefix(hex.EncodeToString(key.Public().(ed25519.PublicKey)), "d7c362fe78aef81f"))
	const want = "2eb9983ebb8bb209e78fd095942f58e442656656e7975d01e64f9023a84b7c964290fdd40e5500c33867ccfe9563b7e0b6bac0e1d42c13e787b304fd51f71102"
	signed := []byte(`1725442341{ "op": 0,"d": {}, "t": "GATEWAY_EVENT_NAME"}`)
	assert.Equal(t, want, hex.EncodeToString(ed25519.Sign(key, signed)))
	assert.True(t, ed25519.Verify(key.Public().(ed25519.PublicKey), signed, parseSignature(want)))
	for _, bad := range []string{"", want[2:], want + "00", strings.Replace(want, "2e", "zz", 1), want[:126] + "22"} {
		assert.Nil(t, parseSignature(bad), bad)
	}
	assert.Len(t, signingKey("x"), ed25519.PrivateKeySize)
	assert.Len(t, signingKey(strings.Repeat("x", 99)), ed25519.PrivateKeySize)
}
