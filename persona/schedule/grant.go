package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Grant is what a human allowed one timer or task to use, beyond the rights of its maker, after they were shown when it is
// due and what it says. It holds for these words at that time: a timer or a task that says something else may use nothing
// more. The zero Grant allows nothing.
type Grant struct {
	Tools  []string `json:"tools,omitempty"` // by name
	Digest string   `json:"of,omitempty"`    // a digest of the time and the words; kept by [Timers] and [Tasks]
}

// grant allows the use of tools for words at a time.
func grant(tools []string, when, words string) Grant {
	if len(tools) == 0 {
		return Grant{}
	}
	sum := sha256.Sum256([]byte(when + "\x00" + words))
	return Grant{tools, hex.EncodeToString(sum[:16])}
}

// of gives the tools that it allows for these words at that time.
func (g Grant) of(when, words string) []string {
	if g.Digest != grant(g.Tools, when, words).Digest {
		return nil
	}
	return g.Tools
}

// Text are all that the task says: what a human is shown who is asked about it.
func (t *Task) Text() string {
	return strings.TrimSpace(strings.Join([]string{t.Title, t.Motivation, t.Plan, t.ExpectedOutcome}, "\n"))
}

func (t *Task) when() string { return strconv.FormatInt(t.ScheduledAt.Unix(), 10) }

// Text are what the timer or the task says that the wake is about; "" where it is about neither.
func (w *Wake) Text() string {
	switch w.Kind {
	case WakeTimer:
		return w.Timer.Timer.Payload
	case WakeTask, WakeOutdated:
		return w.Task.Text()
	}
	return ""
}

// AllowedTools are the tools that a human allowed for what the wake does, beyond the rights of its Maker. A task that comes too
// late may use none of them.
func (w *Wake) AllowedTools() []string {
	switch w.Kind {
	case WakeTimer:
		return w.Timer.Timer.Allowed.of(w.Timer.Timer.Spec, w.Text())
	case WakeTask:
		return w.Task.Allowed.of(w.Task.when(), w.Text())
	}
	return nil
}
