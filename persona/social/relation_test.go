package social_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Willingness formulas with a term for relations use the bot's relation to the author, also after a restart, until the
// person is erased.
func TestRelation_InWillingness(t *testing.T) {
	willing := func(o *social.Options) {
		o.When.HFC = &hfc.Options{
			GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
			Willingness: hfc.WillingnessOptions{Kind: hfc.PerPerson},
		}
		o.Background.Digest = &social.Digest{NoDream: true}
		o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{NoFocus: true} }
		o.When.Attention.Seed = 7
	}
	chances := map[string]float64{}
	for name, feels := range map[string]memory.Feeling{"liked": memory.Happy, "stranger": "", "disliked": memory.Angry, "forgotten": memory.Happy} {
		withFixture(t, modeltest.Always(modeltest.Say("[skip]")), willing, func(f *fixture) {
			f.stop()
			people := memorytest.New(f, f.store, memory.Options{}).People(techSpace)
			for range 250 {
				if feels != "" {
					_, err := people.RecordInteraction(f.Context(), time.Now(), fmt.Sprint(alice), memory.Interaction{Feeling: feels, Stance: stance(feels)})
					require.NoError(t, err)
				}
			}
			who, err := people.Get(f.Context(), fmt.Sprint(alice))
			require.NoError(t, err)
			require.Equal(t, feels != "", who.RelationLevel() != 0, "%v", who.Relation)
			f.start(willing)
			for i := range 6 { // until it looks at the chat
				f.group.Say(bob, say(fmt.Sprint("今天的事", i)))
				f.advance(time.Minute)
			}
			if name == "forgotten" {
				_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(alice)}, nil)
				require.NoError(t, err)
				f.advance(time.Minute)
			}
			before := len(f.tracesOf(heartflow.KindJudge))
			f.group.Say(alice, say("说个事"))
			f.advance(time.Minute)
			for _, judged := range f.tracesOf(heartflow.KindJudge)[before:] {
				for _, g := range judged.Gates {
					if g.Code == hfc.WhyWilling {
						chances[name] = g.Value
					}
				}
			}
			require.Contains(t, chances, name)
		})
	}
	assert.Greater(t, chances["liked"], chances["stranger"])
	assert.Less(t, chances["disliked"], chances["stranger"])
	assert.InDelta(t, chances["stranger"], chances["forgotten"], 1e-9)
}

// A relation learned while the bot runs counts without a restart.
func TestRelation_LearnedWhileRunning(t *testing.T) {
	happy := memory.Interaction{Feeling: memory.Happy, Stance: memory.For}
	felt := func(m *memory.Memory, most int) (times int) { // until she is no stranger
		for ; times < most; times++ {
			who, err := m.People(techSpace).RecordInteraction(t.Context(), time.Now(), fmt.Sprint(alice), happy)
			require.NoError(t, err)
			if who.RelationLevel() != 0 {
				break
			}
		}
		return times
	}
	almost := felt(memorytest.New(t, memory.NewMemStore(), memory.Options{}), 1000)
	require.Less(t, almost, 1000)
	chances := map[string]float64{}
	for name, answer := range map[string]string{"liked": `{"people": [{"id": "1001", "feeling": "happy", "stance": 1}]}`, "stranger": `{}`} {
		p := newTaskModel(map[string]string{"看人": answer})
		change := func(o *social.Options) {
			withDigest(onlyPeople)(o)
			o.When.HFC = &hfc.Options{
				GlobalState:     hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
				Willingness:     hfc.WillingnessOptions{Kind: hfc.PerPerson},
				WillingnessGain: func(hfc.Feeling) float64 { return 1 }, // exclude the effect of mood
			}
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{NoFocus: true} }
			o.When.Attention.Seed = 7
		}
		withFixture(t, p.model(), change, func(f *fixture) {
			f.stop()
			require.Equal(t, almost, felt(memorytest.New(f, f.store, memory.Options{}), almost))
			f.start(change)
			for i := range 6 { // until it looks at the chat
				f.group.Say(bob, say(fmt.Sprint("今天的事", i)))
				f.advance(time.Minute)
			}
			for range 3 {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
			}
			require.GreaterOrEqual(t, len(p.read("看人")), 3)
			before := len(f.chances())
			f.group.Say(alice, say("说个事"))
			f.advance(time.Minute)
			require.Len(t, f.chances(), before+1)
			chances[name] = f.chances()[before]
		})
	}
	assert.Greater(t, chances["liked"], chances["stranger"])
}

// Requirement H9: an excited bot is more willing than a calm one, with the same valence.
func TestArousal_InWillingness(t *testing.T) {
	chances := map[string]float64{}
	for name, feeling := range map[string]string{"excited": "puzzled", "calm": ""} { // puzzled has valence 0 and arousal .6
		p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "` + feeling + `"}]}`})
		withFixture(t, p.model(), func(o *social.Options) {
			withDigest(onlyPeople)(o)
			o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat}}
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{NoFocus: true} }
			o.When.Attention.Seed = 7
		}, func(f *fixture) {
			chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
			for i := 0; f.bot.ChatStatus(chat).State != "chat"; i++ {
				require.Less(t, i, 200)
				f.group.Say(bob, say(fmt.Sprint("今天的事", i)))
				f.advance(time.Minute)
			}
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			require.Equal(t, feeling != "", f.bot.ChatStatus(chat).Mood.Arousal > .1)
			before := len(f.chances())
			f.group.Say(bob, say("说个事"))
			f.advance(time.Minute)
			require.Len(t, f.chances(), before+1)
			chances[name] = f.chances()[before]
		})
	}
	assert.Greater(t, chances["excited"], chances["calm"])
}

func stance(f memory.Feeling) memory.Stance {
	if f == memory.Angry {
		return memory.Against
	}
	return memory.For
}
