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

// happy is an answer that makes the bot glad about a person.
var happy = modeltest.Say(`{"people": [{"id": "1001", "feeling": "happy", "stance": 1, "impression": "爽快"}]}`)

// erased returns the mood rows that an erasure deletes.
func (f *fixture) erased(erasure memory.Erasure) []string {
	rows := map[string][]byte{}
	require.NoError(f, f.part.Erase(f.Context(), erasure, rows))
	var keys []string
	for key, row := range rows {
		assert.Nil(f, row)
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestDigest_MoodSurvivesRestart(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, happy)
		f.exchange("1001", "你好")
		mood := f.digest.Mood(time.Now(), f.chat)
		assert.InDelta(f, .21, mood.Valence, .01)
		assert.Equal(f, mood.Valence, f.engine.Attention.Mood(group), "attention has the mood")
		assert.NotEmpty(f, f.scene(f.chat).Mood.Text)
		elsewhere, err := f.engine.Chat(f.Context(), other)
		require.NoError(f, err)
		assert.Zero(f, f.digest.Mood(time.Now(), elsewhere).Valence)

		f.stop()
		time.Sleep(10 * time.Minute)
		f.start()
		f.part.Judge(time.Now(), f.chat)
		now := f.engine.Attention.Mood(group)
		assert.Positive(f, now)
		assert.Less(f, now, mood.Valence, "the mood decays")
		time.Sleep(3 * time.Hour)
		assert.Nil(f, f.scene(f.chat).Mood, "the mood is neutral again")
	})
}

func TestDigest_UnreadableMood(t *testing.T) {
	withFixture(t, func(f *fixture) {
		onlyPeople(f)
		require.NoError(f, f.store.Apply(f.Context(), map[string][]byte{moodRow + group.String(): []byte("{")}))
	}, func(f *fixture) {
		assert.Zero(f, f.digest.Mood(time.Now(), f.chat).Valence)
	})
}

func TestDigest_ErasingPersonDropsMoods(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, happy)
		elsewhere, err := f.engine.Chat(f.Context(), other)
		require.NoError(f, err)
		f.receive(elsewhere, "1001", "你好")
		f.endTurn(elsewhere, engine.Done{Spoke: true})
		f.exchange("1001", "你好")
		all := []string{"mood/" + group.String(), "mood/" + other.String()}
		assert.Equal(f, all, f.erased(memory.Erasure{Person: "1001"}), "the person may have caused all of them")
		assert.Equal(f, all[:1], f.erased(memory.Erasure{Spaces: []memory.Space{f.chat.Space}}))
		f.part.DropPending(f.chat, func(m persona.Message) bool { return m.From == "1001" })
		assert.Zero(f, f.digest.Mood(time.Now(), f.chat).Valence)
		assert.NotZero(f, f.digest.Mood(time.Now(), elsewhere).Valence)
	})
}

func TestOff_ErasesMoods(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, happy)
		f.exchange("1001", "你好")
		off, err := engine.New(f.options)
		require.NoError(f, err)
		f.part = Off(off)
		assert.Equal(f, []string{"mood/" + group.String()}, f.erased(memory.Erasure{Person: "1001"}))
	})
}

func TestDigest_RelationReadsCache(t *testing.T) {
	withFixture(t, func(f *fixture) {
		onlyPeople(f)
		f.options.HFC = &hfc.Options{}
	}, func(f *fixture) {
		relation := func(chat, id string) int {
			before := f.store.loads.Load()
			level := f.digest.Relation(chat, id)
			assert.Equal(f, before, f.store.loads.Load(), "the store is not read")
			return level
		}
		f.befriend(f.chat, "1001")
		f.befriend(f.chat, "1002")
		assert.Zero(f, relation(group.String(), "1001"), "the cache is not invalidated")
		f.setAnswer(peopleTask, happy)
		f.exchange("1001", "你好")
		assert.Equal(f, 1, relation(group.String(), "1001"))
		assert.Zero(f, relation(group.String(), "1003"))
		assert.Zero(f, relation(other.String(), "1001"))
		assert.Zero(f, relation("群", "1001"))

		f.stop()
		f.start()
		assert.Equal(f, 1, relation(group.String(), "1001"), "after a restart")
		f.part.DropPending(f.chat, func(m persona.Message) bool { return m.From == "1001" })
		assert.Zero(f, relation(group.String(), "1001"))
		assert.Equal(f, 1, relation(group.String(), "1002"))
	})
	withFixture(t, onlyPeople, func(f *fixture) {
		f.befriend(f.chat, "1001")
		f.setAnswer(peopleTask, happy)
		f.exchange("1001", "你好")
		assert.Zero(f, f.digest.Relation(group.String(), "1001"), "no willingness uses relations")
	})
}

func TestDigest_LearnsNicknames(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say(`{"names": [{"id": "1001", "name": "老王", "by": "1002", "sure": true}]}`))
		for range 2 {
			f.receive(f.chat, "1001", "早")
			f.exchange("1002", "老王早")
		}
		_, err := f.engine.Memory.People(f.chat.Space).RecordInteraction(f.Context(), time.Now(), "1002", memory.Interaction{Feeling: memory.Calm})
		require.NoError(f, err)
		s := f.scene(f.chat, "1002", "1001")
		require.Len(f, s.People, 1, "the other has no impression")
		assert.Equal(f, prompt.Person{ID: "1001", Name: "name of 1001", Nicknames: []prompt.Nickname{{Name: "老王", By: []string{"1002"}}}}, s.People[0])
		assert.Empty(f, f.scene(f.chat, "1002").People, "only speakers are shown")
	})
}

func TestDigest_ShowsLatestPeople(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		var speak, want []string
		for i := range maxPeople + 2 {
			id := fmt.Sprint(1000 + i)
			f.setImpression(f.chat, id, "爽快")
			speak = append(speak, id)
		}
		want = append(want, speak[2:]...)
		slices.Reverse(want)
		var got []string
		for _, who := range f.scene(f.chat, speak...).People {
			got = append(got, who.ID)
		}
		assert.Equal(f, want, got)
	})
}

func TestDigest_ImpressionWithTooManySources(t *testing.T) {
	withFixture(t, onlyPeople, func(f *fixture) {
		f.setAnswer(peopleTask, modeltest.Say(noPeople))
		worn := make([]string, memory.MaxSources)
		for i := range worn {
			worn[i] = fmt.Sprint("old", i)
		}
		f.setImpression(f.chat, "1001", "早就旧了", worn...)
		f.setImpression(f.chat, "1002", "很爽快", "old")
		f.receive(f.chat, "1002", "早")
		f.exchange("1001", "早")
		require.Len(f, f.promptsFor(peopleTask), 1)
		assert.Contains(f, f.promptsFor(peopleTask)[0], "很爽快")
		assert.NotContains(f, f.promptsFor(peopleTask)[0], "早就旧了")
	})
}

func TestNicknamed(t *testing.T) {
	all := []memory.Person{
		{ID: "1", Names: []memory.Nickname{{Name: "老王头", Strength: 12}, {Name: "阿王", Strength: 3}, {Name: "班长", Strength: 20}}},
		{ID: "2", Names: []memory.Nickname{{Name: "猫奴", Strength: 10}, {Name: "班长", Strength: 15}}},
	}
	by := func(texts ...string) []string {
		var ms []persona.Message
		for _, text := range texts {
			ms = append(ms, persona.Message{Text: text})
		}
		return nicknamed(all, ms)
	}
	assert.Equal(t, []string{"1", "2"}, by("猫奴在吗", "老王头和猫奴都在"))
	assert.Empty(t, by("阿王在吗"), "a weak nickname")
	assert.Empty(t, by("班长在吗"), "two people")
	assert.Empty(t, nicknamed(all, []persona.Message{{Text: "猫奴在", Own: true}}))
}
