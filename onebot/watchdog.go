package onebot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
)

const (
	identifyAfter  = 2 * time.Second  // then a peer with an unknown account is sent a request
	identifyWithin = 60 * time.Second // then it is disconnected
)

var (
	errIdle         = errors.New("onebot: link idle for too long")
	errUnidentified = errors.New("onebot: peer did not send its account")
)

// write is the writer: it writes one frame at a time, each within WriteTimeout.
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
		if !c.state.CompareAndSwap(queued, written) {
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

// identifyPeer requests the account if no frame contained it, and closes the link if there is no response.
func (l *link) identifyPeer(anonymous bool) {
	if l.self.Load() != 0 || !l.sleep(identifyAfter) || l.self.Load() != 0 {
		return
	}
	if l.canCall {
		l.probe()
	}
	if anonymous && l.sleep(identifyWithin-identifyAfter) && l.self.Load() == 0 {
		l.fail(errUnidentified)
	}
}

// watch is the watchdog. It closes a link without traffic for too long; any frame counts. If the peer sends
// heartbeats, their absence is enough. Any other peer is sent a request first.
func (l *link) watch() {
	floor := l.opts.MinIdleTimeout
	if floor < 0 {
		return
	}
	var asked time.Duration = -1 // value of lastFrame at the last request
	for {
		heard := time.Duration(l.lastFrame.Load())
		wait := l.idleTimeout() - (time.Since(l.began) - heard)
		if wait <= 0 {
			if l.interval.Load() > 0 || asked == heard {
				l.fail(errIdle)
				return
			}
			if l.canCall {
				l.probe()
				asked = heard
			}
			wait = floor
		}
		if !l.sleep(wait) {
			return
		}
	}
}

// idleTimeout returns the idle timeout of the link.
func (l *link) idleTimeout() time.Duration {
	return max(time.Duration(l.interval.Load())*5/2, l.opts.MinIdleTimeout)
}

// isIdle reports whether the idle timeout has passed.
func (l *link) isIdle() bool {
	return time.Since(l.began)-time.Duration(l.lastFrame.Load()) >= l.idleTimeout()
}

// probe writes a call for the reader: the response proves that the peer is alive and contains the account.
func (l *link) probe() {
	select {
	case l.writes <- &call{frame: l.calls.request("get_login_info", []byte("{}"), 0)}:
	case <-l.down:
	}
}

// sleep returns false if the link went down.
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
