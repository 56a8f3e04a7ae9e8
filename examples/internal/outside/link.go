package outside

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"golang.org/x/sync/errgroup"
)

// A Connection contains the flags for the connection to QQ.
type Connection struct {
	Forward    string // URL of a forward WebSocket
	Listen     string // address to listen on for a reverse WebSocket
	Token      string
	HTTPClient *http.Client // for Forward; nil means the default client
}

// Flags defines the flags.
func (l *Connection) Flags(f *flag.FlagSet) {
	f.StringVar(&l.Forward, "onebot", "", "`URL` of a OneBot v11 implementation (forward WebSocket), such as ws://127.0.0.1:3001")
	f.StringVar(&l.Listen, "listen", "", "`address` to listen on for a OneBot v11 implementation (reverse WebSocket), such as 127.0.0.1:8080")
	f.StringVar(&l.Token, "token", "", "access token of the OneBot link; better in the environment, as ONEBOT_TOKEN")
}

// Enabled reports whether the flags name a OneBot implementation.
func (l *Connection) Enabled() bool { return l.Forward != "" || l.Listen != "" }

// Check validates the flags. An empty token is read from ONEBOT_TOKEN.
func (l *Connection) Check() error {
	if l.Token != "" && !l.Enabled() {
		return errors.New("-token does nothing without -onebot or -listen")
	}
	l.Token = cmp.Or(l.Token, os.Getenv("ONEBOT_TOKEN"))
	if l.Forward != "" && l.Listen != "" {
		return errors.New("-onebot and -listen exclude each other: the bot dials, or is dialled")
	}
	if l.Token == "" && !loopback(l.Listen) {
		return fmt.Errorf("-listen %q is not on loopback and has no token: everyone who can reach it could speak for QQ; set ONEBOT_TOKEN, or listen on 127.0.0.1", l.Listen)
	}
	return nil
}

// loopback reports whether only this machine can reach an address. An address that is none is not judged here.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip, none := netip.ParseAddr(host)
	return err != nil || host == "localhost" || none == nil && ip.IsLoopback()
}

// Connect returns the event source.
func (l *Connection) Connect(log *slog.Logger) (onebotlink.Source, error) {
	opts := onebot.Options{Token: l.Token, Logger: log, HTTPClient: l.HTTPClient}
	if l.Listen == "" {
		return onebot.NewClient(l.Forward, opts)
	}
	listener, err := net.Listen("tcp", l.Listen)
	if err != nil {
		return nil, fmt.Errorf("-listen: %w", err)
	}
	return reverseServer{onebot.NewServer(opts), listener}, nil
}

// A reverseServer is a OneBot server with its listener.
type reverseServer struct {
	server   *onebot.Server
	listener net.Listener
}

// Run serves until ctx ends.
func (r reverseServer) Run(ctx context.Context, h onebot.Handler) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return program.Serve(ctx, &http.Server{Handler: r.server, ReadHeaderTimeout: 5 * time.Second}, r.listener, 0)
	})
	g.Go(func() error { return r.server.Run(ctx, h) })
	return g.Wait()
}

// Accounts parses the QQ numbers of the flag with this name.
func Accounts(name, numbers string) (as []persona.Account, err error) {
	for _, s := range program.List(numbers) {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return nil, fmt.Errorf("-%s: %q is no QQ number", name, s)
		}
		as = append(as, persona.Account{Platform: "qq", ID: s})
	}
	return as, nil
}
