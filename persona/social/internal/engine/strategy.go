package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// DeedsKept is how many of its last deeds in a chat a being thinks of.
const DeedsKept = 5

// AnswerAtOnce answers by one conversation, with tools.
func (t *Turn) AnswerAtOnce(ctx context.Context) (Answer, error) {
	reply, err := t.Part(ctx, prompt.SingleCall, Mind{})
	return Answer{Outgoing: persona.Outgoing{Text: reply.Text}, Feeling: reply.Text}, err
}

// think comes to words by the being's strategy.
func (t *Turn) think(ctx context.Context) (Answer, error) {
	switch f := t.Engine.Focus; {
	case f != nil && f.On(t.Chat.ID):
		return f.Ask(ctx, t)
	case t.Engine.Options.InThree:
		return t.inThree(ctx)
	}
	return t.AnswerAtOnce(ctx)
}

// inThree thinks, plans and writes, within the time of one turn.
func (t *Turn) inThree(ctx context.Context) (Answer, error) {
	ctx, stop := context.WithTimeout(ctx, cmp.Or(max(t.Engine.Options.Turn.Timeout, 0), time.Minute))
	defer stop()
	r := t.Chat
	possible := t.Engine.Possible(ctx, hfc.TextReply, hfc.EmojiReply, hfc.NoReply)
	r.mu.Lock()
	m := Mind{Thought: r.thought, Deeds: slices.Clone(r.deeds), Allowed: possible}
	r.mu.Unlock()

	thought, err := t.Think(ctx, m)
	if err != nil {
		return Answer{}, err
	}
	m.Thought = hfc.VaryThought(m.Thought, thought, t.Dice().Float64)
	plan, err := t.Plan(ctx, m)
	if err != nil {
		return Answer{}, err
	}
	w, err := t.Write(ctx, m, plan)
	r.mu.Lock()
	r.thought, r.thoughtOf = m.Thought, t.sourcesWith(r.thoughtOf)
	r.deeds = append(r.deeds, prompt.Action{Name: string(plan.Action), Reason: plan.Reasoning})
	r.deeds = slices.Delete(r.deeds, 0, max(0, len(r.deeds)-DeedsKept))
	r.mu.Unlock()
	return w, err
}

// Part holds the conversation of one part. It looks anew: what was taken back meanwhile is in no later part.
func (t *Turn) Part(ctx context.Context, p prompt.Kind, m Mind) (prompt.Reply, error) {
	for _, p := range t.Engine.parts {
		if p.Before != nil {
			p.Before(ctx, t)
		}
	}
	now := time.Now()
	scene, err := t.Engine.Scene(ctx, now, t)
	if err != nil {
		return prompt.Reply{}, err
	}
	scene.Kind, scene.Thought, scene.Actions, scene.Intent = p, m.Thought, m.Deeds, m.Intent
	for _, a := range m.Allowed {
		scene.AllowedActions = append(scene.AllowedActions, string(a))
	}
	if t.Rules != "" {
		scene.Prompts.Rules = t.Rules
	}
	var tools *nit.View
	switch p {
	case prompt.SingleCall, prompt.Plan: // a plan chooses an action together with its tools
		tools = t.Tools
	case prompt.Think: // it may ask, and does nothing
		tools = t.Tools.Filter(func(tool nit.ToolInfo) bool { return tool.ReadOnly })
	}
	t.Shown = append(append(t.Shown[:0], scene.History...), scene.Recent...)
	return t.Converse(ctx, now, scene, tools)
}

// Think returns a new thought about the chat.
func (t *Turn) Think(ctx context.Context, m Mind) (string, error) {
	reply, err := t.Part(ctx, prompt.Think, m)
	return reply.Text, err
}

// Plan is a no_reply where the model gives none, or one of what is not allowed.
func (t *Turn) Plan(ctx context.Context, m Mind) (hfc.Plan, error) {
	reply, err := t.Part(ctx, prompt.Plan, m)
	if err != nil {
		return hfc.Plan{}, err
	}
	plan, err := hfc.ParsePlan(reply.Text)
	switch {
	case t.HasSpoken(): // by a tool: that was the reply
		plan.Action = hfc.TextReply
	case err != nil:
		t.Engine.Log.Warn("the planner gave no plan, which counts as no_reply", "chat", t.Chat.ID, "err", err)
		plan = hfc.Plan{Action: hfc.NoReply}
	}
	if !slices.Contains(m.Allowed, plan.Action) {
		plan.Action = hfc.NoReply
	}
	return plan, nil
}

// Write makes the words that the plan wants, if it wants any and no tool has said them.
func (t *Turn) Write(ctx context.Context, m Mind, plan hfc.Plan) (Answer, error) {
	if t.HasSpoken() {
		return Answer{}, nil
	}
	switch plan.Action {
	case hfc.TextReply:
	case hfc.EmojiReply:
		image := t.Engine.Delivery.Sticker(ctx, cmp.Or(plan.EmojiQuery, plan.Reasoning))
		if image == "" {
			return Answer{}, nil
		}
		return Answer{Outgoing: persona.Outgoing{Image: image, Mentions: t.present(plan.AtUser)}, Poke: t.present(plan.PokeUser)}, nil
	default:
		return Answer{}, nil
	}
	m.Intent = plan.Reasoning
	t.utterance.Mentions = t.present(plan.AtUser)
	reply, err := t.Part(ctx, prompt.Write, m)
	w := Answer{Outgoing: persona.Outgoing{Text: reply.Text}, Feeling: cmp.Or(plan.EmojiQuery, reply.Text)}
	if w.Text != "" {
		w.Mentions, w.Poke = t.present(plan.AtUser), t.present(plan.PokeUser)
	}
	return w, err
}

// present are those of the ids whose owners have said something that the turn was shown: a plan makes ids up.
func (t *Turn) present(ids []string) (some []string) {
	if t.Chat.ID.Kind != persona.Group {
		return nil
	}
	for _, id := range ids {
		is := func(m persona.Message) bool { return m.From == id && !m.Own }
		if !slices.Contains(some, id) && slices.ContainsFunc(t.Shown, is) {
			some = append(some, id)
		}
	}
	return some
}

// prod pokes whom the plan wants poked, by the tool that does that. It is no reason to fail.
func (t *Turn) prod(ctx context.Context, who []string) {
	for _, id := range who {
		args, err := json.Marshal(map[string]string{"user_id": id})
		if err == nil {
			_, err = t.Tools.Do(WithTurn(ctx, t), "qq_poke", string(args))
		}
		if err != nil {
			t.Engine.Log.Warn("the plan's poke was not done", "chat", t.Chat.ID, "who", id, "err", err)
		}
	}
}
