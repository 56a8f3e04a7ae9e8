package digest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordsOf returns the group's records of one kind.
func (f *fixture) recordsOf(kind string) (found []memory.Record) {
	for rec, err := range f.store.Scan(f.Context(), f.chat.Space, 0) {
		require.NoError(f, err)
		if rec.Kind == kind {
			found = append(found, rec)
		}
	}
	return found
}

// sleepUntil sleeps until an hour of the first day of a synctest bubble.
func sleepUntil(hours float64) {
	time.Sleep(time.Until(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(hours * float64(time.Hour)))))
	synctest.Wait()
}

func TestDigest_DreamsOnceADay(t *testing.T) {
	withFixture(t, onlyDreams, func(f *fixture) {
		fact := memory.Record{ID: "fact", Space: f.chat.Space, Kind: memory.KindFact, Text: "小满种了月季花", At: time.Now()}
		require.NoError(f, f.engine.Memory.Put(f.Context(), fact))
		f.receive(f.chat, "1001", "我的月季花都死了") // k1
		f.receive(f.chat, "1002", "可惜")
		f.receive(f.chat, "1001", "改种番茄了") // k3
		f.setAnswer(dreamTask, modeltest.Say(`{"insights": [{"text": "小满改种番茄", "about": "1001", "importance": 0.8, "from": ["1", "3", "9"], "replaces": ["m1", "m9"]}]}`))
		sleepUntil(2.9)
		assert.Empty(f, f.promptsFor(dreamTask))
		sleepUntil(3.1)
		require.Len(f, f.promptsFor(dreamTask), 1)
		assert.NotContains(f, f.promptsFor(dreamTask)[0], "k1", "messages are numbered")
		assert.NotContains(f, f.promptsFor(dreamTask)[0], `"fact"`)
		facts := f.recordsOf(memory.KindFact)
		require.Len(f, facts, 1, "the old one is replaced")
		assert.Equal(f, "小满改种番茄", facts[0].Text)
		assert.Equal(f, "1001", facts[0].Person)
		assert.InDelta(f, .8, facts[0].Importance, .001)
		assert.Equal(f, []string{"k1@1", "k3@1"}, facts[0].Sources)

		f.setAnswer(dreamTask, modeltest.Say(`{"insights": []}`))
		f.receive(f.chat, "1001", "番茄红了")
		sleepUntil(26.9)
		assert.Len(f, f.promptsFor(dreamTask), 1)
		sleepUntil(27.1)
		require.Len(f, f.promptsFor(dreamTask), 2)
		assert.Contains(f, f.promptsFor(dreamTask)[1], "番茄红了")
		assert.NotContains(f, f.promptsFor(dreamTask)[1], "可惜")
	})
}

func TestDigest_DreamsAgainAfterFailure(t *testing.T) {
	withFixture(t, onlyDreams, func(f *fixture) {
		f.receive(f.chat, "1001", "我种番茄了")
		f.setAnswer(dreamTask, modeltest.Say("没有"))
		sleepUntil(3.001)
		require.Len(f, f.promptsFor(dreamTask), 2, "asked once more for JSON")
		f.setAnswer(dreamTask, modeltest.Say(`{"insights": [{"text": "小满种番茄", "from": ["1"]}]}`))
		sleepUntil(3.1)
		assert.Len(f, f.promptsFor(dreamTask), 3)
		assert.Len(f, f.recordsOf(memory.KindFact), 1)
	})
}

func TestDigest_NoDreamOverBudget(t *testing.T) {
	withFixture(t, onlyDreams, func(f *fixture) {
		f.receive(f.chat, "1001", "我种番茄了")
		f.setAnswer(dreamTask, modeltest.Say(`{"insights": []}`))
		sleepUntil(2.9)
		f.spend(heartflow.DefaultHourTokens * 3 / 4)
		sleepUntil(3.1)
		assert.Empty(f, f.promptsFor(dreamTask))
		sleepUntil(6)
		assert.Len(f, f.promptsFor(dreamTask), 1, "when the budget has recovered")
	})
}

func TestDigest_DreamEnforcesQuota(t *testing.T) {
	withFixture(t, func(f *fixture) {
		onlyDreams(f)
		f.options.Quota.Records = 2
	}, func(f *fixture) {
		f.setAnswer(dreamTask, modeltest.Say(`{"insights": []}`))
		for range 4 {
			f.receive(f.chat, "1001", "早")
		}
		sleepUntil(3.1)
		assert.Len(f, f.recordsOf(memory.KindMessage), 2)
	})
}

func TestQuota_EnforcedAtStartAndDaily(t *testing.T) {
	withFixture(t, func(f *fixture) { f.options.Quota.Records = 2 }, func(f *fixture) {
		f.stop()
		for range 4 {
			f.receive(f.chat, "1001", "早")
		}
		f.run(Quota(f.engine))
		assert.Len(f, f.recordsOf(memory.KindMessage), 2)
		for range 4 {
			f.receive(f.chat, "1001", "晚")
		}
		time.Sleep(24*time.Hour - time.Second)
		synctest.Wait()
		assert.Len(f, f.recordsOf(memory.KindMessage), 6)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Len(f, f.recordsOf(memory.KindMessage), 2)
	})
}
