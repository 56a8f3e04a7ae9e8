package engine

import (
	"context"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

const (
	longestNap = time.Hour   // between two looks at the clock
	dreamPause = time.Minute // after a dream, also one that could not even note that it failed
)

// nights dreams once for each local day, and sees to the quota.
func (b *Engine) nights(ctx context.Context) error {
	for ctx.Err() == nil {
		now := time.Now()
		at, err := b.Memory.NextDream(ctx, now, &b.layers.Dream)
		if err == nil && !at.After(now) {
			at = now.Add(dreamPause)
			var did memory.Dreamt
			if did, err = b.Memory.Dream(ctx, now, b.dream, &b.layers.Dream); err == nil {
				b.Log.Info("dreamed", "day", did.Day, "kept", did.Kept, "updated", did.Updated, "forgotten", did.Forgotten, "refused", did.Refused)
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				b.Log.Warn("a dream was broken off", "err", err)
			}
			at = now.Add(dreamPause)
		}
		pause := time.NewTimer(min(max(at.Sub(now), 0), longestNap))
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
	return nil
}

// dream is the dreamer: it makes insights of what was said in one chat. Messages and memories are numbered for it.
func (b *Engine) dream(ctx context.Context, n memory.Night) ([]memory.Insight, error) {
	r, ok, err := b.ChatOf(ctx, n.Space)
	if err != nil || !ok {
		return nil, err
	}
	s := persona.Scene{Part: persona.Dream, Summary: n.Summary}
	numbers, memories := map[string]string{}, map[string]string{}
	for i, rec := range n.Messages {
		m := Message(r, rec)
		m.ID, m.ReplyTo = strconv.Itoa(i+1), ""
		numbers[m.ID] = rec.ID
		s.Recent = append(s.Recent, m)
	}
	for i, rec := range n.Known {
		m := Recall(rec)
		m.ID = "m" + strconv.Itoa(i+1)
		memories[m.ID] = rec.ID
		s.Recall = append(s.Recall, m)
	}
	answer, err := b.aside(ctx, r, s)
	if err != nil || answer == "" {
		return nil, err
	}
	found, err := persona.ParseInsights(answer, s.Recent)
	if err != nil {
		return nil, err
	}
	insights := make([]memory.Insight, len(found))
	for i, in := range found {
		insights[i] = memory.Insight{
			Text: in.Text, Person: in.About, Importance: in.Importance, Sources: named(in.From, numbers), Replaces: named(in.Replaces, memories),
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

// keepQuota trims every space at the start and once a day, where no dream does.
func (b *Engine) keepQuota(ctx context.Context) error {
	for ctx.Err() == nil {
		spaces, err := b.Memory.Spaces(ctx)
		for _, s := range spaces {
			if err == nil {
				_, err = b.Memory.Trim(ctx, s, b.Options.Quota)
			}
		}
		if err != nil && ctx.Err() == nil {
			b.Log.Warn("a space was not brought within its quota", "err", err)
		}
		pause := time.NewTimer(24 * time.Hour)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
	return nil
}
