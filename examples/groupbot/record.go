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

// A recording is a file with every event as it was received, one a line: {"received": when, "event": the event}. Each
// line is one write, so a process that is killed leaves at most the last one torn; the next one to open the file cuts
// that off. examples/replay plays it.
type recording struct {
	mu     sync.Mutex
	file   *os.File
	log    *slog.Logger
	size   int64 // of the whole lines
	failed bool
}

// recordingHead is how each line begins.
const recordingHead = `{"received":"`

// openRecording goes on with the file of that name, or makes it.
func openRecording(name string, log *slog.Logger) (*recording, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // what people say is nobody else's
	if err != nil {
		return nil, err
	}
	size, err := wholeLines(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &recording{file: f, log: log, size: size}, nil
}

// wholeLines is how much of a recording ends with a newline. Anything but a recording is an error: it would be cut.
func wholeLines(f *os.File) (size int64, err error) {
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

// add appends an event. The bot goes on when the disk is full: it is told once.
func (r *recording) add(e onebot.Event) {
	if r == nil || e.Raw() == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	line := append([]byte(recordingHead), time.Now().UTC().Format(time.RFC3339Nano)...)
	line = append(line, `","event":`...)
	b := bytes.NewBuffer(line)
	if err := json.Compact(b, e.Raw()); err != nil { // a frame may be spread over several lines
		return // not an event: it would not have been parsed
	}
	b.WriteString("}\n")
	n, err := r.file.Write(b.Bytes())
	if err == nil {
		r.size += int64(n)
		r.failed = false
		return
	}
	r.file.Truncate(r.size) // no half a line in the middle
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
