package napcat_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/napcat"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

// linked returns a bot of a simulated NapCat, over WebSocket or HTTP.
func linked(t *testing.T, qq *onebottest.Server, http bool) *onebot.Bot {
	t.Cleanup(qq.Close)
	url := qq.Start()
	if http {
		c := must(onebot.NewHTTPClient("http"+strings.TrimPrefix(url, "ws"), onebot.Options{}))
		t.Cleanup(c.CloseIdleConnections)
		return c.Bot()
	}
	client := must(onebot.NewClient(url, onebot.Options{}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- client.Run(ctx, nil) }()
	t.Cleanup(func() { cancel(); <-done })
	require.NoError(t, qq.WaitLink(t.Context()))
	require.Eventually(t, func() bool { return client.Bot().SelfID() != 0 }, patience, time.Millisecond)
	return client.Bot()
}

func TestUpload_AndDownload(t *testing.T) {
	for _, http := range []bool{false, true} {
		qq := onebottest.New(onebottest.Options{})
		b := linked(t, qq, http)
		for _, size := range []int{1, 999, 1000, 1001, 5000, 1 << 20} {
			data := noise(size)
			o := napcat.UploadOptions{ChunkSize: 1000}
			if size > 10_000 {
				o = napcat.UploadOptions{}
			}
			up, err := napcat.Upload(t.Context(), b, fmt.Sprint("lärm", size, ".bin"), bytes.NewReader(data), o)
			require.NoError(t, err)
			sum := sha256.Sum256(data)
			assert.Equal(t, napcat.UploadResult{Path: up.Path, Size: int64(size), SHA256: hex.EncodeToString(sum[:])}, up)
			assert.NotEmpty(t, up.Path)
			var got bytes.Buffer
			down, err := napcat.Download(t.Context(), b, up.Path, &got)
			require.NoError(t, err)
			assert.EqualValues(t, size, down.Size)
			assert.True(t, bytes.Equal(data, got.Bytes()))
		}
		file := qq.File("a.txt", []byte("你好"))
		var got strings.Builder
		down, err := napcat.Download(t.Context(), b, file.ID, &got)
		require.NoError(t, err)
		assert.Equal(t, "你好", got.String())
		assert.Equal(t, "a.txt", down.Name)
		_, err = napcat.Download(t.Context(), b, "nowhere", io.Discard)
		assert.ErrorIs(t, err, onebot.ErrFailed)
	}
}

// chunks is a scripted NapCat: it records parameters and returns scripted responses.
type chunks struct {
	calls []map[string]any
	parts []string
	fail  error
	done  string
}

func (c *chunks) Call(_ context.Context, action string, params, result any) error {
	b, _ := json.Marshal(params)
	var p map[string]any
	json.Unmarshal(b, &p)
	c.calls = append(c.calls, p)
	switch {
	case c.fail != nil && len(c.calls) == 2:
		return c.fail
	case p["is_complete"] == true:
		return json.Unmarshal([]byte(c.done), result)
	}
	return nil
}

func (c *chunks) Stream(_ context.Context, action string, params any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for _, p := range c.parts {
			if !yield(json.RawMessage(p), nil) {
				return
			}
		}
		if c.fail != nil {
			yield(nil, c.fail)
		}
	}
}

func TestUpload_Parameters(t *testing.T) {
	c := &chunks{done: `{"type":"response","status":"file_complete","file_path":"/tmp/a","file_size":5}`}
	b := onebot.NewBot(c, 1)
	file := strings.NewReader("xx12345")
	file.Seek(2, io.SeekStart) // the part read before is not uploaded
	up, err := napcat.Upload(t.Context(), b, "a", file, napcat.UploadOptions{ChunkSize: 2, Retention: -1})
	require.NoError(t, err)
	assert.Equal(t, "/tmp/a", up.Path)
	require.Len(t, c.calls, 4)
	id := c.calls[0]["stream_id"]
	for i, data := range []string{"12", "34", "5"} {
		assert.Equal(t, map[string]any{
			"stream_id": id, "chunk_data": base64.StdEncoding.EncodeToString([]byte(data)), "chunk_index": float64(i), "total_chunks": 3.0, "file_size": 5.0,
			"expected_sha256": up.SHA256, "filename": "a", "file_retention": 0.0,
		}, c.calls[i])
	}
	assert.Equal(t, true, c.calls[3]["is_complete"])
	assert.Nil(t, c.calls[3]["chunk_data"])

	for name, file := range map[string]string{"": "x", "..": "x", "a/b": "x", `a\b`: "x", "empty": ""} {
		_, err := napcat.Upload(t.Context(), b, name, strings.NewReader(file), napcat.UploadOptions{})
		assert.Error(t, err, name)
	}
	require.Len(t, c.calls, 4, "nothing was asked for these")

	c = &chunks{fail: onebot.ErrDisconnected}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = napcat.Upload(ctx, onebot.NewBot(c, 1), "a", strings.NewReader("12345"), napcat.UploadOptions{ChunkSize: 2})
	assert.ErrorIs(t, err, onebot.ErrDisconnected)
	require.Len(t, c.calls, 3)
	assert.Equal(t, true, c.calls[2]["reset"])
	assert.Equal(t, 300_000.0, c.calls[0]["file_retention"])

	c = &chunks{done: `{"status":"file_created","file_size":3}`}
	_, err = napcat.Upload(t.Context(), onebot.NewBot(c, 1), "a", strings.NewReader("12345"), napcat.UploadOptions{})
	assert.ErrorContains(t, err, `upload not complete: status "file_created", 3 of 5 bytes`)
	shrunk := &shrinking{Reader: strings.NewReader("12345")}
	_, err = napcat.Upload(t.Context(), onebot.NewBot(c, 1), "a", shrunk, napcat.UploadOptions{ChunkSize: 2})
	assert.ErrorContains(t, err, "shorter")
}

// shrinking is a file that becomes shorter after it was measured.
type shrinking struct{ *strings.Reader }

func (s *shrinking) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		s.Reader = strings.NewReader("12")
	}
	return s.Reader.Seek(offset, whence)
}

func TestDownload_Refuses(t *testing.T) {
	const info, first, second = `{"type":"stream","data_type":"file_info","file_name":"a"}`,
		`{"type":"stream","data_type":"file_chunk","index":0,"data":"MTI="}`, `{"type":"stream","data_type":"file_chunk","index":1,"data":"MzQ="}`
	complete := func(n int) string {
		return fmt.Sprintf(`{"type":"response","data_type":"file_complete","total_bytes":%d}`, n)
	}
	broken := errors.New("disk full")
	for name, k := range map[string]struct {
		parts []string
		fail  error
		to    io.Writer
		want  string
	}{
		"well":        {[]string{info, first, second, complete(4)}, nil, io.Discard, ""},
		"out of turn": {[]string{info, second, first, complete(4)}, nil, io.Discard, "napcat: download x: received chunk 1, want chunk 0"},
		"one missing": {[]string{info, first, complete(4)}, nil, io.Discard, "napcat: download x: received 2 of 4 bytes"},
		"no end":      {[]string{info, first, second}, nil, io.Discard, "napcat: download x: download ended before the file was complete"},
		"no base64":   {[]string{`{"data_type":"file_chunk","data":"%"}`}, nil, io.Discard, "napcat: download x: illegal base64 data at input byte 0"},
		"fails":       {[]string{first}, onebot.ErrDisconnected, io.Discard, "napcat: download x: onebot: not connected"},
		"disk":        {[]string{first, complete(2)}, nil, full{broken}, "napcat: download x: disk full"},
	} {
		d, err := napcat.DownloadRecord(t.Context(), onebot.NewBot(&chunks{parts: k.parts, fail: k.fail}, 1), "x", "mp3", k.to)
		if k.want == "" {
			assert.NoError(t, err, name)
			assert.Equal(t, napcat.DownloadResult{Name: "a", Size: 4}, d)
		} else {
			assert.EqualError(t, err, k.want, name)
		}
	}
	_, err := napcat.DownloadImage(t.Context(), onebot.NewBot(&chunks{}, 1), "x", io.Discard)
	assert.Error(t, err)
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
