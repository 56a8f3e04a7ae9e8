package outside

import (
	"cmp"
	"context"
	"crypto/rand"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona/social/inspect"
)

// Pages contains the flags for pages about the bot.
type Pages struct {
	Address   string // "" means none
	Token     string // "" means that one is made
	ReadToken string // "" means none

	Made bool // Token was made
}

// minToken is the least length of a token.
const minToken = 16

// Flags defines the flags.
func (p *Pages) Flags(f *flag.FlagSet) {
	f.StringVar(&p.Address, "http", "", "`address` of pages that show the bot: what it reads, decides and says, and why; its prompts and memory; such as 127.0.0.1:8081; empty: none")
	f.StringVar(&p.Token, "http-token", "", "`token` for the pages of -http; better in the environment, as GROUPBOT_TOKEN; empty: one is made and printed")
	f.StringVar(&p.ReadToken, "http-read-token", "", "`token` for people who may only look, and see no private chat, prompt or memory; empty: none")
}

// Check validates the flags.
func (p *Pages) Check() (err error) {
	if p.Address == "" {
		if p.Token+p.ReadToken != "" {
			return lang.Errorf("-http-token 和 -http-read-token 没有用处：要和 -http 一起写", "-http-token and -http-read-token do nothing without -http")
		}
		return nil
	}
	if p.Address, err = program.ListenAddress("-http", p.Address); err != nil {
		return err
	}
	given := cmp.Or(p.Token, os.Getenv("GROUPBOT_TOKEN"))
	if p.Token, p.Made = given, given == ""; p.Made {
		p.Token = rand.Text()
	}
	for _, token := range []string{p.Token, p.ReadToken} {
		if token != "" && len(token) < minToken {
			return lang.Errorf("-http 的 token 太短了：至少 %d 个字符", "a token of -http is too short: %d characters at least", minToken)
		}
	}
	if p.Made && !loopback(p.Address) {
		return lang.Errorf("-http %q 别的电脑也连得到：自己定一个 GROUPBOT_TOKEN，前面加一个带 TLS 的代理", "-http %q is not on loopback: set GROUPBOT_TOKEN, and put a proxy with TLS before it", p.Address)
	}
	return nil
}

// Serve serves the pages of a bot until ctx ends. Without an address it returns at once. ready is called with the URL.
func (p *Pages) Serve(ctx context.Context, name string, bot inspect.Bot, prices Prices, log *slog.Logger, ready func(url string)) error {
	if p.Address == "" {
		return nil
	}
	pages, err := inspect.New(inspect.Options{Bots: []inspect.Named{{Name: name, Bot: bot}}, Token: p.Token, ReadToken: p.ReadToken, Prices: prices.Prices, Logger: log})
	if err != nil {
		return err
	}
	defer pages.Close()
	listener, err := net.Listen("tcp", p.Address)
	if err != nil {
		return lang.Errorf("-http %s 听不了：%v", "-http %s: %v", p.Address, err)
	}
	ready("http://" + listener.Addr().String() + "/")
	server := &http.Server{Handler: pages, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return ctx }}
	return program.Serve(ctx, server, listener, time.Second)
}
