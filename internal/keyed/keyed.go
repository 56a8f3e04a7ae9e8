// Package keyed runs functions in order for each key, and concurrently for different keys.
package keyed

import "sync"

// A Group runs functions. The zero value is ready to use. All methods may be called concurrently.
type Group struct {
	mu     sync.Mutex
	queues map[string][]func() // of the keys with a goroutine
	wg     sync.WaitGroup
}

// Go runs f after all earlier functions of the key. It does not wait.
func (g *Group) Go(key string, f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if queue, running := g.queues[key]; running {
		g.queues[key] = append(queue, f)
		return
	}
	if g.queues == nil {
		g.queues = map[string][]func(){}
	}
	g.queues[key] = nil
	g.wg.Go(func() { g.work(key, f) })
}

// work runs f and the functions that have come meanwhile.
func (g *Group) work(key string, f func()) {
	for f != nil {
		f()
		f = g.next(key)
	}
}

// next removes the next function of a key. Without one it returns nil, and the goroutine of the key ends.
func (g *Group) next(key string) (f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := g.queues[key]
	if len(queue) == 0 {
		delete(g.queues, key)
		return nil
	}
	f, queue[0] = queue[0], nil
	g.queues[key] = queue[1:]
	return f
}

// Wait waits until all functions have returned.
func (g *Group) Wait() { g.wg.Wait() }
