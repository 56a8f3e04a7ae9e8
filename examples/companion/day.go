package main

import (
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
)

// A day is the state that the page and GET /day show.
type day struct {
	Name    string    `json:"name"`
	Now     time.Time `json:"now"` // simulated time
	Speed   float64   `json:"speed"`
	Entries []entry   `json:"entries"`
	Earlier int       `json:"earlier,omitzero"` // dropped entries

	Tasks     []taskView  `json:"tasks"`  // open tasks first, then finished ones, oldest first
	Timers    []timerView `json:"timers"` // next one first
	Documents []document  `json:"documents"`
	Inner     string      `json:"inner_state,omitempty"`
}

// A taskView is a task with simulated times.
type taskView struct {
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

// A timerView is a timer with simulated times.
type timerView struct {
	ID   string    `json:"id"`
	Spec string    `json:"spec"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

type document struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// day returns the current day. It waits until the bot has started.
func (c *companion) day(ctx context.Context) (*day, error) {
	known, err := c.bot.Agenda(ctx)
	if err != nil {
		return nil, err
	}
	clk := c.events.clock
	now := clk.at(time.Now())
	d := &day{Name: c.name, Now: now, Speed: clk.speed, Inner: known.InnerState, Tasks: []taskView{}, Timers: []timerView{}, Documents: []document{}}
	d.Entries, d.Earlier = c.events.list()
	at := func(t time.Time) time.Time {
		if t.IsZero() {
			return t
		}
		return clk.at(t)
	}
	for _, t := range slices.Concat(known.Planned, known.Past) {
		d.Tasks = append(d.Tasks, taskView{
			ID: t.ID, Title: t.Title, Motivation: t.Motivation, Status: t.Status, Result: t.Result.Type, Error: t.Result.Error, Reflection: t.Reflection,
			At: at(t.ScheduledAt), Until: at(t.OutdatedAt), Ended: at(t.FinishedAt),
		})
	}
	for _, t := range known.Timers {
		d.Timers = append(d.Timers, timerView{ID: t.ID, Spec: clk.spec(t.Spec), Text: t.Payload, At: at(t.Next)})
	}
	for _, p := range known.Documents {
		d.Documents = append(d.Documents, document{p.Name, p.Text})
	}
	return d, nil
}
