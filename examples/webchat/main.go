// Webchat is a chat room in the browser with a bot in it. It shows how small a link to another platform is: link.go is all of
// it, over plain WebSocket.
//
//	go run ./examples/webchat
//
// Then open http://127.0.0.1:8090 in two tabs, choose two names, and write "@小炉 在吗". Without flags the model is offline and
// answers by fixed rules.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"golang.org/x/sync/errgroup"
)

var help = program.Help{
	About: lang.T("webchat 是浏览器里的聊天室，里面有一个机器人。\n", "webchat is a chat room in the browser with a bot in it.\n"),
	Chinese: func(name string) string {
		if name == "listen" {
			return "网页的地址"
		}
		return config.Chinese(name)
	},
}

func main() { program.Main("webchat", run) }

// run is main without the process.
func run(ctx context.Context, args []string, _ io.Reader, out, diagnostics io.Writer) error {
	f := flag.NewFlagSet("webchat", flag.ContinueOnError)
	var model outside.Model
	model.Flags(f)
	name := f.String("name", "小炉", "the bot's `name`")
	listen := f.String("listen", "127.0.0.1:8090", "`address` of the page")
	db := f.String("db", "", "SQLite `file` to remember in; empty: forget at exit")
	if err := program.Parse(f, help, args, diagnostics); err != nil {
		return err
	}
	if err := model.Check(); err != nil {
		return err
	}
	language := lang.Of(args)
	log := program.NewLog(diagnostics, language, slog.LevelWarn)
	store, closeStore, err := outside.Store(*db)
	if err != nil {
		return err
	}
	defer closeStore()
	models, err := model.New(offline.Model{}, 0, log)
	if err != nil {
		return err
	}
	room := newRoom(*name)
	o, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: *name, About: "爱坐在炉边听大家聊天，说话简短。"},
		Model:   models.Default,
		Models:  models.ByPurpose,
		Link:    room,
		Storage: social.Storage{Store: store},
		Hooks:   social.Hooks{Logger: log},
	})
	if err != nil {
		return err
	}
	bot, err := social.New(o)
	if err != nil {
		return err
	}
	address, err := program.ListenAddress("-listen", *listen)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return lang.Errorf("-listen %s 听不了：%v", "-listen %s: %v", *listen, err)
	}
	fmt.Fprintln(out, language.Sprintf("%s 在 http://%s 的聊天室里", "%s is in the chat room at http://%s", *name, listener.Addr()))
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bot.Run(ctx) })
	g.Go(func() error {
		server := &http.Server{Handler: handler(room), ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
		return program.Serve(ctx, server, listener, time.Second)
	})
	return g.Wait()
}

//go:embed page
var page embed.FS

// handler serves the page and the room.
func handler(r *room) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /ws", r)
	files, _ := fs.Sub(page, "page") // fails only for an invalid name
	mux.Handle("GET /", http.FileServerFS(files))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !isAddress(req.Host) { // a name may be that of another page, which points it here
			http.Error(w, "open it by its address, such as http://127.0.0.1:8090", http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, req)
	})
}

// isAddress reports whether a host is localhost or an IP address.
func isAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil
}
