package onebot

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// groupFrame is a 1.1 kB message from NapCat: a quote, a mention, text and a picture.
const groupFrame = `{"self_id":3012345678,"user_id":1843210987,"time":1735689600,"message_id":1938475620,"message_seq":1938475620,` +
	`"real_id":1938475620,"real_seq":"84213","message_type":"group","sender":{"user_id":1843210987,"nickname":"半夏微凉",` +
	`"card":"【杭州】小满 ✿","role":"member","title":""},"raw_message":"[CQ:reply,id=1938475533][CQ:at,qq=3012345678] 今晚八点还打不打?` +
	`我这边大概要晚十分钟到\n[CQ:image,summary=,file=9F3C2A11B4D05E6677889900AABBCCDD.jpg,sub_type=0,file_size=83121]","font":14,` +
	`"sub_type":"normal","message":[{"type":"reply","data":{"id":"1938475533"}},{"type":"at","data":{"qq":"3012345678"}},` +
	`{"type":"text","data":{"text":" 今晚八点还打不打?我这边大概要晚十分钟到\n"}},{"type":"image","data":{"summary":"",` +
	`"file":"9F3C2A11B4D05E6677889900AABBCCDD.jpg","sub_type":0,"url":"https://multimedia.nt.qq.com.cn/download?appid=1407` +
	`&fileid=EhQx7n5uPp0dL2m3qW8sVbYtRk4aZBixiQUg_woo&rkey=CAESKBkcro_MGujoX0pRz","file_size":"83121"}}],` +
	`"message_format":"array","post_type":"message","group_id":812345678,"group_name":"周末开黑小分队"}`

// wsFrame returns an unmasked text frame.
func wsFrame(s string) []byte {
	b := []byte{0x81, 126, 0, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(len(s)))
	return append(b, s...)
}

// pour listens for WebSocket connections and writes frames to each until it is closed. It calls gate before every
// batch with the number of frames written.
func pour(tb testing.TB, text string, gate func(sent int)) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { l.Close() })
	const batch = 56
	frames := slices.Repeat(wsFrame(text), batch)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
				io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
					base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
				for sent := 0; ; sent += batch {
					gate(sent)
					if _, err := c.Write(frames); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "ws://" + l.Addr().String()
}

// BenchmarkReceive measures from the socket to the handler and compares three readers: this package, one that decodes
// with encoding/json into a struct with the same fields, and one that only reads the socket.
func BenchmarkReceive(b *testing.B) {
	b.Run("hearth", func(b *testing.B) {
		var handled atomic.Int64
		url := pour(b, groupFrame, func(sent int) {
			for int64(sent)-handled.Load() > 8192 {
				time.Sleep(50 * time.Microsecond)
			}
		})
		c := must(NewClient(url, Options{}))
		ctx, cancel := context.WithCancel(b.Context())
		var began time.Time
		b.ReportAllocs()
		err := c.Run(ctx, func(_ context.Context, _ *Bot, e Event) {
			m := e.(*GroupMessage)
			if m.GroupID != 812345678 || len(m.Message) != 4 {
				b.Error("wrong message")
			}
			switch handled.Add(1) {
			case 1:
				began = time.Now()
				b.ResetTimer()
			case int64(b.N) + 1:
				b.StopTimer()
				b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "events/s")
				cancel()
			}
		})
		require.NoError(b, err)
		require.Zero(b, c.Stats().Overflowed)
	})
	b.Run("encoding-json", func(b *testing.B) {
		benchRead(b, func(buf []byte) {
			var m struct {
				PostType    string `json:"post_type"`
				MessageType string `json:"message_type"`
				SubType     string `json:"sub_type"`
				Time        int64  `json:"time"`
				SelfID      int64  `json:"self_id"`
				GroupID     int64  `json:"group_id"`
				GroupName   string `json:"group_name"`
				UserID      int64  `json:"user_id"`
				MessageID   int64  `json:"message_id"`
				RawMessage  string `json:"raw_message"`
				Sender      struct {
					UserID   int64  `json:"user_id"`
					Nickname string `json:"nickname"`
					Card     string `json:"card"`
					Role     string `json:"role"`
					Title    string `json:"title"`
				} `json:"sender"`
				Message []struct {
					Type string          `json:"type"`
					Data json.RawMessage `json:"data"`
				} `json:"message"`
				Echo json.RawMessage `json:"echo"`
			}
			if err := json.Unmarshal(buf, &m); err != nil || m.GroupID != 812345678 || len(m.Message) != 4 {
				b.Error("wrong message", err)
			}
		})
	})
	b.Run("bare", func(b *testing.B) {
		benchRead(b, func(buf []byte) {
			if len(buf) != len(groupFrame) {
				b.Error("wrong length")
			}
		})
	})
}

func benchRead(b *testing.B, f func([]byte)) {
	url := pour(b, groupFrame, func(int) {})
	ws, _, err := websocket.Dial(b.Context(), url, nil)
	require.NoError(b, err)
	defer ws.CloseNow()
	var buf []byte
	one := func() {
		_, r, err := ws.Reader(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		buf = buf[:0]
		for {
			if len(buf) == cap(buf) {
				buf = append(buf, make([]byte, 16<<10)...)[:len(buf)]
			}
			n, err := r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if err == io.EOF {
				break
			}
		}
		f(buf)
	}
	one()
	b.ReportAllocs()
	b.ResetTimer()
	began := time.Now()
	for range b.N {
		one()
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "events/s")
}

// BenchmarkParseEvent measures the decoder alone.
func BenchmarkParseEvent(b *testing.B) {
	frame := []byte(groupFrame)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseEvent(frame); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall measures round trips of send_group_msg over loopback: with this package, and with a bare write and
// read of the same values. It reports the median.
func BenchmarkCall(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		for {
			_, req, err := ws.Read(context.Background())
			if err != nil {
				return
			}
			_, echo, _ := cutLast(string(req), `"echo":`)
			answer := `{"status":"ok","retcode":0,"data":{"message_id":1938475621},"message":"","wording":"","echo":` + echo
			if err := ws.Write(context.Background(), websocket.MessageText, []byte(answer)); err != nil {
				return
			}
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	srv := &http.Server{Handler: mux}
	go srv.Serve(l)
	defer srv.Close()
	url := "ws://" + l.Addr().String()
	msg := Message{At(1843210987), Text(" 好,八点十分开始,我先去占个位置")}

	b.Run("hearth", func(b *testing.B) {
		c := must(NewClient(url, Options{}))
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx, func(context.Context, *Bot, Event) {}) }()
		up(b, c)
		median(b, func() {
			if id, err := c.Bot().SendGroupMsg(b.Context(), 812345678, msg); err != nil || id != 1938475621 {
				b.Fatal(id, err)
			}
		})
		cancel()
		require.NoError(b, <-done)
	})
	b.Run("bare", func(b *testing.B) {
		ws, _, err := websocket.Dial(b.Context(), url, nil)
		require.NoError(b, err)
		defer ws.CloseNow()
		n := 0
		median(b, func() {
			n++
			type params struct {
				GroupID int64   `json:"group_id"`
				Message Message `json:"message"`
			}
			req, _ := json.Marshal(struct {
				Action string `json:"action"`
				Params params `json:"params"`
				Echo   string `json:"echo"`
			}{"send_group_msg", params{812345678, msg}, "e-" + itoa(int64(n))})
			if err := ws.Write(context.Background(), websocket.MessageText, req); err != nil {
				b.Fatal(err)
			}
			_, buf, err := ws.Read(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			var answer struct {
				Status  string `json:"status"`
				RetCode int    `json:"retcode"`
				Data    struct {
					MessageID int64 `json:"message_id"`
				} `json:"data"`
				Echo string `json:"echo"`
			}
			if err := json.Unmarshal(buf, &answer); err != nil || answer.Data.MessageID != 1938475621 {
				b.Fatal(err)
			}
		})
	})
}

// median runs f b.N times and reports the median and the slow end.
func median(b *testing.B, f func()) {
	for range 100 {
		f()
	}
	took := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		began := time.Now()
		f()
		took = append(took, time.Since(began))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

func cutLast(s, sep string) (before, after string, found bool) {
	for i := len(s) - len(sep); i >= 0; i-- {
		if s[i:i+len(sep)] == sep {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}
