package activity_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"time"

	"github.com/hearth-bot/hearth/persona/activity"
)

// This example reports half an hour. A real server is at activity.DefaultURL.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/0/buckets/":
			fmt.Fprint(w, `{"aw-watcher-window_desk": {"type": "currentwindow", "hostname": "desk"}}`)
		default:
			fmt.Fprint(w, `[
				{"id": 2, "timestamp": "2026-11-20T01:20:00.000000+00:00", "duration": 300.0, "data": {"app": "Firefox", "title": "我的银行"}},
				{"id": 1, "timestamp": "2026-11-20T01:00:00.000000+00:00", "duration": 1200.0, "data": {"app": "Code", "title": "main.go - hearth"}}
			]`)
		}
	}))
	defer server.Close()

	watch, err := activity.NewClient(server.URL, activity.Options{
		Hide:     []*regexp.Regexp{regexp.MustCompile("银行")},
		Location: time.FixedZone("北京时间", 8*3600),
	})
	if err != nil {
		panic(err)
	}
	mark := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)
	news, err := watch.Delta(context.Background(), mark, mark.Add(30*time.Minute))
	if err != nil {
		panic(err)
	}
	fmt.Println(news.Text)
	mark = news.Until // only after the text was processed
	_ = mark          // the start of the next call
	// Output:
	// 2026-11-20 周五 09:00 到 09:30（北京时间）
	// 电脑 desk：用了 20分
	// 09:00–09:20 Code（20分）：「main.go - hearth」
}

// If ActivityWatch does not run, a bot works without it.
func ExampleClient_Intervals() {
	watch, err := activity.NewClient("http://127.0.0.1:1", activity.Options{})
	if err != nil {
		panic(err)
	}
	_, err = watch.Intervals(context.Background(), time.Now().Add(-time.Hour))
	fmt.Println(errors.Is(err, activity.ErrUnreachable))
	// Output: true
}
