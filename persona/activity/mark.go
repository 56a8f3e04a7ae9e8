package activity

import (
	"context"
	"sync"
	"time"
)

// A Mark is up to when a client's news have been told. It moves only by [Mark.Told], and only ahead: what was asked for
// and not told is asked for again. All methods may be called concurrently.
type Mark struct {
	client *Client

	mu sync.Mutex
	at time.Time
}

// NewMark begins at a time; the zero one has nothing told yet.
func NewMark(c *Client, at time.Time) *Mark { return &Mark{client: c, at: at.Round(0)} }

// At is where the mark stands: what to keep over a restart.
func (m *Mark) At() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// News gives what is new since the mark, and leaves it where it is.
func (m *Mark) News(ctx context.Context, now time.Time) (News, error) {
	return m.client.News(ctx, m.At(), now)
}

// Told moves the mark behind what was told.
func (m *Mark) Told(n News) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = later(m.at, n.Until)
}
