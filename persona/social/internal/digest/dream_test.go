package digest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// of are the records of one kind in the group.
func (b *bench) of(kind string) (found []memory.Record) {
	for rec, err := range b.store.Scan(b.Context(), b.chat.Space, 0) {
		require.NoError(b, err)
		if rec.Kind == kind {
			found = append(found, rec)
		}
	}
	return found
}

// sleepUntil waits for an hour of the first of January, in a bubble's first year.
func sleepUntil(hours float64) {
	time.Sleep(time.Until(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(hours * float64(time.Hour)))))
	synctest.Wait()
}

func TestDigest_DreamsOnceADay(t *testing.T) {
	inBench(t, onlyDreams, func(b *bench) {
		fact := memory.Record{ID: "fact", Space: b.chat.Space, Kind: memory.KindFact, Text: "小满种了月季花", At: time.Now()}
		require.NoError(b, b.engine.Memory.Put(b.Context(), fact))
		b.keep(b.chat, "1001", "我的月季花都死了") // k1
		b.keep(b.chat, "1002", "可惜")
		b.keep(b.chat, "1001", "改种番茄了") // k3
		b.says(dreams, modeltest.Say(`{"insights": [{"text": "小满改种番茄", "about": "1001", "importance": 0.8, "from": ["1", "3", "9"], "replaces": ["m1", "m9"]}]}`))
		sleepUntil(2.9)
		assert.Empty(b, b.asked(dreams))
		sleepUntil(3.1)
		require.Len(b, b.asked(dreams), 1)
		assert.NotContains(b, b.asked(dreams)[0], "k1", "messages are numbered")
		assert.NotContains(b, b.asked(dreams)[0], `"fact"`)
		facts := b.of(memory.KindFact)
		require.Len(b, facts, 1, "the old one is replaced")
		assert.Equal(b, "小满改种番茄", facts[0].Text)
		assert.Equal(b, "1001", facts[0].Person)
		assert.InDelta(b, .8, facts[0].Importance, .001)
		assert.Equal(b, []string{"k1@1", "k3@1"}, facts[0].Sources)

		b.says(dreams, modeltest.Say(`{"insights": []}`))
		b.keep(b.chat, "1001", "番茄红了")
		sleepUntil(26.9)
		assert.Len(b, b.asked(dreams), 1)
		sleepUntil(27.1)
		require.Len(b, b.asked(dreams), 2)
		assert.Contains(b, b.asked(dreams)[1], "番茄红了")
		assert.NotContains(b, b.asked(dreams)[1], "可惜")
	})
}

func TestDigest_DreamsAgainAfterAFailure(t *testing.T) {
	inBench(t, onlyDreams, func(b *bench) {
		b.keep(b.chat, "1001", "我种番茄了")
		b.says(dreams, modeltest.Say("没有"))
		sleepUntil(3.001)
		require.Len(b, b.asked(dreams), 1)
		b.says(dreams, modeltest.Say(`{"insights": [{"text": "小满种番茄", "from": ["1"]}]}`))
		sleepUntil(3.1)
		assert.Len(b, b.asked(dreams), 2)
		assert.Len(b, b.of(memory.KindFact), 1)
	})
}

func TestDigest_DreamsNotOverBudget(t *testing.T) {
	inBench(t, onlyDreams, func(b *bench) {
		b.keep(b.chat, "1001", "我种番茄了")
		b.says(dreams, modeltest.Say(`{"insights": []}`))
		sleepUntil(2.9)
		b.spend(150_000)
		sleepUntil(3.1)
		assert.Empty(b, b.asked(dreams))
		sleepUntil(6)
		assert.Len(b, b.asked(dreams), 1, "when there is budget again")
	})
}

func TestDigest_DreamTrimsToTheQuota(t *testing.T) {
	inBench(t, func(b *bench) {
		onlyDreams(b)
		b.options.Quota.Records = 2
	}, func(b *bench) {
		b.says(dreams, modeltest.Say(`{"insights": []}`))
		for range 4 {
			b.keep(b.chat, "1001", "早")
		}
		sleepUntil(3.1)
		assert.Len(b, b.of(memory.KindMessage), 2)
	})
}

func TestQuota_TrimsFromTheStartAndDaily(t *testing.T) {
	inBench(t, func(b *bench) { b.options.Quota.Records = 2 }, func(b *bench) {
		b.stop()
		for range 4 {
			b.keep(b.chat, "1001", "早")
		}
		b.run(Quota(b.engine))
		assert.Len(b, b.of(memory.KindMessage), 2)
		for range 4 {
			b.keep(b.chat, "1001", "晚")
		}
		time.Sleep(24*time.Hour - time.Second)
		synctest.Wait()
		assert.Len(b, b.of(memory.KindMessage), 6)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Len(b, b.of(memory.KindMessage), 2)
	})
}
