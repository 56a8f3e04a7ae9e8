package engine

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/prompt"
)

const (
	// thoughtSession is the session of the notes with the thoughts about a chat. Scratch notes have label and sources,
	// are deleted with their sources, and expire a day after the last one.
	thoughtSession  = "thoughts"
	maxThoughts     = 5    // thoughts that are kept of one chat
	maxThoughtRunes = 1000 // longest thought
)

// Thoughts returns the last thoughts about a chat, oldest first.
func (c *Chat) Thoughts(ctx context.Context, m *memory.Memory) ([]memory.Note, error) {
	notes, err := m.Notes(c.Space).Scratch(ctx, time.Now(), thoughtSession)
	slices.SortStableFunc(notes, func(a, b memory.Note) int { return a.At.Compare(b.At) })
	return notes, err
}

// thoughts reads and writes the thoughts about the chat of a turn.
type thoughts struct{ turn *Turn }

// past returns the thoughts that the turn may read, oldest first, and marks them as read.
func (h thoughts) past(ctx context.Context) (past []prompt.Thought, err error) {
	t := h.turn
	notes, err := t.Chat.Thoughts(ctx, t.Engine.Memory)
	for _, n := range notes {
		if n.TooManySources() || !t.MayRead(DatumThought, n.Label) {
			continue
		}
		t.MarkRead(n.Label)
		t.Derived = append(t.Derived, n.Sources...)
		past = append(past, prompt.Thought{Text: n.Text, At: n.At})
	}
	return past, err
}

// addTo adds the thoughts to the scene of a call that thinks, plans, writes or considers. current is the thought of this
// turn, or "" if it has none yet.
func (h thoughts) addTo(ctx context.Context, s *prompt.Scene, current string) (err error) {
	if s.Kind == prompt.SingleCall {
		return nil
	}
	s.Thoughts, err = h.past(ctx)
	current = clip.Ellipsis(current, maxThoughtRunes)
	if n := len(s.Thoughts); current != "" && (n == 0 || s.Thoughts[n-1].Text != current) {
		s.Thoughts = append(s.Thoughts, prompt.Thought{Text: current})
	}
	return err
}

// keep stores a thought as the last one and drops the oldest.
func (h thoughts) keep(ctx context.Context, text string) error {
	t := h.turn
	past, err := t.Chat.Thoughts(ctx, t.Engine.Memory)
	if err != nil || text == "" {
		return err
	}
	name := ""
	if len(past) >= maxThoughts {
		name = past[0].Name
	}
	for i := 1; name == ""; i++ {
		if free := strconv.Itoa(i); !slices.ContainsFunc(past, func(n memory.Note) bool { return n.Name == free }) {
			name = free
		}
	}
	from := t.Sources()
	notes := t.Engine.Memory.Notes(t.Chat.Space).WithLabel(t.LabelFor(DatumThought))
	return t.WriteNote(func(empty bool) error {
		if empty {
			text = ""
		}
		return notes.SetScratch(ctx, time.Now(), thoughtSession, name, text, from...)
	})
}

// LastThought returns the last thought about the turn's chat that the turn may read, or "".
func (t *Turn) LastThought(ctx context.Context) (string, error) {
	past, err := thoughts{t}.past(ctx)
	if len(past) == 0 {
		return "", err
	}
	return past[len(past)-1].Text, nil
}

// KeepThought stores a thought of the turn as the last one about its chat, and drops the oldest. Thoughts are no
// condition for an answer, so an error is logged only.
func (t *Turn) KeepThought(ctx context.Context, text string) {
	if err := (thoughts{t}).keep(ctx, clip.Ellipsis(text, maxThoughtRunes)); err != nil && ctx.Err() == nil {
		t.Engine.Log.Warn("a thought was not kept", "chat", t.Chat.ID, "err", err)
	}
}
