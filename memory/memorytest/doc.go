// Package memorytest checks implementations of the interfaces of package memory: [TestStore], [TestIndex], [TestState].
// The built-in ones pass the same tests.
//
//	func TestMine(t *testing.T) {
//		memorytest.TestStore(t, func(t *testing.T) memory.Store { return mine.Open(t.TempDir()) })
//	}
//
// Each test calls the function for a fresh, empty one; have t.Cleanup close it. Run them with -race.
package memorytest
