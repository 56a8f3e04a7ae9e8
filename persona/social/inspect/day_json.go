package inspect

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
)

// A dayJSON is the day for other programs.
type dayJSON struct {
	Name    string    `json:"name"`
	Now     time.Time `json:"now"`
	Entries []dayRow  `json:"entries"`

	Tasks      []taskJSON  `json:"tasks"`  // open tasks first, then ended ones, oldest first
	Timers     []timerJSON `json:"timers"` // the next first
	Documents  []textJSON  `json:"documents"`
	InnerState string      `json:"inner_state,omitempty"`
}

type taskJSON struct {
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

type timerJSON struct {
	ID   string    `json:"id"`
	Spec string    `json:"spec"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

type textJSON struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (p dayView) json(now time.Time, rows []dayRow, plans social.Agenda) dayJSON {
	d := dayJSON{
		Name: p.Name(), Now: now, Entries: rows, InnerState: plans.InnerState, Tasks: []taskJSON{}, Timers: []timerJSON{}, Documents: []textJSON{},
	}
	for _, t := range slices.Concat(plans.Planned, plans.Past) {
		d.Tasks = append(d.Tasks, taskJSON{
			ID: t.ID, Title: t.Title, Motivation: t.Motivation, Status: t.Status, Result: t.Result.Type, Error: t.Result.Error, Reflection: t.Reflection,
			At: p.shown(t.ScheduledAt), Until: p.shown(t.OutdatedAt), Ended: p.shown(t.FinishedAt),
		})
	}
	for _, t := range plans.Timers {
		d.Timers = append(d.Timers, timerJSON{t.ID, t.Spec, t.Payload, p.shown(t.Next)})
	}
	for _, doc := range plans.Documents {
		d.Documents = append(d.Documents, textJSON(doc))
	}
	return d
}
