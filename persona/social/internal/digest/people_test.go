package digest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// happy is a judgement by which the bot is glad about somebody.
var happy = modeltest.Say(`{"people": [{"id": "1001", "feeling": "happy", "stance": 1, "impression": "爽快"}]}`)

// erased are the rows that are erased with these; rows of other parts are not among them.
func (b *bench) erased(f memory.Erasure) []string {
	rows := map[string][]byte{}
	require.NoError(b, b.part.Erase(b.Context(), f, rows))
	var keys []string
	for key, row := range rows {
		assert.Nil(b, row)
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestDigest_KeepsMoodOverARestart(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, happy)
		b.talk("1001", "你好")
		mood := b.digest.Mood(time.Now(), b.chat)
		assert.InDelta(b, .21, mood.Valence, .01)
		assert.Equal(b, mood.Valence, b.engine.Attention.Mood(group), "attention heeds it")
		assert.NotEmpty(b, b.scene(b.chat).Mood.Text)
		elsewhere, err := b.engine.Chat(b.Context(), other)
		require.NoError(b, err)
		assert.Zero(b, b.digest.Mood(time.Now(), elsewhere).Valence)

		b.stop()
		time.Sleep(10 * time.Minute)
		b.start()
		b.part.Judge(time.Now(), b.chat)
		now := b.engine.Attention.Mood(group)
		assert.Positive(b, now)
		assert.Less(b, now, mood.Valence, "time brings it back")
		time.Sleep(3 * time.Hour)
		assert.Nil(b, b.scene(b.chat).Mood, "it has passed")
	})
}

func TestDigest_StartsCalmWhereAMoodIsUnreadable(t *testing.T) {
	inBench(t, func(b *bench) {
		onlyPeople(b)
		require.NoError(b, b.store.Apply(b.Context(), map[string][]byte{moodRow + group.String(): []byte("{")}))
	}, func(b *bench) {
		assert.Zero(b, b.digest.Mood(time.Now(), b.chat).Valence)
	})
}

func TestDigest_DropsMoodWithAPerson(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, happy)
		elsewhere, err := b.engine.Chat(b.Context(), other)
		require.NoError(b, err)
		b.keep(elsewhere, "1001", "你好")
		b.over(elsewhere, engine.Done{Spoke: true})
		b.talk("1001", "你好")
		all := []string{"mood/" + group.String(), "mood/" + other.String()}
		assert.Equal(b, all, b.erased(memory.Erasure{Person: "1001"}), "perhaps they caused all")
		assert.Equal(b, all[:1], b.erased(memory.Erasure{Spaces: []memory.Space{b.chat.Space}}))
		b.part.Drop(b.chat, func(m persona.Message) bool { return m.From == "1001" })
		assert.Zero(b, b.digest.Mood(time.Now(), b.chat).Valence)
		assert.NotZero(b, b.digest.Mood(time.Now(), elsewhere).Valence)
	})
}

func TestOff_ErasesMoods(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, happy)
		b.talk("1001", "你好")
		off, err := engine.New(b.options)
		require.NoError(b, err)
		b.part = Off(off)
		assert.Equal(b, []string{"mood/" + group.String()}, b.erased(memory.Erasure{Person: "1001"}))
	})
}

func TestDigest_RelationIsAskedFromMemory(t *testing.T) {
	inBench(t, func(b *bench) {
		onlyPeople(b)
		b.options.HFC = &hfc.Options{}
	}, func(b *bench) {
		relation := func(chat, id string) int {
			before := b.store.loads.Load()
			level := b.digest.Relation(chat, id)
			assert.Equal(b, before, b.store.loads.Load(), "nothing is read")
			return level
		}
		b.befriend(b.chat, "1001")
		b.befriend(b.chat, "1002")
		assert.Zero(b, relation(group.String(), "1001"), "it was learnt behind its back")
		b.says(regards, happy)
		b.talk("1001", "你好")
		assert.Equal(b, 1, relation(group.String(), "1001"))
		assert.Zero(b, relation(group.String(), "1003"))
		assert.Zero(b, relation(other.String(), "1001"))
		assert.Zero(b, relation("群", "1001"))

		b.stop()
		b.start()
		assert.Equal(b, 1, relation(group.String(), "1001"), "over a restart")
		b.part.Drop(b.chat, func(m persona.Message) bool { return m.From == "1001" })
		assert.Zero(b, relation(group.String(), "1001"))
		assert.Equal(b, 1, relation(group.String(), "1002"))
	})
	inBench(t, onlyPeople, func(b *bench) {
		b.befriend(b.chat, "1001")
		b.says(regards, happy)
		b.talk("1001", "你好")
		assert.Zero(b, b.digest.Relation(group.String(), "1001"), "nobody asks")
	})
}

func TestDigest_LearnsNicknames(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, modeltest.Say(`{"names": [{"id": "1001", "name": "老王", "by": "1002", "sure": true}]}`))
		for range 2 {
			b.keep(b.chat, "1001", "早")
			b.talk("1002", "老王早")
		}
		_, err := b.engine.Memory.People(b.chat.Space).RecordInteraction(b.Context(), time.Now(), "1002", memory.Interaction{Feeling: memory.Calm})
		require.NoError(b, err)
		s := b.scene(b.chat, "1002", "1001")
		require.Len(b, s.People, 1, "of the other there is nothing to say")
		assert.Equal(b, prompt.Person{ID: "1001", Name: "name of 1001", Nicknames: []prompt.Nickname{{Name: "老王", By: []string{"1002"}}}}, s.People[0])
		assert.Empty(b, b.scene(b.chat, "1002").People, "who does not speak is not shown")
	})
}

func TestDigest_ShowsTheLatestPeople(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		var speak, want []string
		for i := range peopleShown + 2 {
			id := fmt.Sprint(1000 + i)
			b.impress(b.chat, id, "爽快")
			speak = append(speak, id)
		}
		want = append(want, speak[2:]...)
		slices.Reverse(want)
		var got []string
		for _, who := range b.scene(b.chat, speak...).People {
			got = append(got, who.ID)
		}
		assert.Equal(b, want, got)
	})
}

func TestDigest_JudgesWithoutAWornImpression(t *testing.T) {
	inBench(t, onlyPeople, func(b *bench) {
		b.says(regards, modeltest.Say(nobody))
		worn := make([]string, memory.MaxSources)
		for i := range worn {
			worn[i] = fmt.Sprint("old", i)
		}
		b.impress(b.chat, "1001", "早就旧了", worn...)
		b.impress(b.chat, "1002", "很爽快", "old")
		b.keep(b.chat, "1002", "早")
		b.talk("1001", "早")
		require.Len(b, b.asked(regards), 1)
		assert.Contains(b, b.asked(regards)[0], "很爽快")
		assert.NotContains(b, b.asked(regards)[0], "早就旧了")
	})
}
