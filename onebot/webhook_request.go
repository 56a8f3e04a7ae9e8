package onebot

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// Limits for bodies whose signature is not checked yet.
const (
	bodyTimeout = 10 * time.Second
	smallBody   = 64 << 10
	largeBodies = 8 // bodies above smallBody that are read at the same time
)

// receive reads and checks a request.
func (w *Webhook) receive(ctx context.Context, out http.ResponseWriter, r *http.Request) (*frame, *refusal) {
	mac, no := w.checkHeader(out, r)
	if no != nil {
		return nil, no
	}
	b, release, no := w.readBody(ctx, out, r)
	defer release()
	switch {
	case no != nil:
		return nil, no
	case w.opts.Token != "" && !signed(b, w.opts.Token, mac):
		return nil, &refusal{http.StatusForbidden, "the signature does not match the body: the secret differs"}
	}
	d := decoder{b: b}
	f := new(frame)
	if err := d.frame(f); err != nil || f.post == "" {
		w.badFrame(b, "request is not an event")
		return nil, &refusal{http.StatusBadRequest, "the body is not an event"}
	}
	if f.selfID == 0 {
		f.selfID, _ = strconv.ParseInt(r.Header.Get("X-Self-ID"), 10, 64)
	}
	if f.selfID == 0 {
		w.badFrame(b, "event without an account")
		return nil, &refusal{http.StatusBadRequest, "the event has no account"}
	}
	return f, w.checkAge(time.Now(), f)
}

// checkHeader checks a request before its body is read. It returns the body's HMAC if requests are signed.
func (w *Webhook) checkHeader(out http.ResponseWriter, r *http.Request) (mac []byte, no *refusal) {
	if r.Method != http.MethodPost {
		out.Header().Set("Allow", http.MethodPost)
		return nil, &refusal{http.StatusMethodNotAllowed, "the method is not POST"}
	}
	if no := w.checkHost(r); no != nil {
		return nil, no
	}
	// A web page in a browser on this machine can post to loopback, too, but not JSON without a preflight request.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &refusal{http.StatusUnsupportedMediaType, "the content type is not application/json"}
	}
	if w.opts.ReadLimit >= 0 && r.ContentLength > w.opts.ReadLimit {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the body exceeds ReadLimit"}
	}
	if w.opts.Token == "" {
		return nil, nil
	}
	signature := r.Header.Get("X-Signature")
	if signature == "" {
		return nil, &refusal{http.StatusUnauthorized, "no signature"}
	}
	if mac = parseSignature(signature); mac == nil {
		return nil, &refusal{http.StatusForbidden, "the signature is not sha1= and 40 digits"}
	}
	return mac, nil
}

// readBody reads the body. The caller must call release when the body is trusted or refused.
func (w *Webhook) readBody(ctx context.Context, out http.ResponseWriter, r *http.Request) (b []byte, release func(), no *refusal) {
	release = func() {}
	body := r.Body
	if w.opts.ReadLimit >= 0 {
		body = http.MaxBytesReader(out, body, w.opts.ReadLimit)
	}
	late := time.NewTimer(bodyTimeout)
	defer late.Stop()
	size := int64(smallBody)
	if 0 <= r.ContentLength && r.ContentLength < size {
		size = r.ContentLength + 1 // one more, to read the end
	}
	b = make([]byte, 0, size)
	for {
		if len(b) == cap(b) {
			if len(b) == smallBody {
				select {
				case w.large <- struct{}{}:
					release = func() { <-w.large }
				case <-late.C:
					return nil, release, &refusal{http.StatusServiceUnavailable, "too many large bodies at the same time"}
				case <-ctx.Done():
					return nil, release, &refusal{http.StatusServiceUnavailable, "Run has ended"}
				}
			}
			b = append(make([]byte, 0, 2*cap(b)), b...)
		}
		n, err := body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err == io.EOF:
			if len(b) < cap(b)*3/4 {
				b = bytes.Clone(b) // the event keeps it
			}
			return b, release, nil
		case errors.As(err, new(*http.MaxBytesError)):
			return nil, release, &refusal{http.StatusRequestEntityTooLarge, "the body exceeds ReadLimit"}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, release, &refusal{http.StatusRequestTimeout, "the body took too long"}
		case err != nil:
			return nil, release, &refusal{http.StatusBadRequest, "the body is incomplete"}
		}
	}
}

// checkAge refuses a signed event that may be a replay.
func (w *Webhook) checkAge(now time.Time, f *frame) *refusal {
	recall := f.post == "notice" && strings.HasSuffix(f.kinds[ofNotice], "_recall") // has the time of the message
	if w.opts.Token == "" || w.opts.MaxEventAge < 0 || recall || !f.hasTime {
		return nil
	}
	if off := now.Sub(lenient.Second(f.time)).Abs(); off > w.opts.MaxEventAge {
		return &refusal{http.StatusForbidden, fmt.Sprintf("the time of the event differs by %v from this clock", off.Round(time.Second))}
	}
	return nil
}

// parseSignature reads "sha1=" and an HMAC in hexadecimal; nil if the form is another one.
func parseSignature(s string) []byte {
	digits, ok := strings.CutPrefix(s, "sha1=")
	mac, err := hex.DecodeString(digits)
	if !ok || err != nil || len(mac) != sha1.Size {
		return nil
	}
	return mac
}

// signed reports whether mac is the HMAC of the body.
func signed(body []byte, secret string, mac []byte) bool {
	h := hmac.New(sha1.New, []byte(secret))
	h.Write(body)
	return hmac.Equal(h.Sum(nil), mac)
}
