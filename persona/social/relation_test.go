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

// How the being stands to somebody makes it more or less willing to answer them, where the formula of willingness has a
// term for that; over a restart, and until they are forgotten.
func TestRelationInWillingness(t *testing.T) {
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
		inBubble(t, modeltest.Always(modeltest.Say("[skip]")), willing, func(b *bubble) {
			b.stop()
			people := memorytest.New(b, b.store, memory.Options{}).People(techSpace)
			for range 250 {
				if feels != "" {
					_, err := people.RecordInteraction(b.Context(), time.Now(), fmt.Sprint(alice), memory.Interaction{Feeling: feels, Stance: stance(feels)})
					require.NoError(t, err)
				}
			}
			who, err := people.Get(b.Context(), fmt.Sprint(alice))
			require.NoError(t, err)
			require.Equal(t, feels != "", who.RelationLevel() != 0, "%v", who.Relation)
			b.start(willing)
			for i := range 6 { // until it looks at the chat
				b.group.Say(bob, say(fmt.Sprint("今天的事", i)))
				b.pass(time.Minute)
			}
			if name == "forgotten" {
				_, err := b.being.ErasePerson(b.Context(), persona.Account{Platform: "qq", ID: fmt.Sprint(alice)}, nil)
				require.NoError(t, err)
				b.pass(time.Minute)
			}
			before := len(b.decided(heartflow.KindJudge))
			b.group.Say(alice, say("说个事"))
			b.pass(time.Minute)
			for _, judged := range b.decided(heartflow.KindJudge)[before:] {
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

// TestRelationInWillingness_LearntMeanwhile: what it makes of somebody while it runs counts without a restart.
func TestRelationInWillingness_LearntMeanwhile(t *testing.T) {
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
		p := ponders(map[string]string{"看人": answer})
		change := func(o *social.Options) {
			layered(onlyPeople)(o)
			o.When.HFC = &hfc.Options{
				GlobalState:     hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
				Willingness:     hfc.WillingnessOptions{Kind: hfc.PerPerson},
				WillingnessGain: func(hfc.Feeling) float64 { return 1 }, // the mood is not what this is about
			}
			o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{NoFocus: true} }
			o.When.Attention.Seed = 7
		}
		inBubble(t, p.model(), change, func(b *bubble) {
			b.stop()
			require.Equal(t, almost, felt(memorytest.New(b, b.store, memory.Options{}), almost))
			b.start(change)
			for i := range 6 { // until it looks at the chat
				b.group.Say(bob, say(fmt.Sprint("今天的事", i)))
				b.pass(time.Minute)
			}
			for range 3 {
				b.group.Say(alice, at(bot, "在吗"))
				b.pass(time.Minute)
			}
			require.GreaterOrEqual(t, len(p.read("看人")), 3)
			before := len(b.chances())
			b.group.Say(alice, say("说个事"))
			b.pass(time.Minute)
			require.Len(t, b.chances(), before+1)
			chances[name] = b.chances()[before]
		})
	}
	assert.Greater(t, chances["liked"], chances["stranger"])
}

func stance(f memory.Feeling) memory.Stance {
	if f == memory.Angry {
		return memory.Against
	}
	return memory.For
}
