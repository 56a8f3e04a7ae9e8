package napcat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// Options are the settings of a [Supervisor]. Required are Command and a way to ping NapCat: Config.HTTPPort,
// Config.WSPort, Caller or Ping.
type Options struct {
	// Command is the program, looked up in PATH if it has no slash. Args are its arguments, as for [exec.Command]:
	// for example "xvfb-run" with "-a", "qq", "--no-sandbox", "-q", "10001".
	Command string
	Args    []string
	// Dir is the child's working directory. "": the directory of this process.
	Dir string
	// Env is the child's environment. nil: the environment of this process. The Supervisor adds the variable
	// HEARTH_NAPCAT, a random mark to find processes that leave the process group.
	Env []string

	// Config is NapCat's OneBot configuration. It is applied before each start if Config.Dir is set.
	Config Config
	// CheckOnly compares the configuration with Config and never writes it. A difference fails the start.
	CheckOnly bool

	// Ping returns nil if NapCat responds, which requires a login. It must return soon after its context is done.
	// nil: get_login_info through Caller.
	Ping func(ctx context.Context) error
	// Caller calls get_login_info, for example an *[onebot.Bot]. nil: a separate call to 127.0.0.1 with Config.Token,
	// by HTTP at Config.HTTPPort, or by WebSocket at Config.WSPort if HTTPPort is 0.
	Caller onebot.Caller

	// PollInterval is the pause between pings until the child is ready. 0: 1 s.
	PollInterval time.Duration
	// PingTimeout limits one ping. 0: 10 s.
	PingTimeout time.Duration
	// StartTimeout limits the time until the child is ready; then it is restarted. Leave time to scan a QR code. 0: 5
	// min; negative: no limit.
	StartTimeout time.Duration
	// HealthInterval is the pause between pings after the child is ready. 0: 30 s; negative: no pings.
	HealthInterval time.Duration
	// MaxPingFailures is the number of consecutive failed pings that restarts the child. 0: 3; negative: never.
	MaxPingFailures int

	// MinBackoff is the pause between the end of a child and the next start. It doubles with each restart within
	// RestartWindow, up to MaxBackoff. 0: 1 s and 8 s.
	MinBackoff, MaxBackoff time.Duration
	// MaxRestarts is the largest number of restarts within RestartWindow. One more ends Run with a [*CrashLoopError].
	// 0: 5 in 10 min; negative MaxRestarts: no limit.
	MaxRestarts   int
	RestartWindow time.Duration
	// GracePeriod is the time between SIGTERM and SIGKILL. 0: 5 s; negative: SIGKILL at once.
	GracePeriod time.Duration

	// Logger logs starts, exits, restarts, and the child's output line by line. nil discards.
	Logger *slog.Logger
	// OutputLevel is the level of the child's output. 0: Info.
	OutputLevel slog.Level
	// MaxLineBytes limits the bytes of a line in the log. The rest of a longer line is dropped, and its size is logged. 0:
	// 8 KiB.
	MaxLineBytes int
	// MaxLinesPerSecond limits the lines in the log. Lines above it are dropped and counted. 0: 500; negative: no limit.
	MaxLinesPerSecond int
	// Secrets are replaced by *** in the child's output, as are Config.Token and all text that looks like a token.
	Secrets []string
}

// withDefaults checks the options and returns a copy with defaults for zero values.
func (o Options) withDefaults() (Options, error) {
	if o.Command == "" {
		return o, errors.New("napcat: Options.Command is empty")
	}
	if o.Ping == nil && o.Caller == nil && o.Config.HTTPPort == 0 && o.Config.WSPort == 0 {
		return o, errors.New("napcat: no way to ping NapCat: set Config.HTTPPort, Config.WSPort, Caller or Ping")
	}
	if err := o.Config.valid(); err != nil {
		return o, err
	}
	if o.CheckOnly && o.Config.Dir == "" {
		return o, errors.New("napcat: CheckOnly needs Config.Dir")
	}
	o.Args, o.Env, o.Secrets = slices.Clone(o.Args), slices.Clone(o.Env), slices.Clone(o.Secrets)
	if o.Ping == nil {
		var err error
		if o.Ping, err = defaultPing(o.Caller, o.Config); err != nil {
			return o, err
		}
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	for _, d := range []struct {
		name     string
		field    *time.Duration
		zero     time.Duration
		negative bool // negative values are valid
	}{
		{"PollEvery", &o.PollInterval, time.Second, false},
		{"PingTimeout", &o.PingTimeout, 10 * time.Second, false},
		{"StartTimeout", &o.StartTimeout, 5 * time.Minute, true},
		{"HealthEvery", &o.HealthInterval, 30 * time.Second, true},
		{"MinBackoff", &o.MinBackoff, time.Second, false},
		{"MaxBackoff", &o.MaxBackoff, max(8*time.Second, o.MinBackoff), false},
		{"RestartWindow", &o.RestartWindow, 10 * time.Minute, false},
		{"Grace", &o.GracePeriod, 5 * time.Second, true},
	} {
		if *d.field < 0 && !d.negative {
			return o, fmt.Errorf("napcat: Options.%s is negative", d.name)
		}
		*d.field = cmp.Or(*d.field, d.zero)
	}
	if o.MaxBackoff < o.MinBackoff {
		return o, errors.New("napcat: Options.MaxBackoff is less than MinBackoff")
	}
	if o.MaxLineBytes < 0 {
		return o, errors.New("napcat: Options.MaxLine is negative")
	}
	for _, n := range []struct {
		field *int
		zero  int
	}{{&o.MaxPingFailures, 3}, {&o.MaxRestarts, 5}, {&o.MaxLineBytes, 8 << 10}, {&o.MaxLinesPerSecond, 500}} {
		*n.field = cmp.Or(*n.field, n.zero)
	}
	return o, nil
}
