package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// A Strategy is documented in package social.
type Strategy uint8

const (
	// SingleCall decides and writes in one conversation, which may call tools.
	SingleCall Strategy = iota
	// ThinkPlanReply is Heart Flow Chat's: a thought, which may call tools that only read; of it a plan, as JSON; and
	// where that says so, the words. It costs two or three calls, and leaves a thought that the next one follows on.
	ThinkPlanReply
)

// An answer is what a turn wants to say and do. Without a text and a picture it is silence.
type answer struct {
	persona.Out
	poke    []string
	feeling string // what a sticker behind the words should show; "": none
	planned bool   // it is a plan's that was drawn already; else there is one by chance
}

// deedsKept is how many of its last deeds in a chat a being thinks of.
const deedsKept = 5

// think comes to words by the being's strategy.
func (t *turn) think(ctx context.Context) (answer, error) {
	switch {
	case t.focused():
		return t.steps(ctx)
	case t.being.opts.Strategy == SingleCall:
		return t.inOne(ctx)
	}
	return t.inThree(ctx)
}

func (t *turn) inOne(ctx context.Context) (answer, error) {
	reply, err := t.part(ctx, persona.Whole, mind{})
	return answer{Out: persona.Out{Text: reply.Text}, feeling: reply.Text}, err
}

// inThree thinks, plans and writes, within the time of one turn.
func (t *turn) inThree(ctx context.Context) (answer, error) {
	ctx, stop := context.WithTimeout(ctx, cmp.Or(max(t.being.opts.Turn.Timeout, 0), time.Minute))
	defer stop()
	r := t.room
	possible := t.being.possible(ctx, hfc.TextReply, hfc.EmojiReply, hfc.NoReply)
	r.mu.Lock()
	m := mind{thought: r.thought, deeds: slices.Clone(r.deeds), allowed: possible}
	r.mu.Unlock()

	thought, err := t.thought(ctx, m)
	if err != nil {
		return answer{}, err
	}
	m.thought = hfc.Freshen(m.thought, thought, t.dice().Float64)
	plan, err := t.plan(ctx, m)
	if err != nil {
		return answer{}, err
	}
	w, err := t.write(ctx, m, plan)
	r.mu.Lock()
	r.thought = m.thought
	r.deeds = append(r.deeds, persona.Deed{Did: string(plan.Action), Why: plan.Reasoning})
	r.deeds = slices.Delete(r.deeds, 0, max(0, len(r.deeds)-deedsKept))
	r.mu.Unlock()
	return w, err
}

// dice are the turn's own chance.
func (t *turn) dice() *rand.Rand { return t.being.dice(t.ID) }

// A mind is what the parts of a turn hand on.
type mind struct {
	thought string
	deeds   []persona.Deed
	intent  string
	allowed []hfc.Action
}

// part holds the conversation of one part. It looks anew: what was taken back meanwhile is in no later part.
func (t *turn) part(ctx context.Context, p persona.Part, m mind) (persona.Reply, error) {
	t.look(ctx)
	now := time.Now()
	scene, err := t.being.scene(ctx, now, t)
	if err != nil {
		return persona.Reply{}, err
	}
	t.show(&scene, p == persona.Whole || p == persona.Think)
	scene.Part, scene.Thought, scene.Deeds, scene.Intent = p, m.thought, m.deeds, m.intent
	for _, a := range m.allowed {
		scene.Allowed = append(scene.Allowed, string(a))
	}
	if t.rules != "" {
		scene.Prompts.Rules = t.rules
	}
	var tools *nit.View
	switch p {
	case persona.Whole:
		tools = t.tools
	case persona.Think: // it may ask, and does nothing
		tools = t.tools.Narrow(func(tool nit.Info) bool { return tool.ReadOnly })
	}
	t.shown = append(append(t.shown[:0], scene.History...), scene.Recent...)
	return t.converse(ctx, now, scene, tools)
}

func (t *turn) thought(ctx context.Context, m mind) (string, error) {
	reply, err := t.part(ctx, persona.Think, m)
	return reply.Text, err
}

// plan is a no_reply where the model gives none, or one of what is not allowed.
func (t *turn) plan(ctx context.Context, m mind) (hfc.Plan, error) {
	reply, err := t.part(ctx, persona.Plan, m)
	if err != nil {
		return hfc.Plan{}, err
	}
	plan, err := hfc.ParsePlan(reply.Text)
	if err != nil {
		t.being.log.Warn("the planner gave no plan, which counts as no_reply", "chat", t.room.chat, "err", err)
		plan = hfc.Plan{Action: hfc.NoReply}
	}
	if !slices.Contains(m.allowed, plan.Action) {
		plan.Action = hfc.NoReply
	}
	return plan, nil
}

// write makes the words that the plan wants, if it wants any.
func (t *turn) write(ctx context.Context, m mind, plan hfc.Plan) (answer, error) {
	switch plan.Action {
	case hfc.TextReply:
	case hfc.EmojiReply:
		image := t.sticker(ctx, cmp.Or(plan.EmojiQuery, plan.Reasoning))
		if image == "" {
			return answer{}, nil
		}
		return answer{Out: persona.Out{Image: image, Mention: t.present(plan.AtUser)}, poke: t.present(plan.PokeUser)}, nil
	default:
		return answer{}, nil
	}
	m.intent = plan.Reasoning
	if t.utterance != nil {
		t.utterance.head.Mention = t.present(plan.AtUser)
	}
	reply, err := t.part(ctx, persona.Write, m)
	w := answer{Out: persona.Out{Text: reply.Text}, feeling: cmp.Or(plan.EmojiQuery, reply.Text)}
	if w.Text != "" {
		w.Mention, w.poke = t.present(plan.AtUser), t.present(plan.PokeUser)
	}
	return w, err
}

// present are those of the ids whose owners have said something that the turn was shown: a plan makes ids up.
func (t *turn) present(ids []string) (some []string) {
	if t.room.chat.Kind != persona.Group {
		return nil
	}
	for _, id := range ids {
		is := func(m persona.Message) bool { return m.From == id && !m.Own }
		if !slices.Contains(some, id) && slices.ContainsFunc(t.shown, is) {
			some = append(some, id)
		}
	}
	return some
}

// prod pokes whom the plan wants poked, by the tool that does that. It is no reason to fail.
func (t *turn) prod(ctx context.Context, who []string) {
	for _, id := range who {
		args, err := json.Marshal(map[string]string{"user_id": id})
		if err == nil {
			_, err = t.tools.Do(withTurn(ctx, t), "qq_poke", string(args))
		}
		if err != nil {
			t.being.log.Warn("the plan's poke was not done", "chat", t.room.chat, "who", id, "err", err)
		}
	}
}
