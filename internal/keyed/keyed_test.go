package keyed

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Functions of one key run in order, while a function of another key waits for them.
func TestGroup(t *testing.T) {
	var g Group
	var mu sync.Mutex
	ran := map[string][]int{}
	var others sync.WaitGroup
	others.Add(3)
	g.Go("waits", others.Wait)
	for n := range 100 {
		for key := range 3 {
			key := fmt.Sprint(key)
			g.Go(key, func() {
				mu.Lock()
				defer mu.Unlock()
				if ran[key] = append(ran[key], n); n == 99 {
					others.Done()
				}
			})
		}
	}
	g.Wait()
	var all []int
	for n := range 100 {
		all = append(all, n)
	}
	assert.Equal(t, map[string][]int{"0": all, "1": all, "2": all}, ran)
	assert.Empty(t, g.queues)
}
