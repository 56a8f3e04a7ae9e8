package memorytest

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/require"
)

// New is memory.New for tests. It stops the test on an error.
func New(t testing.TB, s memory.Store, o memory.Options) *memory.Memory {
	t.Helper()
	m, err := memory.New(s, o)
	require.NoError(t, err)
	return m
}
