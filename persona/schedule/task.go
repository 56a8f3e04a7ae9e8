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

// A Task is something that the being means to do at a time.
type Task struct {
	ID              string `json:"-"`
	Title           string `json:"title"`
	Motivation      string `json:"motivation,omitempty"`
	Plan            string `json:"plan,omitempty"`
	ExpectedOutcome string `json:"expected_outcome,omitempty"`
	Priority        int    `json:"priority,omitzero"` // the higher, the earlier, of what is pending
	Origin          Origin `json:"maker,omitzero"`    // who made it, and with whose rights it runs
	Allowed         Grant  `json:"allowed,omitzero"`  // what it may use beyond them; not once it was put off

	ScheduledAt     time.Time  `json:"scheduled_at"`         // when it is to be done
	OutdatedAt      time.Time  `json:"outdated_at,omitzero"` // from when on it makes no more sense; zero means never
	CreatedAt       time.Time  `json:"created_at"`           // kept by [Tasks], as all that follows
	StartedAt       time.Time  `json:"started_at,omitzero"`  // zero while it has not begun
	FinishedAt      time.Time  `json:"finished_at,omitzero"` // zero while it is not over
	RescheduledFrom string     `json:"of,omitempty"`         // the outdated task that this one takes up again
	RescheduleCount int        `json:"round,omitzero"`       // how often that has been done, by [Tasks.Reschedule]
	Status          TaskStatus `json:"status"`
	Result          TaskResult `json:"result,omitzero"`
	Reflection      string     `json:"reflection,omitempty"` // what the being thought of it afterwards
	TimesReported   int        `json:"told,omitzero"`        // how often it was given out as outdated
}

// A TaskStatus says how far a task has come.
type TaskStatus uint8

// The states of a task.
const (
	TaskScheduled    TaskStatus = iota // its time has not come
	TaskPending                        // its time has come
	TaskRunning                        // it was given out to be done
	TaskOutdated                       // too late, or interrupted; over once that has been told
	TaskAccomplished                   // it was done, well or with an error
	TaskCanceled                       // it was taken back
)

var taskWords = []string{"scheduled", "pending", "running", "outdated", "accomplished", "canceled"}

// taskMoves are the ways from one state to another. Nothing leads back.
var taskMoves = [...][]TaskStatus{
	TaskScheduled:    {TaskPending, TaskOutdated, TaskCanceled},
	TaskPending:      {TaskRunning, TaskOutdated, TaskCanceled},
	TaskRunning:      {TaskAccomplished, TaskOutdated}, // outdated: found running after a crash
	TaskOutdated:     {TaskCanceled},                   // while it has not been told
	TaskAccomplished: {},
	TaskCanceled:     {},
}

// String gives the state's name, "scheduled" and so on.
func (s TaskStatus) String() string { return enum.Name(taskWords, int(s)) }

// MarshalText gives [TaskStatus.String].
func (s TaskStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads [TaskStatus.String].
func (s *TaskStatus) UnmarshalText(b []byte) error { return enum.Parse(s, taskWords, b) }

// CanBecome reports whether a task may go from one state to another.
func (s TaskStatus) CanBecome(to TaskStatus) bool {
	return int(s) < len(taskMoves) && slices.Contains(taskMoves[s], to)
}

// A TaskResult is how a task ended.
type TaskResult struct {
	Type  string `json:"type"`            // [ResultExecuted], [ResultOutdated], [ResultCanceled]
	Error string `json:"error,omitempty"` // what went wrong; [ErrorInterrupted] for one found running after a crash
}

// How a task ends.
const (
	ResultExecuted = "executed"
	ResultOutdated = "outdated"
	ResultCanceled = "canceled"

	ErrorInterrupted = "interrupted" // the program ended while it ran
)

// A TransitionError says that a task cannot go from one state to another.
type TransitionError struct {
	ID       string
	From, To TaskStatus
	Ended    bool // it has ended
}

// Error names the task and both states.
func (e *TransitionError) Error() string {
	if e.Ended {
		return fmt.Sprintf("persona: task %s is over (%s) and cannot become %s", e.ID, e.From, e.To)
	}
	return fmt.Sprintf("persona: task %s is %s and cannot become %s", e.ID, e.From, e.To)
}

// Ended reports whether the task has ended.
func (t *Task) Ended() bool { return !t.FinishedAt.IsZero() }

// move takes the task to another state, if it may.
func (t *Task) move(to TaskStatus) error {
	if t.Ended() || !t.Status.CanBecome(to) {
		return &TransitionError{t.ID, t.Status, to, t.Ended()}
	}
	t.Status = to
	return nil
}

// end takes the task to its end, without changing its state.
func (t *Task) end(now time.Time, result string, failure error) {
	t.FinishedAt = now
	t.Result.Type = result
	if failure != nil {
		t.Result.Error = clip.Runes(strings.ToValidUTF8(failure.Error(), "\uFFFD"), maxTaskError)
	}
}

// size is how many characters of the history the task takes.
func (t *Task) size() int {
	n := 0
	for _, s := range []string{t.Title, t.Motivation, t.Plan, t.ExpectedOutcome, t.Result.Error, t.Reflection} {
		n += utf8.RuneCountInString(s)
	}
	return n
}

const maxTaskError = 500 // characters

var errNoTitle = errors.New("persona: a task needs a title")

// check looks at what a caller gives.
func (t *Task) check(now time.Time, most int) error {
	if strings.TrimSpace(t.Title) == "" {
		return errNoTitle
	}
	if err := checkText(t.Title+t.Motivation+t.Plan+t.ExpectedOutcome, most); err != nil {
		return err
	}
	if !t.OutdatedAt.IsZero() && (!t.OutdatedAt.After(now) || !t.OutdatedAt.After(t.ScheduledAt)) {
		return fmt.Errorf("%w: the task would be outdated before it can be done", ErrPast)
	}
	return t.Origin.check()
}
