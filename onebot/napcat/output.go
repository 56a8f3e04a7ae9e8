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

// An output brings what a child writes into a log, line by line.
type output struct {
	log     *slog.Logger
	level   slog.Level
	stream  string // "stdout" or "stderr"
	maxLine int
	redact  *redactor
	budget  budget
}

// copy reads r until it ends. It always reads on, so that the child never waits for a full pipe longer than the
// log takes.
func (o *output) copy(r io.Reader) {
	// A secret that begins within maxLine is whole within overlap more; so none is cut, and missed, by the limit.
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
			o.say(line, size)
		}
		line, size = line[:0], 0
		if err != nil {
			o.dropped(o.budget.rest())
			return
		}
	}
}

// say logs a line of so many bytes, of which line is the beginning.
func (o *output) say(line []byte, size int) {
	dropped, ok := o.budget.take(time.Now())
	o.dropped(dropped)
	if !ok {
		return
	}
	text := o.redact.clean(line, len(line) < size)
	attrs := []slog.Attr{slog.String("stream", o.stream), slog.String("line", clip.Bytes(text, o.maxLine))}
	if size-1 > o.maxLine { // less the newline
		attrs = append(attrs, slog.Int("bytes", size))
	} else if text == "" {
		return
	}
	o.log.LogAttrs(context.Background(), o.level, "napcat: output", attrs...)
}

func (o *output) dropped(n int) {
	if n > 0 {
		o.log.Warn("napcat: output is too fast", "stream", o.stream, "lines_left_out", n)
	}
}

// A budget lets so many lines of each second through. It holds no clock.
type budget struct {
	perSecond int // negative: all

	since   time.Time // of the second
	used    int
	skipped int
}

// take asks for one line. dropped is how many were refused before, told once.
func (b *budget) take(now time.Time) (dropped int, ok bool) {
	if b.perSecond < 0 {
		return 0, true
	}
	if passed := now.Sub(b.since); passed >= time.Second || passed < 0 {
		b.since, b.used = now, 0
		dropped = b.rest()
	}
	if b.used >= b.perSecond {
		b.skipped++
		return dropped, false
	}
	b.used++
	return dropped, true
}

// rest is how many were refused and not told yet.
func (b *budget) rest() int {
	n := b.skipped
	b.skipped = 0
	return n
}
