package expressions

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona"
)

// ErrUnknown says that a group has no such expression.
var ErrUnknown = errors.New("social: the group has no such expression: see Bot.Expressions().List")

// decisions are what the owner decided about the expressions of a group, by the IDs of their records, and the time of the last
// round of learning. An ID is a hash, so no word of a person is in them.
type decisions struct {
	Learned   time.Time         `json:"learned,omitzero"`
	Forbidden []string          `json:"forbidden,omitempty"`
	Allowed   []string          `json:"allowed,omitempty"`
	Meanings  map[string]string `json:"meanings,omitempty"` // the owner's words
}

func (d *decisions) apply(e *expressions.Expression) {
	e.Forbidden = slices.Contains(d.Forbidden, e.ID)
	e.Allowed = slices.Contains(d.Allowed, e.ID)
	if m, ok := d.Meanings[e.ID]; ok {
		e.Meaning, e.Edited, e.Allowed = m, true, true
	}
}

func (d *decisions) clone() decisions {
	return decisions{Learned: d.Learned, Forbidden: slices.Clone(d.Forbidden), Allowed: slices.Clone(d.Allowed), Meanings: maps.Clone(d.Meanings)}
}

// rowPrefix begins the key of the row with the decisions about a group. The chat follows.
const rowPrefix = "expressions/"

func key(chat persona.Chat) string { return rowPrefix + chat.String() }

func (x *Expressions) loadDecisions(ctx context.Context, chat persona.Chat) (d decisions, err error) {
	rows, err := x.engine.Options.Store.Load(ctx, key(chat))
	if err != nil {
		return d, err
	}
	if row := rows[key(chat)]; row != nil {
		if err := json.Unmarshal(row, &d); err != nil {
			x.engine.Log.Error("saved decisions about expressions are unreadable and start anew", "chat", chat, "err", err)
			return decisions{}, nil
		}
	}
	return d, nil
}

// change changes the decisions about one expression and stores them.
func (x *Expressions) change(ctx context.Context, chat persona.Chat, form string, change func(d *decisions, id string)) error {
	_, s, err := x.stateOf(ctx, chat)
	if err != nil {
		return err
	}
	if s == nil {
		return ErrUnknown
	}
	all, err := s.All(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(e expressions.Expression) bool { return e.Form == form })
	if i < 0 {
		return ErrUnknown
	}
	return x.decide(ctx, chat, s, func(d *decisions) { change(d, all[i].ID) })
}

// decide changes the decisions about a group and stores them.
func (x *Expressions) decide(ctx context.Context, chat persona.Chat, s *state, change func(*decisions)) error {
	if err := x.deciding.Lock(ctx); err != nil {
		return err
	}
	defer x.deciding.Unlock()
	x.mu.Lock()
	d := s.decisions.clone()
	x.mu.Unlock()
	change(&d)
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := x.engine.Options.Store.Apply(ctx, map[string][]byte{key(chat): b}); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s.decisions = d
	return nil
}

// Forbid forbids an expression, or allows it, also if the model takes it for a topic or a name. Both last when it is learned again.
func (x *Expressions) Forbid(ctx context.Context, chat persona.Chat, form string, forbidden bool) error {
	return x.change(ctx, chat, form, func(d *decisions, id string) {
		d.Forbidden = slices.DeleteFunc(d.Forbidden, func(one string) bool { return one == id })
		d.Allowed = slices.DeleteFunc(d.Allowed, func(one string) bool { return one == id })
		if forbidden {
			d.Forbidden = append(d.Forbidden, id)
		} else {
			d.Allowed = append(d.Allowed, id)
		}
	})
}

// SetMeaning sets the owner's meaning of an expression. "" removes it.
func (x *Expressions) SetMeaning(ctx context.Context, chat persona.Chat, form, meaning string) error {
	return x.change(ctx, chat, form, func(d *decisions, id string) {
		if d.Meanings == nil {
			d.Meanings = map[string]string{}
		}
		if d.Meanings[id] = meaning; meaning == "" {
			delete(d.Meanings, id)
		}
	})
}

// erase removes the decisions about erased groups, and the meanings of what an erased person may have said. The records are erased
// by memory. A round of learning finds the rest again.
func (x *Expressions) erase(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
	if err := x.deciding.Lock(ctx); err != nil {
		return err
	}
	defer x.deciding.Unlock()
	stored, err := x.engine.Options.Store.Load(ctx, rowPrefix)
	if err != nil {
		return err
	}
	for name, row := range stored {
		var chat persona.Chat
		var d decisions
		if chat.UnmarshalText([]byte(name[len(rowPrefix):])) != nil || json.Unmarshal(row, &d) != nil {
			rows[name] = nil
			continue
		}
		switch {
		case slices.Contains(f.Spaces, memory.Space(chat.String())):
			rows[name], d = nil, decisions{}
		case f.Person != "" && len(d.Meanings) > 0:
			if d.Meanings, err = x.withoutPerson(ctx, chat, f.Person, d.Meanings); err != nil {
				return err
			}
			if rows[name], err = json.Marshal(d); err != nil {
				return err
			}
		default:
			continue
		}
		x.mu.Lock()
		if s := x.loaded(chat); s != nil {
			s.decisions = d
		}
		x.mu.Unlock()
	}
	if f.Person != "" {
		select {
		case x.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// loaded returns the state of a group that was loaded, or nil. x.mu must be held.
func (x *Expressions) loaded(chat persona.Chat) *state {
	for c, s := range x.chats {
		if c.ID == chat {
			return s
		}
	}
	return nil
}

// withoutPerson returns the meanings of the expressions that do not rest on messages of a person. One whose record is gone is dropped, too.
func (x *Expressions) withoutPerson(ctx context.Context, chat persona.Chat, person string, meanings map[string]string) (map[string]string, error) {
	recs, err := x.engine.Memory.Get(ctx, memory.Space(chat.String()), slices.Sorted(maps.Keys(meanings))...)
	if err != nil {
		return nil, err
	}
	kept := map[string]string{}
	for i := range recs {
		if !slices.Contains(recs[i].Tags, authorTag+person) {
			kept[recs[i].ID] = meanings[recs[i].ID]
		}
	}
	return kept, nil
}

// authorTag begins the tags by which memory names the authors of derived records.
const authorTag = "from:"
