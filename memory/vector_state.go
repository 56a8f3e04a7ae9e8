package memory

import (
	"sync"
	"time"
)

// A VectorState describes the search by vectors.
type VectorState struct {
	EmbedderID string    // name of the embedder; "" without one
	Indexes    int       // number of vector indexes; 0: Recall uses words only
	Waiting    int       // known records that wait for a vector
	Failed     error     // error of the last call of the embedder; nil if it succeeded, or none was made
	FailedAt   time.Time // time of that call; zero without an error
}

// Vectors returns the current state of the search by vectors. It reads no store.
func Vectors(m *Memory) VectorState {
	s := VectorState{Indexes: len(m.indexes.vectors), Waiting: m.embed.backlog.len()}
	if m.embed.Embedder != nil {
		s.EmbedderID = m.embed.id
	}
	s.FailedAt, s.Failed = m.embed.outcome.last()
	return s
}

// An embedOutcome is the outcome of the last call of an embedder. It is safe for concurrent use.
type embedOutcome struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// note stores an outcome. nil stands for success.
func (o *embedOutcome) note(now time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.at, o.err = now, err; err == nil {
		o.at = time.Time{}
	}
}

func (o *embedOutcome) last() (time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at, o.err
}
