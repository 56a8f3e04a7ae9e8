package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// knownOfThem is how many memories of who asks are shown to who judges.
const knownOfThem = 12

var (
	errTooOld     = errors.New("social: the request is too old")
	errBannedText = errors.New("social: the request holds a banned word")
)

// whyHeld is the error for the owner.
func whyHeld(err error) string {
	switch {
	case errors.Is(err, errTooOld):
		return "已经过了一周"
	case errors.Is(err, errSpent):
		return "预算快用完了"
	case errors.Is(err, errBannedText):
		return "附言或名字里有禁用的词"
	case errors.Is(err, persona.ErrAnswer):
		return "模型的回答看不懂"
	}
	return "没能判断，模型或记忆出错了"
}

// judgeRequest asks the model, once and without tools.
//
// It may read what the person said in all chats that they share with the being, and what it thinks of them there. So
// what it answers goes to nobody but the owner, apart from the decision: the reason is never sent along, and a greeting
// is written by a call of its own, which reads the private chat alone.
func (b *Being) judgeRequest(ctx context.Context, e persona.Errand, r persona.Request) (persona.Judgement, error) {
	now := time.Now()
	if now.Sub(r.At) > requestFor {
		return persona.Judgement{}, errTooOld
	}
	if b.opts.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge {
		return persona.Judgement{}, errSpent
	}
	if f := b.opts.Banned; f != nil {
		for _, text := range []string{r.Name, r.GroupName, r.Comment} {
			if _, bad := f.Banned(text); bad {
				return persona.Judgement{}, errBannedText
			}
		}
	}
	s, err := b.requestScene(ctx, now, e.Chat, r)
	if err != nil {
		return persona.Judgement{}, err
	}
	o := b.opts.Turn
	call := persona.Turn{Model: b.model, MaxCalls: -1, Timeout: o.Timeout, Options: o.Options, Logger: b.log}
	who := b.opts.Profile
	reply, err := call.Run(ctx, who.System(s), who.Context(now, s)+who.Task(s))
	if err != nil {
		return persona.Judgement{}, err
	}
	return persona.ParseJudgement(reply.Text)
}

// requestScene is what who judges sees: the request, and what the being knows of who asks.
func (b *Being) requestScene(ctx context.Context, now time.Time, chat persona.Chat, r persona.Request) (persona.Scene, error) {
	s := persona.Scene{
		Chat: chat, ChatName: r.Name, Part: persona.Judge, MasterPresent: b.router.MasterPresent(now, chat),
		Budget: b.opts.Turn.Tokens, Location: b.opts.Location, Prompts: b.opts.Prompts,
		Petition: &persona.Petition{Request: r, Energy: b.energy(now), Interest: -1},
	}
	shared, err := b.shared(ctx, chat)
	if err != nil || len(shared) == 0 {
		return s, err
	}
	hits, err := b.memory.Reader(shared...).Recall(ctx, now, memory.Query{Person: r.From.ID, Limit: knownOfThem})
	if err != nil {
		return s, err
	}
	for _, h := range hits {
		if h.Own || b.gone.covers(chat, r.From.ID, h.At) {
			continue
		}
		m := recalled(h.Record)
		m.Where = b.nameOf(h.Space)
		s.Recall = append(s.Recall, m)
	}
	if b.layers == nil {
		return s, nil
	}
	for _, space := range shared {
		who, err := b.memory.People(space).Of(ctx, r.From.ID)
		if err != nil {
			return s, err
		}
		affinity, err := b.memory.People(space).Affinity(ctx)
		if err != nil {
			return s, err
		}
		if a, ok := affinity[r.From.ID]; ok {
			s.Petition.Interest = max(s.Petition.Interest, a)
		}
		if relation := memory.RelationLevel(who.Relation); (relation != 0 || who.Impression != "") && len(s.People) < peopleShown {
			s.People = append(s.People, persona.Person{ID: r.From.ID, Name: r.Name, Relation: relation, Impression: who.Impression})
		}
	}
	return s, nil
}

// shared are the spaces of the groups that the being is in, and of the chat with who asks.
func (b *Being) shared(ctx context.Context, private persona.Chat) ([]memory.Space, error) {
	spaces, err := b.memory.Spaces(ctx)
	return slices.DeleteFunc(spaces, func(s memory.Space) bool {
		var c persona.Chat
		if s.IsSecret() || c.UnmarshalText([]byte(s)) != nil || c.Platform != private.Platform {
			return true
		}
		return c != private && (c.Kind != persona.Group || !b.presence.IsMember(c))
	}), err
}

// nameOf is how a model is told of a chat.
func (b *Being) nameOf(s memory.Space) string {
	var c persona.Chat
	if c.UnmarshalText([]byte(s)) != nil {
		return ""
	}
	b.mu.Lock()
	r := b.rooms[c]
	b.mu.Unlock()
	if r != nil && r.title() != "" {
		return r.title()
	}
	return c.SourceID()
}

// energy is what the being has left: that of the chat which wears it out most.
func (b *Being) energy(now time.Time) float64 {
	least := 1.0
	for _, r := range b.allRooms() {
		least = min(least, b.attention.Energy(now, r.chat))
	}
	return least
}
