package onebot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

const (
	identifyAfter  = 2 * time.Second  // who has not said who it is by then is asked
	identifyWithin = 60 * time.Second // and is sent away by then
)

var (
	errSilent = errors.New("onebot: link is silent")
	errNobody = errors.New("onebot: peer does not say which account it is")
)

// write is the writer: one frame at a time, each within the time limit.
func (l *link) write() {
	limit := l.opts.WriteTimeout
	late := time.AfterFunc(time.Hour, func() { l.fail(fmt.Errorf("onebot: write took longer than %v", limit)) })
	late.Stop()
	defer late.Stop()
	for {
		var c *call
		select {
		case <-l.down:
			return
		case c = <-l.writes:
		}
		if l.failed.Load() {
			return
		}
		if !c.fate.CompareAndSwap(queued, written) {
			continue
		}
		if limit > 0 {
			late.Reset(limit)
		}
		err := l.ws.Write(context.Background(), websocket.MessageText, c.frame)
		late.Stop()
		if err != nil {
			l.fail(fmt.Errorf("onebot: write: %w", err))
			return
		}
	}
}

// introduce asks who the peer is, where no frame told it, and sends away who never tells.
func (l *link) introduce(anonymous bool) {
	if l.self.Load() != 0 || !l.sleep(identifyAfter) || l.self.Load() != 0 {
		return
	}
	if l.canCall {
		l.ask()
	}
	if anonymous && l.sleep(identifyWithin-identifyAfter) && l.self.Load() == 0 {
		l.fail(errNobody)
	}
}

// watch is the watchdog: it ends a link that is silent for too long. Any frame counts. A peer that beats promised
// frames; any other is asked first.
func (l *link) watch() {
	floor := l.opts.MinIdleTimeout
	if floor < 0 {
		return
	}
	var asked time.Duration = -1 // what heard was at the last question
	for {
		heard := time.Duration(l.heard.Load())
		wait := l.patience() - (time.Since(l.began) - heard)
		if wait <= 0 {
			if l.interval.Load() > 0 || asked == heard {
				l.fail(errSilent)
				return
			}
			if l.canCall {
				l.ask()
				asked = heard
			}
			wait = floor
		}
		if !l.sleep(wait) {
			return
		}
	}
}

// patience is how long the peer may be silent.
func (l *link) patience() time.Duration {
	return max(time.Duration(l.interval.Load())*5/2, l.opts.MinIdleTimeout)
}

// quiet tells that nothing was heard for as long as the peer may be silent.
func (l *link) quiet() bool {
	return time.Since(l.began)-time.Duration(l.heard.Load()) >= l.patience()
}

// ask writes a call whose answer is for the reader: it shows that the peer lives, and tells the account.
func (l *link) ask() {
	select {
	case l.writes <- &call{frame: l.calls.request("get_login_info", []byte("{}"), 0)}:
	case <-l.down:
	}
}

// sleep is false when the link went down.
func (l *link) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.down:
		return false
	}
}
