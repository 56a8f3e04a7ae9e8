package days

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// papers are the documents that a being keeps: its character and what became of tasks. Each is a row with its versions,
// changed by patches alone.
type papers struct {
	store     engine.Store
	character string // what the character document says before the first patch
	turn      engine.Latch
}

const paperRow = "paper/"

// names of the documents, in the order in which they are shown.
var paperNames = [...]string{self.CharacterState, self.HistoryTasks}

func (p *papers) load(ctx context.Context, name string) (*patch.History, error) {
	rows, err := p.store.Load(ctx, paperRow+name)
	if err != nil {
		return nil, err
	}
	h := new(patch.History)
	switch row := rows[paperRow+name]; {
	case row != nil:
		err = json.Unmarshal(row, h)
	case name == self.CharacterState && p.character != "":
		err = h.Set(time.Now(), p.character, "as it was given")
	}
	if err != nil {
		return nil, fmt.Errorf("social: document %s: %w", name, err)
	}
	return h, nil
}

func (p *papers) text(ctx context.Context, name string) (string, error) {
	h, err := p.load(ctx, name)
	if err != nil {
		return "", err
	}
	return h.Text(), nil
}

// all are those that say something.
func (p *papers) all(ctx context.Context) (all []prompt.Document, err error) {
	for _, name := range paperNames {
		text, err := p.text(ctx, name)
		if err != nil {
			return nil, err
		}
		if text != "" {
			all = append(all, prompt.Document{Name: name, Text: text})
		}
	}
	return all, nil
}

// errHeard keeps the documents, which the owner's turns read beside tools that act, free of what others said.
var errHeard = errors.Join(nit.ModelError("这一轮看过别人的话，不能改文档"), errors.New("social: a patch of an untrusted turn"))

// Patch implements [self.Documents].
func (p *papers) Patch(ctx context.Context, name, text string) error {
	if err := p.turn.Lock(ctx); err != nil {
		return err
	}
	defer p.turn.Unlock()
	h, err := p.load(ctx, name)
	if err != nil {
		return err
	}
	if t := engine.TurnFrom(ctx); t != nil && !t.Engine.OwnersAlone(t.Label()) {
		return errHeard
	}
	who, _ := nit.PrincipalFrom(ctx)
	if err := h.Apply(time.Now(), text, who.Turn, patch.Options{}); err != nil {
		return err
	}
	row, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return p.store.Apply(ctx, map[string][]byte{paperRow + name: row})
}
