package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// saidBy tells whether somebody has spoken in a chat, and, where it is public, the IDs of what they said; of everybody
// where person is "".
func (b *Engine) saidBy(ctx context.Context, r *Chat, person string) (public []string, spoke bool, err error) {
	for rec, err := range b.Options.Store.Scan(ctx, r.Space, 0) {
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
func (b *Engine) withSelf(ctx context.Context, public []string, forget func() (int, error)) (n int, err error) {
	made := func() error {
		if len(public) == 0 {
			return nil
		}
		for ids := range slices.Chunk(public, 500) {
			if err := b.Memory.Forget(ctx, memory.Self, ids...); err != nil && !errors.Is(err, memory.ErrCannotForget) {
				return fmt.Errorf("social: forget: %w", err)
			}
		}
		return errors.Join(b.Memory.Notes(memory.Self).SetInner(ctx, time.Now(), ""), b.ForgetOwn(ctx, b.Self.Scope))
	}
	if err := made(); err != nil {
		return 0, err
	}
	n, err = forget()
	return n, errors.Join(err, made())
}
