package persona

import (
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// A CommandKind is the action that a [Command] requests.
type CommandKind string

// The commands.
const (
	CommandQuiet         CommandKind = "quiet"   // stop talking in this chat for a time
	CommandSpeak         CommandKind = "speak"   // end quiet
	CommandSleep         CommandKind = "sleep"   // stop talking in all chats, for a time or until CommandWake
	CommandWake          CommandKind = "wake"    // end sleep
	CommandStatus        CommandKind = "status"  // show the bot's status
	CommandHelp          CommandKind = "help"    // list the commands
	CommandResetFeedback CommandKind = "reset"   // forget how welcome the bot is in this chat
	CommandForget        CommandKind = "forget"  // erase the sender's data; the bot asks for confirmation
	CommandForgetConfirm CommandKind = "forgets" // confirm CommandForget
)

// A Command is an order in a fixed wording. The caller checks the sender's rights by id: see [Router].
type Command struct {
	Kind     CommandKind
	Duration time.Duration // of quiet and sleep; 0 means not given
	English  bool          // the command was written in English
}

var commandWords = []struct {
	kind             CommandKind
	chinese, english string
	takesDuration    bool // a duration may follow
}{
	{CommandQuiet, "安静", "quiet", true},
	{CommandSpeak, "说话", "speak", false},
	{CommandSleep, "睡觉", "sleep", true},
	{CommandWake, "起床", "wake", false},
	{CommandStatus, "状态", "status", false},
	{CommandHelp, "帮助", "help", false},
	{CommandResetFeedback, "重置反馈", "reset feedback", false},
	{CommandForget, "忘记我", "forget me", false},
	{CommandForgetConfirm, "确认忘记我", "forget me for good", false},
}

// maxCommandDuration is the maximum duration of quiet and sleep.
const maxCommandDuration = 30 * 24 * time.Hour

// ParseCommand parses a text that contains only a command:
//
//   - 安静 or quiet
//   - 睡觉 or sleep
//   - 说话 or speak
//   - 起床 or wake
//   - 状态 or status
//   - 帮助 or help
//   - 重置反馈 or "reset feedback"
//   - 忘记我 or "forget me"
//   - 确认忘记我 or "forget me for good"
//
// A duration of at most 30 days may follow quiet and sleep (10分钟, 2 小时, 半小时, 1天, 30s, 10m, 2h, 1d). A slash may precede
// the command. Case, character width and invisible characters are ignored. ok is false for all other texts.
func ParseCommand(text string) (Command, bool) {
	text = strings.TrimPrefix(strings.Join(strings.Fields(plain.Fold(text)), " "), "/")
	for _, w := range commandWords {
		for _, word := range []string{w.chinese, w.english} {
			rest, ok := strings.CutPrefix(text, word)
			c := Command{Kind: w.kind, English: word == w.english}
			switch {
			case !ok:
			case rest == "":
				return c, true
			case !w.takesDuration, c.English && rest[0] != ' ':
			default:
				if c.Duration, ok = parseCommandDuration(strings.TrimPrefix(rest, " ")); ok {
					return c, true
				}
			}
		}
	}
	return Command{}, false
}

var commandUnits = []struct {
	name string
	unit time.Duration
}{
	{"秒", time.Second}, {"秒钟", time.Second}, {"分", time.Minute}, {"分钟", time.Minute}, {"小时", time.Hour}, {"个小时", time.Hour}, {"天", 24 * time.Hour},
	{"s", time.Second}, {"m", time.Minute}, {"min", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// parseCommandDuration parses a duration: a whole number and a unit.
func parseCommandDuration(text string) (time.Duration, bool) {
	if text == "半小时" || text == "半个小时" {
		return 30 * time.Minute, true
	}
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	n, err := strconv.Atoi(text[:i])
	unit := strings.TrimPrefix(text[i:], " ")
	for _, u := range commandUnits {
		if err == nil && i <= 7 && u.name == unit {
			d := time.Duration(n) * u.unit
			return d, d > 0 && d <= maxCommandDuration
		}
	}
	return 0, false
}

// These commands are for [ParseOwnerCommand]. Only the owner can give them.
const (
	CommandLabels     CommandKind = "labels"     // list untrusted data, endorsements and declassifications
	CommandEndorse    CommandKind = "endorse"    // mark a memory or a chat as trusted
	CommandDeclassify CommandKind = "declassify" // allow other chats to read a memory or a chat
	CommandRevoke     CommandKind = "revoke"     // undo an endorsement or a declassification
)

var ownerWords = []struct {
	kind             CommandKind
	chinese, english string
}{
	{CommandLabels, "标签", "labels"},
	{CommandEndorse, "信任", "endorse"},
	{CommandDeclassify, "公开", "declassify"},
	{CommandRevoke, "撤销", "revoke"},
}

// ParseOwnerCommand parses a command that the owner typed in their app. Never call it with text from another source.
// The commands are /标签 (/labels), /信任 (/endorse), /公开 (/declassify) and /撤销 (/revoke).
//
// The argument of endorse and declassify is the ID of a memory or a chat in the form of [Chat.String]. The argument of
// revoke is a number or an ID from the list. arg is returned as typed. It may be empty. ok is false for all other
// texts.
func ParseOwnerCommand(text string) (kind CommandKind, arg string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return "", "", false
	}
	for _, w := range ownerWords {
		if word := plain.Fold(fields[0]); word == "/"+w.chinese || word == "/"+w.english {
			return w.kind, strings.Join(fields[1:], " "), true
		}
	}
	return "", "", false
}
