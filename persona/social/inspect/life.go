package inspect

import (
	"slices"

	"github.com/hearth-bot/hearth/persona/social"
)

func (h *Handler) lifeRoutes() {
	h.page("GET /bot/{bot}/plans", owners, h.plans)
}

// A plansPage is the data of the page with timers, tasks and archived conversations.
type plansPage struct {
	social.Agenda
	Sessions []social.Session
}

// plans shows the timers, the tasks and the archived conversations.
func (h *Handler) plans(p *page) error {
	agenda, err := p.feed.Bot.Agenda(p.r.Context())
	if err != nil {
		return err
	}
	sessions, err := p.feed.Bot.Sessions(p.r.Context())
	if err != nil {
		return err
	}
	slices.Reverse(sessions)
	p.render("plans.html", plansPage{agenda, sessions})
	return nil
}
