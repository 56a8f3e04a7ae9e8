package social

import (
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// whyFriend is the reason of the first words to a new friend.
const whyFriend heartflow.Code = "friend"

// greetAfter is how long a new friendship takes to be one.
const greetAfter = 3 * time.Second

// greet says the first words to a new friend, by a turn that reads the private chat with them and their request, and
// nothing else. It keeps silent where they have spoken first, or it is quiet there. It reports that what it said is in
// doubt.
func (b *Being) greet(ctx context.Context, e persona.Errand, r persona.Request) (inDoubt bool) {
	room, err := b.room(ctx, e.Chat)
	if err != nil || room.off || !pause(ctx, greetAfter) {
		return false
	}
	if err := room.mind.lock(ctx); err != nil {
		return false
	}
	defer room.mind.unlock()
	now := time.Now()
	if _, quiet := b.attention.Quiet(now, e.Chat); quiet || b.spokeSince(ctx, room, e.At) {
		return false
	}
	verdict := b.attention.Begin(now, e.Chat, whyFriend)
	if verdict.Do == heartflow.Silent {
		return false
	}
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &turn{being: b, room: room, id: e.ID, cancel: cancel, verdict: verdict}
	room.begin(t)
	defer room.end()
	b.count.asked.Add(1)
	reply, err := t.firstWords(turnCtx, now, r)
	switch {
	case t.lost() != nil, err == nil && reply.Text == "":
		b.attention.Skip(time.Now(), e.Chat, heartflow.WhyModelSilent)
	case err != nil:
		b.attention.Skip(time.Now(), e.Chat, heartflow.WhyModelError)
		b.log.Warn("a new friend was not greeted", "chat", e.Chat, "err", err)
	default:
		if _, err := t.speak(turnCtx, e.Chat, persona.Out{Text: reply.Text}); err != nil {
			b.log.Warn("a new friend was not greeted", "chat", e.Chat, "err", err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unclear
}

func (t *turn) firstWords(ctx context.Context, now time.Time, r persona.Request) (persona.Reply, error) {
	s, err := t.being.scene(ctx, now, t)
	if err != nil {
		return persona.Reply{}, err
	}
	s.Part, s.Petition = persona.Greet, &persona.Petition{Request: r, Energy: -1, Interest: -1}
	if s.ChatName == "" {
		s.ChatName = r.Name
	}
	return t.converse(ctx, now, s, nil)
}

// spokeSince reports that somebody else said something in a chat after a time: then there are no first words to say.
func (b *Being) spokeSince(ctx context.Context, r *room, since time.Time) bool {
	past, err := b.memory.Recent(ctx, r.space, remembered/4)
	return err != nil || slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own && rec.At.After(since) })
}
