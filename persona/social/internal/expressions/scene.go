package expressions

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	talkBefore = 4  // earlier messages that count as the current talk
	exampleMax = 40 // characters of an example in a prompt
)

// scene adds a few expressions of the group that fit the current talk.
func (x *Expressions) scene(ctx context.Context, now time.Time, t *engine.Turn, s *engine.Scene) error {
	x.mu.Lock()
	st := x.chats[t.Chat]
	x.mu.Unlock()
	if st == nil || len(s.Recent) == 0 {
		return nil
	}
	all, err := x.decided(ctx, st)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, e := range expressions.Fit(now, all, talk(s), x.o.PerTurn) {
		if !t.MayRead(engine.DatumExpression, e.Label) {
			continue
		}
		text, err := describe(ctx, st, &e)
		if err != nil {
			return err
		}
		t.MarkRead(e.Label)
		t.Derived = append(t.Derived, e.ID)
		s.Memories = append(s.Memories, prompt.Memory{Key: e.ID, Text: text, Importance: "low"})
	}
	return nil
}

// talk returns the texts of the current talk, oldest first.
func talk(s *engine.Scene) (texts []string) {
	for _, m := range s.History[max(0, len(s.History)-talkBefore):] {
		if !m.Own {
			texts = append(texts, m.Text)
		}
	}
	for _, m := range s.Recent {
		if !m.Own {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// describe tells the model about an expression: when it is said, what it means, or how somebody used it.
func describe(ctx context.Context, st *state, e *expressions.Expression) (string, error) {
	text := fmt.Sprintf("这个群的人常说“%s”", e.Form)
	if when := e.Situation.Text(false); when != "" {
		text = fmt.Sprintf("%s，这个群的人常说“%s”", when, e.Form)
	}
	if e.Meaning != "" {
		return text + "，意思是：" + e.Meaning, nil
	}
	if e.Kind == expressions.Saying {
		return text, nil
	}
	examples, err := st.Examples(ctx, *e)
	if err != nil || len(examples) == 0 {
		return text, err
	}
	return text + "，例如：" + clip.Ellipsis(examples[0].Text, exampleMax), nil
}
