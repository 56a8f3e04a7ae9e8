package digest

import (
	"context"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	longestNap = time.Hour   // between two looks at the clock
	dreamPause = time.Minute // after a dream, also one that could not even note that it failed
)

// nights dreams once for each local day, and sees to the quota.
func (d *Digest) nights(ctx context.Context) error {
	for ctx.Err() == nil {
		now := time.Now()
		at, err := d.engine.Memory.NextDream(ctx, now, d.o.Dream)
		if err == nil && !at.After(now) {
			at = now.Add(dreamPause)
			var did memory.DreamResult
			if did, err = d.engine.Memory.Dream(ctx, now, d.dream, d.o.Dream); err == nil {
				d.engine.Log.Info("dreamed", "day", did.Day, "kept", did.Added, "updated", did.Updated, "forgotten", did.Deleted, "refused", did.Rejected)
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				d.engine.Log.Warn("a dream was broken off", "err", err)
			}
			at = now.Add(dreamPause)
		}
		_ = loop.Sleep(ctx, min(at.Sub(now), longestNap))
	}
	return nil
}

// dream is the dreamer: it makes insights of what was said in one chat. Messages and memories are numbered for it.
func (d *Digest) dream(ctx context.Context, n memory.DreamInput) ([]memory.Insight, error) {
	c, ok, err := d.engine.ChatOf(ctx, n.Space)
	if err != nil || !ok {
		return nil, err
	}
	s := prompt.Scene{Kind: prompt.Dream, Summary: n.Summary}
	numbers, memories := map[string]string{}, map[string]string{}
	for i, rec := range n.Messages {
		m := engine.Message(c, rec)
		m.ID, m.ReplyTo = strconv.Itoa(i+1), ""
		numbers[m.ID] = rec.ID
		s.Recent = append(s.Recent, m)
	}
	for i, rec := range n.Known {
		m := engine.Recall(rec)
		m.ID = "m" + strconv.Itoa(i+1)
		memories[m.ID] = rec.ID
		s.Memories = append(s.Memories, m)
	}
	answer, err := d.engine.Ask(ctx, c, s, d.call)
	if err != nil || answer == "" {
		return nil, err
	}
	found, err := prompt.ParseInsights(answer, s.Recent)
	if err != nil {
		return nil, err
	}
	insights := make([]memory.Insight, len(found))
	for i, in := range found {
		insights[i] = memory.Insight{
			Text: in.Text, Person: in.About, Importance: in.Importance, Sources: named(in.SourceIDs, numbers), Replaces: named(in.Replaces, memories),
		}
	}
	return insights, nil
}

// named are the ids that these numbers stand for.
func named(numbers []string, ids map[string]string) (found []string) {
	for _, n := range numbers {
		if id := ids[n]; id != "" {
			found = append(found, id)
		}
	}
	return found
}

// Quota keeps every space within the quota of the engine, from the start on and once a day, where no dream does.
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
				e.Log.Warn("a space was not brought within its quota", "err", err)
			}
			_ = loop.Sleep(ctx, 24*time.Hour)
		}
		return nil
	}}
}
