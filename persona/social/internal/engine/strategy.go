package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/speech"
)

// MaxActions is the number of past actions in a chat that a prompt shows.
const MaxActions = 5

// AnswerInOneCall answers by one model call with tools.
func (t *Turn) AnswerInOneCall(ctx context.Context) (Answer, error) {
	reply, err := t.RunPrompt(ctx, prompt.SingleCall, Reasoning{})
	return Answer{Outgoing: persona.Outgoing{Text: reply.Text}, StickerQuery: reply.Text}, err
}

// answer asks the model by the configured strategy.
func (t *Turn) answer(ctx context.Context) (Answer, error) {
	switch f := t.Engine.Focus; {
	case f != nil && f.IsFocused(t.Chat.ID):
		return f.Ask(ctx, t)
	case t.Engine.Options.ThinkPlanReply && !t.Saves():
		return t.thinkPlanReply(ctx)
	}
	return t.AnswerInOneCall(ctx)
}

// thinkPlanReply answers by three model calls: a thought, a plan and the text. Together they may take the time of one
// turn.
func (t *Turn) thinkPlanReply(ctx context.Context) (Answer, error) {
	ctx, stop := context.WithTimeout(ctx, cmp.Or(max(t.Engine.Options.Turn.Timeout, 0), time.Minute))
	defer stop()
	c := t.Chat
	possible := AvailableActions(ctx, t, hfc.TextReply, hfc.EmojiReply, hfc.React, hfc.NoReply)
	c.mu.Lock()
	m := Reasoning{Actions: slices.Clone(c.actions), AllowedActions: possible}
	c.mu.Unlock()

	last, err := t.LastThought(ctx)
	if err != nil {
		return Answer{}, err
	}
	thought, err := t.Think(ctx, m)
	if err != nil {
		return Answer{}, err
	}
	m.Thought = hfc.VaryThought(last, thought, t.Rand().Float64)
	t.KeepThought(ctx, m.Thought)
	plan, err := t.Plan(ctx, m)
	if err != nil {
		return Answer{}, err
	}
	w, err := t.Write(ctx, m, plan)
	c.mu.Lock()
	c.actions = append(c.actions, prompt.Action{Name: string(plan.Action), Reason: plan.Reasoning})
	c.actions = slices.Delete(c.actions, 0, max(0, len(c.actions)-MaxActions))
	c.mu.Unlock()
	return w, err
}

// RunPrompt makes one model call of the given kind. It builds a fresh scene, so that messages retracted meanwhile are not
// in it.
func (t *Turn) RunPrompt(ctx context.Context, p prompt.Kind, m Reasoning) (prompt.Reply, error) {
	for _, p := range t.Engine.parts {
		if p.BeforeScene != nil {
			p.BeforeScene(ctx, t)
		}
	}
	now := time.Now()
	scene, err := t.Engine.Scene(ctx, now, t)
	if err != nil {
		return prompt.Reply{}, err
	}
	scene.Kind, scene.Actions, scene.Intent, scene.Beginning = p, m.Actions, m.Intent, beginning(t)
	if err := (thoughts{t}).addTo(ctx, &scene, m.Thought); err != nil {
		return prompt.Reply{}, err
	}
	for _, a := range m.AllowedActions {
		scene.AllowedActions = append(scene.AllowedActions, string(a))
	}
	scene.Faces = faceNames(t)
	if t.Rules != "" {
		scene.Prompts.Rules = t.Rules
	}
	var tools *nit.View
	switch p {
	case prompt.SingleCall, prompt.Plan: // a plan may act by tools
		tools = t.Tools
	case prompt.Think, prompt.Write: // with the same list of tools, so that providers have their prompts in the cache
		tools = t.Tools.WithPolicy(onlyRead)
	}
	t.Shown = append(append(t.Shown[:0], scene.History...), scene.Recent...)
	defer showThinking(ctx, t, p)()
	reply, err := t.Converse(ctx, now, scene, tools, m.Check)
	if err == nil && (p == prompt.SingleCall || p == prompt.Write) {
		err = completeReply(t, &reply)
	}
	return reply, err
}

var errNotInThisStep = errors.Join(
	nit.ModelError("只有在决定这一步才能用这个工具，这一步只能用工具查看"), errors.New("social: only the plan acts by tools"))

// onlyRead is the policy of thoughts and texts: they may look things up by tools.
func onlyRead(_ context.Context, r nit.Request) (nit.Decision, error) {
	if !r.Tool.ReadOnly {
		return nit.Deny, errNotInThisStep
	}
	return nit.Allow, nil
}

// ErrEmptyReply is the error of a turn whose model wrote no usable reply to a caller.
var ErrEmptyReply = errors.New("social: the model's reply is empty")

// completeReply cuts an incomplete sentence at the end of a reply. A caller does not get silence instead of a reply that is
// empty: the error lets the turn be tried again.
func completeReply(t *Turn, r *prompt.Reply) error {
	if r.Truncated {
		r.Text = speech.WholeSentences(r.Text)
	}
	hasFailed := func(p Part) bool { return p.Failed != nil }
	nothing := r.Text == "" || t.Engine.PlainText(r.Text) == ""
	if r.Calls == 0 && nothing && (r.Empty || r.Truncated || r.Text != "") {
		if t.Verdict.Called && !t.HasSpoken() && slices.ContainsFunc(t.Engine.parts, hasFailed) {
			return ErrEmptyReply
		}
	}
	return nil
}

// Think returns a new thought about the chat.
func (t *Turn) Think(ctx context.Context, m Reasoning) (string, error) {
	reply, err := t.RunPrompt(ctx, prompt.Think, m)
	return reply.Text, err
}

// Plan returns the plan of the model. If the model gives none that can be read, a caller gets a reply, and others get none. An
// action that is not allowed counts as no_reply.
func (t *Turn) Plan(ctx context.Context, m Reasoning) (hfc.Plan, error) {
	parse := func(answer string) (hfc.Plan, error) { return hfc.ParsePlan(answer, prompt.Texts(t.Shown)...) }
	m.Check = func(answer string) error {
		_, err := parse(answer)
		return err
	}
	reply, err := t.RunPrompt(ctx, prompt.Plan, m)
	if err != nil {
		return hfc.Plan{}, err
	}
	plan, err := parse(reply.Text)
	switch {
	case t.HasSpoken(): // a tool has sent the reply
		plan.Action = hfc.TextReply
	case err != nil:
		plan = hfc.Plan{Action: hfc.NoReply}
		if skipped := reply.Silent && !reply.Empty; t.Verdict.Called && !skipped {
			plan.Action = hfc.TextReply
		}
		t.Engine.Log.Warn("the planner returned no plan", "chat", t.Chat.ID, "err", err, "counted_as", plan.Action)
	}
	if !slices.Contains(m.AllowedActions, plan.Action) {
		plan.Action = hfc.NoReply
	}
	t.Engine.Attention.LogPlan(time.Now(), t.Chat.ID, heartflow.Code(plan.Action), plan.Reasoning)
	return plan, nil
}

// Write returns the reply that the plan asks for. It is empty if the plan asks for none, or if a tool has already
// sent it.
func (t *Turn) Write(ctx context.Context, m Reasoning, plan hfc.Plan) (Answer, error) {
	if t.HasSpoken() {
		return Answer{}, nil
	}
	switch plan.Action {
	case hfc.TextReply:
	case hfc.React:
		return Answer{Outgoing: reaction(t, plan.Face)}, nil
	case hfc.EmojiReply:
		image := t.Engine.Delivery.PickSticker(ctx, cmp.Or(plan.EmojiQuery, plan.Reasoning))
		if image == "" {
			return Answer{}, nil
		}
		return Answer{Outgoing: persona.Outgoing{Image: image, Mentions: t.shownAuthors(plan.AtUser)}, Poke: t.shownAuthors(plan.PokeUser)}, nil
	default:
		return Answer{}, nil
	}
	m.Intent = plan.Reasoning
	t.utterance.Mentions = t.shownAuthors(plan.AtUser)
	reply, err := t.RunPrompt(ctx, prompt.Write, m)
	w := Answer{Outgoing: persona.Outgoing{Text: reply.Text}, StickerQuery: cmp.Or(plan.EmojiQuery, reply.Text)}
	if w.Text != "" {
		w.Mentions, w.Poke = t.shownAuthors(plan.AtUser), t.shownAuthors(plan.PokeUser)
	}
	return w, err
}

// shownAuthors returns the ids that wrote a message in the prompt. Plans invent ids.
func (t *Turn) shownAuthors(ids []string) (some []string) {
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

// sendPokes pokes people by the tool qq_poke. Errors are logged only.
func (t *Turn) sendPokes(ctx context.Context, who []string) {
	for _, id := range who {
		args, err := json.Marshal(map[string]string{"user_id": id})
		if err == nil {
			_, err = t.Tools.Do(WithTurn(ctx, t), "qq_poke", string(args))
		}
		if err != nil {
			t.Engine.Log.Warn("a planned poke failed", "chat", t.Chat.ID, "who", id, "err", err)
		}
	}
}
