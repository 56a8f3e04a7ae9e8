package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// A bot that is killed at random points sends nothing twice, and its journal contains every message once.
func TestRun_Killed(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "groupbot")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, test := range []struct {
		name  string
		flags []string
		kills int
	}{
		{"mention, one call", []string{"-attention", "mention"}, 50},
		{"as it is", nil, 30},
	} {
		if testing.Short() {
			test.kills = 8
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			kill(t, bin, test.kills, test.flags)
		})
	}
}

func kill(t *testing.T, bin string, kills int, flags []string) {
	dir := t.TempDir()
	db, record := filepath.Join(dir, "bot.db"), filepath.Join(dir, "events.jsonl")
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	url := qq.Start()
	group := qq.Group(hearthGroup, "炉边夜话")
	group.Member(che, "阿澈")
	friend := qq.Friend(man, "小满")

	rng := rand.New(rand.NewPCG(50, 1))
	n := 0
	talk := func(life time.Duration) { // at most about ten messages
		ctx, stop := context.WithTimeout(t.Context(), life)
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Duration(rng.IntN(150)) * max(time.Millisecond, life/1000)):
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
		cmd := exec.Command(bin, append([]string{"-onebot", url, "-db", db, "-record", record, "-speed", "40", "-max-replies", "1000", "-max-replies-per-person", "1000"}, flags...)...)
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		return cmd
	}
	spaces := map[onebottest.Chat]memory.Space{group.Chat(): "qq:group:714285", friend.Chat(): "qq:private:31002"}
	// caughtUp waits until the journal has all messages, including those that the bot missed.
	caughtUp := func() {
		until(t, func() bool { return qq.Links() == 1 })
		var missing []string
		defer func() {
			if len(missing) > 0 {
				t.Log("not in the journal: ", missing)
			}
		}()
		until(t, func() bool {
			store, err := sqlite.Open(db, sqlite.Options{ReadOnly: true})
			require.NoError(t, err)
			defer store.Close()
			missing = nil
			for chat, space := range spaces {
				kept := journal(t, store, space)
				for _, s := range qq.History(chat) {
					if text := heard(s.Message); kept[text] == 0 {
						missing = append(missing, fmt.Sprint(chat, " ", text))
					}
				}
			}
			return len(missing) == 0
		})
	}
	// More kills are only needed if the machine is so slow that the bot hardly spoke.
	for i := 0; i < kills || len(qq.Sent()) <= kills/5; i++ {
		cmd := start()
		if i == 0 { // the bot fetches what it missed in chats that it knows
			until(t, func() bool { return qq.Links() == 1 })
			group.Say(che, onebot.Message{onebot.Text("第 0 句")})
			friend.Say(onebot.Message{onebot.Text("第 0 句")})
			caughtUp()
		}
		if i%3 > 0 { // every third is killed at any point; the others must not miss more messages than a back-fill returns
			caughtUp()
		}
		talk(time.Duration(1+i/kills) * time.Duration(50+rng.IntN(1000)) * time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait(), "killed")
		until(t, func() bool { return qq.Links() == 0 })
	}
	cmd := start() // missed messages come from the history
	caughtUp()
	for last := -1; last != len(qq.Sent()); { // until it sends nothing more
		last = len(qq.Sent())
		time.Sleep(2 * time.Second)
		caughtUp() // with the bot's own messages
	}
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
	store, err := sqlite.Open(db, sqlite.Options{})
	require.NoError(t, err)
	defer store.Close()
	for chat, space := range spaces { // each message once, of people and of the bot
		kept, history := journal(t, store, space), qq.History(chat)
		for _, s := range history {
			text := heard(s.Message)
			assert.Equal(t, 1, kept[text], "%s: %s", space, text)
		}
		assert.Len(t, kept, len(history), "%s holds nothing else", space)
	}
}

// heard returns a message as the bot stores it: without its quote.
func heard(m onebot.Message) string {
	m = slices.DeleteFunc(slices.Clone(m), func(s onebot.Segment) bool { return s.Type == "reply" })
	return m.TextWithNames(func(int64) string { return "小炉" })
}

// journal counts the texts in a space. Until the bot knows its name, a mention of it is its number.
func journal(t *testing.T, store memory.Store, space memory.Space) map[string]int {
	kept := map[string]int{}
	for r, err := range store.Scan(t.Context(), space, 0) {
		require.NoError(t, err)
		if r.Kind != memory.KindMessage { // derived from messages
			continue
		}
		kept[strings.Replace(r.Text, fmt.Sprint("@", self), "@小炉", 1)]++
	}
	return kept
}

// until waits until ok returns true.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		require.Less(t, time.Since(began), patience)
	}
}

// patience is the timeout of a wait, much longer than any machine needs.
const patience = 2 * time.Minute
