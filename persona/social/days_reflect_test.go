package social_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReflectionIsRedone: where something newer was written while it reflected, and more was said since, it reflects once
// more, on what is newer. The talk goes on all the while.
func TestReflectionIsRedone(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		notes := memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1")
		n := 0
		l.mu.Lock()
		l.says[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		l.says[inward] = func(p modeltest.Prompt) modeltest.Step {
			if n++; n > 1 {
				return modeltest.Say("新的之上")
			}
			return modeltest.Say("旧的之上").After(50 * time.Second)
		}
		l.mu.Unlock()
		for i := 0; len(l.prompts(inward)) == 0; i++ {
			require.Less(t, i, 10)
			l.group.Say(alice, at(bot, fmt.Sprint("话", i)))
			l.pass(10 * time.Second)
		}
		require.NoError(t, notes.SetInnerState(l.Context(), time.Now(), "别处写下的"))
		said := len(l.sent(l.group.Chat()))
		l.pass(time.Second)
		l.group.Say(alice, at(bot, "后来的话"))
		l.pass(20 * time.Second)
		assert.Len(t, l.sent(l.group.Chat()), said+1, "nobody waits for it")
		require.Len(t, l.prompts(inward), 1)
		l.pass(time.Minute)
		prompts := l.prompts(inward)
		require.Len(t, prompts, 2)
		assert.NotContains(t, prompts[0].Text(), "别处写下的")
		assert.Contains(t, prompts[1].Text(), "别处写下的")
		assert.Contains(t, prompts[1].Text(), "后来的话")
		inner, err := notes.InnerState(l.Context())
		require.NoError(t, err)
		assert.Equal(t, "新的之上", inner.Text)
	})
}
