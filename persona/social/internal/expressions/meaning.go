package expressions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	askedAtOnce    = 8           // expressions in one call
	askedExampleOf = 60          // characters of an example in such a call
	askTimeout     = time.Minute // for one call
)

// explainAll asks the model about the new expressions of each group that was learned from since the last call.
func (x *Expressions) explainAll(ctx context.Context) {
	x.setExplaining(true)
	defer x.setExplaining(false)
	for _, c := range x.groups() {
		x.mu.Lock()
		s := x.chats[c]
		learned := s.learned
		s.learned = false
		x.mu.Unlock()
		if !learned || ctx.Err() != nil {
			continue
		}
		if err := x.explain(ctx, c, s); err != nil && ctx.Err() == nil && !errors.Is(err, engine.ErrOverBudget) {
			x.engine.Log.Warn("could not ask what the expressions of a group mean", "chat", c.ID, "err", err)
		}
	}
}

func (x *Expressions) setExplaining(is bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.explaining = is
}

// A question is a call about expressions of one group.
type question struct {
	asked []expressions.Expression
	words []string
	read  []string // IDs of the shown messages
	shown []string // their texts
	scene prompt.Scene
}

// explain asks the model once about the new expressions of a group. An expression that the answer leaves out is not asked about again.
func (x *Expressions) explain(ctx context.Context, c *engine.Chat, s *state) error {
	q, err := x.question(ctx, s)
	if err != nil || len(q.asked) == 0 {
		return err
	}
	var found []prompt.WordMeaning
	call := x.call
	call.Check = func(answer string) error {
		_, err := prompt.ParseWordMeanings(answer, q.words, q.shown)
		return err
	}
	answer, err := x.engine.Ask(ctx, c, q.scene, call)
	if err != nil {
		return err
	}
	if answer != "" {
		if found, err = prompt.ParseWordMeanings(answer, q.words, q.shown); err != nil {
			return err
		}
	}
	if err := x.learning.Lock(ctx); err != nil { // no round changes the expressions meanwhile
		return err
	}
	defer x.learning.Unlock()
	for _, e := range q.asked {
		meaning, class := "", expressions.Other
		for _, w := range found {
			if w.Word == e.Form {
				meaning, class = w.Meaning, expressions.Class(w.Kind)
			}
		}
		if err := s.SetMeaning(ctx, e.ID, meaning, class, q.read...); err != nil {
			return err
		}
	}
	return nil
}

// question returns the question about the best expressions that no model has looked at. Those that the owner decided about are left out.
func (x *Expressions) question(ctx context.Context, s *state) (q question, err error) {
	all, err := x.decided(ctx, s)
	if err != nil {
		return q, err
	}
	q.scene.Kind = prompt.ExplainWords
	for _, e := range all {
		if len(q.asked) == askedAtOnce {
			break
		}
		if e.Class != "" || e.Meaning != "" || e.Forbidden {
			continue
		}
		examples, err := s.Examples(ctx, e)
		if err != nil {
			return q, err
		}
		if len(examples) == 0 {
			continue
		}
		var texts []string
		for _, one := range examples {
			q.read = append(q.read, one.ID)
			q.shown = append(q.shown, one.Text)
			if text := clip.Ellipsis(one.Text, askedExampleOf); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		when := e.Situation.Text(false)
		if when != "" {
			when += "说的"
		}
		q.asked, q.words = append(q.asked, e), append(q.words, e.Form)
		q.scene.Memories = append(q.scene.Memories, prompt.Memory{
			ID: "w" + strconv.Itoa(len(q.asked)), Text: fmt.Sprintf("%s“%s”，例如：%s", when, e.Form, strings.Join(texts, " / ")),
		})
	}
	return q, nil
}
