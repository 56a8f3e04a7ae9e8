package autonomy

import (
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// A PastWake is documented in package social.
type PastWake struct {
	ID         string
	Kind       schedule.WakeKind
	Origin     schedule.Origin
	Background bool
	Began      time.Time
	Ended      time.Time
	Spoke      bool
	Error      string
}

const (
	maxWakes     = 100
	maxWakeError = 200 // characters
)

// pastWakes holds the last wakes since the start, without any text that they read or wrote.
type pastWakes struct {
	mu  sync.Mutex
	all []*PastWake // oldest first; the running ones are among them
}

// begin adds a wake. The returned function stores its outcome.
func (p *pastWakes) begin(w schedule.Wake) (ended func(performed, error)) {
	one := &PastWake{ID: w.ID, Kind: w.Kind, Origin: w.Origin, Background: prompt.KindOf(&w).IsBackgroundTurn(), Began: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, one)
	p.all = p.all[max(0, len(p.all)-maxWakes):]
	return func(res performed, err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		one.Ended, one.Spoke = time.Now(), res.Spoke
		if err != nil {
			one.Error = clip.Ellipsis(err.Error(), maxWakeError)
		}
	}
}

// running reports whether a wake is performed now.
func (p *pastWakes) running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.all, func(w *PastWake) bool { return w.Ended.IsZero() })
}

// list returns copies of the wakes, oldest first.
func (p *pastWakes) list() []PastWake {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]PastWake, len(p.all))
	for i, w := range p.all {
		all[i] = *w
	}
	return all
}

// erase drops the wakes of erased chats and people, and all errors, because they may quote somebody.
func (p *pastWakes) erase(f memory.Erasure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(w *PastWake) bool {
		w.Error = ""
		return slices.Contains(f.Spaces, memory.Space(w.Origin.Chat.String())) || f.Person != "" && w.Origin.Person.ID == f.Person
	})
}
