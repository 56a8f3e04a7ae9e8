package memory_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

func TestMemStore(t *testing.T) {
	memorytest.TestStore(t, func(*testing.T) memory.Store { return memory.NewStore() })
}

func TestMemStoreState(t *testing.T) {
	memorytest.TestState(t, func(*testing.T) memory.State { return memory.NewStore() })
}

func TestLexicalIndex(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return memory.NewLexical(memory.LexicalOptions{}) })
}
