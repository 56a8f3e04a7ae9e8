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

// peopleShown is how many opinions of them are, one for each chat.
const peopleShown = 8

var (
	errTooOld     = errors.New("social: the request is too old")
	errBannedText = errors.New("social: the request holds a banned word")
)

// whyHeld is the error for the owner.
func whyHeld(err error) string {
	switch {
	case errors.Is(err, errTooOld):
		return "已经过了一周"
	case errors.Is(err, ErrOverBudget):
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
func (b *Engine) judgeRequest(ctx context.Context, e persona.Errand, r persona.Request) (persona.Judgement, error) {
	now := time.Now()
	if now.Sub(r.At) > requestFor {
		return persona.Judgement{}, errTooOld
	}
	if b.Options.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge {
		return persona.Judgement{}, ErrOverBudget
	}
	if f := b.Options.Banned; f != nil {
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
	o := b.Options.Turn
	call := persona.Turn{Model: b.Model, MaxCalls: -1, Timeout: o.Timeout, Options: o.Options, Logger: b.Log}
	who := b.Options.Profile
	reply, err := call.Run(ctx, who.System(s), who.Context(now, s)+who.Task(s))
	if err != nil {
		return persona.Judgement{}, err
	}
	return persona.ParseJudgement(reply.Text)
}

// requestScene is what who judges sees: the request, and what the being knows of who asks.
func (b *Engine) requestScene(ctx context.Context, now time.Time, chat persona.Chat, r persona.Request) (persona.Scene, error) {
	s := persona.Scene{
		Chat: chat, ChatName: r.Name, Part: persona.Judge, MasterPresent: b.Router.MasterPresent(now, chat),
		Budget: b.Options.Turn.Tokens, Location: b.Options.Location, Prompts: b.Options.Prompts,
		Petition: &persona.Petition{Request: r, Energy: b.energy(now), Interest: -1},
	}
	shared, err := b.shared(ctx, chat)
	if err != nil || len(shared) == 0 {
		return s, err
	}
	hits, err := b.Memory.Reader(shared...).Recall(ctx, now, memory.Query{Person: r.From.ID, Limit: knownOfThem})
	if err != nil {
		return s, err
	}
	for _, h := range hits {
		if h.Own || b.Tombstones.Cover(chat, r.From.ID, h.At) {
			continue
		}
		m := Recall(h.Record)
		m.Where = b.nameOf(h.Space)
		s.Recall = append(s.Recall, m)
	}
	if !b.Options.People {
		return s, nil
	}
	for _, space := range shared {
		who, err := b.Memory.People(space).Of(ctx, r.From.ID)
		if err != nil {
			return s, err
		}
		affinity, err := b.Memory.People(space).Affinity(ctx)
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
func (b *Engine) shared(ctx context.Context, private persona.Chat) ([]memory.Space, error) {
	spaces, err := b.Memory.Spaces(ctx)
	return slices.DeleteFunc(spaces, func(s memory.Space) bool {
		var c persona.Chat
		if s.IsSecret() || c.UnmarshalText([]byte(s)) != nil || c.Platform != private.Platform {
			return true
		}
		return c != private && (c.Kind != persona.Group || !b.Options.IsMember(c))
	}), err
}

// nameOf is how a model is told of a chat.
func (b *Engine) nameOf(s memory.Space) string {
	var c persona.Chat
	if c.UnmarshalText([]byte(s)) != nil {
		return ""
	}
	b.mu.Lock()
	r := b.rooms[c]
	b.mu.Unlock()
	if r != nil && r.Title() != "" {
		return r.Title()
	}
	return c.SourceID()
}

// energy is what the being has left: that of the chat which wears it out most.
func (b *Engine) energy(now time.Time) float64 {
	least := 1.0
	for _, r := range b.Chats() {
		least = min(least, b.Attention.Energy(now, r.ID))
	}
	return least
}
