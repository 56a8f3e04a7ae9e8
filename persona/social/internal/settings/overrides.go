package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Options configure Overrides.
type Options struct {
	File     map[persona.Chat]Chat                 // the settings of the host's file; the zero Chat applies to all chats
	Policies map[string]heartflow.Policy           // the host's policies by name
	Base     func(persona.Chat) engine.ChatOptions // the options below both layers
	// Changed is called after a change has taken effect. file: it came from the host's file, and with the zero Chat it is about all
	// chats. Nil: nothing is called.
	Changed func(ctx context.Context, chat persona.Chat, old, is Chat, file bool)
}

// Overrides holds both layers of settings. All methods may be called concurrently.
type Overrides struct {
	engine   *engine.Engine
	policies map[string]heartflow.Policy
	base     func(persona.Chat) engine.ChatOptions
	changed  func(ctx context.Context, chat persona.Chat, old, is Chat, file bool)
	change   engine.Mutex // held by a change, from its validation until it is applied

	mu   sync.Mutex
	file map[persona.Chat]Chat
	set  map[persona.Chat]Chat
}

// settingsRow is the prefix of the row of each chat with overrides. The chat follows.
const settingsRow = "settings/"

// A row is the stored form of the overrides of one chat.
type row struct {
	Set  Chat `json:"set"`
	File Chat `json:"file"` // the values of the file that Set replaces
}

// New returns Overrides. Call [Overrides.Attach] before the engine runs.
func New(o Options) (*Overrides, error) {
	if o.Changed == nil {
		o.Changed = func(context.Context, persona.Chat, Chat, Chat, bool) {}
	}
	v := &Overrides{policies: o.Policies, base: o.Base, changed: o.Changed, change: engine.NewMutex(), file: maps.Clone(o.File), set: map[persona.Chat]Chat{}}
	return v, v.validate(o.File)
}

// Attach sets the engine, which the options of New cannot have because they are options of the engine.
func (v *Overrides) Attach(e *engine.Engine) { v.engine = e }

// Part returns the callbacks for the engine.
func (v *Overrides) Part() engine.Part { return engine.Part{Restore: v.restore, Erase: v.erase} }

// ChatOptions returns the current options of a chat.
func (v *Overrides) ChatOptions(chat persona.Chat) engine.ChatOptions {
	v.mu.Lock()
	s := v.set[chat].over(v.fromFile(chat))
	v.mu.Unlock()
	o := v.base(chat)
	if applied, err := s.apply(o, v.policies); err == nil { // both layers are valid, and so is their union
		return applied
	}
	return o
}

// With returns the options of a chat with further settings over the current ones. It changes nothing.
func (v *Overrides) With(chat persona.Chat, s Chat) (engine.ChatOptions, error) {
	if err := s.Validate(v.policies); err != nil {
		return engine.ChatOptions{}, fmt.Errorf("social: settings of %v: %w", nameOf(chat), err)
	}
	return s.apply(v.ChatOptions(chat), v.policies)
}

// Policies returns the names of the policies that a setting may have.
func (v *Overrides) Policies() []string { return policyNames(v.policies) }

// Current returns the settings of a chat in both layers.
func (v *Overrides) Current(chat persona.Chat) Chat {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.set[chat].over(v.fromFile(chat))
}

// fromFile returns the settings of the file for a chat. The caller holds mu.
func (v *Overrides) fromFile(chat persona.Chat) Chat {
	return v.file[chat].over(v.file[persona.Chat{}])
}

// All returns the overrides of all chats.
func (v *Overrides) All() map[persona.Chat]Chat {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.set)
}

var errNoChat = errors.New("social: settings need a chat")

// Set replaces the overrides of a chat and stores them. A zero s removes them. After an error nothing has changed.
func (v *Overrides) Set(ctx context.Context, chat persona.Chat, s Chat) error {
	if chat == (persona.Chat{}) {
		return errNoChat
	}
	if err := s.Validate(v.policies); err != nil {
		return fmt.Errorf("social: settings of %v: %w", nameOf(chat), err)
	}
	if err := v.change.Lock(ctx); err != nil {
		return err
	}
	defer v.change.Unlock()
	v.mu.Lock()
	file, old := v.fromFile(chat), v.set[chat]
	v.mu.Unlock()
	if err := v.store(ctx, map[persona.Chat]Chat{chat: s}, func(persona.Chat) Chat { return file }); err != nil {
		return err
	}
	v.put(chat, s)
	err := v.engine.Reconfigure(chat)
	v.changed(ctx, chat, old, s, false)
	return err
}

// Reload replaces the settings of the file. It removes the overrides whose values in the file have changed, and
// returns them. After an error nothing has changed.
func (v *Overrides) Reload(ctx context.Context, file map[persona.Chat]Chat) (ended map[persona.Chat]Chat, err error) {
	if err := v.validate(file); err != nil {
		return nil, err
	}
	if err := v.change.Lock(ctx); err != nil {
		return nil, err
	}
	defer v.change.Unlock()
	v.mu.Lock()
	old := Overrides{file: v.file}
	is := Overrides{file: maps.Clone(file)}
	left, ended := map[persona.Chat]Chat{}, map[persona.Chat]Chat{}
	for chat, s := range v.set {
		if kept := s.withoutChanged(old.fromFile(chat), is.fromFile(chat)); !equal(kept, s) {
			left[chat], ended[chat] = kept, s.without(kept)
		}
	}
	v.mu.Unlock()
	if err := v.store(ctx, left, is.fromFile); err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.file = is.file
	v.mu.Unlock()
	for chat, s := range left {
		v.put(chat, s)
	}
	v.engine.OptionsChanged()
	v.noteReload(ctx, old.file, is.file, left, ended)
	var errs []error
	for _, c := range v.engine.Chats() {
		if !equal(old.fromFile(c.ID), is.fromFile(c.ID)) || !ended[c.ID].IsZero() {
			errs = append(errs, v.engine.Reconfigure(c.ID))
		}
	}
	return ended, errors.Join(errs...)
}

// noteReload reports what a new file has changed. left are the overrides of the chats in which some ended.
func (v *Overrides) noteReload(ctx context.Context, old, is, left, ended map[persona.Chat]Chat) {
	both := maps.Clone(is)
	if both == nil {
		both = map[persona.Chat]Chat{}
	}
	for chat, s := range old {
		if _, ok := is[chat]; !ok {
			both[chat] = s
		}
	}
	for _, chat := range sortedChats(both) {
		if !equal(old[chat], is[chat]) {
			v.changed(ctx, chat, old[chat], is[chat], true)
		}
	}
	for _, chat := range sortedChats(ended) {
		v.changed(ctx, chat, ended[chat].over(left[chat]), left[chat], true)
	}
}

func (v *Overrides) validate(file map[persona.Chat]Chat) error {
	var errs []error
	for _, chat := range sortedChats(file) {
		if err := file[chat].Validate(v.policies); err != nil {
			errs = append(errs, fmt.Errorf("social: settings of %v: %w", nameOf(chat), err))
		}
	}
	return errors.Join(errs...)
}

func (v *Overrides) put(chat persona.Chat, s Chat) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.set[chat] = s; s.IsZero() {
		delete(v.set, chat)
	}
}

// store writes the rows of chats with their overrides. file returns the values that the overrides replace.
func (v *Overrides) store(ctx context.Context, chats map[persona.Chat]Chat, file func(persona.Chat) Chat) error {
	if len(chats) == 0 {
		return nil
	}
	rows := map[string][]byte{}
	for chat, s := range chats {
		var text []byte
		if !s.IsZero() {
			var err error
			if text, err = json.Marshal(row{s, file(chat)}); err != nil {
				return err
			}
		}
		rows[settingsRow+chat.String()] = text
	}
	return v.engine.Options.Store.Apply(ctx, rows)
}

// restore loads the overrides, less those whose values in the file have changed since they were set.
func (v *Overrides) restore(ctx context.Context) error {
	rows, err := v.engine.Options.Store.Load(ctx, settingsRow)
	if err != nil {
		return err
	}
	changed := map[persona.Chat]Chat{}
	for key, text := range rows {
		var chat persona.Chat
		var r row
		if err := errors.Join(chat.UnmarshalText([]byte(strings.TrimPrefix(key, settingsRow))), json.Unmarshal(text, &r)); err != nil {
			v.engine.Log.Error("stored settings are unreadable and are ignored", "row", key, "err", err)
			continue
		}
		v.mu.Lock()
		kept := r.Set.withoutChanged(r.File, v.fromFile(chat))
		v.mu.Unlock()
		if err := kept.Validate(v.policies); err != nil { // the host no longer has a policy, for example
			v.engine.Log.Error("stored settings are invalid and are ignored", "chat", chat, "err", err)
			continue
		}
		if v.put(chat, kept); !equal(kept, r.Set) {
			changed[chat] = kept
			v.changed(ctx, chat, r.Set, kept, true)
		}
		if err := v.engine.Reconfigure(chat); err != nil {
			v.engine.Log.Error("stored settings are invalid and are ignored", "chat", chat, "err", err)
		}
	}
	v.mu.Lock()
	is := Overrides{file: v.file}
	v.mu.Unlock()
	return v.store(ctx, changed, is.fromFile)
}

// erase deletes the overrides of erased chats.
func (v *Overrides) erase(_ context.Context, f memory.Erasure, rows map[string][]byte) error {
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) != nil {
			continue
		}
		rows[settingsRow+chat.String()] = nil
		v.mu.Lock()
		_, had := v.set[chat]
		delete(v.set, chat)
		v.mu.Unlock()
		if had {
			if err := v.engine.Reconfigure(chat); err != nil {
				return err
			}
		}
	}
	return nil
}

func nameOf(chat persona.Chat) string { return cmp.Or(chat.String(), "all chats") }

func sortedChats(of map[persona.Chat]Chat) []persona.Chat {
	return slices.SortedFunc(maps.Keys(of), func(x, y persona.Chat) int { return strings.Compare(x.String(), y.String()) })
}
