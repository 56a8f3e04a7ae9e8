package social_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Several bots in one process have their own names, characters and files. Nothing of one bot is in the prompts or the
// file of another, although their groups and people have the same ids. Stopping one does not affect the others.
func TestBots_InOneProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type run struct {
			canary, path string
			qq           *onebottest.Server
			group        *onebottest.Group
			model        *modeltest.Model
			stop         func()
		}
		var runs []*run
		dir := t.TempDir()
		for i := range 3 {
			l := &run{canary: fmt.Sprint("canary", i), path: filepath.Join(dir, fmt.Sprintf("%d.db", i))}
			l.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: "name-" + l.canary})
			l.group = l.qq.Group(1, "group-"+l.canary)
			l.group.Member(alice, "alice-"+l.canary)
			l.model = modeltest.Func(answering(func(modeltest.Prompt) string { return "said-" + l.canary }))
			db, err := sqlite.Open(l.path, sqlite.Options{})
			require.NoError(t, err)
			bot, err := social.New(social.Options{
				Profile: persona.Profile{Name: "name-" + l.canary, About: "about-" + l.canary}, Model: l.model, Storage: social.Storage{Store: db},
				Link: onebotlink.New(l.qq.Client(quiet), onebotlink.Options{}), Location: time.UTC, Background: social.Background{Digest: &social.Digest{Summary: memory.SummaryOptions{Turns: 2}}},
			})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- bot.Run(ctx) }()
			l.stop = func() {
				cancel()
				require.NoError(t, <-ended)
				require.NoError(t, db.Close())
				l.qq.Close()
			}
			runs = append(runs, l)
		}
		synctest.Wait() // all are connected
		for round := range 4 {
			if round == 3 {
				runs[0].stop()
			}
			for _, l := range runs[round/3:] {
				l.group.Say(alice, at(botID, fmt.Sprint("words-", l.canary, " ", round)))
			}
			time.Sleep(6 * time.Minute)
		}
		for i, l := range runs {
			assert.Len(t, l.qq.Sent(), []int{3, 4, 4}[i])
			for _, s := range l.qq.Sent() {
				assert.Equal(t, "said-"+l.canary, s.Message.Text())
			}
			var read strings.Builder
			for _, p := range l.model.Prompts() {
				read.WriteString(p.Text())
			}
			if i > 0 {
				l.stop()
			}
			file, err := os.ReadFile(l.path)
			require.NoError(t, err)
			for _, other := range runs {
				for where, text := range map[string]string{"prompts": read.String(), "file": string(file)} {
					assert.Equal(t, other == l, strings.Contains(text, other.canary), "%s of %s in the %s of %s", other.canary, l.canary, where, l.canary)
				}
			}
			for _, own := range []string{"name-", "about-", "words-", "said-", "alice-"} {
				assert.Contains(t, read.String(), own+l.canary)
			}
		}
	})
}
