package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the validated flags.
type options struct {
	qq                     int64 // 0 means any, in the demo
	napcatPath, napcatArgs string
	napcatConfig           string
	napcatPort, wsPort     int
	ws, web, token         string // URLs and token of OneBot; web is "" if calls use the WebSocket
	groups                 map[int64]bool
	friends                map[int64]bool // nil means none; for groups nil means all
	buffer, every          int
	dropOwn, split         bool
	images, db             string
	model                  modelOptions
	listen, listenToken    string
	demo                   bool
	level                  slog.Level
	pace                   time.Duration // minimum time between two replies to a chat
	httpClient             *http.Client  // for OneBot; nil means the default client
}

const usage = `qqmcp brings QQ into an MCP client, over standard input and output or over HTTP.

  qqmcp --demo                                       a simulated QQ, to try it
  qqmcp --qq 10001 --onebot-ws ws://127.0.0.1:3001   with a OneBot v11 implementation that runs
  qqmcp --qq 10001 --napcat-path /opt/napcat.sh      with a NapCat that it starts and keeps up

The flags, each with one dash or two:

`

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("qqmcp", flag.ContinueOnError)
	f.SetOutput(io.Discard) // the caller prints the error
	f.Int64Var(&o.qq, "qq", 0, "the account's QQ `number`; needed, but in the demo")
	f.StringVar(&o.napcatPath, "napcat-path", "", "`program` that starts NapCat; empty: connect to one that runs")
	f.StringVar(&o.napcatArgs, "napcat-args", "", "`arguments` for it, separated by spaces; empty: -q and the QQ number")
	f.StringVar(&o.napcatConfig, "napcat-config", "", "NapCat's config `directory`, to have it listen on loopback with a token; empty: config beside the program, if that is there")
	f.IntVar(&o.napcatPort, "napcat-port", 3000, "`port` of NapCat's OneBot HTTP server")
	f.IntVar(&o.wsPort, "ws-port", 3001, "`port` of NapCat's OneBot WebSocket server")
	f.StringVar(&o.ws, "onebot-ws", "", "`URL` of a OneBot v11 WebSocket server; empty: ws://127.0.0.1 and --ws-port")
	f.StringVar(&o.web, "onebot-http", "", "`URL` of a OneBot v11 HTTP server for calls; empty: calls go over the WebSocket, unless --napcat-path or --napcat-port is given")
	f.StringVar(&o.token, "token", "", "access token of OneBot; better in the environment, as ONEBOT_TOKEN")
	groups := f.String("groups", "", "`numbers` of the groups that are read and written to, separated by commas; empty: all")
	friends := f.String("friends", "", "QQ `numbers` of friends whose private chats are read and written to; empty: none")
	f.IntVar(&o.buffer, "buffer-size", 100, "newest `messages` of each chat that are kept as they are")
	f.IntVar(&o.every, "compress-every", 30, "when a chat has so many `messages` more than --buffer-size, as many of its oldest are summed up")
	f.BoolVar(&o.dropOwn, "drop-own", false, "the account's own messages are not kept")
	f.BoolVar(&o.split, "split", false, "a reply is sent sentence by sentence, as somebody types it: at least 1 s and at most 3 s between two; otherwise it is one message")
	whole := f.Bool("no-split", false, "a reply is one message: the default, so this flag has no effect; it is there for older configurations")
	f.StringVar(&o.images, "images", "", "`directory` of pictures that may be sent; empty: only those of the public web")
	f.StringVar(&o.db, "db", "", "SQLite `file` that keeps messages and summaries; empty: they go with the process")
	o.model.flags(f)
	f.StringVar(&o.listen, "http", "", "loopback `address` for MCP over streamable HTTP, such as 127.0.0.1:8765; empty: over standard input and output")
	f.StringVar(&o.listenToken, "http-token", "", "what HTTP clients send as Authorization: Bearer; better in the environment, as QQMCP_HTTP_TOKEN; empty: one is made up and logged")
	f.BoolVar(&o.demo, "demo", false, "a simulated QQ with people who chat")
	level := f.String("log-level", "info", "debug, `info`, warn or error; the log goes to standard error")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(diagnostics, usage)
		f.SetOutput(diagnostics)
		f.PrintDefaults()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w; --help lists the flags", err)
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: everything is a flag", f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if o.split && *whole {
		return o, errors.New("--split and --no-split exclude each other")
	}
	if o.groups, err = numbers("groups", *groups); err != nil {
		return o, err
	}
	if given["groups"] && o.groups == nil { // an empty list must not allow everything
		return o, errors.New("--groups is empty: leave it out for all groups")
	}
	if o.friends, err = numbers("friends", *friends); err != nil {
		return o, err
	}
	if o.level, err = levelOf(*level); err != nil {
		return o, err
	}
	o.token = cmp.Or(o.token, os.Getenv("ONEBOT_TOKEN"))
	o.listenToken = cmp.Or(o.listenToken, os.Getenv("QQMCP_HTTP_TOKEN"))
	o.pace = 3 * time.Second
	return o, o.check(given)
}

// check validates the flags and sets the addresses of OneBot.
func (o *options) check(given map[string]bool) error {
	alone := []string{"napcat-path", "onebot-ws", "onebot-http", "napcat-port", "ws-port"}
	conflict := slices.IndexFunc(alone, func(name string) bool { return given[name] })
	switch {
	case o.demo && conflict >= 0:
		return fmt.Errorf("--demo and --%s exclude each other: the demo has a QQ of its own", alone[conflict])
	case o.demo && o.db != "":
		return errors.New("--demo and --db exclude each other: the demo starts from scratch each time")
	case !o.demo && o.qq == 0:
		return errors.New("--qq is missing: the QQ number of the account; or --demo for a simulated QQ")
	case o.qq < 0:
		return fmt.Errorf("--qq %d is no QQ number", o.qq)
	case o.napcatPath != "" && (o.ws != "" || o.web != ""):
		return errors.New("--napcat-path starts a NapCat of its own: --onebot-ws and --onebot-http name one that runs")
	case o.napcatPath == "" && (o.napcatArgs != "" || o.napcatConfig != ""):
		return errors.New("--napcat-args and --napcat-config need --napcat-path")
	case o.buffer < 1 || o.buffer > 1000:
		return fmt.Errorf("--buffer-size %d must be from 1 to 1000", o.buffer)
	case o.every < 1:
		return fmt.Errorf("--compress-every %d must be positive", o.every)
	case o.napcatPort == o.wsPort:
		return errors.New("--napcat-port and --ws-port are the same")
	}
	for name, port := range map[string]int{"napcat-port": o.napcatPort, "ws-port": o.wsPort} {
		if port < 1 || port > 65535 {
			return fmt.Errorf("--%s %d is no port", name, port)
		}
	}
	if err := checkURL("onebot-ws", o.ws, "ws", "wss"); err != nil {
		return err
	}
	if err := checkURL("onebot-http", o.web, "http", "https"); err != nil {
		return err
	}
	o.ws = cmp.Or(o.ws, fmt.Sprint("ws://127.0.0.1:", o.wsPort))
	if o.web == "" && (o.napcatPath != "" || given["napcat-port"]) {
		o.web = fmt.Sprint("http://127.0.0.1:", o.napcatPort)
	}
	if o.listen != "" {
		if err := checkLoopback(o.listen); err != nil {
			return err
		}
	} else if given["http-token"] {
		return errors.New("--http-token needs --http")
	}
	return o.model.check()
}

func checkURL(name, s string, schemes ...string) error {
	if s == "" {
		return nil
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		return fmt.Errorf("--%s is no URL such as %s://127.0.0.1:3001", name, schemes[0])
	}
	return nil
}

// checkLoopback rejects addresses that other computers can reach.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--http %q is no address such as 127.0.0.1:8765", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--http %q would be open to others than this computer: use 127.0.0.1 or [::1]", address)
	}
	return nil
}

// numbers parses a list of QQ numbers. It returns nil for an empty list.
func numbers(name, s string) (map[int64]bool, error) {
	var all map[int64]bool
	for _, v := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' }) {
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("--%s: %q is no number of QQ", name, v)
		}
		if all == nil {
			all = map[int64]bool{}
		}
		all[n] = true
	}
	return all, nil
}

func levelOf(s string) (slog.Level, error) {
	switch strings.ToLower(s) {
	case "debug":
		return slog.LevelDebug, nil
	case "info":
		return slog.LevelInfo, nil
	case "warn", "warning":
		return slog.LevelWarn, nil
	case "error", "critical":
		return slog.LevelError, nil
	}
	return 0, fmt.Errorf("--log-level %q is unknown: debug, info, warn or error", s)
}

func newLog(level slog.Level, w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
