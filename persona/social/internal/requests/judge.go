package requests

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
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
	case errors.Is(err, engine.ErrOverBudget):
		return "预算快用完了"
	case errors.Is(err, errBannedText):
		return "附言或名字里有禁用的词"
	case errors.Is(err, prompt.ErrInvalidAnswer):
		return "模型的回答看不懂"
	}
	return "没能判断，模型或记忆出错了"
}

// judge asks the model, once and without tools.
//
// It may read what the person said in all chats that they share with the being, and what it thinks of them there. So
// what it answers goes to nobody but the owner, apart from the decision: the reason is never sent along, and a greeting
// is written by a call of its own, which reads the private chat alone.
func (h *Handler) judge(ctx context.Context, e jobs.Job, r persona.Request) (prompt.RequestDecision, error) {
	now := time.Now()
	if now.Sub(r.At) > maxAge {
		return prompt.RequestDecision{}, errTooOld
	}
	if h.engine.Options.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge {
		return prompt.RequestDecision{}, engine.ErrOverBudget
	}
	if f := h.engine.Options.Banned; f != nil {
		for _, text := range []string{r.Name, r.GroupName, r.Comment} {
			if _, bad := f.Banned(text); bad {
				return prompt.RequestDecision{}, errBannedText
			}
		}
	}
	s, err := h.scene(ctx, now, e.Chat, r)
	if err != nil {
		return prompt.RequestDecision{}, err
	}
	o := h.engine.Options.Turn
	call := prompt.Turn{Model: h.engine.Model, MaxCalls: -1, Timeout: o.Timeout, Options: o.CallOptions, Logger: h.engine.Log}
	who := h.engine.Options.Profile
	reply, err := call.Run(ctx, prompt.System(who, s), prompt.Context(who, now, s)+prompt.Instructions(s))
	if err != nil {
		return prompt.RequestDecision{}, err
	}
	return prompt.ParseRequestDecision(reply.Text)
}

// scene is what the judge sees: the request, and what the bot knows of who asks.
func (h *Handler) scene(ctx context.Context, now time.Time, chat persona.Chat, r persona.Request) (prompt.Scene, error) {
	s := prompt.Scene{
		Chat: chat, ChatName: r.Name, Kind: prompt.JudgeRequest, OwnerPresent: h.engine.Router.OwnerPresent(now, chat),
		Budget: h.engine.Options.Turn.ContextTokens, Location: h.engine.Options.Location, Prompts: h.engine.Options.Prompts,
		Request: &prompt.RequestContext{Request: r, Energy: h.energy(now), Interest: -1},
	}
	shared, err := h.shared(ctx, chat)
	if err != nil || len(shared) == 0 {
		return s, err
	}
	hits, err := h.engine.Memory.Reader(shared...).Recall(ctx, now, memory.Query{Person: r.From.ID, Limit: knownOfThem})
	if err != nil {
		return s, err
	}
	for _, hit := range hits {
		if hit.Own || h.engine.Tombstones.Cover(chat, r.From.ID, hit.At) {
			continue
		}
		m := engine.Recall(hit.Record)
		m.Chat = h.nameOf(hit.Space)
		s.Memories = append(s.Memories, m)
	}
	if !h.o.People {
		return s, nil
	}
	for _, space := range shared {
		who, err := h.engine.Memory.People(space).Get(ctx, r.From.ID)
		if err != nil {
			return s, err
		}
		affinity, err := h.engine.Memory.People(space).Affinity(ctx)
		if err != nil {
			return s, err
		}
		if a, ok := affinity[r.From.ID]; ok {
			s.Request.Interest = max(s.Request.Interest, a)
		}
		if relation := who.RelationLevel(); (relation != 0 || who.Impression != "") && len(s.People) < peopleShown {
			s.People = append(s.People, prompt.Person{ID: r.From.ID, Name: r.Name, Relation: relation, Impression: who.Impression})
		}
	}
	return s, nil
}

// shared are the spaces of the groups that the being is in, and of the chat with who asks.
func (h *Handler) shared(ctx context.Context, private persona.Chat) ([]memory.Space, error) {
	spaces, err := h.engine.Memory.Spaces(ctx)
	return slices.DeleteFunc(spaces, func(s memory.Space) bool {
		var chat persona.Chat
		if s.IsSecret() || chat.UnmarshalText([]byte(s)) != nil || chat.Platform != private.Platform {
			return true
		}
		return chat != private && (chat.Kind != persona.Group || !h.o.IsMember(chat))
	}), err
}

// nameOf is the name of a chat in a prompt.
func (h *Handler) nameOf(s memory.Space) string {
	var chat persona.Chat
	if chat.UnmarshalText([]byte(s)) != nil {
		return ""
	}
	if c := h.engine.Met(chat); c != nil && c.Title() != "" {
		return c.Title()
	}
	return chat.SourceID()
}

// energy is what the being has left: that of the chat which wears it out most.
func (h *Handler) energy(now time.Time) float64 {
	least := 1.0
	for _, c := range h.engine.Chats() {
		least = min(least, h.engine.Attention.Energy(now, c.ID))
	}
	return least
}
