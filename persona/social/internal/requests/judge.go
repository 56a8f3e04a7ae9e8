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
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// maxMemories limits the memories of the requester in the judge's prompt.
const maxMemories = 12

// maxPeople limits the impressions of the requester in the prompt, one a chat.
const maxPeople = 8

var (
	errTooOld     = errors.New("social: the request is too old")
	errBannedText = errors.New("social: the request has a banned word")
)

// escalationText explains an error to the owner.
func escalationText(err error) string {
	switch {
	case errors.Is(err, errTooOld):
		return "已经过了一周"
	case errors.Is(err, engine.ErrOverBudget):
		return "预算快用完了"
	case errors.Is(err, errBannedText):
		return "附言或名字里有禁用的词"
	case errors.Is(err, errContradiction):
		return "模型的决定前后不一致"
	case errors.Is(err, prompt.ErrInvalidAnswer):
		return "模型的回答看不懂"
	}
	return "没能判断，模型或记忆出错了"
}

// judge asks the model for a decision in one turn, whose only tool answers the request. It returns the label of the
// decision's reason, and sets the remark that the model gives a new friend.
//
// The prompt includes the requester's messages in all shared chats and the bot's impressions from there. So everything
// but the decision and the remark goes to the owner only: the reason is never sent to the requester, and a separate call
// that reads only the private chat writes the greeting.
func (h *Handler) judge(ctx context.Context, job jobs.Job, r *persona.Request) (j prompt.RequestDecision, l memory.Label, err error) {
	now := time.Now()
	if now.Sub(r.At) > maxAge {
		return j, l, errTooOld
	}
	if h.engine.Options.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge {
		return j, l, engine.ErrOverBudget
	}
	if f := h.engine.Options.Banned; f != nil {
		for _, text := range []string{r.Name, r.GroupName, r.Comment} {
			if _, bad := f.Banned(text); bad {
				return j, l, errBannedText
			}
		}
	}
	s, err := h.scene(ctx, now, job.Chat, *r)
	if err != nil {
		return j, l, err
	}
	shared, err := h.sharedSpaces(ctx, job.Chat)
	if err != nil {
		return j, l, err
	}
	tool, err := h.newAnswerTool(*r)
	if err != nil {
		return j, l, err
	}
	o := h.engine.Options.Turn
	call := prompt.Turn{Model: h.engine.Models.For(models.PurposeJudge), Toolbox: tool, MaxCalls: maxJudgeCalls, Timeout: o.Timeout, Options: o.CallOptions, Logger: h.engine.Log}
	if tool.view == nil {
		call.Toolbox, call.MaxCalls = nil, -1
	}
	call.Schema = prompt.AnswerSchema(s)
	call.Check = func(answer string) error {
		_, err := tool.result(answer, textsOf(s))
		if h.engine.Options.Attention.Budget.Level(time.Now(), "") >= heartflow.LevelNoJudge {
			return nil
		}
		return err
	}
	who := h.engine.Options.Profile
	reply, err := call.Run(ctx, prompt.System(who, s), prompt.Context(who, now, s)+prompt.Instructions(s))
	if err != nil {
		return j, l, err
	}
	r.Remark = tool.remark
	j, err = tool.result(reply.Text, textsOf(s))
	return j, memory.Untrusted(shared...), err
}

// scene returns the judge's scene: the request and the bot's knowledge of the requester.
func (h *Handler) scene(ctx context.Context, now time.Time, chat persona.Chat, r persona.Request) (prompt.Scene, error) {
	s := prompt.Scene{
		Chat: chat, ChatName: r.Name, Kind: prompt.JudgeRequest, OwnerPresent: h.engine.Router.OwnerPresent(now, chat),
		Budget: h.engine.Options.Turn.ContextTokens, Location: h.engine.Options.Location, Prompts: h.engine.Options.Prompts,
		Request: &prompt.RequestContext{Request: r, Energy: h.lowestEnergy(now), Interest: -1},
	}
	shared, err := h.sharedSpaces(ctx, chat)
	if err != nil || len(shared) == 0 {
		return s, err
	}
	hits, err := h.engine.Memory.Reader(shared...).Recall(ctx, now, memory.Query{Person: r.From.ID, Limit: maxMemories})
	if err != nil {
		return s, err
	}
	for _, hit := range hits {
		if hit.Own || h.engine.Tombstones.Covers(chat, r.From.ID, hit.At) {
			continue
		}
		m := engine.MemoryFromRecord(hit.Record)
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
		if relation := who.RelationLevel(); (relation != 0 || who.Impression != "") && len(s.People) < maxPeople {
			s.People = append(s.People, prompt.Person{ID: r.From.ID, Name: r.Name, Relation: relation, Impression: who.Impression})
		}
	}
	return s, nil
}

// textsOf returns the texts of others in the judge's scene.
func textsOf(s prompt.Scene) []string {
	texts := []string{s.Request.Name, s.Request.GroupName, s.Request.Comment}
	for _, m := range s.Memories {
		texts = append(texts, m.Text)
	}
	return texts
}

// sharedSpaces returns the spaces of the bot's groups on the requester's platform, and of the private chat.
func (h *Handler) sharedSpaces(ctx context.Context, private persona.Chat) ([]memory.Space, error) {
	spaces, err := h.engine.Memory.Spaces(ctx)
	return slices.DeleteFunc(spaces, func(s memory.Space) bool {
		var chat persona.Chat
		if s.IsSecret() || chat.UnmarshalText([]byte(s)) != nil || chat.Platform != private.Platform {
			return true
		}
		return chat != private && (chat.Kind != persona.Group || !h.o.IsMember(chat))
	}), err
}

// nameOf returns the name of a chat for a prompt.
func (h *Handler) nameOf(s memory.Space) string {
	var chat persona.Chat
	if chat.UnmarshalText([]byte(s)) != nil {
		return ""
	}
	if c := h.engine.LoadedChat(chat); c != nil && c.Name() != "" {
		return c.Name()
	}
	return chat.SourceID()
}

// lowestEnergy returns the bot's lowest energy over all chats.
func (h *Handler) lowestEnergy(now time.Time) float64 {
	least := 1.0
	for _, c := range h.engine.Chats() {
		least = min(least, h.engine.Attention.Energy(now, c.ID))
	}
	return least
}
