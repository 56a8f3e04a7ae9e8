// Package erase removes everything about a person or a chat.
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

// An Eraser erases people and chats of an engine.
type Eraser struct {
	engine      *engine.Engine
	waitRunning func(ctx context.Context) error // waits until the engine runs
	eraseOwn    func(ctx context.Context, s engine.Scope) error
}

// New returns an Eraser. eraseOwn erases the plans and archived turns that the bot made in a scope for nobody.
func New(e *engine.Engine, eraseOwn func(ctx context.Context, s engine.Scope) error) *Eraser {
	return &Eraser{engine: e, waitRunning: e.AwaitStart, eraseOwn: eraseOwn}
}

// Person erases everything about a person; see [social.Bot.ErasePerson].
func (x *Eraser) Person(ctx context.Context, who persona.Account, progress func(done, total int)) (records int, err error) {
	if who.Platform == "" || who.ID == "" {
		return 0, errors.New("social: erase person: the account has no platform or no ID")
	}
	if err := x.waitRunning(ctx); err != nil {
		return 0, err
	}
	private := persona.Chat{Platform: who.Platform, Kind: persona.Private, ID: who.ID}
	if err := x.engine.Tombstones.Add(ctx, x.engine.Options.Store, time.Now(), engine.PersonHash(who), engine.ChatHash(private)); err != nil {
		return 0, fmt.Errorf("social: erase person: %w", err)
	}
	theirs := func(m persona.Message) bool {
		return m.Chat.Platform == who.Platform && (m.Chat == private || m.From == who.ID || m.Quote != nil && m.Quote.From == who.ID)
	}
	for _, c := range append(x.engine.Chats(), x.engine.SelfChat) {
		if err := x.engine.Drain(ctx, c, theirs); err != nil {
			return 0, err
		}
	}
	public, err := x.eraseDerived(ctx, who)
	if err != nil {
		return 0, err
	}
	elsewhere, err := x.otherPlatforms(ctx, who.Platform)
	if err != nil {
		return 0, err
	}
	return x.eraseWithSelf(ctx, public, func() (int, error) {
		return x.engine.Memory.ErasePerson(ctx, who.ID, memory.EraseOptions{
			PrivateSpaces: []memory.Space{memory.Space(private.String())}, Except: elsewhere, Progress: progress,
		})
	})
}

// Preview returns what [Eraser.Person] would change in memory for these accounts. It does not tell timers and tasks.
func (x *Eraser) Preview(ctx context.Context, accounts ...persona.Account) (memory.Changes, error) {
	if err := x.waitRunning(ctx); err != nil {
		return memory.Changes{}, err
	}
	return memory.DryRun(ctx, x.engine.Memory, func(m *memory.Memory) error {
		for _, who := range accounts {
			if err := x.preview(ctx, m, who); err != nil {
				return fmt.Errorf("social: preview of an erasure: %w", err)
			}
		}
		return nil
	})
}

// preview erases one account in a dry run.
func (x *Eraser) preview(ctx context.Context, m *memory.Memory, who persona.Account) error {
	if who.Platform == "" || who.ID == "" {
		return errors.New("the account has no platform or no ID")
	}
	elsewhere, err := x.otherPlatforms(ctx, who.Platform)
	if err != nil {
		return err
	}
	public, err := x.publicBy(ctx, who, func(*engine.Chat) error { return nil })
	if err != nil {
		return err
	}
	private := memory.Space(persona.Chat{Platform: who.Platform, Kind: persona.Private, ID: who.ID}.String())
	if _, err := m.ErasePerson(ctx, who.ID, memory.EraseOptions{PrivateSpaces: []memory.Space{private}, Except: elsewhere}); err != nil {
		return err
	}
	if len(public) == 0 {
		return nil
	}
	return errors.Join(m.Delete(ctx, memory.Self, public...), m.Notes(memory.Self).SetInnerState(ctx, time.Now(), ""))
}

// otherPlatforms returns the beginnings of the spaces of other platforms: the same ID is another person there.
func (x *Eraser) otherPlatforms(ctx context.Context, platform string) (begins []string, err error) {
	spaces, err := x.engine.Memory.Spaces(ctx)
	for _, s := range spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s.Base())) != nil || chat.Platform == "" || chat.Platform == platform {
			continue
		}
		if begin := chat.Platform + ":"; !slices.Contains(begins, begin) {
			begins = append(begins, begin)
		}
	}
	return begins, err
}

// Chat erases everything about a chat; see [social.Bot.EraseChat].
func (x *Eraser) Chat(ctx context.Context, chat persona.Chat, progress func(done, total int)) (records int, err error) {
	if _, err := chat.MarshalText(); err != nil || chat == (persona.Chat{}) {
		return 0, fmt.Errorf("social: erase chat: %w", cmp.Or(err, errors.New("the chat is zero")))
	}
	if err := x.waitRunning(ctx); err != nil {
		return 0, err
	}
	if err := x.engine.Tombstones.Add(ctx, x.engine.Options.Store, time.Now(), engine.ChatHash(chat)); err != nil {
		return 0, fmt.Errorf("social: erase chat: %w", err)
	}
	c, err := x.engine.Chat(ctx, chat)
	if err != nil {
		return 0, err
	}
	for _, c := range []*engine.Chat{c, x.engine.SelfChat} {
		if err := x.engine.Drain(ctx, c, func(m persona.Message) bool { return m.Chat == chat }); err != nil {
			return 0, err
		}
	}
	public, _, err := x.recordsBy(ctx, c, "")
	if err != nil {
		return 0, err
	}
	return x.eraseWithSelf(ctx, public, func() (int, error) {
		return x.engine.Memory.EraseSpace(ctx, memory.Space(chat.String()), memory.EraseOptions{Progress: progress})
	})
}

// eraseDerived resets attention's counters in the chats with messages of a person. It also erases the bot's own plans
// there, because they may refer to these messages. It returns the ids of the person's messages in public chats.
func (x *Eraser) eraseDerived(ctx context.Context, who persona.Account) (public []string, err error) {
	return x.publicBy(ctx, who, func(c *engine.Chat) error {
		x.engine.Attention.Forget(c.ID)
		return x.eraseOwn(ctx, c.Scope)
	})
}

// publicBy returns the ids of a person's messages in public chats. It calls spoke for each chat with messages of the person.
func (x *Eraser) publicBy(ctx context.Context, who persona.Account, spoke func(*engine.Chat) error) (public []string, err error) {
	spaces, err := x.engine.Memory.Spaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("social: erase: %w", err)
	}
	for _, s := range spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s.Base())) != nil || chat.Platform != who.Platform {
			continue
		}
		c, err := x.engine.Chat(ctx, chat)
		if err != nil {
			return nil, err
		}
		open, found, err := x.recordsBy(ctx, c, who.ID)
		if err != nil {
			return nil, err
		}
		public = append(public, open...)
		if !found {
			continue
		}
		if err := spoke(c); err != nil {
			return nil, err
		}
	}
	return public, nil
}

// recordsBy reports whether a person has records in a chat, and if the chat is public, returns their ids. An empty
// person matches everybody.
func (x *Eraser) recordsBy(ctx context.Context, c *engine.Chat, person string) (public []string, found bool, err error) {
	for rec, err := range x.engine.Options.Store.Scan(ctx, c.Space, 0) {
		switch {
		case err != nil:
			return nil, false, fmt.Errorf("social: erase: %w", err)
		case person != "" && rec.Person != person:
			continue
		case !c.Public():
			return nil, true, nil
		}
		public, found = append(public, rec.ID), true
	}
	return public, found, nil
}

// eraseWithSelf runs erase. Before and after it deletes everything that the persona outside of chats has made from
// messages of public chats: before, so that a crash leaves nothing, and after, for records made meanwhile.
func (x *Eraser) eraseWithSelf(ctx context.Context, public []string, erase func() (int, error)) (n int, err error) {
	eraseSelf := func() error {
		if len(public) == 0 {
			return nil
		}
		for ids := range slices.Chunk(public, 500) {
			if err := x.engine.Memory.Delete(ctx, memory.Self, ids...); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
				return fmt.Errorf("social: erase: %w", err)
			}
		}
		return errors.Join(x.engine.Memory.Notes(memory.Self).SetInnerState(ctx, time.Now(), ""), x.eraseOwn(ctx, x.engine.SelfChat.Scope))
	}
	if err := eraseSelf(); err != nil {
		return 0, err
	}
	n, err = erase()
	return n, errors.Join(err, eraseSelf())
}
