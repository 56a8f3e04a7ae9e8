package config

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	os.Setenv("LC_ALL", "zh_CN.UTF-8")
	os.Exit(m.Run())
}

// flags are those of a program in these tests.
type flags struct {
	name, owner, about, token string
	commands                  bool
	quota                     int
	speed                     float64
	lasts                     time.Duration
	servers                   []string
}

func parse(t *testing.T, args ...string) (v flags, file *File, err error) {
	t.Helper()
	f := flag.NewFlagSet("bot", flag.ContinueOnError)
	f.StringVar(&v.name, "name", "小炉", "the bot's `name`")
	f.StringVar(&v.owner, "owner", "", "QQ `numbers`")
	f.StringVar(&v.about, "about", "", "who it is")
	f.StringVar(&v.token, "token", "", "access token")
	f.BoolVar(&v.commands, "commands", false, "whether it takes commands")
	f.IntVar(&v.quota, "quota", 0, "most `records`")
	f.Float64Var(&v.speed, "speed", 1, "how fast")
	f.DurationVar(&v.lasts, "for", 0, "end after this `duration`")
	f.Func("server", "a `server`; may be repeated", func(s string) error {
		if !strings.Contains(s, "=") {
			return errors.New("it has the form NAME=URL")
		}
		v.servers = append(v.servers, s)
		return nil
	})
	f.String("unknown-to-chinese", "", "a flag without a Chinese text")
	file, err = Parse(f, Options{Help: program.Help{About: lang.T("bot\n", "bot\n")}, Policies: map[string]heartflow.Policy{"learned": heartflow.MentionOnly{}}}, args, io.Discard)
	return v, file, err
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// commented matches the start of a key that is commented out.
var commented = regexp.MustCompile(`(?m)^#([a-z]|  \S|    \S)`)

func group(id string) persona.Chat { return persona.Chat{Platform: "qq", Kind: persona.Group, ID: id} }

func TestParse_File(t *testing.T) {
	path := write(t, "bot.yaml", `
# a comment
name: 小灯
owner: [10001, 10002]
about: |
  守着灯的人。
  话不多。
commands: yes
quota: 500
speed: 2.5
for: 30s
token:            # the default
chats:
  default:
    quiet_hours: 23:00-07:30
    banned_words: [彩票]
  qq:group:123456:
    off: false
    names: [灯灯, 123]
    keywords: []
    policy: learned
    max_replies: 3
`)
	v, file, err := parse(t, "-config", path, "-quota", "7")
	require.NoError(t, err)
	assert.Equal(t, flags{name: "小灯", owner: "10001,10002", about: "守着灯的人。\n话不多。", commands: true, quota: 7, speed: 2.5, lasts: 30 * time.Second}, v, "flags come before the file")
	no := false
	span := heartflow.Span{From: 23 * time.Hour, To: 7*time.Hour + 30*time.Minute}
	assert.Equal(t, map[persona.Chat]social.ChatSettings{
		{}:              {QuietHours: []heartflow.Span{span}, BannedWords: []string{"彩票"}},
		group("123456"): {Off: &no, Names: []string{"灯灯", "123"}, Keywords: []string{}, Policy: "learned", MaxReplies: 3},
	}, file.Chats)
}

// A flag that may be repeated is a list in the file.
func TestParse_Repeated(t *testing.T) {
	path := write(t, "bot.yaml", "server: [a=1, b=2]\n")
	v, _, err := parse(t, "-config", path)
	require.NoError(t, err)
	assert.Equal(t, []string{"a=1", "b=2"}, v.servers)
	v, _, err = parse(t, "-config", path, "-server", "c=3")
	require.NoError(t, err)
	assert.Equal(t, []string{"c=3"}, v.servers)
	v, _, err = parse(t, "-config", write(t, "bot.yaml", "server: a=1\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a=1"}, v.servers)
	_, _, err = parse(t, "-config", write(t, "bot.yaml", "\nserver: [a=1, b]\n"))
	require.ErrorContains(t, err, `:2: server: "b": it has the form NAME=URL`)
	_, _, err = parse(t, "-config", write(t, "bot.yaml", "server: {a: 1}\n"))
	require.ErrorContains(t, err, ":1: server must have a single value or a list")
}

// FuzzParse checks that no file ends the program, and that each mistake has its line.
func FuzzParse(f *testing.F) {
	f.Add("name: 小灯\nchats:\n  qq:group:1: {policy: mention, quiet_hours: [23:00-07:30]}\n")
	f.Add("a: &x [1]\nb: *x\n<<: *x\n")
	f.Add("{\"qq:group:1\": {\"names\": [\"\\ud83d\\udd25\"]}}")
	f.Add("- ? : x\n? [a]: b\n!!int name: ~\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"bot.yaml", "bot.json"} {
			flags := flag.NewFlagSet("bot", flag.ContinueOnError)
			flags.String("name", "", "")
			flags.Bool("commands", false, "")
			flags.Func("server", "", func(string) error { return nil })
			file := &File{Path: name, values: map[string]string{}, lines: map[string]int{}}
			if err := file.set(flags, Options{}, []byte(text)); err != nil {
				assert.Regexp(t, `^`+name+`:[0-9]+: `, err.Error())
			}
		}
	})
}

// A JSON file with chats alone is the form of earlier versions.
func TestParse_JSONOfChats(t *testing.T) {
	path := write(t, "chats.json", "{\n\t\"qq:group:123456\": {\"off\": true,\t\"names\": [\"\\u5c0f\\u706f\", \"\\ud83d\\udd25\"]},\n\t\"qq:private:987\": {\"policy\": \"interject\"}\n}\n")
	_, file, err := parse(t, "-config", path)
	require.NoError(t, err)
	yes := true
	assert.Equal(t, map[persona.Chat]social.ChatSettings{
		group("123456"): {Off: &yes, Names: []string{"小灯", "🔥"}},
		{Platform: "qq", Kind: persona.Private, ID: "987"}: {Policy: "interject"},
	}, file.Chats)
	for _, empty := range []string{"", "\n# nothing\n", "{}", "\ufeffname: 小灯\n", "chats:\n"} {
		_, file, err = parse(t, "-config", write(t, "bot.yaml", empty))
		require.NoError(t, err, "%q", empty)
		assert.Empty(t, file.Chats)
	}
}

// One error has all mistakes, each with its line and key, and with the nearest right key.
func TestParse_Mistakes(t *testing.T) {
	path := write(t, "bot.yaml", `nmae: 小灯
quota: many
commands: maybe
name: [a, {b: c}]
speed: [1, 2]
for: 3
name: 小烛
qota: 5
zebra: 1
check: true
keywords: [猫]
chats:
  defualt:
    off: true
  qq:grop:1:
    off: true
  QQ:Group:111:
    off: true
  "123456": {}
  qq:group:abc: {}
  qq:group:7:
    polcy: mention
    policy: mentoin
    off: perhaps
    names: {a: b}
    quiet_hours: [25:00-07:00]
    banned_patterns: ["("]
    max_replies: few
    window_minutes: -1
    quota: 5
    off: true
  qq:group:8: hello
`)
	_, _, err := parse(t, "-config", path)
	require.Error(t, err)
	got := strings.Split(strings.ReplaceAll(err.Error(), path+":", ""), "\n")
	for i, want := range []string{
		`1: unknown key "nmae": did you mean "name"?`,
		`2: quota: "many" is no whole number`,
		`3: commands: "maybe" is no true or false`,
		`4: name: a list must have single values`,
		`5: speed must have a single value`,
		`6: for: "3" is no duration such as 30s`,
		`7: duplicate key "name", which is in line 4 already`,
		`8: unknown key "qota": did you mean "quota"?`,
		`9: unknown key "zebra"`,
		`10: check is for the command line only`,
		`11: "keywords" is a setting of chats: put it below chats: default: or a chat`,
		`13: unknown chat "defualt": did you mean "default"? (a chat is qq:group:123456, qq:private:123456 or default)`,
		`15: unknown chat "qq:grop:1": did you mean "qq:group:1"?`,
		`17: unknown chat "QQ:Group:111": did you mean "qq:group:111"?`,
		`19: unknown chat "123456": did you mean "qq:group:123456"? (a chat is qq:group:123456, qq:private:123456 or default)`,
		`20: unknown chat "qq:group:abc": its last part must be a QQ number (a chat is qq:group:123456, qq:private:123456 or default)`,
		`22: qq:group:7: unknown key "polcy": did you mean "policy"?`,
		`23: qq:group:7: policy: "mentoin" is no policy: interject, learned, mention: did you mean "mention"?`,
		`24: qq:group:7: off: "perhaps" is no true or false`,
		`25: qq:group:7: names: "" is no list of texts`,
		`26: qq:group:7: quiet_hours: heartflow: invalid span "25:00-07:00": it must be two different times of day, as in 23:00-07:30`,
		"27: qq:group:7: banned_patterns: heartflow: banned pattern \"(\": error parsing regexp: missing closing ): `(`",
		`28: qq:group:7: max_replies: "few" is no whole number`,
		`29: qq:group:7: window_minutes: max_replies, max_replies_per_person, max_interjections, window_minutes, max_consecutive, hour_tokens and day_tokens must not be negative`,
		`30: qq:group:7: "quota" is not for chats: put it at the start of a line`,
		`31: duplicate key "off", which is in line 24 already`,
		`32: qq:group:8 must have lines such as key: value`,
	} {
		require.Less(t, i, len(got))
		assert.Equal(t, want, got[i])
	}
	assert.Len(t, got, 27)
}

func TestParse_NoYAML(t *testing.T) {
	for text, says := range map[string]string{
		"name: 小灯\nowner：10001\n":    ":2: this is no YAML: could not find expected ':' (line 2 has a full-width colon",
		"name：小灯\n":                  ":1: the file must have lines such as key: value (line 1 has a full-width colon",
		"chats:\n\tdefault: {}\n":    "indent with spaces, not with tabs",
		"name: \"小灯\n":               "this is no YAML",
		"name: 小灯\n---\nname: 小烛\n":  ":2: the file must be one document",
		"name:小灯\n":                  ":1: the file must have lines such as key: value (line 1 has no space behind its colon)",
		"name: 小灯\nquote:auto\n":     ":2: this is no YAML: could not find expected ':' (line 2 has no space behind its colon)",
		"quota: 1\nname:小灯\n":        ":2: this is no YAML: could not find expected ':' (line 2 has no space behind its colon)",
		"quota: 1\nname: “小灯”\n":     ":2: name has the quotes “ and ”: write \" or none",
		"- a\n- b\n":                 ":1: the file must have lines such as key: value",
		strings.Repeat("#", 1<<20+1): "larger than",
	} {
		path := write(t, "bot.yaml", text)
		_, _, err := parse(t, "-config", path)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, path)
	}
	_, _, err := parse(t, "-config", filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorContains(t, err, "-init ")
}

// An error of a program about a flag gets the line of the file that sets the flag.
func TestLocate(t *testing.T) {
	_, file, err := parse(t, "-config", write(t, "bot.yaml", "\nname: x\nquota: -1\n"))
	require.NoError(t, err)
	flagError := assert.AnError
	assert.Equal(t, flagError, file.Locate(flagError))
	assert.NoError(t, file.Locate(nil))
	located := file.Locate(&wrapped{"-quota -1 must not be negative"})
	assert.Equal(t, file.Path+":3: quota: -quota -1 must not be negative", located.Error())
	assert.Equal(t, "-speed 0 must be positive", file.Locate(&wrapped{"-speed 0 must be positive"}).Error(), "the file does not set it")
	assert.NoError(t, (*File)(nil).Locate(nil))
}

type wrapped struct{ s string }

func (w *wrapped) Error() string { return w.s }

// The file of -init changes nothing as it is, and is valid with every line uncommented. It has the flags that are given.
func TestInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bot.yaml")
	_, _, err := parse(t, "-init", path, "-name", "小灯: 一号", "-commands", "-token", "null")
	require.ErrorIs(t, err, program.ErrDone)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it may have tokens")
	assert.Contains(t, string(text), untranslated, "the test that looks for it works")
	assert.Contains(t, string(text), "\n# 每个聊天最多留多少条记录；0：全留\n# most records\n#quota: 0\n")
	v, file, err := parse(t, "-config", path)
	require.NoError(t, err)
	assert.Equal(t, flags{name: "小灯: 一号", commands: true, token: "null", speed: 1}, v)
	assert.Empty(t, file.Chats)

	_, _, err = parse(t, "-init", path)
	require.ErrorContains(t, err, "exists")
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, again)

	_, file, err = parse(t, "-config", write(t, "all.yaml", commented.ReplaceAllString(string(text), "$1")))
	require.NoError(t, err)
	assert.Len(t, file.Chats, 2)
}

// Every setting of chats has a text in both languages, and an example that is valid.
func TestChatTexts_Complete(t *testing.T) {
	keys, _ := chatFields()
	var described []string
	var b strings.Builder
	for _, text := range chatTexts {
		described = append(described, text.key)
		assert.NotEmpty(t, text.chinese)
		assert.NotEmpty(t, text.english)
		b.WriteString("    " + text.example + "\n")
	}
	assert.Equal(t, keys, described)
	_, file, err := parse(t, "-config", write(t, "bot.yaml", "chats:\n  default:\n"+b.String()))
	require.NoError(t, err)
	assert.NotZero(t, file.Chats[persona.Chat{}])
}

func TestNearest(t *testing.T) {
	words := []string{"onebot", "owner", "model", "model-name", "quiet_hours"}
	for word, want := range map[string]string{"onbot": "onebot", "ower": "owner", "Model_Name": "model-name", "mdoel": "model", "quiet-hour": "quiet_hours", "zebra": "", "x": ""} {
		assert.Equal(t, want, lang.Nearest(word, words), word)
	}
}
