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
	"os"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"golang.org/x/sync/errgroup"
)

// A Link is the flags that say where QQ is.
type Link struct {
	Forward string // URL to dial
	Listen  string // address to be dialled at
	Token   string
	Dial    *http.Client // dials Forward; nil: over the network
}

// Flags defines them.
func (l *Link) Flags(f *flag.FlagSet) {
	f.StringVar(&l.Forward, "onebot", "", "`URL` of a OneBot v11 implementation (forward WebSocket), such as ws://127.0.0.1:3001")
	f.StringVar(&l.Listen, "listen", "", "`address` to listen on for a OneBot v11 implementation (reverse WebSocket), such as 127.0.0.1:8080")
	f.StringVar(&l.Token, "token", "", "access token of the OneBot link; better in the environment, as ONEBOT_TOKEN")
}

// Real reports whether they name a QQ.
func (l *Link) Real() bool { return l.Forward != "" || l.Listen != "" }

// Check says what is wrong with them, and takes the token from the environment where there is none.
func (l *Link) Check() error {
	l.Token = cmp.Or(l.Token, os.Getenv("ONEBOT_TOKEN"))
	if l.Forward != "" && l.Listen != "" {
		return errors.New("-onebot and -listen exclude each other: the bot dials, or is dialled")
	}
	return nil
}

// Connect makes the link's source.
func (l *Link) Connect(log *slog.Logger) (onebotlink.Source, error) {
	opts := onebot.Options{Token: l.Token, Logger: log, HTTPClient: l.Dial}
	if l.Listen == "" {
		return onebot.NewClient(l.Forward, opts)
	}
	listener, err := net.Listen("tcp", l.Listen)
	if err != nil {
		return nil, fmt.Errorf("-listen: %w", err)
	}
	return reverse{onebot.NewServer(opts), listener}, nil
}

// reverse is a OneBot server that listens by itself.
type reverse struct {
	server   *onebot.Server
	listener net.Listener
}

// Run serves until ctx ends.
func (r reverse) Run(ctx context.Context, h onebot.Handler) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return program.Serve(ctx, &http.Server{Handler: r.server, ReadHeaderTimeout: 5 * time.Second}, r.listener, 0)
	})
	g.Go(func() error { return r.server.Run(ctx, h) })
	return g.Wait()
}

// Accounts are those of the QQ numbers that the flag of that name gave.
func Accounts(name, numbers string) (as []persona.Account, err error) {
	for _, s := range program.List(numbers) {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return nil, fmt.Errorf("-%s: %q is no QQ number", name, s)
		}
		as = append(as, persona.Account{Platform: "qq", ID: s})
	}
	return as, nil
}
