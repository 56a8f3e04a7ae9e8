package digest

import (
	"context"
	"hash/fnv"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Part returns the callbacks for the engine.
func (d *Digest) Part() engine.Part {
	return engine.Part{
		LoadChat: d.loadChat, Judge: func(now time.Time, c *engine.Chat) { d.Mood(now, c) }, Scene: d.scene, Done: d.turnDone, Run: d.run,
		DropPending: d.drop, Erase: d.eraseMoods,
		Due: d.due,
	}
}

// due returns when the next dream begins.
func (d *Digest) due(ctx context.Context, now time.Time) (due engine.Due, err error) {
	if !d.o.NoDream {
		var at time.Time
		if at, err = d.engine.Memory.NextDream(ctx, now, d.o.Dream); err != nil {
			return due, err
		}
		due.At = at.Add(d.spread(at, now))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.working || len(d.pending) > 0 {
		due.Busy = "a chat is summarized"
	}
	return due, nil
}

// maxSpread limits how late a bot that was stopped dreams, so that the bots of a host do not all start at the same time.
const maxSpread = time.Hour

// spread returns the time after the beginning of a night at which a bot that was stopped dreams. It depends on the account.
func (d *Digest) spread(at, now time.Time) time.Duration {
	if !at.After(now) {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(d.engine.SelfID()))
	return time.Duration(h.Sum32()%uint32(maxSpread/time.Second)) * time.Second
}

// Off returns the part for an engine without a Digest. It erases the rows of earlier runs.
func Off(e *engine.Engine) engine.Part {
	return engine.Part{Erase: (&Digest{engine: e}).eraseMoods}
}

func (d *Digest) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return d.process(ctx) })
	if !d.o.NoDream {
		g.Go(func() error { return d.dreamDaily(ctx) })
	}
	return g.Wait()
}

// loadChat loads the mood of a chat and the relations to its people.
func (d *Digest) loadChat(ctx context.Context, c *engine.Chat, past []memory.Record) error {
	s := &state{}
	if len(past) > 0 {
		s.lastSeq = past[len(past)-1].Seq
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

func (d *Digest) processChat(ctx context.Context, c *engine.Chat, spoke bool) {
	if d.engine.OverBudget(c) {
		if spoke {
			d.retryPeople(c)
		}
		return
	}
	if spoke && !d.o.NoPeople && c.People {
		if err := d.updatePeople(ctx, c); err != nil {
			d.retryPeople(c)
			d.logFailure(ctx, "could not update the people of a chat", c, err)
		}
	}
	if d.o.NoSummary {
		return
	}
	if _, err := d.summarizer.Update(ctx, time.Now(), c.Space); err != nil {
		d.logFailure(ctx, "could not summarize a chat", c, err)
	}
}

// process updates people and summaries of queued chats, one chat at a time.
func (d *Digest) process(ctx context.Context) error {
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
			d.processChat(ctx, c, spoke)
		}
	}
}
