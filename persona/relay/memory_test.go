package relay_test

import (
	"testing"

	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/hearth-bot/hearth/persona/relay/relaytest"
)

func TestMemory(t *testing.T) {
	relaytest.Test(t, func(*testing.T) relaytest.Fixture {
		m := relay.NewMemory()
		return relaytest.Fixture{Account: "10001", A: m, B: m, Owner: func() relay.Owner { return m.Owner("10001") }}
	})
}
