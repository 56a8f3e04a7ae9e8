package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/nit"
)

// A Source is a foreign MCP server: exactly one of Command, URL and Dial says how to reach it.
type Source struct {
	// Name is how its tools are named here: "weather" makes weather__forecast of forecast. It is up to 24 letters, digits,
	// - and _, begins with a letter, does not end with _ and has no two of them in a row.
	Name string

	Command []string  // a program that speaks MCP over its standard input and output, and its arguments
	Dir     string    // where it runs; empty: where we do
	Env     []string  // its whole environment, as "PATH=/usr/bin". Ours, with what is secret in it, is not passed on
	Stderr  io.Writer // what it prints beside; nil discards

	URL       string            // of a server over streamable HTTP
	Header    http.Header       // sent with each request, for instance an Authorization
	Transport http.RoundTripper // nil: a plain one, without a proxy

	Dial func(ctx context.Context) (io.ReadWriteCloser, error) // anything else that carries lines; Close must end a Read

	// Trusted says that what the server gives is the owner's own, and that what it is sent stays on the machine. Its tools are
	// nit.Gives(nit.Trusted) then. Otherwise they are nit.Gives(nit.Untrusted) and of the nit.OpenWorld.
	Trusted bool
	// Tools configures single tools, by the server's own names. Other tools are in tier L3, without options.
	Tools map[string]ToolConfig
}

// A ToolConfig overrides the defaults for one imported tool. If the server changes the tool so that an option no longer fits,
// the tool is not imported.
type ToolConfig struct {
	Tier nit.Tier // 0 means nit.L3, which nobody sees in persona mode
	// Options are applied last, so they win: nit.ReadOnly for a tool that changes nothing (the server's own hint is not read),
	// nit.In for a description in the host's words, nit.Gives for a tool that differs from Source.Trusted.
	Options []nit.Option
}

// ClientOptions say how a [Client] treats its server. The zero value imports nothing that was not approved before.
// A negative number is an error.
type ClientOptions struct {
	// Approve is asked before a tool is imported that is not pinned, and again whenever the server describes it differently. It may
	// wait for a human, until ctx ends; it is asked about one tool at a time. Nil refuses; [TrustOnFirstUse] approves what is new.
	Approve func(ctx context.Context, q ApprovalRequest) (bool, error)
	// State keeps what was approved. Nil: it is asked again after a restart.
	State nit.State
	// Limits of what the server can make us do.
	Limits ClientLimits
	// PollInterval is how often the tools are listed again, which also finds out that a server has gone; 0 means 1 min.
	PollInterval time.Duration
	// OnStatus is called after a change of Status, in Run's goroutine. Nil: nobody is.
	OnStatus func(Status)
	// Logger gets what was refused and why, and each end of a connection. Nil discards.
	Logger *slog.Logger
}

// ClientLimits bound what a server can make us do. 0 means the default that each field names.
type ClientLimits struct {
	HandshakeTimeout time.Duration // until it has answered the handshake; 30 s
	ListTimeout      time.Duration // to list all its tools; 10 s
	WriteTimeout     time.Duration // until it has read what it is sent; 5 s
	StopTimeout      time.Duration // until its process has ended after its input did; then it is killed; 2 s
	MaxTools         int           // of its tools that are looked at; 128
	MaxPages         int           // of its list; 16
	MessageBytes     int           // bytes of a message of its; 4 MiB
	ApprovalsPerHour int           // questions to Approve in an hour; 256
	MinBackoff       time.Duration // before the second try to connect; it doubles up to 1 min; 1 s
}

const maxRetry = time.Minute

func (l ClientLimits) orDefaults() ClientLimits {
	return ClientLimits{
		HandshakeTimeout: cmp.Or(l.HandshakeTimeout, 30*time.Second), ListTimeout: cmp.Or(l.ListTimeout, 10*time.Second), WriteTimeout: cmp.Or(l.WriteTimeout, 5*time.Second),
		StopTimeout: cmp.Or(l.StopTimeout, 2*time.Second), MaxTools: cmp.Or(l.MaxTools, 128), MaxPages: cmp.Or(l.MaxPages, 16), MessageBytes: cmp.Or(l.MessageBytes, 4<<20),
		ApprovalsPerHour: cmp.Or(l.ApprovalsPerHour, 256), MinBackoff: cmp.Or(l.MinBackoff, time.Second),
	}
}

func (l ClientLimits) negative() bool {
	return min(l.HandshakeTimeout, l.ListTimeout, l.WriteTimeout, l.StopTimeout, l.MinBackoff) < 0 || min(l.MaxTools, l.MaxPages, l.MessageBytes, l.ApprovalsPerHour) < 0
}

// A Client imports the tools of one foreign server into a registry for as long as the server is there. While it is away they are
// unknown, like tools that never were. All methods may be called concurrently.
type Client struct {
	reg    *nit.Registry
	source Source
	o      ClientOptions
	log    *slog.Logger

	running atomic.Bool
	mu      sync.Mutex
	status  Status
}

// A Status says how a [Client] stands. Err and Refused may quote the server: they are for the operator.
type Status struct {
	Connected   bool              // connected, and its tools listed
	Tools       []string          // what is imported, by the names here
	NotImported map[string]string // why other tools are not, by the server's names
	Attempts    int               // connections begun
	Err         error             // why the last one ended
}

// NewClient makes a client of s that adds to reg. Nothing happens before [Client.Run].
func NewClient(reg *nit.Registry, s Source, o ClientOptions) (*Client, error) {
	ways := 0
	for _, is := range []bool{len(s.Command) > 0, s.URL != "", s.Dial != nil} {
		if is {
			ways++
		}
	}
	switch {
	case reg == nil:
		return nil, errors.New("mcp: no registry")
	case len(s.Name) > maxServer || !goodServer.MatchString(s.Name):
		return nil, fmt.Errorf("mcp: %q is no name for a server", s.Name)
	case o.Limits.negative() || o.PollInterval < 0:
		return nil, fmt.Errorf("mcp: server %s: ClientOptions.Limits or Poll is negative", s.Name)
	case ways != 1:
		return nil, fmt.Errorf("mcp: server %s: one of Command, URL and Dial says how to reach it", s.Name)
	}
	if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, fmt.Errorf("mcp: server %s: the URL is none of HTTP", s.Name)
	}
	for name, t := range s.Tools {
		if t.Tier != 0 && t.Tier != nit.L1 && t.Tier != nit.L2 && t.Tier != nit.L3 {
			return nil, fmt.Errorf("mcp: server %s: tool %q: the tier is L1, L2 or L3, not %v", s.Name, name, t.Tier)
		}
	}
	s.Command, s.Env, s.Header, s.Tools = slices.Clone(s.Command), slices.Clone(s.Env), s.Header.Clone(), maps.Clone(s.Tools)
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler)).With(slog.String("server", s.Name))
	c := &Client{reg: reg, source: s, o: o, log: log}
	c.o.Limits = o.Limits.orDefaults()
	c.o.PollInterval = cmp.Or(o.PollInterval, time.Minute)
	return c, nil
}

// Run connects to the server and keeps its tools in the registry until ctx ends; then it takes them out, ends what it
// started, and returns nil. It connects again when the connection was lost, after a pause that doubles. Other errors than a
// State that cannot be read do not end it.
func (c *Client) Run(ctx context.Context) error {
	if !c.running.CompareAndSwap(false, true) {
		return errors.New("mcp: the client is running already")
	}
	defer c.running.Store(false)
	pins, err := loadPins(ctx, c.o.State, c.source.Name)
	if err != nil {
		return err
	}
	im := newImporter(c, pins)
	pause := c.o.Limits.MinBackoff
	for ctx.Err() == nil {
		began := time.Now()
		err := c.connect(ctx, im)
		if ctx.Err() != nil {
			break
		}
		if time.Since(began) > maxRetry {
			pause = c.o.Limits.MinBackoff // it held
		}
		c.log.Warn("the MCP server is away", slog.Any("err", err), slog.Duration("again_in", pause))
		c.update(func(s *Status) { s.Err = err })
		_ = loop.Sleep(ctx, pause)
		pause = min(2*pause, max(maxRetry, c.o.Limits.MinBackoff))
	}
	return nil
}

// connect is one connection from its begin to its end.
func (c *Client) connect(ctx context.Context, im *importer) error {
	c.update(func(s *Status) { s.Attempts++ })
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	err = im.follow(ctx, s)
	im.forget(err) // before anybody waits for the server's end
	s.end(ctx.Err() == nil && err != errAway)
	return err
}

// Status says how the client stands.
func (c *Client) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.Tools, s.NotImported = slices.Clone(s.Tools), maps.Clone(s.NotImported)
	return s
}

// update changes the status and tells the host.
func (c *Client) update(change func(*Status)) {
	c.mu.Lock()
	change(&c.status)
	c.mu.Unlock()
	if c.o.OnStatus != nil {
		c.o.OnStatus(c.Status())
	}
}
