package config

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A recorder is a Bot that records what it is given.
type recorder struct {
	overrides, ended map[persona.Chat]social.ChatSettings
	fails            error
	chats            []map[persona.Chat]social.ChatSettings
}

func (r *recorder) Overrides(context.Context) (map[persona.Chat]social.ChatSettings, error) {
	return r.overrides, nil
}

func (r *recorder) Reload(_ context.Context, file map[persona.Chat]social.ChatSettings) (map[persona.Chat]social.ChatSettings, error) {
	if r.fails != nil {
		return nil, r.fails
	}
	r.chats = append(r.chats, maps.Clone(file))
	return r.ended, nil
}

// A change of the file applies to chats, and names what needs a restart. A mistake changes nothing.
func TestWatch(t *testing.T) {
	path := write(t, "bot.yaml", "name: 小灯\nchats:\n  qq:group:1: {policy: mention, names: [灯]}\n")
	args := []string{"-config", path, "-quota", "5"}
	synctest.Test(t, func(t *testing.T) {
		_, file, err := parse(t, args...)
		require.NoError(t, err)
		var out bytes.Buffer
		file.out = &out
		file.Reread = func() (*File, error) {
			_, file, err := parse(t, args...)
			return file, err
		}
		bot := &recorder{overrides: map[persona.Chat]social.ChatSettings{group("1"): {Policy: "interject", MaxReplies: 2}}}
		ctx, stop := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { assert.NoError(t, file.Watch(ctx, bot)) })
		printed := func() string {
			defer out.Reset()
			time.Sleep(3 * pollInterval)
			synctest.Wait()
			return out.String()
		}
		change := func(text string) string {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			return printed()
		}
		assert.Equal(t, "运行时改过、仍然有效：qq:group:1 policy: \"interject\", max_replies: 2（文件里是 policy: \"mention\"）\n", printed())
		assert.Empty(t, bot.chats, "nothing has changed")

		assert.Equal(t, "聊天设置已生效：qq:group:1、qq:group:2\n", change("name: 小灯\nchats:\n  qq:group:1: {policy: interject}\n  qq:group:2: {off: true}\n"))
		require.Len(t, bot.chats, 1)
		assert.Equal(t, social.ChatSettings{Policy: "interject"}, bot.chats[0][group("1")])

		assert.Equal(t, "配置有错，仍用原来的：\n"+path+":1: 没有 \"nmae\" 这一项：是不是 \"name\"？\n", change("nmae: 小烛\n"))
		assert.Empty(t, printed(), "it is said once")
		assert.Len(t, bot.chats, 1)

		bot.ended = map[persona.Chat]social.ChatSettings{group("1"): {Policy: "interject"}}
		assert.Equal(t, "聊天设置已生效：qq:group:1、qq:group:2\n文件改了，以文件为准，运行时的改动结束：qq:group:1 policy: \"interject\"\n重启后才生效：name、owner\n",
			change("name: 小烛一\nowner: 10001\nquota: 9\n"))
		bot.ended = nil
		assert.Equal(t, "重启后才生效：name\n", change("# only the default\n"))
		assert.Empty(t, change("name: 小灯 # as at the start\n"))

		bot.fails = errors.New("no space")
		assert.Equal(t, "配置用不了，仍用原来的：no space\n", change("name: 小灯\nchats: {default: {off: true}}\n"))
		require.NoError(t, os.Remove(path))
		assert.Contains(t, printed(), "no such file")
		stop()
		ended.Wait()
	})
}

// Without a file the settings of the last run are named all the same.
func TestWatch_NoFile(t *testing.T) {
	_, file, err := parse(t)
	require.NoError(t, err)
	var out bytes.Buffer
	file.out = &out
	require.NoError(t, file.Watch(t.Context(), &recorder{overrides: map[persona.Chat]social.ChatSettings{group("1"): {Names: []string{"灯"}}}}))
	assert.Equal(t, "运行时改过、仍然有效：qq:group:1 names: [\"灯\"]\n", out.String())
}
