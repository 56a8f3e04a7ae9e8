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

// TestBeingsApart: two beings live side by side in one process for a thousand turns, with summaries, people, dreams,
// notes, tools, commands, requests, owners, and days of their own: timers, tasks, reflections, patches. Ids of accounts,
// people, groups, messages and owners are the same in both worlds; what is said, thought and done is not. One is stopped
// and started again, is told to be quiet, and forgets somebody. Nothing of one is in a prompt, row, record, file, log
// line, trace or message of the other, and what one is told the other does not do.
func TestBeingsApart(t *testing.T) {
	turns := int64(1000)
	if testing.Short() {
		turns = 100
	}
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "vega.db")
		db, err := sqlite.Open(file, sqlite.Options{})
		require.NoError(t, err)
		vega := newApart(t, "vega", "orion", db, nil)
		orion := newApart(t, "orion", "vega", memory.NewMemStore(), func(o *social.Options) {
			o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
			o.Reply.Strategy = social.ThinkPlanReply
			o.Storage.Indexes, o.Storage.Embedder, o.Storage.EmbedderID = []memory.Index{chromem.New()}, memorytest.Embedder{}, "test"
			var err error
			o.Tools.Plugins, err = nit.NewPlugins(t.Context(), o.Tools.Registry, nit.PluginOptions{})
			require.NoError(t, err)
		})
		both := []*apart{vega, orion}
		for _, a := range both {
			a.start()
		}
		restarted := false
		round := 0
		for ; vega.asked()+orion.asked() < turns; round++ {
			require.Less(t, round, int(turns), "they hardly speak")
			for _, a := range both {
				a.happens(round)
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
			a.hold()
		}

		// What one is told to do is not done by the other. Before, nothing happens for longer than caps look back and links
		// need to come back.
		time.Sleep(time.Hour)
		vega.groups[0].Say(master, at(bot, "安静 1小时"))
		time.Sleep(10 * time.Minute)
		assert.True(t, slices.ContainsFunc(vega.qq.Sent(), func(s onebottest.ChatMessage) bool { return strings.Contains(s.Message.Text(), "安静到") }))
		before := []int{vega.spoke(), orion.spoke()}
		for _, a := range both {
			a.groups[0].Say(alice, at(bot, a.numbered("words")))
		}
		time.Sleep(10 * time.Minute)
		assert.Equal(t, before[0], vega.spoke())
		assert.Greater(t, orion.spoke(), before[1])
		had := strings.Count(dumped(t, orion.store), "orion-words-")
		gone, err := vega.being.ErasePerson(t.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		assert.Positive(t, gone)
		assert.Equal(t, had, strings.Count(dumped(t, orion.store), "orion-words-"), "and the other remembers her")

		for _, a := range both {
			a.stop()
			a.hold()
			a.qq.Close()
		}
		require.NoError(t, db.Close())
		for _, name := range []string{file, file + "-wal"} {
			if bytes, err := os.ReadFile(name); err == nil {
				vega.pure("its file", string(bytes))
			}
		}
		assert.GreaterOrEqual(t, vega.asked()+orion.asked(), turns)
		assert.Greater(t, min(vega.asked(), orion.asked()), turns/8)
		assert.NotEmpty(t, vega.told)
		vega.showed("slot", "timer", "plan")
		orion.showed("thought", "why")
		for _, a := range both {
			assert.Empty(t, a.leaks[:min(len(a.leaks), 5)], "%s: %d leaks", a.canary, len(a.leaks))
			a.showed("name", "alias", "about", "rules", "group", "card", "words", "said", "described", "found", "owner", "quoting", "thinks", "sum", "character", "activity", "inner")
			a.keeps("words", "said", "owner", "thinks", "sum", "calls", "inner")
			if !testing.Short() { // days
				a.showed("fact", "comment", "stranger")
				a.keeps("fact")
			}
			assert.NotEmpty(t, a.traces)
			t.Logf("%s: %d turns, %d prompts, %d messages sent; asked for %v", a.canary, a.asked(), a.prompts, len(a.qq.Sent()), a.tasks)
		}
	})
}
