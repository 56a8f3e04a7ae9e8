package qqbot_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
)

// A logBuffer collects a log.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Neither logs nor errors contain the secret, a token, an id or a text, whatever fails.
func TestSecrets(t *testing.T) {
	const secret = "geheimgeheim"
	var log logBuffer
	o := qqbot.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	bubble(t, qqbottest.Options{Secret: secret}, o, nil, func(t *testing.T, r *run) {
		u := r.s.User("USEROPENID")
		var errs []error
		try := func() {
			_, err := r.c.Send(t.Context(), qqbot.UserChat("USEROPENID"), qqbot.Out{Text: "vertraulich"})
			errs = append(errs, err)
		}
		for _, e := range []qqbottest.Endpoint{qqbottest.Token, qqbottest.Gateway, qqbottest.Messages} {
			for _, fail := range []func(){
				func() { r.s.Fail(e, 500, 0, 1) },
				func() { r.s.Fail(e, 400, 100017, 1) },
				func() { r.s.Fail(e, 401, 11244, 2) },
				func() { r.s.Cut(e, qqbottest.Before, 1) },
				func() { r.s.Cut(e, qqbottest.After, 1) },
			} {
				r.s.ExpireTokens()
				fail()
				try()
				u.Say("vertraulich")
				r.s.InvalidateSessions(false)
				settle()
				r.s.DropLinks()
				settle()
			}
		}
		r.s.CloseLinks(4914)
		time.Sleep(time.Minute)
		errs = append(errs, r.stop())
		text := fmt.Sprintf("%v %+v %s", errs, r.c, log.String())
		assert.Contains(t, text, "link down")
		assert.Contains(t, text, "4914")
		for _, hidden := range []string{secret, "token-0", "USEROPENID", "vertraulich"} {
			assert.NotContains(t, text, hidden)
		}
	})
}
