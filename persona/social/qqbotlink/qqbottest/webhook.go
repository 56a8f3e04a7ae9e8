package qqbottest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// pushes is how often an event is pushed until it is acknowledged: once and up to three times again.
const pushes = 4

// A Push is one attempt to deliver an event to a webhook.
type Push struct {
	EventID string
	Attempt int // from 1
	Status  int // 0: no answer
	Acked   bool
}

// hook pushes events to one webhook, in order.
type hook struct {
	s      *Server
	url    string
	client *http.Client
	cancel context.CancelFunc
	events chan []byte
	log    []Push // Server.mu guards it
}

// Post pushes all further events to a webhook at url, until Close. client may be nil.
func (s *Server) Post(url string, client *http.Client) {
	if client == nil {
		client = &http.Client{Timeout: 5 * time.Second}
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &hook{s: s, url: url, client: client, cancel: cancel, events: make(chan []byte, 4096)}
	s.locked(func() {
		if s.closed {
			cancel()
		}
		s.hooks = append(s.hooks, h)
	})
	s.wg.Go(func() {
		defer client.CloseIdleConnections()
		for {
			select {
			case body := <-h.events:
				h.deliver(ctx, body)
			case <-ctx.Done():
				return
			}
		}
	})
}

func (h *hook) add(frame object) {
	b, err := json.Marshal(frame)
	if err != nil {
		panic("qqbottest: " + err.Error())
	}
	select {
	case h.events <- b:
	default:
	}
}

func (h *hook) deliver(ctx context.Context, body []byte) {
	var f struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(body, &f)
	for attempt := 1; attempt <= pushes && ctx.Err() == nil; attempt++ {
		at := time.Now()
		h.s.locked(func() { at = h.s.now() })
		status, answer, err := h.s.post(ctx, h.client, h.url, body, at)
		p := Push{EventID: f.ID, Attempt: attempt, Status: status, Acked: err == nil && acknowledged(status, answer)}
		h.s.locked(func() { h.log = append(h.log, p) })
		if p.Acked {
			return
		}
		select {
		case <-time.After(h.s.opts.RetryAfter):
		case <-ctx.Done():
		}
	}
}

// acknowledged returns whether an answer accepts a push. Its documented form is {"op":12,"d":0}, and d 1 asks for another push.
// Bots in use also answer {"op":12,"d":{}}, other opcodes or nothing, and get no second push.
func acknowledged(status int, answer []byte) bool {
	var a struct {
		D any `json:"d"`
	}
	_ = json.Unmarshal(answer, &a)
	return status == http.StatusOK && a.D != 1.0
}

func (s *Server) post(ctx context.Context, client *http.Client, url string, body []byte, at time.Time) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header = s.Sign(body, at)
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, answer, err
}

// Pushes returns all attempts to deliver events to webhooks, in order for each webhook.
func (s *Server) Pushes() (all []Push) {
	s.locked(func() {
		for _, h := range s.hooks {
			all = append(all, h.log...)
		}
	})
	return all
}

// WaitPushes waits until ok returns true for the attempts so far.
func (s *Server) WaitPushes(ctx context.Context, ok func([]Push) bool) error {
	return s.wait(ctx, func() bool {
		var all []Push
		for _, h := range s.hooks {
			all = append(all, h.log...)
		}
		return ok(all)
	})
}

// Validate asks a webhook to prove that it knows the secret, as the console does for a new address.
func (s *Server) Validate(ctx context.Context, url string, client *http.Client) error {
	if client == nil {
		client = http.DefaultClient
	}
	at := time.Now()
	s.locked(func() { at = s.now() })
	plain, stamp := "Arq0D5A61EgUu4OxUvOp", fmt.Sprint(at.Unix())
	body, err := json.Marshal(object{"op": 13, "d": object{"plain_token": plain, "event_ts": stamp}})
	if err != nil {
		return err
	}
	status, answer, err := s.post(ctx, client, url, body, at)
	if err != nil {
		return err
	}
	var a struct {
		Token     string `json:"plain_token"`
		Signature string `json:"signature"`
	}
	if err := json.Unmarshal(answer, &a); err != nil || status != http.StatusOK {
		return fmt.Errorf("qqbottest: validation: HTTP status %d: %s", status, answer)
	}
	sig, err := hex.DecodeString(a.Signature)
	if err != nil || a.Token != plain || len(sig) != ed25519.SignatureSize ||
		!ed25519.Verify(s.key.Public().(ed25519.PublicKey), []byte(stamp+plain), sig) {
		return fmt.Errorf("qqbottest: validation: wrong signature")
	}
	return nil
}
