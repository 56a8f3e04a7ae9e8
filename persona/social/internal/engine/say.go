package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// sayKind is the kind of a job that sends a text of the host.
const sayKind = "say"

// Say sends a text of the host to a chat, within the limits of replies.
func (e *Engine) Say(ctx context.Context, chat persona.Chat, text string) (id string, err error) {
	if text = StripInvisible(text); strings.TrimSpace(text) == "" {
		return "", errors.New("social: say: the text is empty")
	}
	if err := e.AwaitStart(ctx); err != nil {
		return "", err
	}
	c, err := e.Chat(ctx, chat)
	if err != nil {
		return "", err
	}
	now := time.Now()
	j := &Job{Chat: c, OwnerOrder: true, NoRetry: true}
	j.Job = jobs.Job{ID: fmt.Sprintf("%s/%v/%d-%d", sayKind, chat, now.UnixNano(), e.Counters.ownerLines.Add(1)), Kind: sayKind, Chat: chat, At: now, ExpiresAt: now.Add(e.Options.MaxAge)}
	j.Ask = func(context.Context, *Turn) (w Answer, err error) {
		w.Text = text
		return w, nil
	}
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, _ error) (string, error) {
		u := &Utterance{Turn: t, Chat: chat, FullText: text}
		if id, err = u.Send(ctx, w.Outgoing); err != nil {
			return "error: " + err.Error(), err
		}
		return "said", nil
	}
	done, err := e.Do(ctx, j)
	return id, errors.Join(done.Err, err)
}
