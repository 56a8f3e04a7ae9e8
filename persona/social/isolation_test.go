package social_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two bots run in one process for a thousand turns, with summaries, people, dreams, notes, tools, commands, requests,
// owners, and autonomy: timers, tasks, reflections, patches. Ids of accounts, people, groups, messages and owners are
// the same for both; texts are not. One bot is restarted, silenced, and erases a person. No data of one is in a prompt,
// row, record, file, log line, trace or message of the other, and a command to one does not affect the other.
func TestBots_Isolated(t *testing.T) {
	turns := int64(1000)
	if testing.Short() {
		turns = 100
	}
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "vega.db")
		db, err := sqlite.Open(file, sqlite.Options{})
		require.NoError(t, err)
		vega := newIsolatedBot(t, "vega", "orion", db, nil)
		orion := newIsolatedBot(t, "orion", "vega", memory.NewMemStore(), func(o *social.Options) {
			o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
			o.Reply.Strategy = social.ThinkPlanReply
			o.Storage.Indexes, o.Storage.Embedder, o.Storage.EmbedderID = []memory.Index{chromem.New()}, memorytest.Embedder{}, "test"
			var err error
			o.Tools.Plugins, err = nit.NewPlugins(t.Context(), o.Tools.Registry, nit.PluginOptions{})
			require.NoError(t, err)
		})
		both := []*isolatedBot{vega, orion}
		for _, a := range both {
			a.start()
		}
		restarted := false
		round := 0
		for ; vega.asked()+orion.asked() < turns; round++ {
			require.Less(t, round, int(turns), "the bots hardly send")
			for _, a := range both {
				a.playRound(round)
			}
			time.Sleep(7 * time.Minute)
			synctest.Wait()
			if !restarted && vega.asked()+orion.asked() > turns/2 {
				restarted = true
				vega.stop()
				vega.start()
			}
		}

		for _, a := range both {
			a.check()
		}

		// A command to one bot does not affect the other. First, a pause longer than rate limits and reconnects need.
		time.Sleep(time.Hour)
		vega.groups[0].Say(ownerID, at(botID, "安静 1小时"))
		time.Sleep(10 * time.Minute)
		assert.True(t, slices.ContainsFunc(vega.qq.Sent(), func(s onebottest.ChatMessage) bool { return strings.Contains(s.Message.Text(), "安静到") }))
		before := []int{vega.spoke(), orion.spoke()}
		for _, a := range both {
			a.groups[0].Say(alice, at(botID, a.numbered("words")))
		}
		time.Sleep(10 * time.Minute)
		assert.Equal(t, before[0], vega.spoke())
		assert.Greater(t, orion.spoke(), before[1])
		had := strings.Count(dump(t, orion.store), "orion-words-")
		gone, err := vega.bot.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		assert.Positive(t, gone)
		assert.Equal(t, had, strings.Count(dump(t, orion.store), "orion-words-"), "the other bot still has her messages")

		for _, a := range both {
			a.stop()
			a.check()
			a.qq.Close()
		}
		require.NoError(t, db.Close())
		for _, name := range []string{file, file + "-wal"} {
			if bytes, err := os.ReadFile(name); err == nil {
				vega.checkClean("its file", string(bytes))
			}
		}
		assert.GreaterOrEqual(t, vega.asked()+orion.asked(), turns)
		assert.Greater(t, min(vega.asked(), orion.asked()), turns/8)
		assert.NotEmpty(t, vega.notices)
		vega.requirePrompted("slot", "timer", "plan")
		orion.requirePrompted("thought", "why")
		for _, a := range both {
			assert.Empty(t, a.leaks[:min(len(a.leaks), 5)], "%s: %d leaks", a.canary, len(a.leaks))
			a.requirePrompted("name", "alias", "about", "rules", "group", "card", "words", "said", "described", "found", "owner", "quoting", "thinks", "sum", "character", "activity", "inner")
			a.requireStored("words", "said", "owner", "thinks", "sum", "calls", "inner")
			if !testing.Short() { // autonomy
				a.requirePrompted("fact", "comment", "stranger")
				a.requireStored("fact")
			}
			assert.NotEmpty(t, a.traces)
			t.Logf("%s: %d turns, %d prompts, %d messages sent; asked for %v", a.canary, a.asked(), a.prompts, len(a.qq.Sent()), a.tasks)
		}
	})
}
