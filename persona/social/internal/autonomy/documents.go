package autonomy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// A DocumentHistory is a document with its stored versions.
type DocumentHistory struct {
	Name     string
	Versions []patch.Version // newest first; the first one is the current text
}

// Histories returns the documents that have or had a text.
func Histories(ctx context.Context, a *Autonomy) (all []DocumentHistory, err error) {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return nil, err
	}
	for _, name := range documentNames {
		h, err := a.documents.load(ctx, name)
		if err != nil {
			return nil, err
		}
		if versions := slices.Collect(h.Versions()); versions[0].Number > 0 {
			all = append(all, DocumentHistory{name, versions})
		}
	}
	return all, nil
}

// RestoreDocument makes an older version the text of a document again, as a new version. Without that version, the error matches
// [patch.ErrNoVersion].
func RestoreDocument(ctx context.Context, a *Autonomy, name string, number int) error {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return err
	}
	d := &a.documents
	if err := d.lock.Lock(ctx); err != nil {
		return err
	}
	defer d.lock.Unlock()
	missing := fmt.Errorf("social: document %q, version %d: %w", name, number, patch.ErrNoVersion)
	if !slices.Contains(documentNames[:], name) {
		return missing
	}
	h, err := d.load(ctx, name)
	if err != nil {
		return err
	}
	for v := range h.Versions() {
		if v.Number != number {
			continue
		}
		if err := h.Set(time.Now(), v.Text, RestoredNote+strconv.Itoa(number)); err != nil {
			return err
		}
		if err := d.save(ctx, name, h); err != nil {
			return err
		}
		a.engine.Log.Info("the owner restored a version of a document", "document", name, "version", number)
		return nil
	}
	return missing
}

// RestoredNote begins the note of a version that [RestoreDocument] made. The number of the old version follows.
const RestoredNote = "back to version "

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
	return d.save(ctx, name, h)
}

func (d *documents) save(ctx context.Context, name string, h *patch.History) error {
	row, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return d.store.Apply(ctx, map[string][]byte{documentRow + name: row})
}
