// Package erase forgets a person or a chat everywhere.
package erase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// An Eraser forgets people and chats of an engine.
type Eraser struct {
	engine    *engine.Engine
	begun     func(ctx context.Context) error // waits until the engine runs
	forgetOwn func(ctx context.Context, s engine.Scope) error
}

// New returns an Eraser. forgetOwn forgets what the bot planned and thought by itself in a scope.
func New(e *engine.Engine, forgetOwn func(ctx context.Context, s engine.Scope) error) *Eraser {
	return &Eraser{engine: e, begun: e.Begun, forgetOwn: forgetOwn}
}

// Person forgets somebody everywhere, as [social.Being.ForgetPerson] says.
func (x *Eraser) Person(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error) {
	if who.Platform == "" || who.ID == "" {
		return 0, errors.New("social: forget whom? The account has no platform or no ID")
	}
	if err := x.begun(ctx); err != nil {
		return 0, err
	}
	private := persona.Chat{Platform: who.Platform, Kind: persona.Private, ID: who.ID}
	if err := x.engine.Tombstones.Add(ctx, x.engine.Options.Store, time.Now(), engine.PersonDigest(who), engine.ChatDigest(private)); err != nil {
		return 0, fmt.Errorf("social: forget: %w", err)
	}
	theirs := func(m persona.Message) bool {
		return m.Chat.Platform == who.Platform && (m.Chat == private || m.From == who.ID || m.Quote != nil && m.Quote.From == who.ID)
	}
	for _, r := range append(x.engine.Chats(), x.engine.Self) {
		if err := x.engine.Drain(ctx, r, theirs); err != nil {
			return 0, err
		}
	}
	public, err := x.uncount(ctx, who)
	if err != nil {
		return 0, err
	}
	return x.withSelf(ctx, public, func() (int, error) {
		return x.engine.Memory.ErasePerson(ctx, who.ID, memory.EraseOptions{PrivateSpaces: []memory.Space{memory.Space(private.String())}, Progress: progress})
	})
}

// Chat forgets a chat.
func (x *Eraser) Chat(ctx context.Context, chat persona.Chat, progress func(done, total int)) (records int, err error) {
	if _, err := chat.MarshalText(); err != nil || chat == (persona.Chat{}) {
		return 0, fmt.Errorf("social: forget which chat? %w", cmp.Or(err, errors.New("it is none")))
	}
	if err := x.begun(ctx); err != nil {
		return 0, err
	}
	if err := x.engine.Tombstones.Add(ctx, x.engine.Options.Store, time.Now(), engine.ChatDigest(chat)); err != nil {
		return 0, fmt.Errorf("social: forget: %w", err)
	}
	r, err := x.engine.Chat(ctx, chat)
	if err != nil {
		return 0, err
	}
	for _, r := range []*engine.Chat{r, x.engine.Self} {
		if err := x.engine.Drain(ctx, r, func(m persona.Message) bool { return m.Chat == chat }); err != nil {
			return 0, err
		}
	}
	public, _, err := x.saidBy(ctx, r, "")
	if err != nil {
		return 0, err
	}
	return x.withSelf(ctx, public, func() (int, error) {
		return x.engine.Memory.EraseSpace(ctx, memory.Space(chat.String()), memory.EraseOptions{Progress: progress})
	})
}

// uncount forgets what attention has counted in the chats where somebody spoke, and what the being planned there on
// nobody's behalf, as that may be of what they said. It gives the IDs of what they said in public.
func (x *Eraser) uncount(ctx context.Context, who persona.Account) (public []string, err error) {
	spaces, err := x.engine.Memory.Spaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("social: forget: %w", err)
	}
	for _, s := range spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s.Base())) != nil || chat.Platform != who.Platform {
			continue
		}
		r, err := x.engine.Chat(ctx, chat)
		if err != nil {
			return nil, err
		}
		open, spoke, err := x.saidBy(ctx, r, who.ID)
		if err != nil {
			return nil, err
		}
		public = append(public, open...)
		if !spoke {
			continue
		}
		x.engine.Attention.Forget(chat)
		if err := x.forgetOwn(ctx, r.Scope); err != nil {
			return nil, err
		}
	}
	return public, nil
}

// saidBy tells whether somebody has spoken in a chat, and, where it is public, the IDs of what they said; of everybody
// where person is "".
func (x *Eraser) saidBy(ctx context.Context, r *engine.Chat, person string) (public []string, spoke bool, err error) {
	for rec, err := range x.engine.Options.Store.Scan(ctx, r.Space, 0) {
		switch {
		case err != nil:
			return nil, false, fmt.Errorf("social: forget: %w", err)
		case person != "" && rec.Person != person:
			continue
		case !r.Public:
			return nil, true, nil
		}
		public, spoke = append(public, rec.ID), true
	}
	return public, spoke, nil
}

// withSelf forgets, and with it what the persona by itself has made of messages of public chats: before, so that being
// killed leaves nothing of it, and after, for what was made meanwhile.
func (x *Eraser) withSelf(ctx context.Context, public []string, forget func() (int, error)) (n int, err error) {
	made := func() error {
		if len(public) == 0 {
			return nil
		}
		for ids := range slices.Chunk(public, 500) {
			if err := x.engine.Memory.Delete(ctx, memory.Self, ids...); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
				return fmt.Errorf("social: forget: %w", err)
			}
		}
		return errors.Join(x.engine.Memory.Notes(memory.Self).SetInnerState(ctx, time.Now(), ""), x.forgetOwn(ctx, x.engine.Self.Scope))
	}
	if err := made(); err != nil {
		return 0, err
	}
	n, err = forget()
	return n, errors.Join(err, made())
}
