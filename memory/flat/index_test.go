package flat_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

const group = memory.Space("qq:group:1")

func TestIndex(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return flat.New(nil) })
}
