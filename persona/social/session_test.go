package social_test

import (
	"context"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tools see the session in the form of the specification. Stored rows keep their keys, so that older rows stay readable.
func TestSession_Name(t *testing.T) {
	var sessions []string
	tool, err := nit.Define("where", nit.L1, "where", func(ctx context.Context, _ struct{}) (string, error) {
		p, _ := nit.PrincipalFrom(ctx)
		sessions = append(sessions, p.Session)
		return "here", nil
	})
	require.NoError(t, err)
	steps := []modeltest.Step{modeltest.Call("where", `{}`), modeltest.Call("set_scratch", `{"name":"n","text":"先记着"}`), modeltest.Say("嗯")}
	model := modeltest.New(append(append(append([]modeltest.Step{}, steps...), steps...), modeltest.Call("where", `{}`), modeltest.Say("嗯"))...)
	withFixture(t, model, func(o *social.Options) {
		o.Tools.Registry = &nit.Registry{}
		require.NoError(t, o.Tools.Registry.Add(tool))
		o.Tools.Builtin = &social.BuiltinTools{Notes: true}
	}, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		f.qq.Friend(bob, "李四").Say(say("在吗"))
		f.advance(time.Minute)
		_, err := f.bot.OwnerMessage(f.Context(), "在哪")
		require.NoError(t, err)
		assert.Equal(t, []string{"session_social:group_1", "session_social:user_1002", "session_master"}, sessions)
		for space, session := range map[memory.Space]string{"qq:group:1": "group_1", "qq:private:1002": "user_1002"} {
			notes, err := memorytest.New(f, f.store, memory.Options{}).Notes(space).Scratch(f.Context(), time.Now(), session)
			require.NoError(t, err)
			assert.Len(t, notes, 1, space)
		}
	})
}
