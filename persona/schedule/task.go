package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona/internal/enum"
)

// A Task is a planned action of the bot.
type Task struct {
	ID              string `json:"-"`
	Title           string `json:"title"`
	Motivation      string `json:"motivation,omitempty"`
	Plan            string `json:"plan,omitempty"`
	ExpectedOutcome string `json:"expected_outcome,omitempty"`
	Priority        int    `json:"priority,omitzero"` // a pending task with a higher priority starts first
	Origin          Origin `json:"maker,omitzero"`    // the turn that created it; it runs with these rights
	Allowed         Grant  `json:"allowed,omitzero"`  // additional tools; lost when it is rescheduled

	ScheduledAt     time.Time  `json:"scheduled_at"`         // planned time
	OutdatedAt      time.Time  `json:"outdated_at,omitzero"` // from this time on it is no longer useful; zero means never
	CreatedAt       time.Time  `json:"created_at"`           // set by [Tasks], like all fields below
	StartedAt       time.Time  `json:"started_at,omitzero"`  // zero before the start
	FinishedAt      time.Time  `json:"finished_at,omitzero"` // zero before the end
	RescheduledFrom string     `json:"of,omitempty"`         // id of the outdated task that this task replaces
	RescheduleCount int        `json:"round,omitzero"`       // number of calls of [Tasks.Reschedule] before this task
	Status          TaskStatus `json:"status"`
	Result          TaskResult `json:"result,omitzero"`
	Reflection      string     `json:"reflection,omitempty"` // the bot's comment after the end
	TimesReported   int        `json:"told,omitzero"`        // how often it was reported as outdated
}

// A TaskStatus is the progress of a task.
type TaskStatus uint8

// The statuses of a task.
const (
	TaskScheduled    TaskStatus = iota // waiting for ScheduledAt
	TaskPending                        // due
	TaskRunning                        // running
	TaskOutdated                       // missed or interrupted; it ends after it was reported
	TaskAccomplished                   // finished, with or without an error
	TaskCanceled                       // canceled
)

var taskStatusNames = []string{"scheduled", "pending", "running", "outdated", "accomplished", "canceled"}

// taskTransitions are the allowed transitions. No transition leads back.
var taskTransitions = [...][]TaskStatus{
	TaskScheduled:    {TaskPending, TaskOutdated, TaskCanceled},
	TaskPending:      {TaskRunning, TaskOutdated, TaskCanceled},
	TaskRunning:      {TaskAccomplished, TaskOutdated}, // TaskOutdated: it ran when the program crashed
	TaskOutdated:     {TaskCanceled},                   // before it was reported
	TaskAccomplished: {},
	TaskCanceled:     {},
}

// String returns the name of the status, such as "scheduled".
func (s TaskStatus) String() string { return enum.Name(taskStatusNames, int(s)) }

// MarshalText encodes [TaskStatus.String].
func (s TaskStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses [TaskStatus.String].
func (s *TaskStatus) UnmarshalText(b []byte) error { return enum.Parse(s, taskStatusNames, b) }

// CanBecome reports whether the transition from s to to is allowed.
func (s TaskStatus) CanBecome(to TaskStatus) bool {
	return int(s) < len(taskTransitions) && slices.Contains(taskTransitions[s], to)
}

// A TaskResult is the result of a task.
type TaskResult struct {
	Type  string `json:"type"`            // [ResultExecuted], [ResultOutdated] or [ResultCanceled]
	Error string `json:"error,omitempty"` // error text; [ErrorInterrupted] after a crash
}

// The types of a [TaskResult].
const (
	ResultExecuted = "executed"
	ResultOutdated = "outdated"
	ResultCanceled = "canceled"

	ErrorInterrupted = "interrupted" // the program ended while the task ran
)

// A TransitionError reports that a task cannot change from one status to another.
type TransitionError struct {
	ID       string
	From, To TaskStatus
	Ended    bool // the task has ended
}

// Error names the task and both statuses.
func (e *TransitionError) Error() string {
	if e.Ended {
		return fmt.Sprintf("schedule: task %s has ended (%s) and cannot become %s", e.ID, e.From, e.To)
	}
	return fmt.Sprintf("schedule: task %s is %s and cannot become %s", e.ID, e.From, e.To)
}

// Ended reports whether the task has ended.
func (t *Task) Ended() bool { return !t.FinishedAt.IsZero() }

// transition changes the status if the transition is allowed.
func (t *Task) transition(to TaskStatus) error {
	if t.Ended() || !t.Status.CanBecome(to) {
		return &TransitionError{t.ID, t.Status, to, t.Ended()}
	}
	t.Status = to
	return nil
}

// end sets the end and the result of the task. It does not change the status.
func (t *Task) end(now time.Time, result string, failure error) {
	t.FinishedAt = now
	t.Result.Type = result
	if failure != nil {
		t.Result.Error = clip.Runes(strings.ToValidUTF8(failure.Error(), "\uFFFD"), maxTaskError)
	}
}

// size returns the number of characters that the task takes in the history.
func (t *Task) size() int {
	n := 0
	for _, s := range []string{t.Title, t.Motivation, t.Plan, t.ExpectedOutcome, t.Result.Error, t.Reflection} {
		n += utf8.RuneCountInString(s)
	}
	return n
}

const maxTaskError = 500 // characters

var errNoTitle = errors.New("schedule: task without a title")

// check validates the fields that a caller sets.
func (t *Task) check(now time.Time, most int) error {
	if strings.TrimSpace(t.Title) == "" {
		return errNoTitle
	}
	if err := checkText(t.Title+t.Motivation+t.Plan+t.ExpectedOutcome, most); err != nil {
		return err
	}
	if !t.OutdatedAt.IsZero() && (!t.OutdatedAt.After(now) || !t.OutdatedAt.After(t.ScheduledAt)) {
		return fmt.Errorf("%w: the task would be outdated before it can run", ErrPast)
	}
	return t.Origin.check()
}
