package activity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A server behaves like aw-server with its peewee store. It returns the events that overlap a period and began at most a day
// before it, newest first and clipped to the period. It rounds the end up to the next millisecond. Without a limit it returns
// all events, with limit 0 none.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	buckets map[string]Bucket
	events  map[string][]Event
	asked   []string
	uncut   bool // like its other stores
	noIDs   bool
}

func newServer(t testing.TB) *server {
	s := &server{buckets: map[string]Bucket{}, events: map[string][]Event{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) bucket(id, kind, hostname string) {
	s.buckets[id] = Bucket{ID: id, Type: kind, Client: strings.SplitN(id, "_", 2)[0], Hostname: hostname}
}

func (s *server) add(id string, at time.Time, d time.Duration, data map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events[id] = append(s.events[id], Event{ID: int64(len(s.events[id]) + 1), At: at, Duration: d, Data: data})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.String())
	path := r.URL.Path
	switch {
	case r.Method != http.MethodGet:
		fail(w, http.StatusMethodNotAllowed, "The method is not allowed for the requested URL.")
	case path == "/api/0/info":
		answer(w, map[string]any{"hostname": "desk", "version": "v0.13.2 (rust)", "testing": false, "device_id": "d1"})
	case path == "/api/0/buckets/":
		list := map[string]any{}
		for id, b := range s.buckets {
			list[id] = map[string]any{
				"id": id, "created": "2026-01-01T00:00:00.123456+00:00", "name": nil, "type": b.Type, "client": b.Client,
				"hostname": b.Hostname, "data": map[string]any{}, "last_updated": "2026-11-20T10:00:00+00:00",
			}
		}
		answer(w, list)
	default:
		id, ok := strings.CutSuffix(strings.TrimPrefix(path, "/api/0/buckets/"), "/events")
		if _, there := s.buckets[id]; !ok || !there {
			fail(w, http.StatusNotFound, "There's no bucket named "+id)
			return
		}
		s.serveEvents(w, r, id)
	}
}

func (s *server) serveEvents(w http.ResponseWriter, r *http.Request, id string) {
	q := r.URL.Query()
	limit := -1
	if q.Has("limit") {
		var err error
		if limit, err = strconv.Atoi(q.Get("limit")); err != nil {
			fail(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
	}
	var start, end time.Time
	for name, t := range map[string]*time.Time{"start": &start, "end": &end} {
		if q.Has(name) {
			var err error
			if *t, err = time.Parse(time.RFC3339, q.Get(name)); err != nil {
				fail(w, http.StatusBadRequest, "Failed to parse "+name)
				return
			}
		}
	}
	start = start.Truncate(time.Millisecond)
	if !end.IsZero() {
		end = end.Truncate(time.Millisecond).Add(time.Millisecond)
	}
	list := []map[string]any{}
	all := slices.Clone(s.events[id])
	slices.SortStableFunc(all, func(a, b Event) int { return b.At.Compare(a.At) })
	for _, e := range all {
		if limit >= 0 && len(list) == limit {
			break
		}
		from, to := e.At, e.End()
		if !start.IsZero() && (from.Before(start.Add(-24*time.Hour)) || to.Before(start)) || !end.IsZero() && from.After(end) {
			continue
		}
		if !s.uncut {
			from = later(from, start)
			if !end.IsZero() {
				to = earlier(to, end)
			}
		}
		one := map[string]any{"id": e.ID, "timestamp": from.UTC().Format("2006-01-02T15:04:05.000000+00:00"), "duration": to.Sub(from).Seconds(), "data": e.Data}
		if s.noIDs {
			one["id"] = nil
		}
		list = append(list, one)
	}
	answer(w, list)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"message": %q}`, message)
}
