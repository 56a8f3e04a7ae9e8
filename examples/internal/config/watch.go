package config

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A Bot is a *social.Bot.
type Bot interface {
	Overrides(ctx context.Context) (map[persona.Chat]social.ChatSettings, error)
	Reload(ctx context.Context, file map[persona.Chat]social.ChatSettings) (ended map[persona.Chat]social.ChatSettings, err error)
}

var _ Bot = (*social.Bot)(nil)

// pollInterval is the time between two looks at the file. A change is read when the file has been the same for two looks,
// so that no half-written file is read.
const pollInterval = time.Second

// A fileState tells whether a file has changed.
type fileState struct {
	at   time.Time
	size int64
}

// stateOf returns the zero state for a file that does not exist.
func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.ModTime(), info.Size()}
}

// Watch prints which settings were changed at run time, and then reads the file again whenever it changes, until ctx
// ends. Settings of chats apply at once. Keys that need a restart are named. After a mistake everything stays as it is.
func (c *File) Watch(ctx context.Context, bot Bot) error {
	overrides, err := bot.Overrides(ctx)
	if err != nil { // the bot has not started, and returns its own error
		return nil
	}
	for _, chat := range sorted(overrides) {
		c.print("运行时改过、仍然有效：%s %s%s", "changed at run time and still valid: %s %s%s", nameOf(chat), inline(overrides[chat]), c.inFile(chat, overrides[chat]))
	}
	if c.Path == "" {
		return nil
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	chats, read, last := c.Chats, c.state, c.state
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		is := stateOf(c.Path)
		if stable := is == last; !stable || is == read {
			last = is
			continue
		}
		read = is
		if file, ok := c.reload(ctx, bot, chats); ok {
			chats = file.Chats
		}
	}
}

// reload applies the changed file.
func (c *File) reload(ctx context.Context, bot Bot, chats map[persona.Chat]social.ChatSettings) (file *File, ok bool) {
	file, err := c.Reread()
	if err != nil {
		c.print("配置有错，仍用原来的：\n%v", "the configuration has mistakes, so nothing changes:\n%v", err)
		return nil, false
	}
	ended, err := bot.Reload(ctx, file.Chats)
	if ctx.Err() != nil {
		return nil, false
	}
	if err != nil {
		c.print("配置用不了，仍用原来的：%v", "the configuration cannot be used, so nothing changes: %v", err)
		return nil, false
	}
	var changed []string
	for _, chat := range sorted(chats, file.Chats) {
		if !reflect.DeepEqual(chats[chat], file.Chats[chat]) {
			changed = append(changed, nameOf(chat))
		}
	}
	if len(changed) > 0 {
		c.print("聊天设置已生效：%s", "settings of chats are in effect: %s", strings.Join(changed, "、"))
	}
	for _, chat := range sorted(ended) {
		c.print("文件改了，以文件为准，运行时的改动结束：%s %s", "the file has changed, which ends a change at run time: %s %s", nameOf(chat), inline(ended[chat]))
	}
	if restart := c.differing(file); len(restart) > 0 {
		c.print("重启后才生效：%s", "needs a restart: %s", strings.Join(restart, "、"))
	}
	return file, true
}

// differing returns the flags that file sets to other values than at the start.
func (c *File) differing(file *File) (names []string) {
	all := maps.Clone(c.values)
	maps.Copy(all, file.values)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, was := c.values[name]
		value, is := file.values[name]
		if was != is || old != value {
			names = append(names, name)
		}
	}
	return names
}

// inFile returns what the file says about the overridden settings of a chat.
func (c *File) inFile(chat persona.Chat, over social.ChatSettings) lang.Text {
	var says social.ChatSettings
	to, set := reflect.ValueOf(&says).Elem(), reflect.ValueOf(over)
	for _, from := range []reflect.Value{reflect.ValueOf(c.Chats[chat]), reflect.ValueOf(c.Chats[persona.Chat{}])} {
		for i := range to.NumField() {
			if to.Field(i).IsZero() && !set.Field(i).IsZero() {
				to.Field(i).Set(from.Field(i))
			}
		}
	}
	if text := inline(says); text != "" {
		return lang.T("（文件里是 %s）", " (the file has %s)", text)
	}
	return lang.Text{}
}

func (c *File) print(chinese, english string, args ...any) {
	fmt.Fprintln(c.out, c.Lang.Sprintf(chinese, english, args...))
}

// inline returns settings as keys and values on one line.
func inline(s social.ChatSettings) string {
	keys, fields := chatFields()
	var parts []string
	for _, key := range keys {
		v := reflect.ValueOf(s).FieldByIndex(fields[key].Index)
		if v.IsZero() {
			continue
		}
		text, err := json.Marshal(v.Interface())
		if err != nil { // impossible for these types
			continue
		}
		parts = append(parts, key+": "+string(text))
	}
	return strings.Join(parts, ", ")
}

func nameOf(chat persona.Chat) string {
	if chat == (persona.Chat{}) {
		return defaultChat
	}
	return chat.String()
}

// sorted returns the chats of several maps, by name.
func sorted(maps ...map[persona.Chat]social.ChatSettings) (chats []persona.Chat) {
	for _, m := range maps {
		for chat := range m {
			chats = append(chats, chat)
		}
	}
	slices.SortFunc(chats, func(x, y persona.Chat) int { return strings.Compare(x.String(), y.String()) })
	return slices.Compact(chats)
}
