package program

import (
	"flag"
	"testing"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCaps(t *testing.T) {
	parse := func(args ...string) *Caps {
		var c Caps
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		c.Flags(f)
		require.NoError(t, f.Parse(args))
		return &c
	}
	c := parse("-max-replies", "40", "-max-replies-per-person", "5", "-max-interjections", "2")
	require.NoError(t, c.Check())
	assert.Equal(t, heartflow.Caps{Replies: 40, RepliesPerPerson: 5, Interjections: 2}, c.Caps())
	assert.Zero(t, parse().Caps())
	assert.EqualError(t, parse("-max-replies", "1001", "-max-interjections", "-1").Check(), "-max-replies 1001 must be from 0 to 1000\n-max-interjections -1 must be from 0 to 1000")
}
