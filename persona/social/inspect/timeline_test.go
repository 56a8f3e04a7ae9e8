package inspect

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
)

func TestTimeline(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 34, 56, 7, time.Local)
	at := func(ago time.Duration, own bool) memory.Record { return memory.Record{At: now.Add(-ago), Own: own} }
	tl := count(now, []memory.Record{
		at(24*time.Hour, false), at(23*time.Hour+34*time.Minute, false), at(35*time.Minute, false), at(34*time.Minute, true), at(time.Minute, false), at(0, false), at(0, true), at(-time.Hour, false), {},
	})
	assert.Equal(t, 6, tl.Messages, "neither older ones nor those of a wrong clock")
	assert.Equal(t, 2, tl.Own)
	assert.Equal(t, hourCount{time.Date(2026, 2, 28, 13, 0, 0, 0, time.Local), 1, 0}, tl.Hours[0])
	assert.Equal(t, hourCount{time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local), 4, 2}, tl.Hours[23])
	assert.Equal(t, 1, tl.Hours[22].Messages)
	assert.Equal(t, []hourCount{tl.Hours[23], tl.Hours[22], tl.Hours[0]}, tl.Busy())
	bars := tl.Bars()
	assert.Equal(t, bar{X: 276, Y: 0, Height: 60, OwnY: 30, OwnHeight: 30, Label: "12:00"}, bars[23])
	assert.Equal(t, bar{X: 264, Y: 45, Height: 15, OwnY: 60}, bars[22])
	assert.Equal(t, "一共 6 条消息，其中机器人说了 2 条，最多的一小时是 12:00 起，4 条", (&page{lang: chinese}).TimelineText(tl))
	assert.Equal(t, "0 messages, 0 of them by the bot", (&page{lang: english}).TimelineText(count(now, nil)))
}
