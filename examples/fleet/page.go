package main

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"golang.org/x/sync/errgroup"
)

//go:embed assets
var assets embed.FS

var pageTemplate = template.Must(template.ParseFS(assets, "assets/page.html"))

// servePage lets people talk and serves the page until ctx ends. It hands nothing over at the end.
func (s *fleet) servePage(ctx context.Context, out io.Writer) error {
	address, err := program.ListenAddress("-listen", s.o.listen)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return lang.Errorf("-listen %s 用不了：%v", "-listen %s: %v", address, err)
	}
	s.banner(out, l.Addr().String())
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		s.chatter.run(ctx)
		return nil
	})
	g.Go(func() error {
		return program.Serve(ctx, &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}, l, time.Second)
	})
	return g.Wait()
}

// handler serves the page. It is for people on this machine.
func (s *fleet) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.showPage)
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, assets, "assets/style.css") })
	mux.HandleFunc("POST /{do}", s.command)
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this page is for this machine", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		protection.Handler(mux).ServeHTTP(w, r)
	})
}

// command does what a button says.
func (s *fleet) command(w http.ResponseWriter, r *http.Request) {
	do := map[string]func(string) error{
		"kill": s.kill, "pause": s.pause, "resume": s.resume, "stop": s.stop,
		"add": func(string) error { _, err := s.add(); return err },
	}[r.PathValue("do")]
	if do == nil {
		http.NotFound(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	l := s.language(r)
	if err := do(r.PostFormValue("id")); err != nil {
		http.Error(w, l.Error(err), http.StatusConflict)
		return
	}
	http.Redirect(w, r, "/?lang="+string(l), http.StatusSeeOther)
}

func (s *fleet) language(r *http.Request) lang.Language {
	if l := lang.Language(r.FormValue("lang")); l.Valid() {
		return l
	}
	return s.o.lang
}

// A view is what the page shows.
type view struct {
	Lang      lang.Language
	Error     string
	Members   int
	Heard     int
	Said      int
	Processes []processRow
	Beings    []beingRow
	Takeovers []takeoverRow
	Kinds     []kindRow
}

type processRow struct {
	ID, State string
	Beings    int
	Member    string // time left
	Frozen    bool
	Running   bool
	Gone      bool
}

type beingRow struct {
	Name, Owner, Left, Link string
	Epoch                   int64
	Asleep                  bool
	Heard, Said             int
}

type takeoverRow struct{ At, Being, Why, From, To, Took, Gap string }

type kindRow struct {
	Why      string
	Count    int
	P50, P99 string
	Gap      string
}

// T returns a text of the page.
func (v view) T(key string) string { return v.Lang.Text(texts[key]) }

var texts = map[string]lang.Text{
	"title": lang.T("很多机器人，很多进程", "Many bots, many processes"), "processes": lang.T("进程", "Processes"), "beings": lang.T("机器人", "Bots"),
	"takeovers": lang.T("最近的接手", "Latest takeovers"), "process": lang.T("进程", "process"), "state": lang.T("状态", "state"),
	"owns": lang.T("机器人", "bots"), "member": lang.T("成员资格还剩", "membership left"), "being": lang.T("机器人", "bot"),
	"owner": lang.T("归谁", "owner"), "epoch": lang.T("第几任", "epoch"), "left": lang.T("租约还剩", "lease left"), "link": lang.T("连接", "link"),
	"heard": lang.T("群里说了", "people said"), "said": lang.T("它说了", "it said"), "at": lang.T("时间", "at"), "why": lang.T("原因", "why"),
	"from": lang.T("从", "from"), "to": lang.T("到", "to"), "took": lang.T("用时", "took"), "gap": lang.T("断线", "offline"),
	"kill": lang.T("杀掉", "Kill"), "pause": lang.T("暂停", "Pause"), "resume": lang.T("继续", "Resume"), "stop": lang.T("正常退出", "Stop"),
	"add": lang.T("加一个进程", "Add a process"), "running": lang.T("在跑", "running"), "paused": lang.T("暂停了", "paused"),
	"leaving": lang.T("正在交接", "handing over"), "gone": lang.T("没了", "gone"), "none": lang.T("还没有", "none yet"), "nobody": lang.T("没有", "nobody"), "asleep": lang.T("睡着", "asleep"),
	"count": lang.T("次数", "number"), "lost": lang.T("断了", "lost"), "members": lang.T("成员", "members"),
	"note": lang.T("杀掉或者暂停一个进程：租约到期后，别的进程接手它的机器人，不丢消息，也不重复说。正常退出马上交接。页面每两秒刷新。",
		"Kill or pause a process: when its leases end, the others take its bots over, without a lost message or a repeated answer. A stop hands over at once. The page reloads every two seconds."),
	"nodb": lang.T("数据库没有回答", "the database does not answer"),
}

// showPage shows the page.
func (s *fleet) showPage(w http.ResponseWriter, r *http.Request) {
	v := s.view(r.Context(), s.language(r))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	pageTemplate.Execute(w, v) // an error means that nobody reads it any more
}

// view collects what the page shows.
func (s *fleet) view(ctx context.Context, l lang.Language) view {
	v := view{Lang: l}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	left, err := s.memberships(ctx)
	v.Members = len(left)
	v.Beings = make([]beingRow, len(s.platform.accounts))
	err = errors.Join(err, s.fillBeings(ctx, v))
	if err != nil {
		v.Error = v.T("nodb")
	}
	owns := map[string]int{}
	for _, b := range v.Beings {
		owns[b.Owner]++
		v.Heard += b.Heard
		v.Said += b.Said
	}
	s.mu.Lock()
	for _, p := range s.processes {
		row := processRow{ID: p.id, State: v.T(string(p.state)), Beings: owns[p.id], Frozen: p.state == frozen, Running: p.state == running, Gone: p.state == gone}
		if d, ok := left[p.id]; ok {
			row.Member = seconds(d)
		}
		if row.Gone && row.Beings == 0 && row.Member == "" {
			continue
		}
		v.Processes = append(v.Processes, row)
	}
	s.mu.Unlock()
	for _, t := range s.takeovers.last(12) {
		v.Takeovers = append(v.Takeovers, takeoverRow{t.At.Format("15:04:05"), t.Being, v.T(string(t.Kind)), t.From, t.To, seconds(t.Took), seconds(t.Gap)})
	}
	for _, k := range []kind{killed, paused, stopped} {
		took := s.takeovers.durations(k, func(t takeover) time.Duration { return t.Took })
		gaps := s.takeovers.durations(k, func(t takeover) time.Duration { return t.Gap })
		if len(took) > 0 {
			v.Kinds = append(v.Kinds, kindRow{v.T(string(k)), len(took), seconds(quantile(took, .5)), seconds(quantile(took, .99)), seconds(quantile(gaps, .5))})
		}
	}
	return v
}

// memberships returns the live processes, with the time that is left.
func (s *fleet) memberships(ctx context.Context) (map[string]time.Duration, error) {
	all, err := s.members.Leases(ctx)
	left := map[string]time.Duration{}
	for _, l := range all {
		left[l.Name] = l.Left
	}
	return left, err
}

// fillBeings reads the lease of each bot.
func (s *fleet) fillBeings(ctx context.Context, v view) error {
	sleepers, err := s.members.Sleepers(ctx)
	if err != nil {
		return err
	}
	asleep := map[string]bool{}
	for _, one := range sleepers {
		asleep[one.Being] = true
	}
	var g errgroup.Group
	g.SetLimit(poolSize)
	for i, a := range s.platform.accounts {
		row := &v.Beings[i]
		a.mu.Lock()
		row.Name, row.Link, row.Heard = a.being, a.holder, a.marks
		if !a.online {
			row.Link = v.T("lost")
		}
		a.mu.Unlock()
		row.Said = len(a.qq.Sent())
		g.Go(func() error {
			held, err := s.beings[a.being].Leases(ctx)
			for _, l := range held {
				if l.Name == "" { // the others are those of connections
					row.Owner, row.Epoch, row.Left = l.Owner, l.Epoch, seconds(l.Left)
				}
			}
			row.Asleep = row.Owner == "" && asleep[a.being]
			return err
		})
	}
	return g.Wait()
}

func seconds(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// A button is a form with one button.
type button struct {
	Do, ID, Label string
	Lang          lang.Language
}

// Button returns a button for a process.
func (v view) Button(do, id string) button { return button{do, id, v.T(do), v.Lang} }
