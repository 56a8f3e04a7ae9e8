package freeport

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	ports, err := Find(3)
	require.NoError(t, err)
	require.Len(t, ports, 3)
	assert.NotEqual(t, ports[0], ports[1])
	address, err := Address()
	require.NoError(t, err)
	_, err = net.Dial("tcp", address)
	require.Error(t, err, "nobody listens")
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
