package activity

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClient_InfoAndBuckets(t *testing.T) {
	s := newServer(t)
	s.bucket("b", BucketWeb, "")
	s.bucket("a", BucketWindow, "desk")
	c := client(t, s, Options{})
	info, err := c.Info(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Info{Hostname: "desk", Version: "v0.13.2 (rust)", DeviceID: "d1"}, info)
	buckets, err := c.Buckets(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Bucket{{"a", BucketWindow, "a", "desk"}, {"b", BucketWeb, "b", ""}}, buckets)
}

// TestClient_EventsInPages: a bucket with several pages arrives complete, without duplicates and in order. That holds if many
// events have the same time, and if the server does not clip events or sends no ids.
func TestClient_EventsInPages(t *testing.T) {
	for name, change := range map[string]func(*server){
		"peewee": func(*server) {},
		"uncut":  func(s *server) { s.uncut = true },
		"no ids": func(s *server) { s.noIDs, s.uncut = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			change(s)
			s.bucket("w/ä b", BucketWindow, "desk")
			for i := range 50 {
				s.add("w/ä b", at("09:00:00").Add(time.Duration(i)*time.Minute), time.Minute, map[string]any{"app": "a", "title": fmt.Sprint(i)})
			}
			for i := range 3 {
				s.add("w/ä b", at("09:30:00"), 0, map[string]any{"app": "b", "title": fmt.Sprint(i)})
			}
			want, err := client(t, s, Options{}).Events(t.Context(), "w/ä b", at("09:10:30"), at("09:45:30"))
			require.NoError(t, err)
			require.Len(t, want, 36+3)
			assert.Equal(t, at("09:10:30").UTC(), want[0].At.UTC())
			assert.Equal(t, 30*time.Second, want[0].Duration)
			assert.Equal(t, 30*time.Second, want[38].Duration)
			for _, page := range []int{5, 6, 17, 39, 40} {
				got, err := client(t, s, Options{PageSize: page}).Events(t.Context(), "w/ä b", at("09:10:30"), at("09:45:30"))
				require.NoError(t, err)
				assert.Len(t, got, len(want), page)
				var sum time.Duration
				titles := map[string]bool{}
				for i, e := range got {
					sum += e.Duration
					titles[e.Text("app")+e.Text("title")] = true
					assert.True(t, i == 0 || !e.At.Before(got[i-1].At))
				}
				assert.Equal(t, 35*time.Minute, sum, page)
				assert.Len(t, titles, len(want))
			}
			few, err := client(t, s, Options{PageSize: 5, MaxEvents: 12}).Events(t.Context(), "w/ä b", at("09:10:30"), at("09:45:30"))
			require.ErrorIs(t, err, ErrTooManyEvents)
			require.NotEmpty(t, few)
			assert.Equal(t, "45", few[len(few)-1].Text("title"), "the newest are kept")
		})
	}
}

// TestClient_EventsWithEqualTimes: a page of events with the same time does not stop the paging.
func TestClient_EventsWithEqualTimes(t *testing.T) {
	s := newServer(t)
	s.bucket("w", BucketWindow, "desk")
	for i := range 10 {
		s.add("w", at("09:00:00"), time.Second, map[string]any{"title": fmt.Sprint(i)})
	}
	s.add("w", at("08:00:00"), time.Minute, map[string]any{"title": "before"})
	got, err := client(t, s, Options{PageSize: 3}).Events(t.Context(), "w", at("07:00:00"), at("10:00:00"))
	require.NoError(t, err)
	assert.Equal(t, "before", got[0].Text("title"))
	assert.Less(t, len(s.asked), 10)
}

func TestClient_Errors(t *testing.T) {
	s := newServer(t)
	c := client(t, s, Options{})
	_, err := c.Events(t.Context(), "nope", at("09:00:00"), at("10:00:00"))
	require.ErrorIs(t, err, ErrNoBucket)
	var api *APIError
	require.ErrorAs(t, err, &api)
	assert.Equal(t, &APIError{Path: "/api/0/buckets/nope/events", Status: 404, Message: "There's no bucket named nope"}, api)
	n, err := c.Delta(t.Context(), at("09:00:00"), at("10:00:00"))
	require.NoError(t, err)
	assert.Empty(t, n.Text, "a server without buckets has nothing to tell")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Buckets(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ErrUnreachable)

	s.Close()
	for _, call := range []func() error{
		func() error { _, err := c.Info(t.Context()); return err },
		func() error { _, err := c.Intervals(t.Context(), time.Now().Add(-time.Hour)); return err },
	} {
		err := call()
		require.ErrorIs(t, err, ErrUnreachable)
		assert.True(t, strings.HasPrefix(err.Error(), "activity: ActivityWatch does not answer at "+s.URL+": "), err)
	}
	for _, bad := range []string{"127.0.0.1:5600", "ftp://x", "http://", "http://x/?q", "::"} {
		_, err := NewClient(bad, Options{})
		assert.Error(t, err, bad)
	}
	for _, bad := range []Options{{MaxText: 199}, {MaxText: -1}, {PageSize: -1}, {MaxEvents: -1}, {MaxSpan: -1}, {Hide: []*regexp.Regexp{nil}}, {OnlyApps: []*regexp.Regexp{nil}}} {
		_, err := NewClient("", bad)
		assert.Error(t, err, "%+v", bad)
	}
}

// TestClient_OtherServers: other servers are recognized, and redirects are not followed.
func TestClient_OtherServers(t *testing.T) {
	for name, v := range map[string]struct {
		status     int
		body, want string
	}{
		"html":     {200, "<html>hello</html>", "not a response"},
		"null":     {200, "null", "not a response"},
		"a list":   {200, "[]", "not a response"},
		"cut off":  {200, `{"a":`, "not a response"},
		"huge":     {200, strings.Repeat(" ", maxBody+1), "more than"},
		"redirect": {302, "", "status 302"},
		"broken":   {500, strings.Repeat("x\n", 1000), "status 500: x x"},
		"empty":    {404, "", "status 404"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(v.status)
				fmt.Fprint(w, v.body)
			}))
			defer s.Close()
			c, err := NewClient(s.URL+"/", Options{})
			require.NoError(t, err)
			_, err = c.Delta(t.Context(), at("09:00:00"), at("10:00:00"))
			require.ErrorContains(t, err, v.want)
			assert.Less(t, len(err.Error()), 400)
			assert.Equal(t, 1, asked)
		})
	}
}

// TestClient_RemovedBucket: a bucket that is removed between two requests is skipped.
func TestClient_RemovedBucket(t *testing.T) {
	s := newServer(t)
	workday(s)
	s.buckets["aw-watcher-window_gone"] = Bucket{Type: BucketWindow, Hostname: "gone"}
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "_gone/") {
			fail(w, 404, "There's no bucket named x")
			return
		}
		inner.ServeHTTP(w, r)
	})
	n, err := client(t, s, Options{}).Delta(t.Context(), at("09:00:00"), at("10:00:00"))
	require.NoError(t, err)
	assert.Contains(t, n.Text, "main.go")
}

// TestClient_MaxSpan: an old cursor does not request everything since then.
func TestClient_MaxSpan(t *testing.T) {
	s := newServer(t)
	workday(s)
	c := client(t, s, Options{MaxSpan: time.Hour, Location: shanghai})
	n, err := c.Delta(t.Context(), at("09:00:00").AddDate(-1, 0, 0), at("10:00:00"))
	require.NoError(t, err)
	assert.Equal(t, at("09:00:00"), n.From)
	assert.Contains(t, n.Text, "更早的没有看")
	n, err = c.Delta(t.Context(), time.Time{}, at("10:00:00"))
	require.NoError(t, err)
	assert.NotContains(t, n.Text, "更早的没有看", "there was no mark yet")
}

func TestClient_PartialDelta(t *testing.T) {
	s := newServer(t)
	workday(s)
	n, err := client(t, s, Options{PageSize: 2, MaxEvents: 4}).Delta(t.Context(), at("09:00:00"), at("18:00:00"))
	require.NoError(t, err)
	assert.True(t, n.Partial)
	assert.Contains(t, n.Text, "没有看全")
}

// TestClient_RepeatedPage: the number of requests is limited if a server repeats the same page.
func TestClient_RepeatedPage(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprint(w, `[{"id": 1, "timestamp": "2026-11-20T01:10:00+00:00", "duration": 60.0, "data": {}}, {"id": 2, "timestamp": "2026-11-20T01:20:00+00:00", "duration": 60.0, "data": {}}]`)
	}))
	defer s.Close()
	c, err := NewClient(s.URL, Options{PageSize: 2, MaxEvents: 10})
	require.NoError(t, err)
	events, err := c.Events(t.Context(), "w", at("09:00:00"), at("10:00:00"))
	require.ErrorIs(t, err, ErrTooManyEvents)
	assert.Len(t, events, 2)
	assert.Less(t, asked, 50)
}

// TestClient_Intervals requests activity until the present.
func TestClient_Intervals(t *testing.T) {
	s := newServer(t)
	workday(s)
	var ask func(context.Context, time.Time) ([]Interval, error) = client(t, s, Options{}).Intervals
	since := time.Now().Add(-time.Minute)
	_, err := ask(t.Context(), since)
	require.NoError(t, err)
	for _, asked := range s.asked[1:] {
		u, err := url.Parse(asked)
		require.NoError(t, err)
		start, err := time.Parse(time.RFC3339Nano, u.Query().Get("start"))
		require.NoError(t, err)
		end, err := time.Parse(time.RFC3339Nano, u.Query().Get("end"))
		require.NoError(t, err)
		assert.True(t, start.Equal(since.Round(0)) && !end.Before(since.Add(time.Minute).Round(0)), asked)
	}
}
