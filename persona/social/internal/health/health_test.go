package health

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return now.Add(-d) }

func writers() (zh, en Writer) {
	return Writer{Now: now, Location: time.UTC}, Writer{English: true, Now: now, Location: time.UTC}
}

func TestWriter_Link(t *testing.T) {
	zh, en := writers()
	h := trace.LinkHealth{
		Self: persona.Account{Platform: "qq", ID: "10000"}, Online: true, Since: before(3 * time.Hour), Heard: before(2 * time.Second), Heartbeat: before(12 * time.Second),
		P50: 12 * time.Millisecond, P95: 1500 * time.Millisecond, Calls: 128, TimedOut: 2, Reconnects: 3, Lost: before(3 * time.Hour), LostReason: "onebot: read: EOF",
		Queued: 4, QueuedBytes: 3 << 19, QueueLimit: 64 << 20, Dropped: 5,
	}
	assert.Equal(t, "在线，已 3 小时", zh.State(h))
	assert.Equal(t, "12 / 1500 毫秒，2 次没等到", zh.Latency(h))
	assert.Equal(t, "12 秒前", zh.Heartbeat(h))
	assert.Equal(t, "3 次，上次断在 03-01 09:00：onebot: read: EOF", zh.Reconnects(h))
	assert.Equal(t, "4（1.5 / 64 MB）", zh.Queue(h))
	assert.Equal(t, "qq 10000，在线，已 3 小时，延迟 12 / 1500 毫秒，2 次没等到，重连 3 次，上次断在 03-01 09:00：onebot: read: EOF，排队 4，丢了 5", zh.Link(h))
	assert.Equal(t, "qq 10000, online for 3 h, latency 12 / 1500 ms, 2 timed out, reconnects 3, last lost at 03-01 09:00: onebot: read: EOF, 4 queued, 5 dropped", en.Link(h))

	h = trace.LinkHealth{Self: persona.Account{Platform: "qqbot"}, Since: before(90 * time.Second), Heard: before(49 * time.Hour), Problem: "dial: refused"}
	assert.Equal(t, "断开，已 1 分钟：dial: refused", zh.State(h))
	assert.Equal(t, "还没有调用", zh.Latency(h))
	assert.Equal(t, "没有；2 天前有消息", zh.Heartbeat(h))
	assert.Equal(t, "none; heard 2 days ago", en.Heartbeat(h))
	assert.Equal(t, "0 次", zh.Reconnects(h))
	assert.Equal(t, "0", zh.Queue(h))
	assert.Equal(t, "qqbot, offline for 1 min: dial: refused", en.Link(h))
	assert.Equal(t, "none", en.Heartbeat(trace.LinkHealth{}))
	assert.Equal(t, "0.3 / 9.5 毫秒", zh.Latency(trace.LinkHealth{Calls: 1, P50: 300 * time.Microsecond, P95: 9500 * time.Microsecond}))
}

func TestWriter_Budget(t *testing.T) {
	zh, en := writers()
	assert.Equal(t, "不受限制", zh.Budget(heartflow.BudgetState{}))
	s := heartflow.BudgetState{Level: heartflow.LevelOff, Share: 1.02, Until: now.Add(20 * time.Hour), Daily: true}
	assert.Equal(t, "最近一天的模型额度用了 102%。不再用模型，叫我也不答了。最早 03-02 08:00 恢复", zh.Budget(s))
	s = heartflow.BudgetState{Level: heartflow.LevelSaving, Share: .5, Until: now.Add(time.Hour)}
	assert.Equal(t, "The last hour used 50% of its budget: saving: fewer interjections, shorter prompts, one model call a reply. It ends at 03-01 13:00 at the earliest", en.Budget(s))
	for l := heartflow.LevelFull; l <= heartflow.LevelOff; l++ {
		assert.NotEmpty(t, zh.Level(l))
		assert.NotEqual(t, zh.Level(l), en.Level(l))
	}
	assert.Equal(t, "1,234 / 10,000（12%）", zh.Used(1234, 10000))
	assert.Equal(t, "0（不限）", zh.Used(0, -1))
	assert.Equal(t, "999 (no limit)", en.Used(999, 0))
	assert.Equal(t, "-1,234,567", Number(-1234567))
	assert.Equal(t, "-123", Number(-123))
}

func TestWriter_Allowance(t *testing.T) {
	zh, en := writers()
	assert.Equal(t, "还能回复 4 条，到 03-01 12:04 为止；主动消息这一分钟还有 20 条，一天内还有 1000 条", zh.Allowance(trace.Allowance{Replies: 4, RepliesUntil: now.Add(4 * time.Minute), Minute: 20, Day: 1000}))
	assert.Equal(t, "Nothing may be sent: muted", en.Allowance(trace.Allowance{Refused: "muted"}))
}
