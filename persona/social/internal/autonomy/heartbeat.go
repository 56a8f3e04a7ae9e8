package autonomy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A heartbeat holds the cadence of tasks and planning. The stored setting replaces that of the options.
type heartbeat struct {
	engine  *engine.Engine
	planner *schedule.Planner
	changed func()
	noted   func(ctx context.Context, field, old, new string) // nil: changes are not noted
	lock    engine.Mutex                                      // held while the setting changes

	mu  sync.Mutex
	now self.HeartbeatSetting
}

// Names in memory's configuration of the bot.
const (
	configHeartbeat         = "heartbeat"          // "on" or "off"
	configHeartbeatInterval = "heartbeat_interval" // a duration
)

// Heartbeat returns the current setting.
func (h *heartbeat) Heartbeat() self.HeartbeatSetting {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// set stores a setting and uses it from now on. An Interval of 0 does not change the interval.
func (h *heartbeat) set(ctx context.Context, s self.HeartbeatSetting) error {
	if err := h.lock.Lock(ctx); err != nil {
		return err
	}
	defer h.lock.Unlock()
	if s.Interval == 0 {
		s.Interval = h.Heartbeat().Interval
	}
	if s.Interval < time.Second || s.Interval > time.Hour {
		return fmt.Errorf("social: the heartbeat's interval is %s, want 1s to 1h", s.Interval)
	}
	state := "on"
	if s.Off {
		state = "off"
	}
	for _, c := range [...][2]string{{configHeartbeat, state}, {configHeartbeatInterval, s.Interval.String()}} {
		if err := h.engine.Memory.SetConfig(ctx, c[0], c[1]); err != nil {
			return err
		}
	}
	old := h.Heartbeat()
	err := h.use(s)
	if err == nil && h.noted != nil && s != old {
		h.noted(ctx, configHeartbeat, heartbeatText(old), heartbeatText(s))
	}
	return err
}

// heartbeatText returns a setting as "off" or as its interval.
func heartbeatText(s self.HeartbeatSetting) string {
	if s.Off {
		return "off"
	}
	return s.Interval.String()
}

func (h *heartbeat) use(s self.HeartbeatSetting) error {
	interval := s.Interval
	if s.Off {
		interval = -1
	}
	if err := h.planner.SetTaskInterval(interval); err != nil {
		return err
	}
	h.mu.Lock()
	h.now = s
	h.mu.Unlock()
	h.changed()
	return nil
}

// restore uses the stored setting. An unreadable value counts as none.
func (h *heartbeat) restore(ctx context.Context) error {
	config, err := h.engine.Memory.Config(ctx)
	if err != nil {
		return err
	}
	s := h.Heartbeat()
	if d, err := time.ParseDuration(config[configHeartbeatInterval]); err == nil && d >= time.Second && d <= time.Hour {
		s.Interval = d
	}
	if state := config[configHeartbeat]; state != "" {
		s.Off = state == "off"
	}
	if s == h.Heartbeat() {
		return nil
	}
	return h.use(s)
}

// heartbeatTool implements self.Heartbeat.
type heartbeatTool struct{ *heartbeat }

// errUntrustedHeartbeat refuses changes by turns that have read text of others: it could stop the owner's tasks.
var errUntrustedHeartbeat = errors.Join(nit.ModelError("这一轮看过别人的话，不能改心跳；请主人直接再说一遍"), errors.New("social: an untrusted turn must not change the heartbeat"))

// SetHeartbeat implements [self.Heartbeat].
func (h heartbeatTool) SetHeartbeat(ctx context.Context, s self.HeartbeatSetting) error {
	if t := engine.TurnFrom(ctx); t != nil && !t.Label().IsTrusted() {
		return errUntrustedHeartbeat
	}
	return h.set(ctx, s)
}

// SetHeartbeat sets the cadence of tasks and planning. It waits for the start.
func (a *Autonomy) SetHeartbeat(ctx context.Context, interval time.Duration, off bool) error {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return err
	}
	return a.heartbeat.set(ctx, self.HeartbeatSetting{Interval: interval, Off: off})
}

// Heartbeat returns the cadence of tasks and planning.
func (a *Autonomy) Heartbeat() (interval time.Duration, off bool) {
	s := a.heartbeat.Heartbeat()
	return s.Interval, s.Off
}

// AddTask plans a task for the host.
func (a *Autonomy) AddTask(ctx context.Context, t schedule.Task) (schedule.Task, error) {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return t, err
	}
	t, err := a.tasks.Add(ctx, time.Now(), t)
	a.loop.Wake()
	return t, err
}
