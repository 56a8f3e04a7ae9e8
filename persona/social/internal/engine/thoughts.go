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
func (e *Engine) Thoughts(ctx context.Context, c *Chat) ([]memory.Note, error) {
	notes, err := e.Memory.Notes(c.Space).Scratch(ctx, time.Now(), thoughtSession)
	slices.SortStableFunc(notes, func(a, b memory.Note) int { return a.At.Compare(b.At) })
	return notes, err
}

// pastThoughts returns the thoughts about the turn's chat that the turn may read, oldest first, and marks them as read.
func (t *Turn) pastThoughts(ctx context.Context) (past []prompt.Thought, err error) {
	notes, err := t.Engine.Thoughts(ctx, t.Chat)
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

// LastThought returns the last thought about the turn's chat that the turn may read, or "".
func (t *Turn) LastThought(ctx context.Context) (string, error) {
	past, err := t.pastThoughts(ctx)
	if len(past) == 0 {
		return "", err
	}
	return past[len(past)-1].Text, nil
}

// addThoughts adds the past thoughts to the scene of a call that thinks, plans, writes or considers. current is the
// thought of this turn; if it is "", the last of the past ones is the current one.
func (t *Turn) addThoughts(ctx context.Context, s *prompt.Scene, current string) error {
	s.Thought = current
	if s.Kind == prompt.SingleCall {
		return nil
	}
	past, err := t.pastThoughts(ctx)
	if n := len(past); n > 0 && (current == "" || current == past[n-1].Text) {
		s.Thought, past = past[n-1].Text, past[:n-1]
	}
	s.PastThoughts = past
	return err
}

// KeepThought stores a thought of the turn as the last one about its chat, and drops the oldest. Thoughts are no
// condition for an answer, so an error is logged only.
func (t *Turn) KeepThought(ctx context.Context, text string) {
	if err := t.keepThought(ctx, clip.Ellipsis(text, maxThoughtRunes)); err != nil && ctx.Err() == nil {
		t.Engine.Log.Warn("a thought was not kept", "chat", t.Chat.ID, "err", err)
	}
}

func (t *Turn) keepThought(ctx context.Context, text string) error {
	past, err := t.Engine.Thoughts(ctx, t.Chat)
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
