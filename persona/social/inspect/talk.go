package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona/social"
)

// Limits of the talk with the owner.
const (
	maxTalk   = 8000             // characters of a text
	maxTalks  = 4                // turns at the same time: one runs and the others wait
	writeTime = 10 * time.Second // for clients that do not read
)

// talk passes a text of the owner to the bot. The form of the page leads back to it. Scripts and other programs get the answer by
// item, as JSON lines or, if they accept it, as server-sent events. A form may also attach the words of others: attached, with its
// name. The turn goes on when the client is gone.
func (h *Handler) talk(p *page) error {
	text := strings.TrimSpace(p.r.PostFormValue("text"))
	switch {
	case utf8.RuneCountInString(text) > maxTalk:
		http.Error(p.w, p.T("talkLong"), http.StatusRequestEntityTooLarge)
		return nil
	case text == "":
		http.Error(p.w, p.T("talkEmpty"), http.StatusBadRequest)
		return nil
	}
	var attached []social.Attachment
	for i, words := range p.r.PostForm["attached"] {
		a := social.Attachment{Text: words}
		if names := p.r.PostForm["name"]; i < len(names) {
			a.Name = names[i]
		}
		attached = append(attached, a)
	}
	select {
	case h.talks <- struct{}{}:
		defer func() { <-h.talks }()
	default:
		p.w.Header().Set("Retry-After", "5")
		http.Error(p.w, p.T("talkBusy"), http.StatusServiceUnavailable)
		return nil
	}
	ctx, stop := p.feed.untilClosed(context.WithoutCancel(p.r.Context()))
	defer stop()
	defer p.feed.Bot.AppOpened()()
	give := func(string, string) {}
	form := accepts(p.r, "text/html")
	if !form {
		give = newAnswer(p.w, accepts(p.r, "text/event-stream")).send
	}
	err := p.feed.Bot.StreamOwnerMessage(ctx, text, func(_ context.Context, item string) error {
		give("item", item)
		return nil
	}, attached...)
	switch {
	case form && err == nil:
		http.Redirect(p.w, p.r, p.Base()+"day", http.StatusSeeOther)
	case form:
		return err
	case err != nil:
		h.o.Logger.Warn("inspect: a turn of the owner failed", "err", err)
		give("error", p.T("talkFailed"))
	default:
		give("done", "")
	}
	return nil
}

// untilClosed returns a context that ends with the feed.
func (f *feed) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-f.closed:
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// An answer writes the items of an answer as JSON lines or server-sent events. It goes on when the client is gone.
type answer struct {
	out    http.ResponseWriter
	until  *http.ResponseController
	events bool
}

func newAnswer(out http.ResponseWriter, events bool) *answer {
	a := &answer{out, http.NewResponseController(out), events}
	kind := "application/x-ndjson"
	if events {
		kind = "text/event-stream"
	}
	out.Header().Set("Content-Type", kind)
	out.Header().Set("X-Accel-Buffering", "no")
	_ = a.until.SetReadDeadline(time.Time{}) // that of the request ends before the turn
	out.WriteHeader(http.StatusOK)
	_ = a.until.Flush()
	return a
}

func (a *answer) send(kind, text string) {
	line, _ := json.Marshal(map[string]string{"type": kind, "text": text}) // texts can be encoded
	_ = a.until.SetWriteDeadline(time.Now().Add(writeTime))
	if a.events {
		fmt.Fprintf(a.out, "event: %s\ndata: %s\n\n", kind, line)
	} else {
		fmt.Fprintf(a.out, "%s\n", line)
	}
	_ = a.until.Flush() // the client may be gone
}
