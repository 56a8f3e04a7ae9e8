package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClock_SpecIsSimulated(t *testing.T) {
	c := clock{speed: 1350}
	assert.Equal(t, "1小时30分", c.spec("4s"))
	assert.Equal(t, "每天 8:00", c.spec("每天 8:00"))
	assert.Equal(t, "1分30秒", clock{speed: 1}.spec("90s"))
	assert.Equal(t, "0秒", clock{speed: 1}.spec("0s"))
}

func TestDay_TimesHaveOneFormat(t *testing.T) {
	at := time.Date(2026, 11, 24, 13, 24, 44, 0, time.UTC)
	text, err := json.Marshal(day{Now: at, Entries: []entry{{At: at}}})
	require.NoError(t, err)
	var d struct {
		Now     string
		Entries []struct{ At string }
	}
	require.NoError(t, json.Unmarshal(text, &d))
	assert.Equal(t, "2026-11-24T13:24:44Z", d.Now)
	assert.Equal(t, d.Now, d.Entries[0].At)
}

// Real times have minutes. A minute at this speed is hours, so the start of the minute may lie before the start of the day.
func TestClock_TextIsSimulated(t *testing.T) {
	began := time.Date(2026, 11, 24, 1, 30, 0, 0, time.Local)
	c := newClock(began, 60, true)
	assert.Equal(t, "## 2026-11-24 11:00\n服务器挂了", c.text("## 2026-11-24 01:34\n服务器挂了"))
	assert.Equal(t, "2026-11-24 01:34:00", newClock(began, 1, false).text("2026-11-24 01:34:00"))
}
