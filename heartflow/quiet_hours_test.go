package heartflow

import (
	"encoding/json"
	"testing"
	"time"
	_ "time/tzdata" // the same zones everywhere

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

func spans(t testing.TB, texts ...string) (list []Span) {
	for _, text := range texts {
		var s Span
		require.NoError(t, s.UnmarshalText([]byte(text)))
		list = append(list, s)
	}
	return list
}

func TestSpan_Text(t *testing.T) {
	for _, text := range []string{"23:00-07:30", "00:00-24:00", "12:30:15-13:00", "00:00-00:00:01"} {
		b, err := json.Marshal(spans(t, text))
		require.NoError(t, err)
		assert.Equal(t, `["`+text+`"]`, string(b))
		var back []Span
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, spans(t, text), back)
	}
	for _, bad := range []string{"", "23:00", "23:00-23:00", "24:00-01:00", "25:00-01:00", "1-2", "12:60-13:00", "-01:00-02:00", "12:00-13:00-14:00"} {
		var s Span
		require.Error(t, s.UnmarshalText([]byte(bad)), bad)
		assert.Zero(t, s)
	}
	assert.Equal(t, spans(t, "08:00-09:00"), spans(t, " 8:00 - 9:00 "))
}

var zones = []string{"UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago", "Africa/Casablanca"}

// FuzzQuietHours compares the quiet hours and their end with a walk minute by minute.
func FuzzQuietHours(f *testing.F) {
	newYork, _ := time.LoadLocation("America/New_York")
	lordHowe, _ := time.LoadLocation("Australia/Lord_Howe")
	const from = 1_600_000_000                                                                      // 2020; until 2030
	f.Add(time.Date(2026, 3, 8, 1, 30, 0, 0, newYork).Unix()-from, uint8(2), []byte{1, 0, 2, 30})   // into the skipped hour
	f.Add(time.Date(2026, 11, 1, 0, 40, 0, 0, newYork).Unix()-from, uint8(2), []byte{0, 30, 1, 30}) // over the repeated hour
	f.Add(time.Date(2026, 11, 1, 1, 40, 0, 0, newYork).Unix()-from, uint8(2), []byte{1, 30, 2, 0})  // quiet twice
	f.Add(time.Date(2026, 4, 5, 1, 46, 0, 0, lordHowe).Unix()-from, uint8(4), []byte{1, 45, 2, 0})  // a shift of half an hour
	f.Add(t0.Unix()-from, uint8(1), []byte{23, 0, 7, 30, 7, 30, 8, 0, 12, 0, 14, 0})
	f.Add(t0.Unix()-from, uint8(0), []byte{0, 0, 24, 0})
	f.Fuzz(func(t *testing.T, unix int64, zone uint8, data []byte) {
		loc, err := time.LoadLocation(zones[int(zone)%len(zones)])
		require.NoError(t, err)
		now := time.Unix(from+(unix%300_000_000+300_000_000)%300_000_000, 0).In(loc)
		q := &QuietHours{}
		for ; len(data) >= 4 && len(q.Spans) < 5; data = data[4:] {
			s := Span{
				From: time.Duration(data[0]%24)*time.Hour + time.Duration(data[1]%60)*time.Minute,
				To:   min(time.Duration(data[2]%25)*time.Hour+time.Duration(data[3]%60)*time.Minute, day),
			}
			if s.valid() {
				q.Spans = append(q.Spans, s)
			}
		}
		require.NoError(t, q.validate())
		var minutes [1440]bool
		for _, s := range q.Spans {
			for m := s.From; m != s.To%day || m == s.From; m = (m + time.Minute) % day {
				minutes[m/time.Minute] = true
				if m+time.Minute == s.To {
					break
				}
			}
		}
		shows := func(now time.Time) bool { return minutes[now.Hour()*60+now.Minute()] }
		require.Equal(t, shows(now), q.at(tick.Of(now), loc), "%v %v", now, q.Spans)
		if !q.at(tick.Of(now), loc) {
			require.Equal(t, tick.Of(now), q.ends(tick.Of(now), loc))
			return
		}
		want, last := now.Truncate(time.Minute), now.Add(4*day)
		for shows(want) && want.Before(last) {
			want = want.Add(time.Minute)
		}
		got := q.ends(tick.Of(now), loc)
		if !want.Before(last) {
			require.Equal(t, tick.Forever, got, "%v %v", now, q.Spans)
			return
		}
		require.Equal(t, want.String(), got.End(loc).String(), "from %v %v", now, q.Spans)
	})
}

// BeginTurn and Speak with reasons ignore quiet hours. The caller checks InQuietHours.
func TestQuietHours_BegunTurnsPass(t *testing.T) {
	a := newAttention[int](Options{QuietHours: QuietHours{Spans: spans(t, "12:00-13:00"), IgnoreAddressed: true}})
	require.NoError(t, a.Configure(2, Settings{QuietHours: &QuietHours{}}))
	require.NoError(t, a.Configure(3, Settings{QuietHours: &QuietHours{Spans: spans(t, "00:00-24:00")}}))
	until, quiet := a.InQuietHours(t0, 1)
	assert.True(t, quiet)
	assert.Equal(t, t0.Add(time.Hour), until)
	_, quiet = a.InQuietHours(t0, 2)
	assert.False(t, quiet)
	until, quiet = a.InQuietHours(t0, 3)
	assert.True(t, quiet)
	assert.Zero(t, until, "no end")

	assert.Equal(t, Ask, a.BeginTurn(t0, 1, "timer").Do)
	assert.NoError(t, a.Speak(t0, 1, "起床啦"))
	s, err := a.Snapshot()
	require.NoError(t, err)
	require.NoError(t, a.Restore(s))
	assert.NoError(t, a.Speak(t0, 1, "该起床啦"), "also after a restart")
	assert.NoError(t, a.Speak(t0, 1, "主人让我说的", "owner"))
	a.Observe(t0, 3, Message{AtMe: true})
	assert.Equal(t, Ask, a.Judge(t0, 3).Do)
	var m PolicyInput
	b := newAttention[int](Options{QuietHours: QuietHours{Spans: spans(t, "12:00-13:00")}, Policy: prober{func(now *PolicyInput) Verdict { m = *now; return Verdict{} }}})
	b.Judge(t0, 1)
	assert.True(t, m.QuietHours)
	b.Judge(t0.Add(time.Hour), 1)
	assert.False(t, m.QuietHours)
	b.Judge(t0, 1) // an earlier time
	assert.False(t, m.QuietHours)
}
