package digest

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Part is what the engine calls.
func (d *Digest) Part() engine.Part {
	return engine.Part{
		Meet: d.meet, Judge: func(now time.Time, c *engine.Chat) { d.Mood(now, c) }, Scene: d.acquaint, Done: d.done, Run: d.run,
		Drop: d.drop, Erase: d.forgetMoods,
	}
}

// Off is the part of an engine without a Digest: what one has kept before is erased all the same.
func Off(e *engine.Engine) engine.Part {
	return engine.Part{Erase: (&Digest{engine: e}).forgetMoods}
}

func (d *Digest) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return d.ponder(ctx) })
	if !d.o.NoDream {
		g.Go(func() error { return d.nights(ctx) })
	}
	return g.Wait()
}

// meet takes from the store the mood of a chat, and how the bot stands to people there.
func (d *Digest) meet(ctx context.Context, c *engine.Chat, past []memory.Record) error {
	s := &state{}
	if len(past) > 0 {
		s.judged = past[len(past)-1].Seq
	}
	var err error
	if s.mood, err = d.loadMood(ctx, c.ID); err != nil {
		return err
	}
	if s.relations, err = d.loadRelations(ctx, c); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chats[c] = s
	return nil
}

func (d *Digest) ponderOn(ctx context.Context, c *engine.Chat, spoke bool) {
	if d.engine.OverBudget(c) {
		if spoke {
			d.again(c)
		}
		return
	}
	if spoke && !d.o.NoPeople && c.People {
		if err := d.regard(ctx, c); err != nil {
			d.again(c)
			d.failed(ctx, "what to think of people was not made out", c, err)
		}
	}
	if d.o.NoSummary {
		return
	}
	if _, err := d.sums.Update(ctx, time.Now(), c.Space); err != nil {
		d.failed(ctx, "a chat was not summed up", c, err)
	}
}

// ponder makes what is to be made of chats, one after the other.
func (d *Digest) ponder(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.wake:
		}
		for ctx.Err() == nil {
			c, spoke := d.next()
			if c == nil {
				break
			}
			d.ponderOn(ctx, c, spoke)
		}
	}
}
