package buffer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/buffer"
)

func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	o := buffer.Options{UrgentDelay: 10 * time.Millisecond} // by default 2 s
	r := buffer.NewRunner(func(ctx context.Context, b buffer.Batch[int64, string]) error {
		fmt.Println(b.Key, b.Reason, b.Items)
		cancel()
		return nil
	}, o)
	r.Add(123456, "我想问一下")
	r.AddUrgent(123456, "@小炉 在吗")
	r.Add(123456, "明天几点集合")
	fmt.Println(r.Run(ctx))
	// Output:
	// 123456 urgent [我想问一下 @小炉 在吗 明天几点集合]
	// <nil>
}

// A Buffer takes the time as a parameter, so a minute of chat takes no time.
func ExampleBuffer() {
	noon := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	b := buffer.New[string, string](buffer.Options{})
	b.Add(noon, "group", "有人吗")
	b.Add(noon.Add(15*time.Second), "group", "晚上吃火锅？")
	b.AddUrgent(noon.Add(20*time.Second), "friend", "在？")

	for {
		now, ok := b.Next()
		if !ok {
			break
		}
		for batch := range b.Due(now) {
			fmt.Println(now.Format(time.TimeOnly), batch.Key, batch.Reason, batch.Items)
			b.Done(now, batch.Key)
		}
	}
	// Output:
	// 12:00:22 friend urgent [在？]
	// 12:00:35 group debounced [有人吗 晚上吃火锅？]
}

// A superseded turn gives its batch back. The next batch holds its items and the newer ones.
func ExampleBuffer_Requeue() {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	b := buffer.New[string, string](buffer.Options{UrgentDelay: -1})
	b.AddUrgent(now, "group", "@小炉 今天下雨吗")
	for batch := range b.Due(now) {
		b.Add(now.Add(time.Second), "group", "打错了，明天")
		b.Requeue(now.Add(2*time.Second), batch)
	}
	for batch := range b.Due(now.Add(2 * time.Second)) {
		fmt.Println(batch.Items)
		b.Done(now.Add(3*time.Second), batch.Key)
	}
	// Output:
	// [@小炉 今天下雨吗 打错了，明天]
}

// The caller completes a summary request at any later time. Until then the items stay in the window.
func ExampleWindow() {
	w := buffer.NewWindow[string](buffer.WindowOptions{SummarizeEvery: 3, KeepRecent: 2})
	for i := range 7 {
		w.Add(fmt.Sprint("第", i+1, "句"))
		if request, ok := w.DueSummary(); ok {
			w.CompleteSummary(request, "聊了"+strings.Join(request.Items, "和"), nil)
		}
	}
	fmt.Println(w.Summary())
	fmt.Println(w.Items())
	// Output:
	// 聊了第1句和第2句和第3句
	// [第4句 第5句 第6句 第7句]
}

// After a failed request the items stay. They are requested again after more items have arrived.
func ExampleWindow_CompleteSummary() {
	w := buffer.NewWindow[string](buffer.WindowOptions{SummarizeEvery: 2, KeepRecent: -1})
	w.Add("明天下雨")
	w.Add("那别去爬山了")
	request, _ := w.DueSummary()
	w.CompleteSummary(request, "", errors.New("the model is down"))
	fmt.Println(w.Items())
	w.Add("去看电影吧")
	w.Add("好")
	request, _ = w.DueSummary()
	w.CompleteSummary(request, "明天下雨，不爬山", nil)
	fmt.Println(w.Summary(), w.Items())
	// Output:
	// [明天下雨 那别去爬山了]
	// 明天下雨，不爬山 [去看电影吧 好]
}
