package autonomy

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

// documents are the bot's documents: its character and its task history. Each is one row with its versions and changes
// only by patches.
type documents struct {
	store     engine.Store
	character string // initial text of the character document
	lock      engine.Mutex
}

const documentRow = "paper/"

// documentNames lists the documents in display order.
var documentNames = [...]string{self.CharacterState, self.HistoryTasks}

func (d *documents) load(ctx context.Context, name string) (*patch.History, error) {
	rows, err := d.store.Load(ctx, documentRow+name)
	if err != nil {
		return nil, err
	}
	h := new(patch.History)
	switch row := rows[documentRow+name]; {
	case row != nil:
		err = json.Unmarshal(row, h)
	case name == self.CharacterState && d.character != "":
		err = h.Set(time.Now(), d.character, "as it was given")
	}
	if err != nil {
		return nil, fmt.Errorf("social: document %s: %w", name, err)
	}
	return h, nil
}

func (d *documents) text(ctx context.Context, name string) (string, error) {
	h, err := d.load(ctx, name)
	if err != nil {
		return "", err
	}
	return h.Text(), nil
}

// all returns the documents that are not empty.
func (d *documents) all(ctx context.Context) (all []prompt.Document, err error) {
	for _, name := range documentNames {
		text, err := d.text(ctx, name)
		if err != nil {
			return nil, err
		}
		if text != "" {
			all = append(all, prompt.Document{Name: name, Text: text})
		}
	}
	return all, nil
}

// errUntrustedPatch refuses patches by turns that have read text of others. The owner's turns read the documents while
// they have tools with side effects.
var errUntrustedPatch = errors.Join(nit.ModelError("这一轮看过别人的话，不能改文档"), errors.New("social: a patch of an untrusted turn"))

// Patch implements [self.Documents].
func (d *documents) Patch(ctx context.Context, name, text string) error {
	if err := d.lock.Lock(ctx); err != nil {
		return err
	}
	defer d.lock.Unlock()
	h, err := d.load(ctx, name)
	if err != nil {
		return err
	}
	if t := engine.TurnFrom(ctx); t != nil && !t.Engine.IsOwnersAlone(t.Label()) {
		return errUntrustedPatch
	}
	who, _ := nit.PrincipalFrom(ctx)
	if err := h.Apply(time.Now(), text, who.Turn); err != nil {
		return err
	}
	row, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return d.store.Apply(ctx, map[string][]byte{documentRow + name: row})
}
