package redact

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// MaxHold is how much a [Writer] holds back at most, in bytes.
const MaxHold = 64 << 10

// A Writer masks what is written to it and writes it on. What it writes is, however the text was cut into pieces, what [Redactor.Redact] makes of
// the whole, as long as no segment is longer than [MaxHold]: a line, a PEM block, a line that ends with a colon together with the next one. A segment is
// held back until it is over. One that grows longer is cut, at a blank where there is one, and what lies across the cut may be missed.
// A Writer is not for concurrent use.
type Writer struct {
	w      io.Writer
	redact func(string) string
	held   []byte
	again  int // how much must be held before it is worth while to look again
	err    error
}

// Writer makes a Writer that writes to w.
func (r *Redactor) Writer(w io.Writer) *Writer { return &Writer{w: w, redact: r.Redact} }

// Writer makes a Writer that writes to w, with the turn's numbers.
func (t *Turn) Writer(w io.Writer) *Writer { return &Writer{w: w, redact: t.Redact} }

var errClosed = errors.New("redact: write after close")

// Write takes all of p. An error of the underlying writer is returned from then on; what was held is lost.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for w.err == nil && len(p) > 0 {
		part := p[:min(len(p), MaxHold)]
		p = p[len(part):]
		// A segment can only end with a line.
		ended := bytes.IndexByte(part, '\n') >= 0
		w.held = append(w.held, part...)
		if ended && len(w.held) >= w.again || len(w.held) > MaxHold {
			w.pass()
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	return n, nil
}

// pass writes the segments that are over.
func (w *Writer) pass() {
	text, at := string(w.held), 0
	for w.err == nil && at < len(text) {
		n, over := segment(text[at:])
		if !over {
			if len(text)-at <= MaxHold {
				break
			}
			n = hold(text[at:])
		}
		w.write(text[at : at+n])
		at += n
	}
	w.held, w.again = append(w.held[:0], text[at:]...), 0
	if strings.IndexByte(text[at:], '\n') >= 0 { // several lines, and not over: not for each one more
		w.again = len(w.held) + len(w.held)/4
	}
}

// hold gives where a segment that is too long is cut: behind the last blank of its second half.
func hold(text string) int {
	if k := strings.LastIndexAny(text[MaxHold/2:MaxHold], " \n\t"); k >= 0 {
		return MaxHold/2 + k + 1
	}
	n := MaxHold
	for n > MaxHold-4 && text[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

func (w *Writer) write(s string) {
	if _, err := io.WriteString(w.w, w.redact(s)); err != nil {
		w.err = err
	}
}

// Close writes what is held. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err == nil && len(w.held) > 0 {
		w.write(string(w.held))
	}
	w.held = nil
	err := w.err
	if err == nil {
		w.err = errClosed
	} else if err == errClosed {
		err = nil
	}
	return err
}
