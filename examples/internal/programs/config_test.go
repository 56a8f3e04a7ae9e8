package programs

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A changed file applies while the program runs. What the terminal changes wins, over restarts, until its line in the file
// changes.
func TestConfig_WhileRunning(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	defer qq.Close()
	group := qq.Group(hearthGroup, "炉边夜话")
	group.Member(man, "小满")
	dir := t.TempDir()
	file := filepath.Join(dir, "groupbot.yaml")
	write := func(name, chat string) {
		text := "onebot: " + qq.Start() + "\ndb: " + filepath.Join(dir, "bot.db") + "\nspeed: 100\nseed: 1\ntyping: off\nname: " + name + "\nchats:\n  qq:group:714285:\n" + chat
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	var out screen
	var in io.WriteCloser
	var end func()
	begin := func() {
		cmd := command(t, "groupbot", "-config", file)
		cmd.Stdout, cmd.Stderr = t.Output(), &out
		var err error
		in, err = cmd.StdinPipe()
		require.NoError(t, err)
		until(t, func() bool { return qq.Links() == 0 }) // else WaitLink returns for that of the program before
		start(t, cmd)
		end = func() {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			require.NoError(t, cmd.Wait())
		}
		require.NoError(t, qq.WaitLink(t.Context()))
	}
	says := func(text string) { until(t, func() bool { return strings.Contains(out.Printed(), text) }) }
	answered := 0
	answers := func(text string) { // it is addressed, and answers
		t.Helper()
		group.Say(man, onebot.Message{onebot.Text(text)})
		until(t, func() bool { return len(qq.Sent()) > answered })
		answered = len(qq.Sent())
	}

	write("小炉", "    max_replies: 50\n    names: [小灯]\n")
	begin()
	answers("小灯，介绍一下你自己")
	write("大炉", "    max_replies: 50\n    names: [小烛]\n")
	says("聊天设置已生效：qq:group:714285\n重启后才生效：name\n")
	answers("小烛，今天真冷")
	write("小炉", "    max_replies: 50\n    names: [小烛]\n    polcy: mention\n")
	says(file + `:11: qq:group:714285：没有 "polcy" 这一项：是不是 "policy"？`)
	answers("小烛，猫一直窝在暖气边不肯动")

	write("小炉", "    max_replies: 50\n    names: [小烛]\n")
	_, err := io.WriteString(in, "/set qq:group:714285 names: [阿灯]\n/say qq:group:714285 今晚停机\n")
	require.NoError(t, err)
	says(`好：names: ["阿灯"]`)
	until(t, func() bool { return len(qq.Sent()) > answered })
	answered = len(qq.Sent())
	assert.Equal(t, "今晚停机", qq.Sent()[answered-1].Message.Text())
	answers("阿灯，周末去图书馆占座")
	end()
	begin()
	says(`运行时改过、仍然有效：qq:group:714285 names: ["阿灯"]（文件里是 names: ["小烛"]）`)
	answers("阿灯，第四集几点播出？")
	write("小炉", "    max_replies: 50\n    names: [大灯]\n")
	says(`文件改了，以文件为准，运行时的改动结束：qq:group:714285 names: ["阿灯"]`)
	answers("大灯你在吗")
	end()
}
