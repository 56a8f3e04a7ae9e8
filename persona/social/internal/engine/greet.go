package engine

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
	j := &job{Errand: e, room: room, answers: true, noRow: true}
	j.enter = func(ctx context.Context) (func(), error) { return room.mind.unlock, room.mind.lock(ctx) }
	j.prepare = func(ctx context.Context) (bool, error) {
		now := time.Now()
		if _, quiet := b.attention.Quiet(now, e.Chat); quiet || b.spokeSince(ctx, room, e.At) {
			return false, nil
		}
		j.verdict = b.attention.Begin(now, e.Chat, whyFriend)
		return j.verdict.Do != heartflow.Silent, nil
	}
	j.ask = func(ctx context.Context, t *turn) (answer, error) {
		b.count.asked.Add(1)
		return t.firstWords(ctx, r)
	}
	j.deliver = func(ctx context.Context, t *turn, w *answer, err error) (string, error) {
		switch {
		case t.lost() != nil:
		case err != nil:
			b.attention.Skip(time.Now(), e.Chat, heartflow.WhyModelError)
		case w.Text == "":
			b.attention.Skip(time.Now(), e.Chat, heartflow.WhyModelSilent)
		default:
			_, err = t.speak(ctx, e.Chat, w.Out)
		}
		if err != nil && t.lost() == nil {
			b.log.Warn("a new friend was not greeted", "chat", e.Chat, "err", err)
		}
		return "", err
	}
	done, _ := b.do(ctx, j)
	return done.unclear
}

func (t *turn) firstWords(ctx context.Context, r persona.Request) (w answer, err error) {
	now := time.Now()
	s, err := t.being.scene(ctx, now, t)
	if err != nil {
		return w, err
	}
	s.Part, s.Petition = persona.Greet, &persona.Petition{Request: r, Energy: -1, Interest: -1}
	if s.ChatName == "" {
		s.ChatName = r.Name
	}
	reply, err := t.converse(ctx, now, s, nil)
	return answer{Out: persona.Out{Text: reply.Text}}, err
}

// spokeSince reports that somebody else said something in a chat after a time: then there are no first words to say.
func (b *Being) spokeSince(ctx context.Context, r *room, since time.Time) bool {
	past, err := b.memory.Recent(ctx, r.space, remembered/4)
	return err != nil || slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own && rec.At.After(since) })
}
