package persona

import (
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// A CommandKind says what a [Command] wants.
type CommandKind string

// The commands.
const (
	CommandQuiet         CommandKind = "quiet"   // say nothing in this chat for a time
	CommandSpeak         CommandKind = "speak"   // that is over
	CommandSleep         CommandKind = "sleep"   // say nothing anywhere, for a time or until it is woken
	CommandWake          CommandKind = "wake"    // that is over
	CommandStatus        CommandKind = "status"  // tell how it is
	CommandForget        CommandKind = "forget"  // forget whoever says it: asks back
	CommandForgetConfirm CommandKind = "forgets" // the answer to that: do it
)

// A Command is an order of few fixed words. Who may give it follows from ids: see [Router].
type Command struct {
	Kind     CommandKind
	Duration time.Duration // of quiet and sleep; 0: not said
	English  bool          // it was given in English
}

var commandWords = []struct {
	kind             CommandKind
	chinese, english string
	lasts            bool // a duration may follow
}{
	{CommandQuiet, "安静", "quiet", true},
	{CommandSpeak, "说话", "speak", false},
	{CommandSleep, "睡觉", "sleep", true},
	{CommandWake, "起床", "wake", false},
	{CommandStatus, "状态", "status", false},
	{CommandForget, "忘记我", "forget me", false},
	{CommandForgetConfirm, "确认忘记我", "forget me for good", false},
}

// longestCommand is how long quiet and sleep may last.
const longestCommand = 30 * 24 * time.Hour

// ParseCommand reads a text that is a command and nothing else: 安静 or quiet, and 睡觉 or sleep, each with a duration if
// you like (10分钟, 2 小时, 半小时, 1天; 30s, 10m, 2h, 1d; up to 30 days); 说话 or speak; 起床 or wake; 状态 or status; 忘记我
// or "forget me", and 确认忘记我 or "forget me for good". A slash may stand before it; case, width and what cannot be seen
// do not matter. Any other text is none.
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
			case !w.lasts, c.English && rest[0] != ' ':
			default:
				if c.Duration, ok = commandFor(strings.TrimPrefix(rest, " ")); ok {
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

// commandFor reads a duration: a whole number and a unit.
func commandFor(text string) (time.Duration, bool) {
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
			return d, d > 0 && d <= longestCommand
		}
	}
	return 0, false
}

// The commands that the owner gives in their app: see [ParseOwnerCommand].
const (
	CommandLabels     CommandKind = "labels"     // list what others may have had a hand in, and what was endorsed and declassified
	CommandEndorse    CommandKind = "endorse"    // make a memory or a chat trusted
	CommandDeclassify CommandKind = "declassify" // let a memory or a chat be read elsewhere
	CommandRevoke     CommandKind = "revoke"     // end that
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

// ParseOwnerCommand reads what the owner types in their app, and nowhere else: /标签 or /labels; /信任 or /endorse, and /公开 or
// /declassify, each with the ID of a memory or a chat as [Chat.String] has it; /撤销 or /revoke with a number or an ID of the list.
// The argument is as it was typed, "" where there is none. A text that begins with none of these words is no such command.
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
