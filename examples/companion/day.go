package main

import (
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
)

// A day is all that is shown of it.
type day struct {
	Name    string  `json:"name"`
	Now     string  `json:"now"` // by the day's clock
	Speed   float64 `json:"speed"`
	Entries []entry `json:"entries"`
	Earlier int     `json:"earlier,omitzero"` // entries that are not kept any more

	Tasks     []plan     `json:"tasks"`  // what is open first, then what is over, oldest first
	Timers    []alarm    `json:"timers"` // the next first
	Documents []document `json:"documents"`
	Inner     string     `json:"inner_state,omitempty"`
	now       time.Time
}

// A plan is a task, at times of the day's clock.
type plan struct {
	ID         string              `json:"id"`
	Title      string              `json:"title"`
	Motivation string              `json:"motivation,omitempty"`
	Status     schedule.TaskStatus `json:"status"`
	Result     string              `json:"result,omitempty"` // executed, outdated, canceled
	Error      string              `json:"error,omitempty"`
	Reflection string              `json:"reflection,omitempty"`
	At         time.Time           `json:"at"`
	Until      time.Time           `json:"until,omitzero"`
	Ended      time.Time           `json:"ended,omitzero"`
}

// An alarm is a timer, at times of the day's clock.
type alarm struct {
	ID   string    `json:"id"`
	Spec string    `json:"spec"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

type document struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// look reads what is known of the day. It waits until the being lives.
func (h *home) look(ctx context.Context) (*day, error) {
	known, err := h.being.Agenda(ctx)
	if err != nil {
		return nil, err
	}
	c := h.diary.clock
	now := c.at(time.Now())
	d := &day{Name: h.name, Now: now.Format(time.DateTime), Speed: c.speed, Inner: known.InnerState, Tasks: []plan{}, Timers: []alarm{}, Documents: []document{}, now: now}
	d.Entries, d.Earlier = h.diary.read()
	at := func(t time.Time) time.Time {
		if t.IsZero() {
			return t
		}
		return c.at(t)
	}
	for _, t := range slices.Concat(known.Planned, known.Past) {
		d.Tasks = append(d.Tasks, plan{
			ID: t.ID, Title: t.Title, Motivation: t.Motivation, Status: t.Status, Result: t.Result.Type, Error: t.Result.Error, Reflection: t.Reflection,
			At: at(t.ScheduledAt), Until: at(t.OutdatedAt), Ended: at(t.FinishedAt),
		})
	}
	for _, t := range known.Timers {
		d.Timers = append(d.Timers, alarm{ID: t.ID, Spec: t.Spec, Text: t.Payload, At: at(t.Next)})
	}
	for _, p := range known.Documents {
		d.Documents = append(d.Documents, document{p.Name, p.Text})
	}
	return d, nil
}
