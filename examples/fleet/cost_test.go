//go:build unix

package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/require"
)

// A quietLink is a link without a platform. Its messages are those of tell.
type quietLink struct {
	ready  chan struct{}
	handle func(context.Context, persona.Event)
}

func newQuietLink() *quietLink { return &quietLink{ready: make(chan struct{})} }

func (l *quietLink) Run(ctx context.Context, handle func(context.Context, persona.Event)) error {
	handle(ctx, persona.Connected{Self: persona.Account{Platform: "qq", ID: "20001"}, At: time.Now()})
	l.handle = handle
	close(l.ready)
	<-ctx.Done()
	return nil
}

func (l *quietLink) Send(context.Context, persona.Chat, persona.Outgoing) (string, error) {
	return fmt.Sprint("own", sends.Add(1)), nil
}

var sends atomic.Int64

func (l *quietLink) tell(ctx context.Context, n int, text string) {
	l.handle(ctx, persona.Message{
		ID: digits(int64(n)), Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "700001"}, From: digits(people[n%len(people)].id), Name: people[n%len(people)].name,
		At: time.Now(), Text: text + " #" + digits(int64(n)),
	})
}

// startBot runs a bot over a store until stop.
func startBot(tb testing.TB, o options, store social.Store, link social.Link) (stop func()) {
	opts, err := o.bot(tb.Context(), store, link, slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	opts.When.Buffer.UrgentDelay = time.Millisecond
	opts.When.Attention.Caps = heartflow.Caps{Replies: 1000, RepliesPerPerson: 1000, Window: 3 * time.Second, Consecutive: 1000}
	bot, err := social.New(opts)
	require.NoError(tb, err)
	ctx, cancel := context.WithCancel(tb.Context())
	done := make(chan error)
	go func() { done <- bot.Run(ctx) }()
	return func() { cancel(); require.NoError(tb, <-done) }
}

func newServer(tb testing.TB, settings ...string) *pgserver.Server {
	s, err := pgserver.Start()
	require.NoError(tb, err)
	tb.Cleanup(func() { s.Close() })
	if len(settings) > 0 {
		s.Settings = settings
		require.NoError(tb, s.Stop())
		require.NoError(tb, s.Launch())
	}
	return s
}

// BenchmarkMessage is the cost of a message that the same bot hears, and of one that it answers, over memory/sqlite and
// memory/postgres with a fence. cpu-µs is that of this process, server-µs that of PostgreSQL, which waits for the disk as SQLite does.
//
//	go test ./examples/fleet -run xxx -bench Message -benchtime 2000x
func BenchmarkMessage(b *testing.B) {
	o, err := parse(nil, nil)
	require.NoError(b, err)
	for _, text := range []struct{ name, text string }{{"hear", "今天好冷啊"}, {"answer", "小炉，在吗"}} {
		run := func(b *testing.B, store social.Store, server *pgserver.Server) {
			link := newQuietLink()
			stop := startBot(b, o, store, link)
			<-link.ready
			link.tell(b.Context(), 1, "早")
			before, children := cpu(b), time.Duration(0)
			if server != nil {
				require.NoError(b, server.Stop())
				require.NoError(b, server.Launch())
				link.tell(b.Context(), 2, "早")
				children = childrenCPU(b)
				before = cpu(b)
			}
			b.ResetTimer()
			for i := range b.N {
				sent := sends.Load()
				link.tell(b.Context(), 10+i, text.text)
				for end := time.Now().Add(5 * time.Second); text.name == "answer" && sends.Load() == sent && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
			stop()
			if server != nil {
				require.NoError(b, server.Stop())
				b.ReportMetric(float64((childrenCPU(b)-children).Microseconds())/float64(b.N), "server-µs/op")
			}
		}
		b.Run(text.name+"/sqlite", func(b *testing.B) {
			db, err := sqlite.Open(filepath.Join(b.TempDir(), "x.db"), sqlite.Options{})
			require.NoError(b, err)
			defer db.Close()
			run(b, db, nil)
		})
		b.Run(text.name+"/postgres", func(b *testing.B) {
			server := newServer(b, "fsync=on")
			db, err := postgres.Open(b.Context(), postgres.Options{DSN: server.DSN(pgserver.Role, pgserver.Role), Being: "x"})
			require.NoError(b, err)
			defer db.Close()
			lease, err := db.Claim(b.Context(), "", "x", time.Hour)
			require.NoError(b, err)
			run(b, db.Fenced(lease.Fence()), server)
		})
	}
}

// BenchmarkIdle is the memory of a bot that has heard some messages and waits, over one pool, and its goroutines: alone, and with a
// WebSocket to a simulated platform whose memory counts too. Run it once:
//
//	go test ./examples/fleet -run xxx -bench Idle -benchtime 1x -memprofile mem.out -memprofilerate 512
func BenchmarkIdle(b *testing.B) {
	const bots = 300
	server := newServer(b)
	o, err := parse(nil, nil)
	require.NoError(b, err)
	for _, with := range []string{"none", "websocket"} {
		b.Run(with, func(b *testing.B) {
			pool, err := connect(b.Context(), server.DSN(pgserver.Role, pgserver.Role), "x")
			require.NoError(b, err)
			defer pool.Close()
			var stops []func()
			before, goroutines := memoryNow(), runtime.NumGoroutine()
			for i := range bots {
				db, err := postgres.Open(b.Context(), postgres.Options{Pool: pool, Being: fmt.Sprint(with, i)})
				require.NoError(b, err)
				if with == "none" {
					link := newQuietLink()
					stops = append(stops, startBot(b, o, db, link))
					<-link.ready
					for n := range 3 {
						link.tell(b.Context(), n, "今天好冷啊")
					}
					continue
				}
				qq := onebottest.New(onebottest.Options{SelfID: int64(firstAccount + i)})
				g := qq.Group(firstGroup, groupNames[0])
				link, err := o.forward(qq.Start())
				require.NoError(b, err)
				stops = append(stops, startBot(b, o, db, link), qq.Close)
				require.NoError(b, qq.WaitLink(b.Context()))
				for range 3 {
					utterance{account: &account{qq: qq, said: map[int64][]int{}}, group: g, person: people[0].id, text: "今天好冷啊"}.say()
				}
			}
			time.Sleep(3 * time.Second) // until what they do at the start is over
			after := memoryNow()
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/bots/1000, "heap-kB/bot")
			b.ReportMetric(float64(after.StackInuse-before.StackInuse)/bots/1000, "stack-kB/bot")
			b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/bots, "goroutines/bot")
			writeHeap(b, with)
			var g sync.WaitGroup
			for _, stop := range stops {
				g.Go(stop)
			}
			g.Wait()
		})
	}
}

func memoryNow() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
