package autonomy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPeriodLines_OneLineEach(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 4, 10, 9, minute, 0, 0, time.UTC) }
	in := func(app, title string, from, to int) OwnerActivity {
		return OwnerActivity{App: app, Title: title, From: at(from), To: at(to)}
	}
	assert.Equal(t, "- 04-10 09:00–09:12 编辑器：「main.go」「a b」\n- 04-10 09:12–09:14 邮件\n- 04-10 09:30–09:40 （example.com）\n- 04-10 09:41–09:42 编辑器\n", periodLines([]OwnerActivity{
		in("邮件", "", 12, 14), in("编辑器", "main.go", 0, 5), in("编辑器", "main.go", 5, 9), in("编辑器", "a\nb", 10, 12),
		{Address: "example.com", From: at(30), To: at(40)}, in("编辑器", "", 41, 42),
	}, time.UTC))
	assert.Equal(t, "- 04-10 09:00–09:01 编辑器\n- 04-10 09:20–09:21 编辑器\n", periodLines([]OwnerActivity{in("编辑器", "", 0, 1), in("编辑器", "", 20, 21)}, time.UTC))
	assert.Empty(t, periodLines(nil, time.UTC))

	var many []OwnerActivity
	for i := range 50 {
		many = append(many, OwnerActivity{App: fmt.Sprint("app", i), From: at(i), To: at(i).Add(time.Duration(50-i) * time.Second)})
	}
	text := periodLines(many, time.UTC)
	assert.Equal(t, maxPeriods+1, strings.Count(text, "\n"))
	assert.Contains(t, text, "app39\n")
	assert.NotContains(t, text, "app40\n", "the shortest periods are left out")
	assert.Contains(t, text, "另有 10 项没有列出")
	long := periodLines([]OwnerActivity{in(strings.Repeat("长", 100), strings.Repeat("长", 100), 0, 1)}, time.UTC)
	assert.Less(t, len([]rune(long)), 150)
}
