package persona

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParseCommand(t *testing.T) {
	for text, want := range map[string]Command{
		"安静":                    {Kind: CommandQuiet},
		" 安静 10 分钟 ":            {Kind: CommandQuiet, Duration: 10 * time.Minute},
		"安静１０分":                 {Kind: CommandQuiet, Duration: 10 * time.Minute},
		"安静半小时":                 {Kind: CommandQuiet, Duration: 30 * time.Minute},
		"睡觉2个小时":                {Kind: CommandSleep, Duration: 2 * time.Hour},
		"睡\u200b觉":              {Kind: CommandSleep},
		"/Quiet 90s":            {Kind: CommandQuiet, Duration: 90 * time.Second, English: true},
		"sleep  1 d":            {Kind: CommandSleep, Duration: 24 * time.Hour, English: true},
		"ｑｕｉｅｔ 30d":             {Kind: CommandQuiet, Duration: 720 * time.Hour, English: true},
		"说话":                    {Kind: CommandSpeak},
		"speak":                 {Kind: CommandSpeak, English: true},
		"起床":                    {Kind: CommandWake},
		"/状态":                   {Kind: CommandStatus},
		"帮助":                    {Kind: CommandHelp},
		"Help":                  {Kind: CommandHelp, English: true},
		"Forget\tme":            {Kind: CommandForget, English: true},
		"忘记我":                   {Kind: CommandForget},
		"确认忘记我":                 {Kind: CommandForgetConfirm},
		"forget me  for good\n": {Kind: CommandForgetConfirm, English: true},
	} {
		got, ok := ParseCommand(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "/", "//安静", "安静一下", "请安静", "安静！", "安静 0 分钟", "安静 -1 分钟", "安静 1.5h", "安静 31d", "安静 99999999s", "安静 9999999999999999999分", "安静 分钟", "安静 10", "安静 10 吨",
		"quietly", "quiet10m", "quiet 10m now", "speak 10m", "状态 10m", "帮助 状态", "help me", "忘记我们", "忘记我 确认", "forget", "forget me for good please", "他说 安静", "安 静",
	} {
		got, ok := ParseCommand(text)
		assert.False(t, ok, text)
		assert.Zero(t, got.Kind, text)
	}
}

func TestParseOwnerCommand(t *testing.T) {
	type command struct {
		kind CommandKind
		arg  string
	}
	for text, want := range map[string]command{
		"/标签":                     {CommandLabels, ""},
		" ／Ｌａｂｅｌｓ　":               {CommandLabels, ""},
		"/信任 qq:group:1":          {CommandEndorse, "qq:group:1"},
		"/Endorse  A1-b ":         {CommandEndorse, "A1-b"},
		"/公\u200b开 dream:0a:1":    {CommandDeclassify, "dream:0a:1"},
		"/declassify\nqq:group:1": {CommandDeclassify, "qq:group:1"},
		"/撤销 2":                   {CommandRevoke, "2"},
		"/revoke":                 {CommandRevoke, ""},
		"/revoke 1 2":             {CommandRevoke, "1 2"},
	} {
		kind, arg, ok := ParseOwnerCommand(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, command{kind, arg}, text)
		_, ok = ParseCommand(text)
		assert.False(t, ok, "not a command in a chat")
	}
	for _, text := range []string{"", "/", "标签", "labels", "//标签", "/ 标签", "/标签们", "/状态", "请 /标签"} {
		_, _, ok := ParseOwnerCommand(text)
		assert.False(t, ok, text)
	}
}
