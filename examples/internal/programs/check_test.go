package programs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// -check says what a start would do, with status 1 if it would fail. It sees the database of a bot that runs.
func TestCheck(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉", Token: "sekret"})
	defer qq.Close()
	dir := t.TempDir()
	db := filepath.Join(dir, "bot.db")
	for _, name := range []string{"groupbot", "companion"} {
		file := filepath.Join(dir, name+".yaml")
		text := "onebot: " + qq.Start() + "\ntoken: sekret\ndb: " + db + "\nchats:\n  qq:group:1: {policy: interject}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		check := func(args ...string) (string, bool) {
			cmd := command(t, name, append([]string{"-config", file, "-check", "-lang", "en"}, args...)...)
			cmd.Stderr = nil
			out, err := cmd.Output()
			var ended *exec.ExitError
			if err != nil {
				require.True(t, errors.As(err, &ended))
				require.Equal(t, 1, ended.ExitCode())
			}
			assert.NotContains(t, string(out), "sekret")
			return string(out), err == nil
		}
		says, ok := check()
		assert.True(t, ok, says)
		assert.Contains(t, says, "✓ config: "+file+", with settings of 1 chats\n")
		assert.Contains(t, says, "account 20001 小炉")
		assert.NotContains(t, says, "✗")
		assert.NoFileExists(t, db)
		says, ok = check("-token", "wrong")
		assert.False(t, ok)
		assert.Contains(t, says, "rejects the token")

		cmd := command(t, name, "-config", file)
		var out screen
		cmd.Stdout = &out
		until(t, func() bool { return qq.Links() == 0 }) // else WaitLink returns for that of a -check
		start(t, cmd)
		require.NoError(t, qq.WaitLink(t.Context()))
		says, ok = check()
		assert.False(t, ok)
		assert.Contains(t, says, "is in use")
		assert.Equal(t, 1, strings.Count(says, "✗"), says)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait())
		require.NoError(t, os.Remove(db))
	}
}
