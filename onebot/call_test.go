package onebot

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// overAfter is a context that is done after its first check.
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

// TestCall_ResponseWinsOverTimeout checks that a received response wins over a timeout, a cancel or a dropped link at the same
// moment. Otherwise a sent message would be reported as unclear.
func TestCall_ResponseWinsOverTimeout(t *testing.T) {
	gone, late := make(chan struct{}), make(chan time.Time)
	close(gone)
	close(late)
	for range 50 { // a select chooses any ready case
		for name, try := range map[string]func(*link, *call) (response, error){
			"caller": func(l *link, c *call) (response, error) {
				return l.exchange(&overAfter{t.Context(), 1}, c, nil)
			},
			"late": func(l *link, c *call) (response, error) { return l.awaitResponse(t.Context(), c, late) },
			"link": func(l *link, c *call) (response, error) {
				l.down = gone
				return l.awaitResponse(t.Context(), c, nil)
			},
			"part, caller": func(l *link, c *call) (response, error) {
				a, _, err := l.part(&overAfter{t.Context(), 0}, c, nil)
				return a, err
			},
			"part, late": func(l *link, c *call) (response, error) {
				a, _, err := l.part(t.Context(), c, late)
				return a, err
			},
		} {
			l := &link{writes: make(chan *call, 1), down: make(chan struct{})}
			c := &call{done: make(chan response, 1), parts: &parts{ready: make(chan struct{}, 1)}}
			c.done <- response{ok: true, data: json.RawMessage("1")}
			a, err := try(l, c)
			require.NoError(t, err, name)
			assert.True(t, a.ok, name)
		}
	}
}
