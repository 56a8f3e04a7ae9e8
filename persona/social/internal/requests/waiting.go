package requests

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// byHost is decision.AnsweredBy of a request that the host has answered, or somebody outside of the bot.
const byHost = "host"

// Waiting returns the requests that wait for the owner's decision, oldest first. It waits for the start.
func (h *Handler) Waiting(ctx context.Context) ([]persona.Request, error) {
	if err := h.engine.AwaitStart(ctx); err != nil {
		return nil, err
	}
	now := time.Now()
	var all []persona.Request
	for _, one := range h.decisions.list() {
		if one.AnsweredBy == "" && !now.After(one.Until) && !h.answered(one.Request) {
			all = append(all, one.Request)
		}
	}
	slices.SortFunc(all, func(a, b persona.Request) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// Reopen lets the owner decide again about the request that a job has answered: that answer was not sent. It ignores jobs
// of other kinds.
func (h *Handler) Reopen(ctx context.Context, jobID string) error {
	code, _, ok := h.decisions.find(func(o decision) bool {
		return jobID == requestID(o.Request) || strings.HasPrefix(jobID, answerKind+"/"+requestDigest(o.Request)+"/")
	})
	if !ok {
		return nil
	}
	return h.decisions.reopen(ctx, code)
}

// close marks a request as answered, so that it does not wait any more. The answer itself is safe against repetition, so that
// an error is logged only.
func (d *decisions) close(ctx context.Context, r persona.Request) {
	after, stop := engine.DetachedContext(ctx)
	defer stop()
	err := d.write.Lock(after)
	if err == nil {
		defer d.write.Unlock()
		digest := requestDigest(r)
		code, one, ok := d.find(func(o decision) bool { return requestDigest(o.Request) == digest })
		if !ok || one.AnsweredBy != "" {
			return
		}
		one.AnsweredBy = byHost
		err = d.change(after, time.Now(), code, one)
	}
	if err != nil {
		d.log.Error("could not note that a request was answered", "err", err)
	}
}

// list returns all decisions.
func (d *decisions) list() []decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]decision, 0, len(d.all))
	for _, one := range d.all {
		all = append(all, one)
	}
	return all
}
