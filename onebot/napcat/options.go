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

// Options say what a [Supervisor] runs and how it watches over it. Command is needed, and so is a way to ask for the
// account: Config.HTTPPort, Config.WSPort, Caller or Ping.
type Options struct {
	// Command is the program, looked up in PATH when it has no slash, and Args what it is given, as for
	// [exec.Command]: "xvfb-run" and "-a", "qq", "--no-sandbox", "-q", "10001", for instance.
	Command string
	Args    []string
	// Dir is the child's working directory. "": this process's own.
	Dir string
	// Env is all of the child's environment. nil: this process's own. One variable is added, HEARTH_NAPCAT, a random
	// mark by which processes that leave their group are found again.
	Env []string

	// Config is NapCat's OneBot configuration: see there. It is applied before each start when Config.Dir is set.
	Config Config
	// CheckOnly: the configuration is compared with Config and never written; a difference fails the start.
	CheckOnly bool

	// Ping tells whether NapCat answers, which it does once it is logged in: nil means it does. It must return soon
	// after its ctx ended. nil: get_login_info through Caller.
	Ping func(ctx context.Context) error
	// Caller calls get_login_info: an *[onebot.Bot] for instance. nil: a call of its own to 127.0.0.1, by HTTP at
	// Config.HTTPPort or, when that is 0, by WebSocket at Config.WSPort, with Config.Token.
	Caller onebot.Caller

	// PollInterval is the pause between pings until the child is ready. 0: 1 s.
	PollInterval time.Duration
	// PingTimeout bounds one ping. 0: 10 s.
	PingTimeout time.Duration
	// StartTimeout: a child that is not ready by then is replaced. Somebody may have to scan a QR code meanwhile.
	// 0: 5 min; negative: no bound.
	StartTimeout time.Duration
	// HealthInterval is the pause between pings once the child is ready. 0: 30 s; negative: none is made.
	HealthInterval time.Duration
	// MaxPingFailures: a child that fails so many pings one after the other is replaced. 0: 3; negative: never.
	MaxPingFailures int

	// MinBackoff is the pause between the end of a child and the start of the next. It doubles with each restart
	// within RestartWindow, up to MaxBackoff. 0: 1 s and 8 s.
	MinBackoff, MaxBackoff time.Duration
	// MaxRestarts is how many restarts there may be within RestartWindow; one more ends Run with a
	// [*CrashLoopError]. 0: 5 in 10 min; negative MaxRestarts: no bound.
	MaxRestarts   int
	RestartWindow time.Duration
	// GracePeriod is the time between SIGTERM and SIGKILL. 0: 5 s; negative: SIGKILL at once.
	GracePeriod time.Duration

	// Logger is told of starts, ends and restarts, and of what the child writes, line by line. nil discards.
	Logger *slog.Logger
	// OutputLevel is the level of the child's lines. 0: Info.
	OutputLevel slog.Level
	// MaxLineBytes bounds the bytes of a line in the log; of a longer one the rest is left out and its size told. 0: 8 KiB.
	MaxLineBytes int
	// MaxLinesPerSecond bounds the lines in the log; what is more is read, left out and counted. 0: 500; negative: no
	// bound.
	MaxLinesPerSecond int
	// Secrets are replaced by *** in the child's lines, as are Config.Token and whatever looks like a token.
	Secrets []string
}

// withDefaults copies the options, checks them and fills in what is zero.
func (o Options) withDefaults() (Options, error) {
	if o.Command == "" {
		return o, errors.New("napcat: Options.Command is empty")
	}
	if o.Ping == nil && o.Caller == nil && o.Config.HTTPPort == 0 && o.Config.WSPort == 0 {
		return o, errors.New("napcat: no way to ask for the account: set Config.HTTPPort, Config.WSPort, Caller or Ping")
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
		negative bool // has a meaning
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
