package memory_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

func TestMemStore_Store(t *testing.T) {
	memorytest.TestStore(t, func(*testing.T) memory.Store { return memory.NewMemStore() })
}

func TestMemStore_State(t *testing.T) {
	memorytest.TestState(t, func(*testing.T) memory.State { return memory.NewMemStore() })
}

func TestLexicalIndex_Conformance(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return memory.NewLexicalIndex(memory.LexicalOptions{}) })
}
