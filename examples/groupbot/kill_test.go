package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot that is killed at random points says nothing twice, and its journal holds every message once.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 50
	if testing.Short() {
		kills = 8
	}
	dir := t.TempDir()
	bin, db, record := filepath.Join(dir, "groupbot"), filepath.Join(dir, "bot.db"), filepath.Join(dir, "events.jsonl")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))

	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	url := qq.Start()
	group := qq.Group(hearth, "炉边夜话")
	group.Member(che, "阿澈")
	friend := qq.Friend(man, "小满")

	rng := rand.New(rand.NewPCG(50, 1))
	n := 0
	talk := func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Duration(rng.IntN(150)) * time.Millisecond):
			}
			n++
			switch text := fmt.Sprintf("第 %d 句", n); n % 3 {
			case 0:
				group.Say(che, onebot.Message{onebot.At(self), onebot.Text(" " + text)})
			case 1:
				group.Say(che, onebot.Message{onebot.Text(text)})
			default:
				friend.Say(onebot.Message{onebot.Text(text)})
			}
		}
	}
	start := func() *exec.Cmd {
		cmd := exec.Command(bin, "-onebot", url, "-db", db, "-record", record, "-speed", "40")
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		return cmd
	}
	for range kills {
		cmd := start()
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(50+rng.IntN(1000))*time.Millisecond)
		talk(ctx)
		stop()
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait(), "killed")
	}
	cmd := start() // what the last ones missed comes from the history
	time.Sleep(3 * time.Second)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "asked to end, it ends well")

	spoke := len(qq.Sent())
	events := recorded(t, record)
	t.Logf("%d kills, %d messages heard, %d said, %d events recorded", kills, n, spoke, len(events))
	assert.NotEmpty(t, events)
	require.Greater(t, spoke, kills/5, "it has to speak for the test to mean anything")
	texts := map[string]int{}
	for _, s := range qq.Sent() {
		texts[s.Chat.String()+s.Message.Text()]++
	}
	for text, times := range texts {
		assert.Equal(t, 1, times, text)
	}
	store, err := sqlite.Open(db, nil)
	require.NoError(t, err)
	defer store.Close()
	assertJournal(t, qq, store, group.Chat(), "qq:group:714285")
	assertJournal(t, qq, store, friend.Chat(), "qq:private:31002")
}

// assertJournal holds that the journal has each message of a chat once: what people said, and what the bot said.
func assertJournal(t *testing.T, qq *onebottest.Server, store memory.Store, chat onebottest.Chat, space memory.Space) {
	journal := map[string]int{}
	for r, err := range store.Scan(t.Context(), space, 0) {
		require.NoError(t, err)
		journal[r.Text]++
	}
	history := qq.History(chat)
	for _, s := range history {
		text := s.Message.TextNamed(func(int64) string { return "小炉" })
		assert.Equal(t, 1, journal[text], "%s: %s", space, text)
	}
	assert.Len(t, journal, len(history), "%s holds nothing else", space)
}
