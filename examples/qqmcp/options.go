package main

import (
	"cmp"
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

	"github.com/hearth-bot/hearth/examples/internal/lang"
	shared "github.com/hearth-bot/hearth/examples/internal/program"
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
	lang                   lang.Language
	pace                   time.Duration // minimum time between two replies to a chat
	httpClient             *http.Client  // for OneBot; nil means the default client
}

// help is what --help prints.
var help = shared.Help{
	About: lang.T("qqmcp 把 QQ 接进 MCP 客户端，走标准输入输出或者 HTTP。参数前一个或两个 - 都行。\n",
		"qqmcp brings QQ into an MCP client, over standard input and output or over HTTP.\n"),
	Examples: []shared.Example{
		{Command: "qqmcp --demo", Meaning: lang.T("模拟的 QQ，先试试", "a simulated QQ, to try it")},
		{Command: "qqmcp --qq 10001 --onebot-ws ws://127.0.0.1:3001", Meaning: lang.T("连上正在运行的 NapCat、LLBot 等 OneBot v11 实现", "with a OneBot v11 implementation that runs")},
		{Command: "qqmcp --qq 10001 --napcat-path /opt/napcat.sh", Meaning: lang.T("自己启动一个 NapCat，它退出了就再启动", "with a NapCat that it starts and keeps up")},
	},
	Sections: []shared.Section{
		{Title: lang.T("连接 QQ", "Link to QQ"), Flags: []string{"qq", "onebot-ws", "onebot-http", "token", "demo"}},
		{Title: lang.T("自己启动 NapCat", "A NapCat of its own"), Flags: []string{"napcat-path", "napcat-args", "napcat-config", "napcat-port", "ws-port"}},
		{Title: lang.T("读什么、发什么", "What is read and sent"), Flags: []string{"groups", "friends", "drop-own", "split", "no-split", "images"}},
		{Title: lang.T("记住多少", "What is kept"), Flags: []string{"db", "buffer-size", "compress-every", "model", "model-name", "base-url", "key-file"}},
		{Title: lang.T("MCP 走 HTTP", "MCP over HTTP"), Flags: []string{"http", "http-token"}},
	},
	Chinese: func(name string) string { return chinese[name] },
}

// chinese are the Chinese texts of the flags.
var chinese = map[string]string{
	"qq":             "账号的 QQ 号；除了演示都要写",
	"onebot-ws":      "OneBot v11 的 WebSocket 地址；空：ws://127.0.0.1 加 --ws-port",
	"onebot-http":    "OneBot v11 的 HTTP 地址，用来调用；空：走 WebSocket，除非写了 --napcat-path 或 --napcat-port",
	"token":          "OneBot 的 access token；放在环境变量 ONEBOT_TOKEN 里更好",
	"demo":           "模拟的 QQ，里面有人聊天",
	"napcat-path":    "启动 NapCat 的程序；空：连接已经在运行的",
	"napcat-args":    "它的参数，用空格隔开；空：-q 和 QQ 号",
	"napcat-config":  "NapCat 的配置目录，qqmcp 让它只监听本机并设好 token；空：程序旁边的 config，有的话",
	"napcat-port":    "NapCat 的 OneBot HTTP 端口",
	"ws-port":        "NapCat 的 OneBot WebSocket 端口",
	"groups":         "能读能发的群号，用逗号隔开；空：全部",
	"friends":        "能读能发私聊的好友 QQ 号，用逗号隔开；空：没有",
	"drop-own":       "不留账号自己发的消息",
	"split":          "一句一句地发，像人打字那样，两句之间 1 到 3 秒；不写就发成一条",
	"no-split":       "发成一条：默认就是这样，留着它是为了旧的配置",
	"images":         "可以发的图片的目录；空：只能发公网上的",
	"db":             "存消息和摘要的 SQLite 文件；空：退出就没了",
	"buffer-size":    "每个聊天原样留多少条最新的消息",
	"compress-every": "比 --buffer-size 多出这么多条时，把最旧的这么多条压成摘要",
	"model":          "用什么写摘要：none 按规则，openai 任何兼容的服务，ollama",
	"model-name":     "模型的名字",
	"base-url":       "模型服务的地址；空：openai 的，或者本机 ollama 的",
	"key-file":       "存放模型服务密钥的文件；空：用环境变量 OPENAI_API_KEY",
	"http":           "MCP 走 HTTP 的本机地址，例如 127.0.0.1:8765，或者只写端口；空：走标准输入输出",
	"http-token":     "HTTP 客户端在 Authorization: Bearer 里写的令牌；放在环境变量 QQMCP_HTTP_TOKEN 里更好；空：生成一个，写进日志",
	"log-level":      "日志级别：debug、info、warn、error；日志写到标准错误",
	"lang":           "给人看的文字用哪种语言：zh 中文，en 英文；空：看 LC_ALL、LC_MESSAGES、LANG",
}

func parse(args []string, diagnostics io.Writer) (o options, err error) {
	f := flag.NewFlagSet("qqmcp", flag.ContinueOnError)
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
	code := f.String("lang", "", "language of messages to the user: zh or en; empty: that of LC_ALL, LC_MESSAGES or LANG")
	if err := shared.Parse(f, help, args, diagnostics); err != nil {
		return o, err
	}
	if err := shared.NoArguments(f); err != nil {
		return o, err
	}
	if o.lang = lang.Language(*code); *code == "" {
		o.lang = lang.Of(args)
	}
	if err := o.lang.Check(); err != nil {
		return o, err
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if o.split && *whole {
		return o, lang.Errorf("--split 和 --no-split 只能选一个", "--split and --no-split exclude each other")
	}
	if o.groups, err = numbers("groups", *groups); err != nil {
		return o, err
	}
	if given["groups"] && o.groups == nil { // an empty list must not allow everything
		return o, lang.Errorf("--groups 是空的：要所有的群就别写它", "--groups is empty: leave it out for all groups")
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
		return lang.Errorf("--demo 和 --%s 只能选一个：演示用它自己的 QQ", "--demo and --%s exclude each other: the demo has a QQ of its own", alone[conflict])
	case o.demo && o.db != "":
		return lang.Errorf("--demo 和 --db 只能选一个：演示每次都从头开始", "--demo and --db exclude each other: the demo starts from scratch each time")
	case !o.demo && o.qq == 0:
		return lang.Errorf("缺 --qq：账号的 QQ 号；想先试试就用 --demo，里面是模拟的 QQ", "--qq is missing: the QQ number of the account; or --demo for a simulated QQ")
	case o.qq < 0:
		return lang.Errorf("--qq %d 不是 QQ 号", "--qq %d is no QQ number", o.qq)
	case o.napcatPath != "" && (o.ws != "" || o.web != ""):
		return lang.Errorf("--napcat-path 会自己启动一个 NapCat：已经有一个在运行，才用 --onebot-ws 和 --onebot-http", "--napcat-path starts a NapCat of its own: --onebot-ws and --onebot-http name one that runs")
	case o.napcatPath == "" && (o.napcatArgs != "" || o.napcatConfig != ""):
		return lang.Errorf("--napcat-args 和 --napcat-config 要和 --napcat-path 一起用", "--napcat-args and --napcat-config need --napcat-path")
	case o.buffer < 1 || o.buffer > 1000:
		return lang.Errorf("--buffer-size %d 要在 1 到 1000 之间", "--buffer-size %d must be from 1 to 1000", o.buffer)
	case o.every < 1:
		return lang.Errorf("--compress-every %d 要大于 0", "--compress-every %d must be positive", o.every)
	case o.napcatPort == o.wsPort:
		return lang.Errorf("--napcat-port 和 --ws-port 不能一样", "--napcat-port and --ws-port are the same")
	}
	for name, port := range map[string]int{"napcat-port": o.napcatPort, "ws-port": o.wsPort} {
		if port < 1 || port > 65535 {
			return lang.Errorf("--%s %d 不是端口：1 到 65535", "--%s %d is no port: 1 to 65535", name, port)
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
		address, err := shared.ListenAddress("--http", o.listen)
		if err == nil {
			err = checkLoopback(address)
		}
		if err != nil {
			return err
		}
		o.listen = address
	} else if given["http-token"] {
		return lang.Errorf("--http-token 要和 --http 一起用", "--http-token needs --http")
	}
	return o.model.check()
}

func checkURL(name, s string, schemes ...string) error {
	if s == "" {
		return nil
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		return lang.Errorf("--%s 不是 %s://127.0.0.1:3001 这样的地址", "--%s is no URL such as %s://127.0.0.1:3001", name, schemes[0])
	}
	return nil
}

// checkLoopback rejects addresses that other computers can reach.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return lang.Errorf("--http %q 不是 127.0.0.1:8765 这样的地址", "--http %q is no address such as 127.0.0.1:8765", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return lang.Errorf("--http %q 别的电脑也连得到：写 127.0.0.1 或者 [::1]", "--http %q would be open to others than this computer: use 127.0.0.1 or [::1]", address)
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
			return nil, lang.Errorf("--%s：%q 不是群号或 QQ 号", "--%s: %q is no number of QQ", name, v)
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
	return 0, lang.Errorf("--log-level %q 不认识：写 debug、info、warn 或者 error", "--log-level %q is unknown: debug, info, warn or error", s)
}
