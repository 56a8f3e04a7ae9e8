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
	Env string // name of the environment variable with the token
	Day bool   // the first page is the bot's day

	Address   string // "" means none
	Token     string // "" means that one is made
	ReadToken string // "" means none
}

// minToken is the least length of a token.
const minToken = 16

// Flags defines the flags. Call it after Env and Day are set. address is the default of -http.
func (p *Pages) Flags(f *flag.FlagSet, address string) {
	f.StringVar(&p.Address, "http", address, "`address` of pages that show the bot: its day, and a box to talk to it; what it reads, decides and says, and why; its prompts and memory; such as 127.0.0.1:8081; port 0: any that is free, and the same again with -db; empty or off: none")
	f.StringVar(&p.Token, "http-token", "", "`token` for the pages of -http; better in the environment, as "+p.Env+"; empty: one is made and printed, and kept beside the file of -db")
	f.StringVar(&p.ReadToken, "http-read-token", "", "`token` for people who may only look, and see no private chat, prompt or memory; empty: none")
}

// Check validates the flags.
func (p *Pages) Check() (err error) {
	if p.Address == "off" {
		p.Address = ""
	}
	if p.Address == "" {
		if p.Token+p.ReadToken != "" {
			return lang.Errorf("-http-token 和 -http-read-token 没有用处：要和 -http 一起写", "-http-token and -http-read-token do nothing without -http")
		}
		return nil
	}
	if p.Address, err = program.ListenAddress("-http", p.Address); err != nil {
		return err
	}
	p.Token = cmp.Or(p.Token, os.Getenv(p.Env))
	for _, token := range []string{p.Token, p.ReadToken} {
		if token != "" && len(token) < minToken {
			return lang.Errorf("-http 的 token 太短了：至少 %d 个字符", "a token of -http is too short: %d characters at least", minToken)
		}
	}
	if p.Token == "" && !loopback(p.Address) {
		return lang.Errorf("-http %q 别的电脑也连得到：自己定一个 %s，前面加一个带 TLS 的代理", "-http %q is not on loopback: set %s, and put a proxy with TLS before it", p.Address, p.Env)
	}
	return nil
}

// A PageServer serves the pages of a bot. Nil has none.
type PageServer struct {
	pages    *inspect.Handler
	listener net.Listener
	token    string // "" if the user gave one
}

// Open listens for the pages of a bot. Without an address it returns nil. db is -db: if it is a file, the port and the token
// are kept beside it.
func (p *Pages) Open(bot inspect.Named, db string, prices Prices, log *slog.Logger) (*PageServer, error) {
	if p.Address == "" {
		return nil, nil
	}
	file := keptFile(db)
	found, err := readKept(file)
	if err != nil {
		return nil, err
	}
	s := &PageServer{}
	token := p.Token
	if token == "" {
		if s.token = found.Token; len(s.token) < minToken {
			s.token = rand.Text()
		}
		token = s.token
	}
	if s.pages, err = inspect.New(inspect.Options{Bots: []inspect.Named{bot}, Token: token, ReadToken: p.ReadToken, Day: p.Day, Prices: prices.Prices, Logger: log}); err != nil {
		return nil, err
	}
	if s.listener, err = found.listen(p.Address); err != nil {
		s.Close()
		return nil, lang.Errorf("-http %s 听不了：%v", "-http %s: %v", p.Address, err)
	}
	if err := (kept{s.listener.Addr().String(), s.token}).write(file, found); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Line is the line that tells where the pages are. A token that the user gave is not printed.
func (s *PageServer) Line(l lang.Language) string {
	url := "http://" + s.listener.Addr().String() + "/"
	if s.token == "" {
		return l.Sprintf("它的网页：%s", "its pages: %s", url)
	}
	return l.Sprintf("它的网页：%s，令牌是 %s", "its pages: %s, with the token %s", url, s.token)
}

// Run serves the pages until ctx ends.
func (s *PageServer) Run(ctx context.Context) error {
	if s == nil {
		return nil
	}
	defer s.Close()
	defer context.AfterFunc(ctx, s.pages.Close)() // ends open pages and the turns of the owner
	server := &http.Server{Handler: s.pages, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	return program.Serve(ctx, server, s.listener, 3*time.Second)
}

// Close ends what Run has not. It may be called several times.
func (s *PageServer) Close() {
	if s == nil {
		return
	}
	s.pages.Close()
	if s.listener != nil {
		s.listener.Close()
	}
}
