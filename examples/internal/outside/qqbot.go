package outside

import (
	"context"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"golang.org/x/sync/errgroup"
)

// QQBotPlatform is the platform of the accounts and chats of a [QQBot].
const QQBotPlatform = "qqbot"

// A QQBot contains the flags for the official QQ bot API.
type QQBot struct {
	AppID      string // "" means that the flags name none
	SecretFile string // "" means QQBOT_SECRET
	URL        string // "" means the official one
	Webhook    string // address to listen on; "" means the gateway

	secret string
}

// Flags defines the flags.
func (q *QQBot) Flags(f *flag.FlagSet) {
	f.StringVar(&q.AppID, "qqbot", "", "`AppID` of a bot of q.qq.com: it lives in QQ by the official API, also beside -onebot or -listen; its secret is in the environment, as QQBOT_SECRET")
	f.StringVar(&q.SecretFile, "qqbot-secret-file", "", "`file` with the AppSecret of -qqbot; empty: from the environment, as QQBOT_SECRET")
	f.StringVar(&q.Webhook, "qqbot-webhook", "", "`address` to listen on for the events of -qqbot, behind a proxy with TLS, such as 127.0.0.1:8443; empty: the gateway, which needs no address")
	f.StringVar(&q.URL, "qqbot-url", "", "`URL` of the API of -qqbot; empty: "+qqbot.ProductionURL+". The sandbox is "+qqbot.SandboxURL)
}

// Enabled reports whether the flags name a bot.
func (q *QQBot) Enabled() bool { return q.AppID != "" }

// Check validates the flags and reads the secret.
func (q *QQBot) Check() (err error) {
	if !q.Enabled() {
		for name, value := range map[string]string{"qqbot-secret-file": q.SecretFile, "qqbot-webhook": q.Webhook, "qqbot-url": q.URL} {
			if value != "" {
				return lang.Errorf("-%s 没有用处：要和 -qqbot 一起写", "-%s does nothing without -qqbot", name)
			}
		}
		return nil
	}
	if strings.Trim(q.AppID, "0123456789") != "" {
		return lang.Errorf("-qqbot %q 不是 AppID：它是一串数字，在 q.qq.com 的「开发设置」里；密钥不要写在这里", "-qqbot %q is no AppID: that is a number, shown by q.qq.com; do not write the secret here", q.AppID)
	}
	if q.SecretFile != "" {
		q.secret, err = program.KeyFile("-qqbot-secret-file", q.SecretFile)
	} else if q.secret = strings.TrimSpace(os.Getenv("QQBOT_SECRET")); q.secret == "" {
		err = lang.Errorf("没有 -qqbot 的 AppSecret：设好环境变量 QQBOT_SECRET，或者用 -qqbot-secret-file 指定一个文件", "the AppSecret of -qqbot is missing: set QQBOT_SECRET, or name a file by -qqbot-secret-file")
	}
	if err == nil && q.Webhook != "" {
		q.Webhook, err = program.ListenAddress("-qqbot-webhook", q.Webhook)
	}
	return err
}

// client returns the client. An API on this machine, which is a test, gives its tokens too.
func (q *QQBot) client(log *slog.Logger) (*qqbot.Client, error) {
	o := qqbot.Options{BaseURL: q.URL, Logger: log}
	if u, err := url.Parse(q.URL); err == nil && u.Port() != "" && loopback(u.Host) {
		o.TokenURL = strings.TrimSuffix(q.URL, "/") + "/app/getAppAccessToken"
	}
	c, err := qqbot.New(q.AppID, q.secret, o)
	if err != nil {
		return nil, lang.Errorf("-qqbot：%v", "-qqbot: %v", err)
	}
	return c, nil
}

// Connect returns the link. pairing may be nil.
func (q *QQBot) Connect(pairing *qqbotlink.Pairing, log *slog.Logger) (social.Link, error) {
	client, err := q.client(log)
	if err != nil {
		return nil, err
	}
	o := qqbotlink.Options{Pairing: pairing, Logger: log}
	if q.Webhook != "" {
		listener, err := net.Listen("tcp", q.Webhook)
		if err != nil {
			return nil, lang.Errorf("-qqbot-webhook %s 听不了：%v", "-qqbot-webhook %s: %v", q.Webhook, err)
		}
		o.Source = webhookServer{client.Webhook(), listener}
	}
	return qqbotlink.New(client, o), nil
}

// A webhookServer is a webhook with its listener.
type webhookServer struct {
	webhook  *qqbot.Webhook
	listener net.Listener
}

// Run serves until ctx ends.
func (w webhookServer) Run(ctx context.Context, h qqbot.Handler) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return program.Serve(ctx, &http.Server{Handler: w.webhook, ReadHeaderTimeout: 5 * time.Second}, w.listener, 0)
	})
	g.Go(func() error { return w.webhook.Run(ctx, h) })
	return g.Wait()
}

// CheckStart reports whether the platform accepts the bot and its secret, and whether the address for a webhook is free.
func (q *QQBot) CheckStart(ctx context.Context, r *check.Report) {
	if !q.Enabled() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, check.Timeout)
	defer stop()
	client, err := q.client(slog.New(slog.DiscardHandler))
	var me qqbot.User
	if err == nil {
		me, err = client.Me(ctx)
	}
	r.Part(lang.T("QQ 官方 qqbot", "official QQ API qqbot"), lang.T("AppID %s，叫 %s", "AppID %s, named %s", q.AppID, me.Username), err)
	if q.Webhook != "" {
		r.Address(lang.T("QQ 官方 qqbot-webhook", "official QQ API qqbot-webhook"), q.Webhook)
	}
}
