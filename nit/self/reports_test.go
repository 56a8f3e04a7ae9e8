package self_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// live runs reports until stop is called.
func live(t *testing.T, r *self.Reports) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

// Undelivered reports survive restarts. When the owner is reachable, they are delivered once, one a minute.
func TestReports_KeepsUndelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &state{}
		var told []string
		var reachable, crash atomic.Bool
		open := func() *self.Reports {
			r, err := self.NewReports(t.Context(), disk, func(_ context.Context, r self.Report) error {
				if crash.Load() {
					panic("a delivery that panics is one that failed")
				}
				if !reachable.Load() {
					return errors.New("the owner's device is off")
				}
				told = append(told, r.Content)
				return nil
			}, self.ReportOptions{})
			require.NoError(t, err)
			return r
		}
		r := open()
		stop := live(t, r)
		for _, text := range []string{"一", "二", "一！"} {
			_, err := r.Submit(t.Context(), time.Now(), report("group_1", text, self.Normal))
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		assert.Empty(t, told)
		crash.Store(true)
		time.Sleep(2 * time.Hour)
		stop()
		crash.Store(false)
		for range 3 { // restarts
			r = open()
			require.Len(t, r.Pending(), 2)
			assert.Equal(t, 2, r.Pending()[0].Count)
			stop = live(t, r)
			time.Sleep(time.Minute)
			stop()
		}
		reachable.Store(true)
		r = open()
		stop = live(t, r)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, told, "it rests after many failures")
		require.NoError(t, r.Retry(t.Context()))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"一", "二"}, told)
		time.Sleep(time.Hour)
		stop()
		r = open()
		assert.Empty(t, r.Pending())
		stop = live(t, r)
		time.Sleep(time.Hour)
		stop()
		assert.Equal(t, []string{"一", "二"}, told, "and not again")
	})
}

// Submit fails if the write fails. A report whose delivery could not be stored is not delivered again and again.
func TestReports_FailedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk, n := &state{}, 0
		deliver := func(context.Context, self.Report) error { n++; disk.breaks(errors.New("disk full")); return nil }
		r, err := self.NewReports(t.Context(), disk, deliver, self.ReportOptions{})
		require.NoError(t, err)
		stop := live(t, r)
		defer stop()
		disk.breaks(errors.New("disk full"))
		_, err = r.Submit(t.Context(), time.Now(), report("g", "一", self.Normal))
		require.ErrorIs(t, err, disk.fail)
		assert.Empty(t, r.Pending())
		disk.breaks(nil)
		_, err = r.Submit(t.Context(), time.Now(), report("g", "一", self.Normal))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 1, n)
		assert.Empty(t, r.Pending())

		disk.breaks(errors.New("disk gone"))
		_, err = self.NewReports(t.Context(), disk, deliver, self.ReportOptions{})
		assert.ErrorIs(t, err, disk.fail)
	})
	_, err := self.NewReports(t.Context(), nil, nil, self.ReportOptions{})
	assert.Error(t, err)
	_, err = self.NewReports(t.Context(), &state{rows: map[string][]byte{"nit/self/reports": []byte("{")}}, func(context.Context, self.Report) error { return nil }, self.ReportOptions{})
	assert.Error(t, err)
}

// A report has the source and the reason of its turn. The model cannot change them.
func TestNotifyMaster_SourceAndReason(t *testing.T) {
	h := newHost(t)
	ctx := self.WithReason(t.Context(), self.AskedForOwner)
	v := h.r.View(group1)
	res, err := v.Do(ctx, "notify_master", `{"content":"李四在找你\u202e","urgency":"high"}`)
	require.NoError(t, err)
	assert.Equal(t, "会转告主人", res.Text)
	assert.Equal(t, "这件事已经告诉过主人了", h.do(group1, "notify_master", object{"content": "李四在找你"}))
	h.do(group2, "notify_master", object{"content": "他们在聊 Rust"})
	for _, args := range []object{{"content": "x", "reason": "urgent"}, {"content": "x", "session": "group_9"}, {"content": "x", "Content": "y"}} {
		assert.Contains(t, h.do(group1, "notify_master", args), "bad arguments")
	}
	got := h.reports.Pending()
	require.Len(t, got, 2)
	for i, want := range []self.Report{
		{Content: "李四在找你", Urgency: self.High, Reason: self.AskedForOwner, Platform: "qq", Session: "group_1", Person: "7", Count: 2},
		{Content: "他们在聊 Rust", Urgency: self.Normal, Reason: self.ModelDecision, Platform: "qq", Session: "group_2", Person: "7", Count: 1},
	} {
		got[i].ID, got[i].At = "", time.Time{}
		assert.Equal(t, want, got[i])
	}
	for i := range 20 {
		h.do(group1, "notify_master", object{"content": string(rune('甲' + i))})
	}
	assert.Len(t, h.reports.Pending(), 11, "ten of one chat")
	assert.Contains(t, h.do(group1, "notify_master", object{"content": "又一件"}), "要告诉主人的事太多了")
	assert.Equal(t, "会转告主人", h.do(group1, "notify_master", object{"content": "着火了", "urgency": "high"}), "what is urgent finds room")
	for _, p := range []nit.Principal{agent, background, life1} {
		assert.Equal(t, "error: unknown tool", h.do(p, "notify_master", object{"content": "x"}))
	}
}
