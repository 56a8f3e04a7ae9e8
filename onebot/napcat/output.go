package napcat

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
)

// An output logs the child's output line by line.
type output struct {
	log     *slog.Logger
	level   slog.Level
	stream  string // "stdout" or "stderr"
	maxLine int
	redact  *redactor
	budget  budget
}

// copy reads r to its end. It never stops reading, so the child waits for a full pipe only while a line is logged.
func (o *output) copy(r io.Reader) {
	// A secret that begins within maxLine ends within overlap more bytes, so the limit never cuts a secret before
	// redaction.
	overlap := o.redact.longest
	in := bufio.NewReaderSize(r, 16<<10)
	line := make([]byte, 0, 512)
	size := 0 // of the whole line
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		line = append(line, part[:min(len(part), o.maxLine+overlap-len(line))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > 0 {
			o.logLine(line, size)
		}
		line, size = line[:0], 0
		if err != nil {
			o.dropped(o.budget.unreported())
			return
		}
	}
}

// logLine logs a line of the given size; line is its beginning.
func (o *output) logLine(line []byte, size int) {
	dropped, ok := o.budget.allow(time.Now())
	o.dropped(dropped)
	if !ok {
		return
	}
	text := o.redact.clean(line, len(line) < size)
	attrs := []slog.Attr{slog.String("stream", o.stream), slog.String("line", clip.Bytes(text, o.maxLine))}
	if size-1 > o.maxLine { // without the newline
		attrs = append(attrs, slog.Int("bytes", size))
	} else if text == "" {
		return
	}
	o.log.LogAttrs(context.Background(), o.level, "napcat: output", attrs...)
}

func (o *output) dropped(n int) {
	if n > 0 {
		o.log.Warn("napcat: output exceeds the rate limit", "stream", o.stream, "dropped_lines", n)
	}
}

// A budget limits the lines per second. It has no clock.
type budget struct {
	perSecond int // negative: no limit

	since   time.Time // start of the second
	used    int
	skipped int
}

// allow asks to log one line. dropped is the number of lines refused since the last report.
func (b *budget) allow(now time.Time) (dropped int, ok bool) {
	if b.perSecond < 0 {
		return 0, true
	}
	if passed := now.Sub(b.since); passed >= time.Second || passed < 0 {
		b.since, b.used = now, 0
		dropped = b.unreported()
	}
	if b.used >= b.perSecond {
		b.skipped++
		return dropped, false
	}
	b.used++
	return dropped, true
}

// unreported returns the number of refused lines not reported yet.
func (b *budget) unreported() int {
	n := b.skipped
	b.skipped = 0
	return n
}
