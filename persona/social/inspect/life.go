package inspect

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
)

// A LifeBot is what the pages about plans, waiting things, tools and settings need of a bot.
type LifeBot interface {
	Agenda(ctx context.Context) (social.Agenda, error)
	CancelPlan(ctx context.Context, id string) error
	PostponeTask(ctx context.Context, id string, at time.Time) (schedule.Task, error)
	Heartbeat() (interval time.Duration, off bool)
	SetHeartbeat(ctx context.Context, interval time.Duration, off bool) error
	Sleep(ctx context.Context, until time.Time) error
	Wake(ctx context.Context) error
	Sessions(ctx context.Context) ([]social.Session, error)
	Unclear(ctx context.Context) ([]social.UnclearSend, error)
	SettleUnclear(ctx context.Context, id string, sent bool) error
	PendingRequests(ctx context.Context) ([]persona.Request, error)
	AnswerRequest(ctx context.Context, r persona.Request, approve bool, reason string) error
	Plugins(ctx context.Context) ([]social.PluginStatus, error)
	SwitchPlugin(ctx context.Context, name string, on bool) error
	SetSocialMode(ctx context.Context, on bool) error
	Overrides(ctx context.Context) (map[persona.Chat]social.ChatSettings, error)
	ChatDefaults(chat persona.Chat) social.ChatDefaults
	Configure(ctx context.Context, chat persona.Chat, s social.ChatSettings) error
	Mute(ctx context.Context, chat persona.Chat, until time.Time) error
	Unmute(ctx context.Context, chat persona.Chat) error
	Changes(ctx context.Context) ([]social.Change, error)
}

func (h *Handler) lifeRoutes() {
	h.page("GET /bot/{bot}/plans", owners, func(p *page) error { return h.plans(p, "") })
	h.page("POST /bot/{bot}/plans", owners, h.changeLife)
	h.page("GET /bot/{bot}/plan", owners, func(p *page) error { return h.plan(p, "") })
	h.page("POST /bot/{bot}/plan", owners, h.changePlan)
	h.page("GET /bot/{bot}/conversations", owners, h.conversations)
	h.page("GET /bot/{bot}/waiting", owners, func(p *page) error { return h.waiting(p, "") })
	h.page("POST /bot/{bot}/waiting", owners, h.decide)
	h.page("GET /bot/{bot}/tools", owners, func(p *page) error { return h.tools(p, "") })
	h.page("POST /bot/{bot}/tools", owners, h.switchTools)
	h.page("GET /bot/{bot}/settings", owners, h.settings)
	h.page("POST /bot/{bot}/settings", owners, h.configure)
	h.page("GET /bot/{bot}/changes", owners, h.changes)
}

// redirect shows another page of the bot after a change.
func (p *page) redirect(path string) error {
	http.Redirect(p.w, p.r, p.Base()+path, http.StatusSeeOther)
	return nil
}

// setStatus sets the status of a page that shows why a change was not made; "" is none.
func (p *page) setStatus(mistake string) {
	if mistake != "" {
		p.w.WriteHeader(http.StatusUnprocessableEntity)
	}
}

// A plansPage is the data of the page with what the bot does by itself.
type plansPage struct {
	Here    string // name of the page in the menu
	Mistake string // why the last change was not made; "" for none
	Life    bool   // the bot acts by itself
	social.Agenda
	Running  []social.PastWake
	Ended    []social.PastWake // latest first
	Interval time.Duration
	Off      bool
	Status   social.ChatStatus
}

// plans shows timers, tasks and runs, with the heartbeat and whether the bot sleeps.
func (h *Handler) plans(p *page, mistake string) error {
	b := p.feed.Bot
	agenda, err := b.Agenda(p.r.Context())
	if err != nil {
		return err
	}
	d := plansPage{Here: "plans", Mistake: mistake, Agenda: agenda, Status: b.ChatStatus(persona.Chat{})}
	d.Interval, d.Off = b.Heartbeat()
	d.Life = d.Interval > 0
	for _, w := range slices.Backward(agenda.Wakes) {
		if w.Ended.IsZero() {
			d.Running = append(d.Running, w)
		} else {
			d.Ended = append(d.Ended, w)
		}
	}
	slices.Reverse(d.Past)
	p.setStatus(mistake)
	p.render("plans.html", d)
	return nil
}

// changeLife changes the heartbeat, or lets the bot sleep or wake.
func (h *Handler) changeLife(p *page) error {
	b, ctx := p.feed.Bot, p.r.Context()
	var err error
	switch p.r.PostFormValue("do") {
	case "on", "off", "interval":
		_, off := b.Heartbeat()
		d, failed := time.ParseDuration(cmp.Or(p.r.PostFormValue("interval"), "0s"))
		switch {
		case failed != nil:
			return h.plans(p, p.T("badDuration"))
		case d != 0 && (d < time.Second || d > time.Hour):
			return h.plans(p, p.T("badInterval"))
		case p.r.PostFormValue("do") != "interval":
			off = p.r.PostFormValue("do") == "off"
		}
		err = b.SetHeartbeat(ctx, d, off)
	case "sleep":
		until, ok := untilOf(p.r.PostFormValue("for"))
		if !ok {
			return h.plans(p, p.T("badDuration"))
		}
		err = b.Sleep(ctx, until)
	case "wake":
		err = b.Wake(ctx)
	default:
		return errNotFound
	}
	if err != nil {
		return err
	}
	return p.redirect("plans")
}

// untilOf returns the end of a duration from now; "" means none, and a zero time.
func untilOf(text string) (until time.Time, ok bool) {
	if text == "" {
		return until, true
	}
	d, err := time.ParseDuration(text)
	return time.Now().Add(d), err == nil && d > 0
}

// A planPage is the data of the page of one timer or task.
type planPage struct {
	Here    string
	Mistake string
	Timer   *schedule.Timer // nil for a task
	Task    *schedule.Task  // nil for a timer
	At      string          // proposed time for a task
}

// plan shows one timer or task, so that it can be canceled or moved.
func (h *Handler) plan(p *page, mistake string) error {
	agenda, err := p.feed.Bot.Agenda(p.r.Context())
	if err != nil {
		return err
	}
	id := p.r.FormValue("id")
	d := planPage{Here: "plans", Mistake: mistake}
	if i := slices.IndexFunc(agenda.Timers, func(t schedule.Timer) bool { return t.ID == id }); i >= 0 {
		d.Timer = &agenda.Timers[i]
	}
	open := slices.Concat(agenda.Planned, agenda.Past)
	if i := slices.IndexFunc(open, func(t schedule.Task) bool { return t.ID == id }); i >= 0 {
		d.Task = &open[i]
		at := d.Task.ScheduledAt
		if now := time.Now(); at.Before(now) {
			at = now
		}
		d.At = at.Local().Add(time.Hour).Format(inputTime)
	}
	if d.Timer == nil && d.Task == nil {
		return errNotFound
	}
	p.setStatus(mistake)
	p.render("plan.html", d)
	return nil
}

// inputTime is the form of a time in an input element.
const inputTime = "2006-01-02T15:04"

// changePlan cancels a timer or a task, or moves a task.
func (h *Handler) changePlan(p *page) error {
	b, ctx, id := p.feed.Bot, p.r.Context(), p.r.PostFormValue("id")
	var err error
	back := "plans"
	switch p.r.PostFormValue("do") {
	case "cancel":
		err = b.CancelPlan(ctx, id)
	case "postpone":
		at, failed := time.ParseInLocation(inputTime, p.r.PostFormValue("at"), time.Local)
		if failed != nil {
			return h.plan(p, p.T("badTime"))
		}
		_, err = b.PostponeTask(ctx, id, at)
		back = "plan?" + url.Values{"id": {id}}.Encode()
	default:
		return errNotFound
	}
	var begun *schedule.TransitionError
	switch {
	case err == nil:
		return p.redirect(back)
	case errors.Is(err, schedule.ErrNotFound), errors.Is(err, social.ErrNoAutonomy):
		return errNotFound
	case errors.Is(err, schedule.ErrPast):
		return h.plan(p, p.T("pastTime"))
	case errors.As(err, &begun):
		return h.plan(p, p.T("begun"))
	}
	return err
}

// A conversationsPage is the data of the page with conversations.
type conversationsPage struct {
	Here     string
	Now      []schedule.Conversation // the one with the latest message first
	Running  []social.PastWake       // in the background
	Archived []social.Session        // latest first
}

// conversations shows the conversations that go on, and the archived ones.
func (h *Handler) conversations(p *page) error {
	agenda, err := p.feed.Bot.Agenda(p.r.Context())
	if err != nil {
		return err
	}
	d := conversationsPage{Here: "conversations", Now: agenda.Conversations}
	if d.Archived, err = p.feed.Bot.Sessions(p.r.Context()); err != nil {
		return err
	}
	for _, w := range agenda.Wakes {
		if w.Ended.IsZero() && w.Background {
			d.Running = append(d.Running, w)
		}
	}
	slices.Reverse(d.Now)
	slices.Reverse(d.Archived)
	p.render("conversations.html", d)
	return nil
}

// Functions of templates.

// With returns the page with other data, for a part of a page.
func (p *page) With(data any) *page {
	other := *p
	other.Data = data
	return &other
}

// LifePages returns the pages of the menu.
func (p *page) LifePages() []choice {
	return []choice{
		{"plans", p.T("plans")}, {"conversations", p.T("conversations")}, {"waiting", p.T("waiting")}, {"tools", p.T("toolbox")}, {"changes", p.T("changes")},
	}
}
