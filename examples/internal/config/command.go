package config

import (
	"bufio"
	"context"
	"flag"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"go.yaml.in/yaml/v3"
)

// A LiveBot is a *social.Bot whose settings a terminal can change.
type LiveBot interface {
	Bot
	Configure(ctx context.Context, chat persona.Chat, s social.ChatSettings) error
	Mute(ctx context.Context, chat persona.Chat, until time.Time) error
	Unmute(ctx context.Context, chat persona.Chat) error
	Sleep(ctx context.Context, until time.Time) error
	Wake(ctx context.Context) error
	Say(ctx context.Context, chat persona.Chat, text string) (id string, err error)
	Sessions(ctx context.Context) ([]social.Session, error)
}

var _ LiveBot = (*social.Bot)(nil)

// CommandHelp lists the commands of [File.Command].
var CommandHelp = lang.T(`/set qq:group:123456 policy: interject   改一个聊天的设置，重启后还在
/reset qq:group:123456                    改回文件里的
/settings                                 列出改过的
/mute qq:group:123456 30m, /unmute …      在那里安静
/sleep 8h, /wake                          睡觉、起床
/say qq:group:123456 大家好               在那里说一句
/sessions                                 聊过的、后台做过的`,
	`/set qq:group:123456 policy: interject   change a setting of a chat, also over restarts
/reset qq:group:123456                    back to the file
/settings                                 list what was changed
/mute qq:group:123456 30m, /unmute …      be quiet there
/sleep 8h, /wake                          sleep, wake
/say qq:group:123456 hello                say something there
/sessions                                 list archived and background sessions`)

// Command runs a command of the person at the terminal, and returns the answer. ok is false for other lines.
func (c *File) Command(ctx context.Context, bot LiveBot, line string) (answer string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	run, ok := map[string]func(context.Context, LiveBot, string) (lang.Text, error){
		"/set": c.setCommand, "/reset": resetCommand, "/settings": c.listCommand, "/mute": muteCommand, "/unmute": unmuteCommand,
		"/sleep": sleepCommand, "/wake": wakeCommand, "/say": sayCommand, "/sessions": sessionsCommand,
	}[word]
	if !ok {
		return "", false
	}
	done, err := run(social.WithActor(ctx, "terminal"), bot, strings.TrimSpace(rest))
	if err != nil {
		done = lang.T("没做成：%v", "failed: %v", err)
	}
	return c.Lang.Text(done), true
}

// ReadCommands runs the commands for the present bot on the lines of in, until its end or the end of ctx. It passes lines without a leading
// slash to talk, if talk is not nil, and prints CommandHelp for all others.
func (c *File) ReadCommands(ctx context.Context, bot func() LiveBot, in io.Reader, talk func(line string)) {
	for s := bufio.NewScanner(in); s.Scan() && ctx.Err() == nil; {
		line := strings.TrimSpace(s.Text())
		if line == "" {
			continue
		}
		answer, ok := c.Command(ctx, bot(), line)
		switch {
		case ok:
			c.print("%s", "%s", answer)
		case talk != nil && !strings.HasPrefix(line, "/"):
			talk(line)
		default:
			c.print("%s", "%s", CommandHelp)
		}
	}
}

var done = lang.T("好", "done")

// cutChat parses the chat at the start of a command.
func cutChat(s string) (chat persona.Chat, rest string, err error) {
	name, rest, _ := strings.Cut(s, " ")
	chat, err = parseChat(name)
	return chat, strings.TrimSpace(rest), err
}

func (c *File) setCommand(ctx context.Context, bot LiveBot, s string) (lang.Text, error) {
	chat, text, err := cutChat(s)
	if err != nil {
		return lang.Text{}, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return lang.Text{}, lang.Errorf("写「键: 值」，例如 /set %s policy: interject", "write key: value, such as /set %s policy: interject", chat)
	}
	r := reader{File: &File{}, flags: flag.NewFlagSet("", flag.ContinueOnError), o: Options{Policies: c.policies}}
	changes := r.settings(chat.String(), doc.Content[0])
	if len(r.mistakes) > 0 {
		return lang.Text{}, lang.Errorf("%s", "%s", r.mistakes[0].text)
	}
	all, err := bot.Overrides(ctx)
	if err != nil {
		return lang.Text{}, err
	}
	is := all[chat]
	to, from := reflect.ValueOf(&is).Elem(), reflect.ValueOf(changes)
	for i := range to.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return lang.T("好：%s", "done: %s", inline(is)), bot.Configure(ctx, chat, is)
}

func resetCommand(ctx context.Context, bot LiveBot, s string) (lang.Text, error) {
	chat, _, err := cutChat(s)
	if err == nil {
		err = bot.Configure(ctx, chat, social.ChatSettings{})
	}
	return done, err
}

func (c *File) listCommand(ctx context.Context, bot LiveBot, _ string) (lang.Text, error) {
	all, err := bot.Overrides(ctx)
	var lines []string
	for _, chat := range sorted(all) {
		lines = append(lines, nameOf(chat)+" "+inline(all[chat])+c.Lang.Text(c.inFile(chat, all[chat])))
	}
	if len(lines) == 0 {
		return lang.T("没有改过", "nothing was changed"), err
	}
	return lang.T("%s", "%s", strings.Join(lines, "\n")), err
}

func muteCommand(ctx context.Context, bot LiveBot, s string) (lang.Text, error) {
	chat, text, err := cutChat(s)
	if err != nil {
		return lang.Text{}, err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return lang.Text{}, lang.Errorf("%q 不是 30m 这样的时长", "%q is no duration such as 30m", text)
	}
	return done, bot.Mute(ctx, chat, time.Now().Add(d))
}

func unmuteCommand(ctx context.Context, bot LiveBot, s string) (lang.Text, error) {
	chat, _, err := cutChat(s)
	if err == nil {
		err = bot.Unmute(ctx, chat)
	}
	return done, err
}

func sleepCommand(ctx context.Context, bot LiveBot, s string) (lang.Text, error) {
	var until time.Time
	if s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			return lang.Text{}, lang.Errorf("%q 不是 8h 这样的时长", "%q is no duration such as 8h", s)
		}
		until = time.Now().Add(d)
	}
	return lang.T("晚安", "good night"), bot.Sleep(ctx, until)
}

func wakeCommand(ctx context.Context, bot LiveBot, _ string) (lang.Text, error) {
	return lang.T("醒了", "awake"), bot.Wake(ctx)
}

func sayCommand(ctx context.Context, bot LiveBot, s string) (lang.Text, error) {
	chat, text, err := cutChat(s)
	if err == nil {
		_, err = bot.Say(ctx, chat, text)
	}
	return lang.T("说了", "said"), err
}

// maxListed is the maximum number of sessions that /sessions lists, the latest ones.
const maxListed = 20

func sessionsCommand(ctx context.Context, bot LiveBot, _ string) (lang.Text, error) {
	all, err := bot.Sessions(ctx)
	if err != nil {
		return lang.Text{}, err
	}
	if len(all) == 0 {
		return lang.T("还没有", "none yet"), nil
	}
	var list lang.Text
	for i, s := range all[max(0, len(all)-maxListed):] {
		where := lang.T("%s", "%s", s.Origin.Chat)
		switch {
		case s.Origin.Mode == persona.Agent:
			where = lang.T("主人", "owner")
		case s.Origin.Chat == persona.Chat{}:
			where = lang.T("自己", "itself")
		}
		what := lang.T("后台", "background")
		if !s.Background {
			what = lang.T("%d 条", "%d messages", s.Messages)
		}
		line := lang.T("%s %s，%s", "%s %s, %s", s.To.Local().Format("01-02 15:04"), where, what)
		if s.Text != "" {
			line = lang.T("%s：%s", "%s: %s", line, s.Text)
		}
		if i > 0 {
			line = lang.T("%s\n%s", "%s\n%s", list, line)
		}
		list = line
	}
	return list, nil
}
