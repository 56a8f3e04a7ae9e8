package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A recording is a file with a line for each received event: {"received": time, "event": event}. Each line is a single
// write. If the process is killed, at most the last line is incomplete, and the next start removes it. examples/replay reads
// the file.
type recording struct {
	mu     sync.Mutex
	file   *os.File
	log    *slog.Logger
	size   int64 // of the complete lines
	failed bool
}

// recordingHead is the start of each line.
const recordingHead = `{"received":"`

// openRecording opens or creates the file to append to it.
func openRecording(name string, log *slog.Logger) (*recording, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // private, because it contains messages
	if err != nil {
		return nil, err
	}
	size, err := completeLines(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &recording{file: f, log: log, size: size}, nil
}

// completeLines returns the size of the lines that end with a newline. A file that is no recording is an error, because it
// would be truncated.
func completeLines(f *os.File) (size int64, err error) {
	head := make([]byte, len(recordingHead))
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(head[:n]) != recordingHead[:n] {
		return 0, errors.New("is there already, and is no recording")
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	block := make([]byte, 64<<10)
	for end := info.Size(); end > 0; {
		b := block[:min(end, int64(len(block)))]
		if _, err := f.ReadAt(b, end-int64(len(b))); err != nil {
			return 0, err
		}
		end -= int64(len(b))
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return end + int64(i) + 1, nil
		}
	}
	return 0, nil
}

// add appends an event. If the disk is full, the bot continues and logs one error.
func (r *recording) add(e onebot.Event) {
	if r == nil || e.Raw() == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	line := append([]byte(recordingHead), time.Now().UTC().Format(time.RFC3339Nano)...)
	line = append(line, `","event":`...)
	b := bytes.NewBuffer(line)
	if err := json.Compact(b, e.Raw()); err != nil { // an event may have line breaks
		return // unreachable for parsed events
	}
	b.WriteString("}\n")
	n, err := r.file.Write(b.Bytes())
	if err == nil {
		r.size += int64(n)
		r.failed = false
		return
	}
	r.file.Truncate(r.size) // remove the incomplete line
	if !r.failed {
		r.failed = true
		r.log.Error("groupbot: events are not recorded any more", "err", err)
	}
}

func (r *recording) close() {
	if r != nil {
		r.file.Close()
	}
}
