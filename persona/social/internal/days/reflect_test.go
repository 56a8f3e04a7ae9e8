package days

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var reflection = schedule.Wake{Kind: schedule.WakeReflect}

// heard has somebody say something in a chat, in a talk that the bot takes part in.
func (b *bench) heard(c *engine.Chat, text string) {
	time.Sleep(time.Second)
	require.NoError(b, b.engine.Memory.Put(b.Context(), memory.Record{
		ID: text, Space: c.Space, Kind: memory.KindMessage, Person: alice.ID, Text: text, At: time.Now(),
	}))
	b.days.done(b.Context(), c, engine.Done{Messages: 2})
}

func TestDays_ReflectsOnWhatIsNew(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.says(reflects, modeltest.Say("有点累"))
		require.NoError(b, b.wake(reflection).Err)
		assert.Empty(b, b.asked(reflects), "nothing was said")
		b.heard(b.chat, "早上好")
		require.NoError(b, b.wake(reflection).Err)
		inner, err := b.notes(b.chat.Space).InnerState(b.Context())
		require.NoError(b, err)
		assert.Equal(b, "有点累", inner.Text)
		assert.Equal(b, []string{"早上好"}, inner.Sources)
		b.says(reflects, modeltest.HTTPError(400, "no"))
		b.heard(b.chat, "吃了吗")
		require.Error(b, b.wake(reflection).Err)
		b.says(reflects, modeltest.Say("好多了"))
		require.NoError(b, b.wake(reflection).Err)
		prompts := b.asked(reflects)
		require.Len(b, prompts, 3, "a chat that failed is not left out")
		last := prompts[2].Human()
		assert.Contains(b, last, "有点累")
		assert.Contains(b, last, "吃了吗")
		assert.NotContains(b, last, "早上好")
		require.NoError(b, b.wake(reflection).Err)
		assert.Len(b, b.asked(reflects), 3)
		assert.Empty(b, b.said.all())
	})
}

func TestDays_ReflectsOnTheLiveliest(t *testing.T) {
	inBench(t, func(b *bench) {
		b.o.NoGlobalReflection = true
		b.options.Chats = func(persona.Chat) engine.ChatOptions { return engine.ChatOptions{Public: true} }
	}, func(b *bench) {
		b.says(reflects, modeltest.Say("有点累"))
		for i := range reflectedAtOnce + 2 {
			c, err := b.engine.Chat(b.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i)})
			require.NoError(b, err)
			for range i + 1 {
				b.heard(c, fmt.Sprint("话", i))
			}
		}
		require.NoError(b, b.wake(reflection).Err)
		prompts := b.asked(reflects)
		require.Len(b, prompts, reflectedAtOnce)
		for i, p := range prompts {
			assert.Contains(b, p.Human(), fmt.Sprint("话", reflectedAtOnce+1-i))
		}
		require.NoError(b, b.wake(reflection).Err)
		assert.Len(b, b.asked(reflects), reflectedAtOnce+2, "the rest comes next")
		assert.Empty(b, b.asked(muses))
	})
}

func TestDays_MusesHourlyOnPublicChats(t *testing.T) {
	inBench(t, func(b *bench) {
		b.options.Chats = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions{Public: c == group} }
	}, func(b *bench) {
		elsewhere, err := b.engine.Chat(b.Context(), other)
		require.NoError(b, err)
		feel := func(text string) {
			time.Sleep(time.Second)
			for _, c := range []*engine.Chat{b.chat, elsewhere} {
				require.NoError(b, b.notes(c.Space).SetInnerState(b.Context(), time.Now(), text+c.ID.ID, "k"+c.ID.ID))
			}
		}
		b.says(muses, modeltest.Say("世界很大"))
		feel("喜欢群")
		require.NoError(b, b.wake(reflection).Err)
		prompts := b.asked(muses)
		require.Len(b, prompts, 1)
		assert.Contains(b, prompts[0].Human(), "喜欢群1")
		assert.NotContains(b, prompts[0].Human(), "喜欢群2")
		mind, err := b.notes(memory.Self).InnerState(b.Context())
		require.NoError(b, err)
		assert.Equal(b, "世界很大", mind.Text)
		assert.Equal(b, []string{"k1"}, mind.Sources)

		feel("想念群")
		time.Sleep(50 * time.Minute)
		require.NoError(b, b.wake(reflection).Err)
		assert.Len(b, b.asked(muses), 1, "hourly at most")
		time.Sleep(10 * time.Minute)
		require.NoError(b, b.wake(reflection).Err)
		assert.Len(b, b.asked(muses), 2)
		time.Sleep(2 * time.Hour)
		require.NoError(b, b.wake(reflection).Err)
		assert.Len(b, b.asked(muses), 2, "nothing is new")
	})
}
