package schedule_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	byOwner = schedule.Origin{Mode: persona.Agent, Person: persona.Account{Platform: "qq", ID: "10001"}}
	inGroup = schedule.Origin{Person: persona.Account{Platform: "qq", ID: "10002"}, Chat: statetest.GroupChat}
	byself  = schedule.Origin{}
)

func TestParseTimer_Forms(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 4, 10, 8, 30, 0, 0, berlin)
	for spec, want := range map[string]string{
		"30s": "2026-04-10 08:30:30", "5min": "2026-04-10 08:35:00", "2h": "2026-04-10 10:30:00", "1d": "2026-04-11 08:30:00", " 90min ": "2026-04-10 10:00:00",
		"366d": "2027-04-11 08:30:00", "007s": "2026-04-10 08:30:07",
		"once:2026-04-10 09:00": "2026-04-10 09:00:00", "once: 2026-04-10 09:00:30 ": "2026-04-10 09:00:30",
		"once:2026-04-10 08:30": "over", "once:2026-04-10 08:29": "over", "once:1999-01-01 00:00": "over",
		"once:2027-03-28 02:30": "2027-03-28 03:00:00", "cron:0 8 * * *": "2026-04-11 08:00:00", "cron: @daily": "2026-04-11 00:00:00",
	} {
		p, err := schedule.ParseTimer(spec)
		require.NoError(t, err, spec)
		assert.Equal(t, strings.TrimSpace(spec), p.String())
		assert.Equal(t, strings.HasPrefix(spec, "cron:"), p.Repeats())
		got := "over"
		if next, ok := p.Next(now, berlin); ok {
			got = next.Format(time.DateTime)
		}
		assert.Equal(t, want, got, spec)
	}
	for _, spec := range []string{
		"", " ", "5", "min", "5m", "5 min", "-5min", "+5min", "5.5h", "1h30min", "0s", "367d", "99999999999999999999s", "9223372036854775807d", "5MIN", "五分钟", "５min",
		"once:", "once:2026-04-10", "once:09:00", "once:2026-02-30 09:00", "once:2026-04-10 24:00", "once:2026-04-10 09:00:00.5", "once:2026-04-10T09:00Z",
		"cron:", "cron", "every 5min", "tomorrow", "5min\x00", strings.Repeat("1", 200) + "s", "cron:" + strings.Repeat("0,", 200) + "0 8 * * *",
	} {
		_, err := schedule.ParseTimer(spec)
		assert.ErrorIs(t, err, schedule.ErrTimerSpec, "%q", spec)
		assert.Less(t, len(fmt.Sprint(err)), 600)
	}
	_, ok := schedule.TimerSpec{}.Next(now, nil)
	assert.False(t, ok)
}

// In a repeated hour, a time may be set after its first pass.
func TestTimerSpec_OnceInRepeatedHour(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	p, err := schedule.ParseTimer("once:2026-10-25 02:30")
	require.NoError(t, err)
	first := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		now, want time.Time
		ok        bool
	}{{first.Add(-time.Second), first, true}, {first, first.Add(time.Hour), true}, {first.Add(59 * time.Minute), first.Add(time.Hour), true}, {first.Add(time.Hour), time.Time{}, false}} {
		got, ok := p.Next(c.now, berlin)
		assert.Equal(t, c.ok, ok)
		assert.True(t, got.Equal(c.want), "%s, not %s", got, c.want)
	}
	apia, err := schedule.ParseTimer("once:2011-12-30 09:00")
	require.NoError(t, err)
	got, ok := apia.Next(time.Date(2011, 12, 1, 0, 0, 0, 0, time.UTC), zone(t, "Pacific/Apia"))
	assert.True(t, ok)
	assert.Equal(t, "2011-12-31 00:00", got.Format("2006-01-02 15:04"))
}

func newTimers(t *testing.T, r *statetest.Store, o schedule.TimerOptions) *schedule.Timers {
	t.Helper()
	if o.Location == nil {
		o.Location = time.UTC
	}
	timers := schedule.NewTimers(r, o)
	broken, err := timers.Restore(t.Context())
	require.NoError(t, err)
	require.Empty(t, broken)
	return timers
}

func set(t *testing.T, timers *schedule.Timers, now time.Time, m schedule.Origin, spec string) schedule.Timer {
	t.Helper()
	made, err := timers.Set(t.Context(), now, m, spec, "喝水")
	require.NoError(t, err)
	return made
}

// due returns the timers that fire at now, as "id at late", and ends them if done is true.
func due(t *testing.T, timers *schedule.Timers, now time.Time, done bool) (list []string) {
	t.Helper()
	for f, err := range timers.Due(t.Context(), now) {
		require.NoError(t, err)
		s := fmt.Sprintf("%s at %s", f.Timer.ID, f.At.Format("02 15:04:05"))
		if f.Late {
			s += " late"
		}
		list = append(list, s)
		if done {
			require.NoError(t, timers.Done(t.Context(), f.ID))
		}
	}
	return list
}

func TestTimers_Fire(t *testing.T) {
	r := statetest.New(nil)
	timers := newTimers(t, r, schedule.TimerOptions{})
	_, ok := timers.Next()
	assert.False(t, ok)

	now := time.Date(2026, 4, 10, 7, 0, 0, 0, time.UTC)
	set(t, timers, now, inGroup, "cron:0 8 * * *")
	set(t, timers, now, inGroup, "5min")
	set(t, timers, now, byOwner, "once:2026-04-10 08:00")
	assert.Equal(t, 3, r.Applies, "one write each")
	next, _ := timers.Next()
	assert.Equal(t, now.Add(5*time.Minute), next)
	assert.Nil(t, due(t, timers, next.Add(-1), true))
	assert.Equal(t, []string{"t2 at 10 07:05:00"}, due(t, timers, next, true))
	assert.Nil(t, due(t, timers, next, true))

	next, _ = timers.Next()
	assert.Equal(t, []string{"t1 at 10 08:00:00", "t3 at 10 08:00:00"}, due(t, timers, next.Add(59*time.Second), true), "timers with the same time fire in the order of creation")
	assert.Equal(t, []string{"t1 at 11 08:00:00 late"}, due(t, timers, next.AddDate(0, 0, 3).Add(-time.Second), true), "two missed times fire once")
	assert.Equal(t, []string{"t1 at 13 08:00:00"}, due(t, timers, next.AddDate(0, 0, 3), true))
	assert.Len(t, r.Rows, 2, "the cron line and the last number")
	require.NoError(t, timers.Cancel(t.Context(), inGroup, "t1"))
	_, ok = timers.Next()
	assert.False(t, ok)
	assert.Equal(t, "t4", set(t, newTimers(t, r, schedule.TimerOptions{}), now, inGroup, "5min").ID, "no id is used twice")
}

func TestTimers_RightsOfOrigin(t *testing.T) {
	r := statetest.New(nil)
	timers := newTimers(t, r, schedule.TimerOptions{})
	other := schedule.Origin{Person: inGroup.Person, Chat: persona.Chat{Platform: "qq", Kind: persona.Private, ID: "10002"}}
	for _, m := range []schedule.Origin{inGroup, byOwner, other, byself} {
		set(t, timers, statetest.T0, m, "5min")
	}
	timers = newTimers(t, r, schedule.TimerOptions{}) // the rights survive a restart
	var got []schedule.Origin
	for f, err := range timers.Due(t.Context(), statetest.T0.Add(5*time.Minute)) {
		require.NoError(t, err)
		got = append(got, f.Timer.Origin)
	}
	assert.Equal(t, []schedule.Origin{inGroup, byOwner, other, byself}, got)
	assert.Equal(t, "session_social:group_123", inGroup.Session())
	assert.Equal(t, persona.OwnerSession, byOwner.Session())
	assert.Empty(t, byself.Session())

	for _, m := range []schedule.Origin{{Mode: persona.Agent, Chat: statetest.GroupChat}, {Mode: 7}} {
		_, err := timers.Set(t.Context(), statetest.T0, m, "5min", "")
		assert.Error(t, err)
	}
	for row, want := range map[string]persona.Mode{
		`{"mode":"agent"}`: persona.Agent, `{"mode":"persona"}`: persona.Persona, `{}`: persona.Persona, `{"mode":"AGENT"}`: persona.Persona, `{"mode":"root"}`: persona.Persona,
	} {
		var m schedule.Origin
		require.NoError(t, json.Unmarshal([]byte(row), &m))
		assert.Equal(t, want, m.Mode, row)
	}
	var m schedule.Origin
	assert.Error(t, json.Unmarshal([]byte(`{"mode":"agent","chat":"qq:group:1"}`), &m))
	assert.Error(t, json.Unmarshal([]byte(`{"mode":1}`), &m))
}

func TestTimers_VisibilityByOrigin(t *testing.T) {
	timers := newTimers(t, statetest.New(nil), schedule.TimerOptions{})
	other := inGroup
	other.Chat.ID = "124"
	g, o, b := set(t, timers, statetest.T0, inGroup, "2h"), set(t, timers, statetest.T0, byOwner, "1h"), set(t, timers, statetest.T0, byself, "3h")
	assert.Equal(t, []schedule.Timer{g}, timers.List(inGroup))
	assert.Equal(t, []schedule.Timer{o, g, b}, timers.List(byOwner))
	assert.Equal(t, []schedule.Timer{b}, timers.List(byself))
	assert.Empty(t, timers.List(other))
	for _, m := range []schedule.Origin{inGroup, other, byself} {
		assert.ErrorIs(t, timers.Cancel(t.Context(), m, o.ID), schedule.ErrNotFound)
	}
	assert.ErrorIs(t, timers.Cancel(t.Context(), other, g.ID), schedule.ErrNotFound)
	assert.ErrorIs(t, timers.Cancel(t.Context(), byOwner, "t99"), schedule.ErrNotFound)
	require.NoError(t, timers.Cancel(t.Context(), byOwner, g.ID))
	assert.Len(t, timers.List(byOwner), 2)
}

func TestTimers_Limits(t *testing.T) {
	timers := newTimers(t, statetest.New(nil), schedule.TimerOptions{MaxPerSession: 2, MaxTotal: 5, MaxPayload: 4})
	ctx := t.Context()
	try := func(m schedule.Origin) error { _, err := timers.Set(ctx, statetest.T0, m, "1h", ""); return err }
	in := func(group string) schedule.Origin {
		m := inGroup
		m.Chat.ID = group
		return m
	}
	require.NoError(t, try(in("1")))
	require.NoError(t, try(in("1")))
	assert.ErrorIs(t, try(in("1")), schedule.ErrTooMany)
	m := in("1")
	m.Person.ID = "10003"
	assert.ErrorIs(t, try(m), schedule.ErrTooMany, "the limit of a session counts for all people")
	m.Chat.Platform = "telegram"
	require.NoError(t, try(m), "the same id on another platform is another session")
	require.NoError(t, try(in("2")))
	require.NoError(t, try(in("3")))
	assert.ErrorIs(t, try(in("4")), schedule.ErrTooMany, "the limit of all persona sessions")
	require.NoError(t, try(byOwner), "the agent has its own limit")
	require.NoError(t, timers.Cancel(ctx, byOwner, "t1"))
	require.NoError(t, try(in("1")))

	for payload, want := range map[string]error{"四个汉字": nil, "五个汉字了": schedule.ErrTooLong, "\xff": schedule.ErrNotUTF8} {
		_, err := timers.Set(ctx, statetest.T0, byOwner, "1h", payload)
		assert.ErrorIs(t, err, want)
		require.NoError(t, timers.ErasePerson(ctx, byOwner.Person))
	}
	_, err := timers.Set(ctx, statetest.T0, byOwner, "once:2000-01-01 00:00", "")
	assert.ErrorIs(t, err, schedule.ErrPast)
	_, err = timers.Set(ctx, statetest.T0, schedule.Origin{Chat: persona.Chat{Platform: "a:b", Kind: "c", ID: "d"}}, "1h", "")
	assert.Error(t, err, "invalid chat")
	assert.Len(t, timers.List(byOwner), 5, "rejected timers are not stored")
}

func TestTimers_Forget(t *testing.T) {
	r := statetest.New(nil)
	timers := newTimers(t, r, schedule.TimerOptions{})
	set(t, timers, statetest.T0, inGroup, "1h")
	set(t, timers, statetest.T0, byOwner, "1h")
	set(t, timers, statetest.T0, byself, "1h")
	require.NoError(t, timers.EraseChat(t.Context(), statetest.GroupChat))
	assert.Len(t, timers.List(byOwner), 2)
	require.NoError(t, timers.EraseChat(t.Context(), persona.Chat{}))
	assert.Len(t, timers.List(byOwner), 1, "timers of the agent and of the bot itself have no chat")
	set(t, timers, statetest.T0, byself, "1h")
	require.NoError(t, timers.ErasePerson(t.Context(), persona.Account{}))
	assert.Len(t, timers.List(byOwner), 2, "the zero Account matches nobody")
	require.NoError(t, timers.ErasePerson(t.Context(), byOwner.Person))
	assert.Len(t, timers.List(byOwner), 1)
}

func TestTimers_InvalidRow(t *testing.T) {
	r := statetest.New(nil)
	set(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0, inGroup, "5min")
	bad := map[string]string{
		"timer/t7": `{"spec":"cron:0 8 * * *","next":`, "timer/t8": `{"spec":"yearly","next":"2026-01-01T00:00:00Z"}`, "timer/t9": `{"spec":"5min"}`,
		"timer/": `[]`, "timer/x": `{"spec":"5min","next":"2026-01-01T00:00:00Z","maker":{"mode":"agent","chat":"qq:group:1"}}`,
	}
	for k, v := range bad {
		r.Rows[k] = []byte(v)
	}
	timers := schedule.NewTimers(r, schedule.TimerOptions{Location: time.UTC})
	broken, err := timers.Restore(t.Context())
	require.NoError(t, err)
	var keys []string
	for _, b := range broken {
		keys = append(keys, b.Key)
		assert.ErrorContains(t, b, b.Key)
		assert.Error(t, errors.Unwrap(b))
	}
	assert.Equal(t, []string{"timer/", "timer/t7", "timer/t8", "timer/t9", "timer/x"}, keys)
	assert.Equal(t, []string{"t1 at 05 10:05:00"}, due(t, timers, statetest.T0.Add(5*time.Minute), true))
	assert.Equal(t, "t10", set(t, timers, statetest.T0, inGroup, "5min").ID, "the id of an invalid row is not reused")
	for k, v := range bad {
		assert.Equal(t, v, string(r.Rows[k]), "invalid rows are kept")
	}
}

// A timer that was firing during a crash is yielded again under the same id, three times in all.
func TestTimers_FiringCrashesProgram(t *testing.T) {
	r := statetest.New(nil)
	now := statetest.T0
	made := set(t, newTimers(t, r, schedule.TimerOptions{}), now, inGroup, "5min")
	cronTimer := set(t, newTimers(t, r, schedule.TimerOptions{}), now, inGroup, "cron:5 10 * * *")
	now = made.Next
	for try := range 4 {
		timers := newTimers(t, r, schedule.TimerOptions{})
		var ids []string
		for f, err := range timers.Due(t.Context(), now.Add(time.Duration(try)*time.Second)) {
			require.NoError(t, err)
			assert.Equal(t, try > 0, f.Late, "a repeated firing is late")
			assert.Equal(t, made.Next, f.At)
			ids = append(ids, f.ID)
		}
		assert.Nil(t, due(t, timers, now.Add(time.Hour), false), "not again in this run")
		if try < 3 {
			assert.Equal(t, []string{"timer/t1/1", "timer/t2/1"}, ids)
		} else {
			assert.Empty(t, ids)
		}
	}
	timers := newTimers(t, r, schedule.TimerOptions{})
	assert.Equal(t, []schedule.Timer{{ID: "t2", Spec: cronTimer.Spec, Payload: "喝水", Origin: inGroup, Created: statetest.T0, Next: statetest.T0.AddDate(0, 0, 1).Add(5 * time.Minute), Fired: 1}}, timers.List(byOwner))
}

// A timer that was firing during a crash and is due again fires once, not twice.
func TestTimers_DueAgainAfterCrash(t *testing.T) {
	r := statetest.New(nil)
	set(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0, inGroup, "cron:0 * * * *")
	assert.Equal(t, []string{"t1 at 05 11:00:00"}, due(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0.Add(time.Hour), false))
	timers := newTimers(t, r, schedule.TimerOptions{})
	for f, err := range timers.Due(t.Context(), statetest.T0.Add(3*time.Hour)) {
		require.NoError(t, err)
		assert.True(t, f.Late)
		assert.Equal(t, "timer/t1/2", f.ID)
		require.NoError(t, timers.Done(t.Context(), "timer/t1/1"), "a late Done of the first firing does not end the second")
	}
	assert.Equal(t, []string{"t1 at 05 11:00:00 late"}, due(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0.Add(3*time.Hour), true))
	assert.Nil(t, due(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0.Add(3*time.Hour), true))
}

func TestTimers_FailedWrite(t *testing.T) {
	for _, written := range []bool{false, true} {
		r := statetest.New(nil)
		timers := newTimers(t, r, schedule.TimerOptions{})
		made := set(t, timers, statetest.T0, inGroup, "5min")
		broken := true
		r.After = func(int) (bool, error) {
			if broken {
				return written, statetest.ErrCrash
			}
			return true, nil
		}
		for f, err := range timers.Due(t.Context(), made.Next) {
			assert.ErrorIs(t, err, statetest.ErrCrash)
			assert.Empty(t, f.ID, "a firing that was not written is not yielded")
		}
		_, err := timers.Set(t.Context(), statetest.T0, inGroup, "5min", "")
		assert.ErrorIs(t, err, statetest.ErrCrash)
		broken = false
		assert.Contains(t, due(t, timers, made.Next, true)[0], "t1 at 05 10:05:00")
		assert.NotContains(t, fmt.Sprint(due(t, timers, made.Next, true)), "t1")
	}
}

func TestTimers_BreakOutOfDue(t *testing.T) {
	timers := newTimers(t, statetest.New(nil), schedule.TimerOptions{})
	for range 3 {
		set(t, timers, statetest.T0, inGroup, "5min")
	}
	now := statetest.T0.Add(5 * time.Minute)
	for f, err := range timers.Due(t.Context(), now) {
		require.NoError(t, err)
		assert.Equal(t, "t1", f.Timer.ID)
		require.NoError(t, timers.Cancel(t.Context(), inGroup, "t2"), "other methods may be called inside the loop")
		break
	}
	assert.Equal(t, []string{"t3 at 05 10:05:00"}, due(t, timers, now, true))
}

func TestTimers_TimeZoneChange(t *testing.T) {
	r := statetest.New(nil)
	set(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0, inGroup, "cron:0 8 * * *")
	set(t, newTimers(t, r, schedule.TimerOptions{}), statetest.T0, inGroup, "once:2026-02-01 08:00")
	timers := newTimers(t, r, schedule.TimerOptions{Location: zone(t, "Asia/Shanghai")})
	list := timers.List(inGroup)
	assert.Equal(t, "2026-01-06 08:00 +0800", list[0].Next.Format("2006-01-02 15:04 -0700"), "a time of day follows the new time zone")
	assert.Equal(t, "2026-02-01 16:00 +0800", list[1].Next.Format("2006-01-02 15:04 -0700"), "a point in time stays")
	again := newTimers(t, &statetest.Store{Rows: maps.Clone(r.Rows)}, schedule.TimerOptions{Location: zone(t, "Asia/Shanghai")})
	assert.Equal(t, list, again.List(inGroup))
}

// The test is for the race detector, and for conditions that hold in any order.
func TestTimers_ConcurrentUse(t *testing.T) {
	r := statetest.New(nil)
	timers := newTimers(t, r, schedule.TimerOptions{})
	var group sync.WaitGroup
	var fired sync.Map
	for i := range 8 {
		group.Go(func() {
			m := inGroup
			m.Chat.ID = fmt.Sprint(i)
			for range 5 {
				made, err := timers.Set(t.Context(), statetest.T0, m, "5min", "")
				assert.NoError(t, err)
				timers.List(byOwner)
				timers.Next()
				if i == 0 {
					if err := timers.Cancel(t.Context(), m, made.ID); !errors.Is(err, schedule.ErrNotFound) { // another goroutine may have fired it
						assert.NoError(t, err)
					}
				}
			}
			for f, err := range timers.Due(t.Context(), statetest.T0.Add(5*time.Minute)) {
				assert.NoError(t, err)
				_, twice := fired.LoadOrStore(f.ID, true)
				assert.False(t, twice)
				assert.NoError(t, timers.Done(t.Context(), f.ID))
			}
		})
	}
	group.Wait()
	assert.Empty(t, timers.List(byOwner))
	assert.Len(t, r.Rows, 1)
}
