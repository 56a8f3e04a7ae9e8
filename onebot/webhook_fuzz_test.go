package onebot

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzWebhookBody checks that a Webhook accepts only events with an account, complete and correctly signed.
func FuzzWebhookBody(f *testing.F) {
	for _, s := range append(badFrames, groupFrame, groupText(10000, 1, 1, "x"), `{"post_type":"x","self_id":"1"}`, `{"post_type":"message","self_id":1e5}`,
		`{"post_type":"message"}`, `[]`, `null`, "\xef\xbb\xbf{}", `{"post_type":"notice","self_id":1,"time":99999999999999999999}`) {
		f.Add([]byte(s), "10000")
	}
	w := NewWebhook(Options{Workers: 1})
	got := make(chan Event, 1)
	go w.Run(f.Context(), func(_ context.Context, bot *Bot, e Event) {
		if bot.SelfID() != e.EventSelfID() {
			f.Error("not its bot")
		}
		got <- e
	})
	for w.enter() == nil {
	}
	w.requests.Done()
	f.Fuzz(func(t *testing.T, body []byte, self string) {
		w.seen.init(time.Minute)
		r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Self-ID", self)
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		_, err := ParseEvent(body)
		switch rec.Code {
		case 204:
			e := <-got
			if err != nil || !bytes.Equal(e.Raw(), body) || e.EventSelfID() == 0 {
				t.Fatalf("%q: let in though %v: %q", body, err, e.Raw())
			}
		case 400:
			if e, err := ParseEvent(body); err == nil && e.EventSelfID() != 0 {
				t.Fatalf("%q: refused", body)
			}
		default:
			t.Fatal(rec.Code)
		}
	})
}

// FuzzSignature checks that only the exact signature of the body is accepted, in any case of letters.
func FuzzSignature(f *testing.F) {
	f.Add([]byte(`{}`), "geheim", sign("geheim", `{}`))
	f.Add([]byte(`{}`), "geheim", strings.ToUpper(sign("geheim", `{}`)))
	f.Add([]byte(`{}`), "geheim", "sha1=")
	f.Add([]byte(`{}`), "geheim", "sha1=zz")
	f.Add([]byte(``), "密", sign("密", ``)+"00")
	f.Add([]byte("\x00"), "", "md5=00")
	signed := func(body []byte, secret, signature string) bool {
		mac := parseSignature(signature)
		return mac != nil && signed(body, secret, mac)
	}
	f.Fuzz(func(t *testing.T, body []byte, secret, signature string) {
		want := sign(secret, string(body))
		if !signed(body, secret, want) {
			t.Fatal("its own signature is refused")
		}
		same := len(signature) == len(want) && signature[:5] == want[:5] && strings.EqualFold(signature, want)
		if signed(body, secret, signature) != same {
			t.Fatalf("%q, want %q", signature, want)
		}
		if signed(append(body, ' '), secret, want) {
			t.Fatal("the signature of another body")
		}
	})
}

// FuzzHTTPAnswer checks that a call ends with any response, and that a success has a successful status.
func FuzzHTTPAnswer(f *testing.F) {
	for _, s := range []string{`{"status":"ok","retcode":0,"data":{"message_id":1}}`, `{"status":"failed","retcode":200,"data":null}`, `{"status":"ok","retcode":"0"}`,
		`{"status":"async","retcode":1}`, `{"message":"token verify failed!"}`, `<html>`, ``, `[]`, `null`, `{"status":{}}`, `{"status":"ok"`,
		`{"status":"ok","data":{"type":"stream"},"stream":"stream-action"}` + "\r\n\r\n" + `{"status":"ok","data":{"type":"response"},"stream":"stream-action"}`,
		"{\"status\":\"\xff\"}", `{"stream":"stream-action","status":"ok","data":[]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		docs := json.NewDecoder(bytes.NewReader(body))
		for n := 0; ; n++ {
			a, err := nextResponse(docs)
			if err != nil {
				return
			}
			if got := a.response(); got.ok && (a.status == "failed" || a.code != 0 && a.code != 1) {
				t.Fatalf("%q is no success", body)
			}
			var m map[string]any
			if json.Unmarshal(a.raw, &m) != nil {
				t.Fatalf("%q is no JSON", a.raw)
			}
			if !a.more() {
				return
			}
		}
	})
}
