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
func (b *Engine) greet(ctx context.Context, e persona.Errand, r persona.Request) (inDoubt bool) {
	room, err := b.Chat(ctx, e.Chat)
	if err != nil || room.Off || !Sleep(ctx, greetAfter) {
		return false
	}
	j := &Job{Errand: e, Chat: room, Answers: true, NoRow: true}
	j.Enter = func(ctx context.Context) (func(), error) { return room.Turn.Unlock, room.Turn.Lock(ctx) }
	j.Prepare = func(ctx context.Context) (bool, error) {
		now := time.Now()
		if _, quiet := b.Attention.Quiet(now, e.Chat); quiet || b.spokeSince(ctx, room, e.At) {
			return false, nil
		}
		j.Verdict = b.Attention.Begin(now, e.Chat, whyFriend)
		return j.Verdict.Do != heartflow.Silent, nil
	}
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) {
		b.Counters.Asked.Add(1)
		return t.firstWords(ctx, r)
	}
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		switch {
		case t.Lost() != nil:
		case err != nil:
			b.Attention.Skip(time.Now(), e.Chat, heartflow.WhyModelError)
		case w.Text == "":
			b.Attention.Skip(time.Now(), e.Chat, heartflow.WhyModelSilent)
		default:
			_, err = t.Speak(ctx, e.Chat, w.Out)
		}
		if err != nil && t.Lost() == nil {
			b.Log.Warn("a new friend was not greeted", "chat", e.Chat, "err", err)
		}
		return "", err
	}
	done, _ := b.Do(ctx, j)
	return done.Unclear
}

func (t *Turn) firstWords(ctx context.Context, r persona.Request) (w Answer, err error) {
	now := time.Now()
	s, err := t.Engine.Scene(ctx, now, t)
	if err != nil {
		return w, err
	}
	s.Part, s.Petition = persona.Greet, &persona.Petition{Request: r, Energy: -1, Interest: -1}
	if s.ChatName == "" {
		s.ChatName = r.Name
	}
	reply, err := t.Converse(ctx, now, s, nil)
	return Answer{Out: persona.Out{Text: reply.Text}}, err
}

// spokeSince reports that somebody else said something in a chat after a time: then there are no first words to say.
func (b *Engine) spokeSince(ctx context.Context, r *Chat, since time.Time) bool {
	past, err := b.Memory.Recent(ctx, r.Space, Remembered/4)
	return err != nil || slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own && rec.At.After(since) })
}
