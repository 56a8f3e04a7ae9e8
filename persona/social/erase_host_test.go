package social_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Hooks.Erase is called for each account and for a chat, also by a command in a chat. Its error does not keep the bot from erasing.
func TestBot_ErasesDataOfItsHost(t *testing.T) {
	var erased []string
	failed := errors.New("the disk is full")
	withCommands(t, numbered(), func(o *social.Options) {
		o.Access.SamePerson = [][]persona.Account{{{Platform: "qq", ID: fmt.Sprint(alice)}, {Platform: "qqbot", ID: "X"}}}
		o.Hooks.Erase = func(_ context.Context, who persona.Account, chat persona.Chat) error {
			erased = append(erased, fmt.Sprint(who.Platform, " ", who.ID, " ", chat.ID))
			if who.ID == fmt.Sprint(alice) {
				return failed
			}
			return nil
		}
	}, func(f *fixture) {
		f.group.Say(alice, say("canary-alice"))
		f.group.Say(bob, say("canary-bob"))
		f.advance(time.Minute)
		assert.Empty(f, erased)
		_, err := f.bot.ErasePerson(context.Background(), persona.Account{Platform: "qq", ID: fmt.Sprint(alice)}, nil)
		require.ErrorIs(f, err, failed)
		assert.Equal(f, []string{fmt.Sprint("qq ", alice, " "), "qqbot X "}, erased)
		assert.NotContains(f, everything(f), "canary-alice")
		assert.Contains(f, everything(f), "canary-bob")
		_, err = f.bot.EraseChat(context.Background(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(f, err)
		assert.Equal(f, "  1", erased[2])
		private := f.qq.Friend(boss, "主人")
		for _, text := range []string{"忘记我", "确认忘记我"} {
			private.Say(say(text))
			f.advance(time.Minute)
		}
		assert.Equal(f, []string{fmt.Sprint("qq ", boss, " ")}, erased[3:])
	})
}
