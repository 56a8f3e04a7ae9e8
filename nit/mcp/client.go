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

// A Source is a remote MCP server. Set exactly one of Command, URL and Dial.
type Source struct {
	// Name prefixes the names of its tools: forecast of "weather" becomes weather__forecast. It has up to 24 letters,
	// digits, - and _. It begins with a letter, does not end with _ and contains no "__".
	Name string

	Command []string  // starts a server that speaks MCP over stdin and stdout
	Dir     string    // working directory; empty means ours
	Env     []string  // complete environment, as "PATH=/usr/bin"; ours is not inherited, because it may hold secrets
	Stderr  io.Writer // stderr of the process; nil discards

	URL       string            // streamable HTTP
	Header    http.Header       // sent with each request, for instance Authorization
	Transport http.RoundTripper // nil means a default one without a proxy

	Dial func(ctx context.Context) (io.ReadWriteCloser, error) // any other line transport; Close must end a Read

	// Trusted declares that the results are trusted and that the arguments stay on the machine. The tools then have
	// nit.ResultIntegrity(nit.Trusted). Otherwise they are nit.Untrusted and nit.OpenWorld.
	Trusted bool
	// Tier is the tier of the tools that Tools does not configure; 0 means nit.L3, which nobody sees in persona mode.
	Tier nit.Tier
	// Tools configures single tools by the server's own names. Other tools are in tier Tier without options.
	Tools map[string]ToolConfig
}

// A ToolConfig overrides the defaults for one imported tool. If the server changes the tool so that an option no longer
// fits, the tool is not imported.
type ToolConfig struct {
	Tier nit.Tier // 0 means Source.Tier
	// Options are applied last. Use nit.ReadOnly for a tool that changes nothing (the server's readOnlyHint is ignored),
	// nit.DescribeIn for your own description, nit.ResultIntegrity to differ from Source.Trusted.
	Options []nit.Option
}

// ClientOptions configure [NewClient]. The zero value imports only tools that State has as approved. A negative number
// is an error.
type ClientOptions struct {
	// Approve decides whether a tool is imported. It is called for each new tool and again when its definition changes,
	// for one tool at a time. It may wait for a human until ctx ends. Nil rejects; [TrustOnFirstUse] approves new tools.
	Approve func(ctx context.Context, q ApprovalRequest) (bool, error)
	// State stores approvals. Nil keeps them in memory, so Approve is called again after a restart.
	State nit.State
	// Limits protect against the server.
	Limits ClientLimits
	// PollInterval is the interval for listing the tools again, which also detects a dead server; 0 means 1 min.
	PollInterval time.Duration
	// OnStatus is called after each change of Status, on Run's goroutine. May be nil.
	OnStatus func(Status)
	// Logger gets rejected tools and lost connections. Nil discards.
	Logger *slog.Logger
}

// ClientLimits protect against a remote server. 0 means the default in the field's comment.
type ClientLimits struct {
	HandshakeTimeout time.Duration // to complete the handshake; 30 s
	ListTimeout      time.Duration // to list all tools; 10 s
	WriteTimeout     time.Duration // for the server to read a message; 5 s
	StopTimeout      time.Duration // for the process to exit after its stdin was closed, before it is killed; 2 s
	MaxTools         int           // number of tools to read; 128
	MaxPages         int           // pages of the tool list; 16
	MessageBytes     int           // bytes of one message; 4 MiB
	ApprovalsPerHour int           // calls of Approve per hour; 256
	MinBackoff       time.Duration // first delay before a reconnect, doubling up to 1 min; 1 s
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

// A Client imports the tools of one remote server into a registry. While the server is disconnected, its tools are
// unknown. All methods may be called concurrently.
type Client struct {
	reg    *nit.Registry
	source Source
	o      ClientOptions
	log    *slog.Logger

	running atomic.Bool
	mu      sync.Mutex
	status  Status
}

// A Status is the state of a [Client]. Err and NotImported may quote the server, so show them to the operator only.
type Status struct {
	Connected   bool              // connected and tools listed
	Tools       []string          // imported tools by local names
	NotImported map[string]string // reasons for other tools, by the server's names
	Attempts    int               // connection attempts
	Err         error             // reason the last connection ended
}

// NewClient returns a client that adds the tools of s to reg. It does nothing before [Client.Run].
func NewClient(reg *nit.Registry, s Source, o ClientOptions) (*Client, error) {
	ways := 0
	for _, is := range []bool{len(s.Command) > 0, s.URL != "", s.Dial != nil} {
		if is {
			ways++
		}
	}
	switch {
	case reg == nil:
		return nil, errors.New("mcp: a client needs a registry")
	case len(s.Name) > maxServerName || !validServerName.MatchString(s.Name):
		return nil, fmt.Errorf("mcp: invalid server name %q", s.Name)
	case o.Limits.negative() || o.PollInterval < 0:
		return nil, fmt.Errorf("mcp: server %s: a value in ClientOptions is negative", s.Name)
	case ways != 1:
		return nil, fmt.Errorf("mcp: server %s: set exactly one of Command, URL and Dial", s.Name)
	}
	if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, fmt.Errorf("mcp: server %s: the URL is not an HTTP URL", s.Name)
	}
	valid := func(t nit.Tier) bool { return t == 0 || t == nit.L1 || t == nit.L2 || t == nit.L3 }
	if !valid(s.Tier) {
		return nil, fmt.Errorf("mcp: server %s: the tier must be L1, L2 or L3, not %v", s.Name, s.Tier)
	}
	for name, t := range s.Tools {
		if !valid(t.Tier) {
			return nil, fmt.Errorf("mcp: server %s: tool %q: the tier must be L1, L2 or L3, not %v", s.Name, name, t.Tier)
		}
	}
	s.Command, s.Env, s.Header, s.Tools = slices.Clone(s.Command), slices.Clone(s.Env), s.Header.Clone(), maps.Clone(s.Tools)
	log := cmp.Or(o.Logger, slog.New(slog.DiscardHandler)).With(slog.String("server", s.Name))
	c := &Client{reg: reg, source: s, o: o, log: log}
	c.o.Limits = o.Limits.orDefaults()
	c.o.PollInterval = cmp.Or(o.PollInterval, time.Minute)
	return c, nil
}

// Run connects to the server and keeps its tools in the registry until ctx ends. Then it removes them, stops all it
// started and returns nil. It reconnects with exponential backoff. It returns an error only if State cannot be read or
// Run is already running.
func (c *Client) Run(ctx context.Context) error {
	if !c.running.CompareAndSwap(false, true) {
		return errors.New("mcp: the client is already running")
	}
	defer c.running.Store(false)
	pins, err := loadApprovals(ctx, c.o.State, c.source.Name)
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
			pause = c.o.Limits.MinBackoff // the connection was stable
		}
		c.log.Warn("MCP server disconnected", slog.Any("err", err), slog.Duration("again_in", pause))
		c.update(func(s *Status) { s.Err = err })
		_ = loop.Sleep(ctx, pause)
		pause = min(2*pause, max(maxRetry, c.o.Limits.MinBackoff))
	}
	return nil
}

// connect runs one connection until it ends.
func (c *Client) connect(ctx context.Context, im *importer) error {
	c.update(func(s *Status) { s.Attempts++ })
	s, err := c.startSession(ctx)
	if err != nil {
		return err
	}
	err = im.follow(ctx, s)
	im.removeAll(err) // before waiting for the server to stop
	s.closeAndWait(ctx.Err() == nil && err != errServerClosed)
	return err
}

// Status returns the current state.
func (c *Client) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.Tools, s.NotImported = slices.Clone(s.Tools), maps.Clone(s.NotImported)
	return s
}

// update changes the status and notifies the host.
func (c *Client) update(change func(*Status)) {
	c.mu.Lock()
	change(&c.status)
	c.mu.Unlock()
	if c.o.OnStatus != nil {
		c.o.OnStatus(c.Status())
	}
}
