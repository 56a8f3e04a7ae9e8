package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/freeport"
	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot with a reverse WebSocket sleeps when it is idle, and answers the person who wakes it.
func TestSleep(t *testing.T) {
	server, err := pgserver.Start()
	if errors.Is(err, pgserver.ErrMissing) && os.Getenv("HEARTH_POSTGRES") != "required" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() })
	dsn := server.DSN(pgserver.Role, pgserver.Role)
	address, err := freeport.Address()
	require.NoError(t, err)
	list := filepath.Join(t.TempDir(), "beings.txt")
	require.NoError(t, os.WriteFile(list, []byte("xiaolu 20001\n"), 0o600))
	o, err := parse([]string{"-worker", "-id", "a", "-db", dsn, "-beings", list, "-gateway", address, "-sleep", "100ms", "-speed", "1000", "-lang", "en"}, io.Discard)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx, o, strings.NewReader(""), &testLog{t: t}) }()

	qq := onebottest.New(onebottest.Options{SelfID: 20001, Nickname: "小炉"})
	defer qq.Close()
	g := qq.Group(firstGroup, "技术群")
	g.Member(people[0].id, people[0].name)
	linked := make(chan struct{})
	go func() {
		defer close(linked)
		for ctx.Err() == nil { // until the gateway listens
			qq.Connect(ctx, "ws://"+address, onebottest.ConnectOptions{})
			time.Sleep(10 * time.Millisecond)
		}
	}()
	require.NoError(t, qq.WaitLink(ctx))
	pool, err := connect(ctx, dsn, "test")
	require.NoError(t, err)
	defer pool.Close()
	members, err := postgres.Open(ctx, postgres.Options{Pool: pool, Being: group})
	require.NoError(t, err)
	asleep := func() bool {
		all, err := members.Sleepers(ctx)
		return err == nil && len(all) == 1 && all[0].Left > 0
	}
	require.Eventually(t, asleep, patience, 10*time.Millisecond)
	g.Say(people[0].id, onebot.Message{onebot.Text("小炉，在吗 #1")})
	require.Eventually(t, func() bool { return len(qq.Sent()) == 1 }, patience, 10*time.Millisecond)
	assert.Contains(t, qq.Sent()[0].Message.Text(), answerMark+"#1")
	require.Eventually(t, asleep, patience, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	<-linked
}
