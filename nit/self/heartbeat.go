package self

import (
	"context"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
)

// A HeartbeatSetting says how often the bot looks at its plans.
type HeartbeatSetting struct {
	Interval time.Duration // minimum time between tasks
	Off      bool          // no tasks and no planning
}

// A Heartbeat holds the setting. It must survive a restart.
type Heartbeat interface {
	Heartbeat() HeartbeatSetting
	SetHeartbeat(ctx context.Context, h HeartbeatSetting) error
}

type heartbeatIn struct {
	Interval int   `json:"interval_seconds,omitempty" jsonschema:"隔多少秒看一次；留空不变"`
	On       *bool `json:"on,omitempty" jsonschema:"false 是停下，true 是恢复；留空不变"`
}

// setHeartbeat is for the owner only.
func (k *toolset) setHeartbeat() (nit.Tool, error) {
	return nit.Define("set_heartbeat", nit.L1, "调整心跳：隔多久看一次计划好的事，或者停下、恢复。停下以后不做计划好的事，也不自己打算，定时器照常。主人要求时使用。", k.changeHeartbeat,
		toolOptions([]string{nit.ModeAgent}, nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["interval_seconds"].Minimum, s.Properties["interval_seconds"].Maximum = new(1.0), new(3600.0)
		}))...)
}

func (k *toolset) changeHeartbeat(ctx context.Context, in heartbeatIn) (string, error) {
	h := k.o.Heartbeat.Heartbeat()
	if in.Interval > 0 {
		h.Interval = time.Duration(in.Interval) * time.Second
	}
	if in.On != nil {
		h.Off = !*in.On
	}
	if err := k.o.Heartbeat.SetHeartbeat(ctx, h); err != nil {
		return "", err
	}
	if h.Off {
		return "心跳停了", nil
	}
	return fmt.Sprintf("好，每 %d 秒看一次", int(h.Interval/time.Second)), nil
}
