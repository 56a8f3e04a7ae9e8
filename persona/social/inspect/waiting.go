package inspect

import (
	"errors"
	"slices"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A waitingPage is the data of the page with what waits for the owner.
type waitingPage struct {
	Here     string
	Mistake  string
	Unclear  []social.UnclearSend // latest first
	Requests []persona.Request
}

// waiting shows the sends that may have been delivered, and the requests.
func (h *Handler) waiting(p *page, mistake string) (err error) {
	d := waitingPage{Here: "waiting", Mistake: mistake}
	if d.Unclear, err = p.feed.Bot.Unclear(p.r.Context()); err != nil {
		return err
	}
	if d.Requests, err = p.feed.Bot.PendingRequests(p.r.Context()); err != nil {
		return err
	}
	slices.Reverse(d.Unclear)
	p.setStatus(mistake)
	p.render("waiting.html", d)
	return nil
}

// decide settles a send or answers a request.
func (h *Handler) decide(p *page) error {
	var err error
	switch do := p.r.PostFormValue("do"); do {
	case "sent", "unsent":
		err = p.feed.Bot.SettleUnclear(p.r.Context(), p.r.PostFormValue("id"), do == "sent")
	case "approve", "reject":
		var r persona.Request
		if r, err = h.requestOf(p); err == nil {
			err = p.feed.Bot.AnswerRequest(p.r.Context(), r, do == "approve", p.r.PostFormValue("reason"))
			if err != nil && !errors.Is(err, social.ErrAnswered) && !errors.Is(err, social.ErrUnclear) {
				return h.waiting(p, p.T("answerFailed")+": "+err.Error())
			}
		}
	default:
		return errNotFound
	}
	switch {
	case err == nil, errors.Is(err, social.ErrUnclear): // the list shows it
		return p.redirect("waiting")
	case errors.Is(err, social.ErrSettled):
		return h.waiting(p, p.T("whySettled"))
	case errors.Is(err, social.ErrSearched):
		return h.waiting(p, p.T("whySearched"))
	case errors.Is(err, social.ErrAnswered):
		return h.waiting(p, p.T("whyAnswered"))
	}
	return err
}

// requestOf returns the waiting request that a form names.
func (h *Handler) requestOf(p *page) (persona.Request, error) {
	all, err := p.feed.Bot.PendingRequests(p.r.Context())
	if err != nil {
		return persona.Request{}, err
	}
	for _, r := range all {
		if r.Kind == p.r.PostFormValue("kind") && r.ID == p.r.PostFormValue("id") && r.From.Platform == p.r.PostFormValue("platform") {
			return r, nil
		}
	}
	return persona.Request{}, social.ErrAnswered
}

// IsAnswer reports whether a send is an answer to a request.
func (p *page) IsAnswer(s social.UnclearSend) bool {
	return (s.Kind == "request" || s.Kind == "answer") && (s.Text == "approve" || s.Text == "reject")
}
