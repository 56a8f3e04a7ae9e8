package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestClock_SpecIsSimulated(t *testing.T) {
	c := clock{speed: 1350}
	assert.Equal(t, "1小时30分", c.spec("4s"))
	assert.Equal(t, "每天 8:00", c.spec("每天 8:00"))
	assert.Equal(t, "1分30秒", clock{speed: 1}.spec("90s"))
	assert.Equal(t, "0秒", clock{speed: 1}.spec("0s"))
}

// Real times have minutes. A minute at this speed is hours, so the start of the minute may lie before the start of the day.
func TestClock_TextIsSimulated(t *testing.T) {
	began := time.Date(2026, 11, 24, 1, 30, 0, 0, time.Local)
	c := newClock(began, 60, true)
	assert.Equal(t, "## 2026-11-24 11:00\n服务器挂了", c.text("## 2026-11-24 01:34\n服务器挂了"))
	assert.Equal(t, "2026-11-24 01:34:00", newClock(began, 1, false).text("2026-11-24 01:34:00"))
}
