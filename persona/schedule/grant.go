package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Grant allows one timer or task to use more tools than its [Origin] permits. A human gives it after reading the
// time and the text. It is valid for this text at this time only. If either changes, the Grant allows nothing. The zero
// Grant allows nothing.
type Grant struct {
	Tools  []string `json:"tools,omitempty"` // tool names
	Digest string   `json:"of,omitempty"`    // hash of the time and the text; set by [Timers] and [Tasks]
}

// newGrant returns a Grant of tools for a text at a time.
func newGrant(tools []string, when, words string) Grant {
	if len(tools) == 0 {
		return Grant{}
	}
	sum := sha256.Sum256([]byte(when + "\x00" + words))
	return Grant{tools, hex.EncodeToString(sum[:16])}
}

// toolsFor returns the allowed tools for this text at this time.
func (g Grant) toolsFor(when, words string) []string {
	if g.Digest != newGrant(g.Tools, when, words).Digest {
		return nil
	}
	return g.Tools
}

// Text returns all texts of the task. Show it to the person who decides about a [Grant].
func (t *Task) Text() string {
	return strings.TrimSpace(strings.Join([]string{t.Title, t.Motivation, t.Plan, t.ExpectedOutcome}, "\n"))
}

func (t *Task) when() string { return strconv.FormatInt(t.ScheduledAt.Unix(), 10) }

// Text returns the text of the wake's timer or task. It returns "" for other kinds.
func (w *Wake) Text() string {
	switch w.Kind {
	case WakeTimer:
		return w.Timer.Timer.Payload
	case WakeTask, WakeOutdated:
		return w.Task.Text()
	}
	return ""
}

// AllowedTools returns the tools of the wake's [Grant]. The wake may use them in addition to the rights of
// [Wake.Origin]. A missed task may use none of them.
func (w *Wake) AllowedTools() []string {
	switch w.Kind {
	case WakeTimer:
		return w.Timer.Timer.Allowed.toolsFor(w.Timer.Timer.Spec, w.Text())
	case WakeTask:
		return w.Task.Allowed.toolsFor(w.Task.when(), w.Text())
	}
	return nil
}
