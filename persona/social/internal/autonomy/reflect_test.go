package autonomy

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

// receive stores a message of a person and reports a turn of the conversation.
func (f *fixture) receive(c *engine.Chat, text string) {
	time.Sleep(time.Second)
	require.NoError(f, f.engine.Memory.Put(f.Context(), memory.Record{
		ID: text, Space: c.Space, Kind: memory.KindMessage, Person: alice.ID, Text: text, At: time.Now(),
	}))
	f.autonomy.turnDone(f.Context(), c, engine.Done{Messages: 2})
}

func TestAutonomy_ReflectsOnNewMessages(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.setAnswer(reflectTask, modeltest.Say("有点累"))
		require.NoError(f, f.wake(reflection).Err)
		assert.Empty(f, f.promptsFor(reflectTask), "no messages")
		f.receive(f.chat, "早上好")
		require.NoError(f, f.wake(reflection).Err)
		inner, err := f.notes(f.chat.Space).InnerState(f.Context())
		require.NoError(f, err)
		assert.Equal(f, "有点累", inner.Text)
		assert.Equal(f, []string{"早上好"}, inner.Sources)
		f.setAnswer(reflectTask, modeltest.HTTPError(400, "no"))
		f.receive(f.chat, "吃了吗")
		require.Error(f, f.wake(reflection).Err)
		f.setAnswer(reflectTask, modeltest.Say("好多了"))
		require.NoError(f, f.wake(reflection).Err)
		prompts := f.promptsFor(reflectTask)
		require.Len(f, prompts, 3, "a chat that failed is retried")
		last := prompts[2].Human()
		assert.Contains(f, last, "有点累")
		assert.Contains(f, last, "吃了吗")
		assert.NotContains(f, last, "早上好")
		require.NoError(f, f.wake(reflection).Err)
		assert.Len(f, f.promptsFor(reflectTask), 3)
		assert.Empty(f, f.sent.all())
	})
}

func TestAutonomy_ReflectsOnMostActiveChats(t *testing.T) {
	withFixture(t, func(f *fixture) {
		f.o.NoGlobalReflection = true
		f.options.Chats = func(persona.Chat) engine.ChatOptions { return engine.ChatOptions{Public: true} }
	}, func(f *fixture) {
		f.setAnswer(reflectTask, modeltest.Say("有点累"))
		for i := range maxReflected + 2 {
			c, err := f.engine.Chat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: fmt.Sprint(i)})
			require.NoError(f, err)
			for range i + 1 {
				f.receive(c, fmt.Sprint("话", i))
			}
		}
		require.NoError(f, f.wake(reflection).Err)
		prompts := f.promptsFor(reflectTask)
		require.Len(f, prompts, maxReflected)
		for i, p := range prompts {
			assert.Contains(f, p.Human(), fmt.Sprint("话", maxReflected+1-i))
		}
		require.NoError(f, f.wake(reflection).Err)
		assert.Len(f, f.promptsFor(reflectTask), maxReflected+2, "the next run takes the rest")
		assert.Empty(f, f.promptsFor(globalTask))
	})
}

func TestAutonomy_GlobalReflectionOfPublicChats(t *testing.T) {
	withFixture(t, func(f *fixture) {
		f.options.Chats = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions{Public: c == group} }
	}, func(f *fixture) {
		elsewhere, err := f.engine.Chat(f.Context(), other)
		require.NoError(f, err)
		feel := func(text string) {
			time.Sleep(time.Second)
			for _, c := range []*engine.Chat{f.chat, elsewhere} {
				require.NoError(f, f.notes(c.Space).SetInnerState(f.Context(), time.Now(), text+c.ID.ID, "k"+c.ID.ID))
			}
		}
		f.setAnswer(globalTask, modeltest.Say("世界很大"))
		feel("喜欢群")
		require.NoError(f, f.wake(reflection).Err)
		prompts := f.promptsFor(globalTask)
		require.Len(f, prompts, 1)
		assert.Contains(f, prompts[0].Human(), "喜欢群1")
		assert.NotContains(f, prompts[0].Human(), "喜欢群2")
		mind, err := f.notes(memory.Self).InnerState(f.Context())
		require.NoError(f, err)
		assert.Equal(f, "世界很大", mind.Text)
		assert.Equal(f, []string{"k1"}, mind.Sources)

		feel("想念群")
		time.Sleep(50 * time.Minute)
		require.NoError(f, f.wake(reflection).Err)
		assert.Len(f, f.promptsFor(globalTask), 1, "at most once an hour")
		time.Sleep(10 * time.Minute)
		require.NoError(f, f.wake(reflection).Err)
		assert.Len(f, f.promptsFor(globalTask), 2)
		time.Sleep(2 * time.Hour)
		require.NoError(f, f.wake(reflection).Err)
		assert.Len(f, f.promptsFor(globalTask), 2, "no new inner state")
	})
}
