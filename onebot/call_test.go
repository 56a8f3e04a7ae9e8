package onebot

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// overAfter is a context that ends once it was looked at.
type overAfter struct {
	context.Context
	looks int
}

func (c *overAfter) Done() <-chan struct{} {
	if c.looks--; c.looks >= 0 {
		return nil
	}
	done := make(chan struct{})
	close(done)
	return done
}

func (c *overAfter) Err() error { return context.Canceled }

// TestAnAnswerIsAnAnswer: one that is there counts, though the time was over, the caller gave up or the link dropped at the same moment.
// Of a message it would be said else that nobody knows whether it was sent.
func TestAnAnswerIsAnAnswer(t *testing.T) {
	gone, late := make(chan struct{}), make(chan time.Time)
	close(gone)
	close(late)
	for range 50 { // a select takes any of what is ready
		for name, try := range map[string]func(*link, *call) (answer, error){
			"caller": func(l *link, c *call) (answer, error) {
				return l.exchange(&overAfter{t.Context(), 1}, c, nil)
			},
			"late": func(l *link, c *call) (answer, error) { return l.answered(t.Context(), c, late) },
			"link": func(l *link, c *call) (answer, error) {
				l.down = gone
				return l.answered(t.Context(), c, nil)
			},
			"part, caller": func(l *link, c *call) (answer, error) {
				a, _, err := l.part(&overAfter{t.Context(), 0}, c, nil)
				return a, err
			},
			"part, late": func(l *link, c *call) (answer, error) {
				a, _, err := l.part(t.Context(), c, late)
				return a, err
			},
		} {
			l := &link{writes: make(chan *call, 1), down: make(chan struct{})}
			c := &call{done: make(chan answer, 1), parts: &parts{some: make(chan struct{}, 1)}}
			c.done <- answer{ok: true, data: json.RawMessage("1")}
			a, err := try(l, c)
			require.NoError(t, err, name)
			assert.True(t, a.ok, name)
		}
	}
}
