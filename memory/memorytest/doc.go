// Package memorytest contains conformance tests for your own implementations of [memory.Store], [memory.Index] and
// [memory.State]. The built-in implementations pass the same tests.
//
//	func TestMine(t *testing.T) {
//		memorytest.TestStore(t, func(t *testing.T) memory.Store { return mine.Open(t.TempDir()) })
//	}
//
// Each subtest calls the function for a new, empty instance. Close it with t.Cleanup. Run the tests with -race.
package memorytest
