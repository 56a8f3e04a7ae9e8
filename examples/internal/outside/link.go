package outside

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
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
		return lang.Errorf("-token 没有用处：要和 -onebot 或 -listen 一起写", "-token does nothing without -onebot or -listen")
	}
	l.Token = cmp.Or(l.Token, os.Getenv("ONEBOT_TOKEN"))
	if l.Forward != "" && l.Listen != "" {
		return lang.Errorf("-onebot 和 -listen 只能选一个：要么去连对方，要么等对方来连", "-onebot and -listen exclude each other: the bot dials, or is dialled")
	}
	if err := program.CheckWS("-onebot", l.Forward); err != nil {
		return err
	}
	if l.Listen != "" {
		address, err := program.ListenAddress("-listen", l.Listen)
		if err != nil {
			return err
		}
		l.Listen = address
	}
	if l.Token == "" && !loopback(l.Listen) {
		return lang.Errorf("-listen %q 不是本机地址，又没有 token：谁连得上，谁就能冒充 QQ；设置 ONEBOT_TOKEN，或者只听 127.0.0.1", "-listen %q is not on loopback and has no token: everyone who can reach it could speak for QQ; set ONEBOT_TOKEN, or listen on 127.0.0.1", l.Listen)
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
		client, err := onebot.NewClient(l.Forward, opts)
		return forwardClient{client, l.Forward}, err
	}
	listener, err := net.Listen("tcp", l.Listen)
	if err != nil {
		return nil, lang.Errorf("-listen %s 听不了：%v", "-listen %s: %v", l.Listen, err)
	}
	return reverseServer{onebot.NewServer(opts), listener}, nil
}

// tokenError says that the implementation at a URL rejects the token.
func tokenError(url string, err error) error {
	return lang.Errorf("%s 不接受这个 token：-token 或 ONEBOT_TOKEN 要和那边填的 access token 一样（%v）",
		"%s rejects the token: -token or ONEBOT_TOKEN must be the access token that is set there (%v)", Host(url), err)
}

// A forwardClient is a client whose errors name its URL.
type forwardClient struct {
	*onebot.Client
	url string
}

// Run runs the client.
func (f forwardClient) Run(ctx context.Context, h onebot.Handler) error {
	err := f.Client.Run(ctx, h)
	if errors.Is(err, onebot.ErrAuth) {
		err = tokenError(f.url, err)
	}
	return err
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

// Accounts parses the accounts of the flag with this name: QQ numbers, and openids of the official API as qqbot:OPENID.
func Accounts(name, list string) (as []persona.Account, err error) {
	for _, s := range program.List(list) {
		a, err := account(name, s)
		if err != nil {
			return nil, err
		}
		as = append(as, a)
	}
	return as, nil
}

func account(name, s string) (persona.Account, error) {
	if id, ok := strings.CutPrefix(s, QQBotPlatform+":"); ok && id != "" {
		return persona.Account{Platform: QQBotPlatform, ID: id}, nil
	}
	if _, err := strconv.ParseInt(s, 10, 64); err != nil {
		return persona.Account{}, lang.Errorf("-%s：%q 不是 QQ 号", "-%s: %q is no QQ number", name, s)
	}
	return persona.Account{Platform: "qq", ID: s}, nil
}

// SamePerson parses the accounts of the flag with this name that belong to one person: 10001=qqbot:OPENID, separated by commas.
func SamePerson(name, list string) (all [][]persona.Account, err error) {
	for _, s := range program.List(list) {
		var one []persona.Account
		for part := range strings.SplitSeq(s, "=") {
			a, err := account(name, strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			one = append(one, a)
		}
		if len(one) < 2 {
			return nil, lang.Errorf("-%s：%q 只有一个号：写成 10001=qqbot:OPENID", "-%s: %q is one account: write 10001=qqbot:OPENID", name, s)
		}
		all = append(all, one)
	}
	return all, nil
}
