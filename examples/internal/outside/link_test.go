package outside

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConnection_Check(t *testing.T) {
	t.Setenv("ONEBOT_TOKEN", "")
	for name, test := range map[string]struct {
		link Connection
		says string
	}{
		"none":             {Connection{}, ""},
		"loopback":         {Connection{Listen: "127.0.0.1:8080"}, ""},
		"loopback IPv6":    {Connection{Listen: "[::1]:8080"}, ""},
		"localhost":        {Connection{Listen: "localhost:8080"}, ""},
		"everywhere":       {Connection{Listen: "0.0.0.0:8080"}, "is not on loopback and has no token"},
		"every interface":  {Connection{Listen: ":8080"}, "is not on loopback"},
		"by name":          {Connection{Listen: "bot:8080"}, "is not on loopback"},
		"with a token":     {Connection{Listen: "0.0.0.0:8080", Token: "t"}, ""},
		"idle token":       {Connection{Token: "t"}, "-token does nothing"},
		"dials elsewhere":  {Connection{Forward: "ws://napcat:3001"}, ""},
		"two connections":  {Connection{Forward: "ws://x", Listen: ":1"}, "exclude each other"},
		"dials with token": {Connection{Forward: "ws://x", Token: "t"}, ""},
	} {
		err := test.link.Check()
		if test.says == "" {
			assert.NoError(t, err, name)
			continue
		}
		assert.ErrorContains(t, err, test.says, name)
	}
	t.Setenv("ONEBOT_TOKEN", "t")
	assert.NoError(t, (&Connection{Listen: "0.0.0.0:8080"}).Check())
	assert.NoError(t, (&Connection{}).Check(), "a token in the environment is no mistake")
}

func TestModel_IdleFlags(t *testing.T) {
	for _, m := range []Model{{Kind: "offline", Name: "m"}, {Kind: "offline", BaseURL: "http://127.0.0.1"}, {Kind: "offline", KeyFile: "key"}} {
		assert.ErrorContains(t, m.Check(), "do nothing without -model")
	}
	m := Model{Kind: "openai", Name: "m", BaseURL: "http://127.0.0.1", KeyFile: "key"}
	assert.NoError(t, m.Check())
}
