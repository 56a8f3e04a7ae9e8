package digest

import (
	"context"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	maxSleep   = time.Hour   // between two looks at the wall clock
	dreamPause = time.Minute // after each dream, so that a failure to record it cannot cause a busy loop
)

// dreamDaily dreams once a local day and enforces the quota.
func (d *Digest) dreamDaily(ctx context.Context) error {
	for ctx.Err() == nil {
		now := time.Now()
		at, err := d.engine.Memory.NextDream(ctx, now, d.o.Dream)
		if err == nil && !at.After(now) {
			at = now.Add(dreamPause)
			var result memory.DreamResult
			if result, err = d.engine.Memory.Dream(ctx, now, d.dream, d.o.Dream); err == nil {
				d.engine.Log.Info("dreamed", "day", result.Day, "added", result.Added, "updated", result.Updated, "deleted", result.Deleted, "rejected", result.Rejected)
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				d.engine.Log.Warn("a dream failed", "err", err)
			}
			at = now.Add(dreamPause)
		}
		_ = loop.Sleep(ctx, min(at.Sub(now), maxSleep))
	}
	return nil
}

// dream asks the model for insights from the messages of one chat. Messages and memories are numbered in the prompt.
func (d *Digest) dream(ctx context.Context, n memory.DreamInput) ([]memory.Insight, error) {
	c, ok, err := d.engine.ChatOfSpace(ctx, n.Space)
	if err != nil || !ok {
		return nil, err
	}
	s := prompt.Scene{Kind: prompt.Dream, Summary: n.Summary}
	numbers, memories := map[string]string{}, map[string]string{}
	for i, rec := range n.Messages {
		m := engine.MessageFromRecord(c, rec)
		m.ID, m.ReplyTo = strconv.Itoa(i+1), ""
		numbers[m.ID] = rec.ID
		s.Recent = append(s.Recent, m)
	}
	for i, rec := range n.Known {
		m := engine.MemoryFromRecord(rec)
		m.ID = "m" + strconv.Itoa(i+1)
		memories[m.ID] = rec.ID
		s.Memories = append(s.Memories, m)
	}
	call := d.call
	call.Check = func(answer string) error {
		_, err := prompt.ParseInsights(answer, s.Recent)
		return err
	}
	answer, err := d.engine.Ask(ctx, c, s, call)
	if err != nil || answer == "" {
		return nil, err
	}
	found, err := prompt.ParseInsights(answer, s.Recent)
	if err != nil {
		return nil, err
	}
	if err := d.keepFacts(ctx, c, n.Messages, prompt.ParseStatements(answer, s.Recent)); err != nil {
		return nil, err
	}
	insights := make([]memory.Insight, len(found))
	for i, in := range found {
		insights[i] = memory.Insight{
			Text: in.Text, Person: in.About, Importance: in.Importance, Sources: lookUp(in.SourceIDs, numbers), Replaces: lookUp(in.Replaces, memories),
		}
	}
	return insights, nil
}

// keepFacts stores what the model read in numbered messages about people. It may be called again for the same messages.
func (d *Digest) keepFacts(ctx context.Context, c *engine.Chat, messages []memory.Record, read []prompt.Statement) error {
	if d.claim == nil || !c.People {
		return nil
	}
	claims := map[int][]facts.Claim{}
	for _, s := range read {
		if n, err := strconv.Atoi(s.SourceID); err == nil && n >= 1 && n <= len(messages) {
			claims[n-1] = append(claims[n-1], facts.Claim{Subject: s.About, Relation: facts.Relation(s.Relation), Value: s.Value, Ends: s.Over})
		}
	}
	for i := range messages { // in order, because a later one may end an earlier one
		if err := d.claim(ctx, c, messages[i], claims[i]...); err != nil {
			return err
		}
	}
	return nil
}

// lookUp returns the ids for the numbers that the model gave.
func lookUp(numbers []string, ids map[string]string) (found []string) {
	for _, n := range numbers {
		if id := ids[n]; id != "" {
			found = append(found, id)
		}
	}
	return found
}

// Quota returns the part that enforces the quota of every space, at the start and once a day. Use it if no Digest
// dreams.
func Quota(e *engine.Engine) engine.Part {
	return engine.Part{Run: func(ctx context.Context) error {
		for ctx.Err() == nil {
			spaces, err := e.Memory.Spaces(ctx)
			for _, s := range spaces {
				if err == nil {
					_, err = e.Memory.Trim(ctx, s, e.Options.Quota)
				}
			}
			if err != nil && ctx.Err() == nil {
				e.Log.Warn("could not enforce the quota of a space", "err", err)
			}
			_ = loop.Sleep(ctx, 24*time.Hour)
		}
		return nil
	}}
}
