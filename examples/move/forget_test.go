package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/examples/internal/check"
)

// A bot is deleted from its database by its name, if nothing runs it.
func TestRun_Forget(t *testing.T) {
	from, other := database(t), database(t)
	fill(t, from)
	fill(t, other)
	o, err := check.PostgresOptions("-from", from)
	require.NoError(t, err)
	forget := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"-lang", "en"}, args...), nil, &out, io.Discard)
		return out.String(), err
	}
	for _, bad := range [][]string{
		{"-from", from, "-forget", "somebody"}, {"-from", file(t), "-forget", o.Being}, {"-from", from, "-to", file(t), "-forget", o.Being}, {"-from", database(t), "-forget", "bot" + "99"},
	} {
		_, err := forget(bad...)
		assert.Error(t, err, bad)
	}
	with(t, from, func(store) {
		_, err := forget("-from", from, "-forget", o.Being)
		assert.ErrorContains(t, err, "is still running")
	})
	told, err := forget("-from", from, "-forget", o.Being)
	require.NoError(t, err)
	assert.Contains(t, told, o.Being+" is deleted")
	_, err = forget("-from", from, "-forget", o.Being)
	assert.ErrorContains(t, err, "has no bot")
	with(t, other, func(s store) {
		spaces, err := s.Spaces(t.Context())
		require.NoError(t, err)
		assert.NotEmpty(t, spaces, "others are untouched")
	})
}
