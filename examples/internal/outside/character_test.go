package outside_test

import (
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The file of -db starts the bot that is in it, until a character is given.
func TestCharacter_InFile(t *testing.T) {
	who, err := outside.Character(t.Context(), "", persona.Character{Profile: persona.Profile{Name: "小炉"}}, false)
	require.NoError(t, err)
	assert.Equal(t, "小炉", who.Profile.Name, "without a file")
	file := filepath.Join(t.TempDir(), "bot.db")
	start := func(name string, given bool) persona.Character {
		who, err := outside.Character(t.Context(), file, persona.Character{
			Profile: persona.Profile{Name: name, About: "是" + name}, Documents: map[string]string{"character_state": "# " + name},
		}, given)
		require.NoError(t, err)
		return who
	}
	assert.Equal(t, "小炉", start("小炉", false).Profile.Name, "the default of an empty file")
	assert.Equal(t, "阿灯", start("阿灯", true).Profile.Name, "given")
	again := start("小炉", false)
	assert.Equal(t, "阿灯", again.Profile.Name, "stored")
	assert.Equal(t, "是阿灯", again.Profile.About)
	assert.Equal(t, "# 阿灯", again.Documents["character_state"])
	assert.Equal(t, "小雪", start("小雪", true).Profile.Name, "a given one replaces it")
	assert.Equal(t, "小雪", start("小炉", false).Profile.Name)
}
