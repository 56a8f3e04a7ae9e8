package onebot

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withField returns an event with one more member.
func withField(kind, field, value string) string {
	return `{"post_type":` + kind + `,"self_id":10000,"group_id":1,"user_id":5,"message_id":1,"time":1735689600,"` + field + `":` + value + `}`
}

const (
	groupKind = `"message","message_type":"group"`
	likeKind  = `"notice","notice_type":"group_msg_emoji_like"`
	flashKind = `"notice","notice_type":"flash_file"`
)

// listOf returns a list of about n bytes.
func listOf(item string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n/(len(item)+1)), ",") + "]"
}

// swellingFrames are events of about n bytes that take more memory than others of their size.
var swellingFrames = map[string]func(n int) string{
	"empty strings": func(n int) string { return withField(groupKind, "message", listOf(`""`, n)) },
	"strings":       func(n int) string { return withField(groupKind, "message", listOf(`"a"`, n)) },
	"segments":      func(n int) string { return withField(groupKind, "message", listOf(`{"type":"\u0061"}`, n)) },
	"codes":         func(n int) string { return withField(groupKind, "message", `"`+strings.Repeat("[CQ:a]x", n/7)+`"`) },
	"escapes":       func(n int) string { return withField(groupKind, "raw_message", `"`+strings.Repeat(`x\n`, n/3)+`"`) },
	"invalid UTF-8": func(n int) string { return withField(groupKind, "raw_message", `"`+strings.Repeat("\xff", n)+`"`) },
	"likes":         func(n int) string { return withField(likeKind, "likes", listOf(`{}`, n)) },
	"files":         func(n int) string { return withField(flashKind, "files", listOf(`{}`, n)) },
}

// deafLink returns a link whose handler handles nothing.
func deafLink(t *testing.T, o Options) *link {
	e := new(engine)
	o.Workers = 1
	e.init(o)
	release := make(chan struct{})
	e.disp.start(t.Context(), func(context.Context, *Bot, Event) { <-release })
	t.Cleanup(func() { close(release); e.disp.stop() })
	l := &link{engine: e, acc: newAccount(10000, &e.opts)}
	l.calls.init(1)
	l.self.Store(10000)
	l.acc.events.Store(l)
	return l
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// QueueBytes holds for events of any form: the queue takes at most about twice the limit.
func TestQueueBytes_Heap(t *testing.T) {
	const limit = 2 << 20
	for name, frame := range swellingFrames {
		for _, size := range []int{2 << 10, 28 << 10} {
			l := deafLink(t, Options{QueueBytes: limit})
			var d decoder
			before := heap()
			buf := []byte(frame(size))
			for l.Stats().Overflowed < 5 {
				require.NoError(t, l.handleFrame(&d, buf))
			}
			used := heap() - before
			assert.Less(t, used, 2*limit+limit/2, "%s of %d bytes", name, size)
			assert.Less(t, l.Stats().QueuedBytes, limit+1)
			assert.Zero(t, l.Stats().Malformed, name)
		}
	}
}

// A large frame of many tiny items is refused before it takes many times its size, and gives its memory back.
func TestClient_ManyTinyItems(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the heap")
	}
	const size = 8 << 20
	members := new(strings.Builder)
	for i := range int64(size / 12) {
		members.WriteString(`,"` + itoa(i) + `":0`)
	}
	frames := map[string]string{"members": `{"post_type":"notice","self_id":10000` + members.String() + `}`}
	for name, frame := range swellingFrames {
		if name != "escapes" && name != "invalid UTF-8" && name != "codes" {
			frames[name] = frame(size)
		}
	}
	for name, frame := range frames {
		l := deafLink(t, Options{})
		l.opts.OnMalformed = func([]byte) {}
		var d decoder
		buf := []byte(frame)
		before := heap()
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		require.NoError(t, l.handleFrame(&d, buf))
		runtime.ReadMemStats(&end)
		assert.Less(t, end.TotalAlloc-start.TotalAlloc, uint64(4*len(frame)), name)
		assert.EqualValues(t, 1, l.Stats().Malformed, name)
		assert.Less(t, heap()-before, 1<<20, name)
		runtime.KeepAlive(buf)
		runtime.KeepAlive(d)
	}
}

// A large but valid message does not keep its scratch memory.
func TestDecoder_ReleasesScratch(t *testing.T) {
	d := decoder{b: []byte(withField(groupKind, "message", listOf(`"a"`, 4*maxSegments)))}
	var f frame
	require.NoError(t, d.frame(&f))
	assert.Len(t, f.message, maxSegments)
	assert.LessOrEqual(t, cap(d.segs), 256)
	d.b = []byte(groupText(10000, 1, 1, "x"))
	require.NoError(t, d.frame(new(frame)))
	assert.NotZero(t, cap(d.segs), "the usual scratch is kept")
}

func TestMaxItems(t *testing.T) {
	for name, c := range map[string]struct{ field, item string }{"segments": {"message", `"a"`}, "list": {"likes", `{}`}} {
		for n, want := range map[int]error{maxItems: nil, maxItems + 1: errTooMany} {
			_, err := ParseEvent([]byte(withField(groupKind, c.field, listOf(c.item, n*(len(c.item)+1)))))
			assert.Equal(t, want, err, "%s: %d", name, n)
		}
	}
	var m Message
	assert.Equal(t, errTooMany, json.Unmarshal([]byte(listOf(`"a"`, 4*maxItems+4)), &m))
	assert.NoError(t, json.Unmarshal([]byte(listOf(`"a"`, 4*maxItems)), &m))
}
