package social

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// A Strategy is how a turn comes to its words, once attention has let it think. Both work on the same batch, with the
// same context.
type Strategy uint8

const (
	// SingleCall decides and writes in one conversation, which may call tools.
	SingleCall Strategy = iota
	// ThinkPlanReply is Heart Flow Chat's: a thought, which may call tools that only read; of it a plan, as JSON; and
	// where that says so, the words. It costs two or three calls, and leaves a thought that the next one follows on.
	ThinkPlanReply
)

// An answer is what a turn wants to say and do. Without a text it is silence.
type answer struct {
	persona.Out
	poke []string
}

// deedsKept is how many of its last deeds in a chat a being thinks of.
const deedsKept = 5

// think puts the scene together, and comes to words by the being's strategy.
func (t *turn) think(ctx context.Context, now time.Time, v heartflow.Verdict) (answer, error) {
	scene, err := t.being.scene(ctx, now, t, v)
	if err != nil {
		return answer{}, err
	}
	if t.being.opts.Strategy == SingleCall {
		return t.inOne(ctx, now, scene)
	}
	return t.inThree(ctx, now, scene)
}

func (t *turn) inOne(ctx context.Context, now time.Time, scene persona.Scene) (answer, error) {
	reply, err := t.converse(ctx, now, scene, t.tools)
	return answer{Out: persona.Out{Text: reply.Text}}, err
}

// inThree thinks, plans and writes, within the time of one turn.
func (t *turn) inThree(ctx context.Context, now time.Time, scene persona.Scene) (answer, error) {
	ctx, stop := context.WithTimeout(ctx, cmp.Or(max(t.being.opts.Turn.Timeout, 0), time.Minute))
	defer stop()
	r, dice := t.room, t.dice()
	r.mu.Lock()
	before := r.thought
	scene.Thought, scene.Deeds = before, slices.Clone(r.deeds)
	r.mu.Unlock()
	scene.Allowed = []string{string(hfc.TextReply), string(hfc.NoReply)}

	thought, err := t.thought(ctx, now, scene)
	if err != nil {
		return answer{}, err
	}
	scene.Thought = hfc.Freshen(before, thought, dice.Float64)
	plan, err := t.plan(ctx, now, scene)
	if err != nil {
		return answer{}, err
	}
	w, err := t.write(ctx, now, scene, plan)
	r.mu.Lock()
	r.thought = scene.Thought
	r.deeds = append(r.deeds, persona.Deed{Did: string(plan.Action), Why: plan.Reasoning})
	r.deeds = slices.Delete(r.deeds, 0, max(0, len(r.deeds)-deedsKept))
	r.mu.Unlock()
	return w, err
}

// dice are the turn's own chance.
func (t *turn) dice() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(t.id))
	return rand.New(rand.NewPCG(t.being.attention.Seed(), h.Sum64()))
}

// thought is the first part. Tools may be asked, and nothing be done.
func (t *turn) thought(ctx context.Context, now time.Time, scene persona.Scene) (string, error) {
	scene.Part = persona.Think
	reading := t.tools.Narrow(func(tool nit.Info) bool { return tool.ReadOnly })
	reply, err := t.converse(ctx, now, scene, reading)
	return reply.Text, err
}

// plan is the second part. What is no plan is a no_reply.
func (t *turn) plan(ctx context.Context, now time.Time, scene persona.Scene) (hfc.Plan, error) {
	scene.Part = persona.Plan
	reply, err := t.converse(ctx, now, scene, nil)
	if err != nil {
		return hfc.Plan{}, err
	}
	plan, err := hfc.ParsePlan(reply.Text)
	if err != nil {
		t.being.log.Warn("the planner gave no plan, which counts as no_reply", "chat", t.room.chat, "err", err)
		plan = hfc.Plan{Action: hfc.NoReply}
	}
	if !slices.Contains(scene.Allowed, string(plan.Action)) {
		plan.Action = hfc.NoReply
	}
	return plan, nil
}

// write is the third part, where the plan wants words.
func (t *turn) write(ctx context.Context, now time.Time, scene persona.Scene, plan hfc.Plan) (answer, error) {
	if plan.Action != hfc.TextReply {
		return answer{}, nil
	}
	scene.Part, scene.Intent = persona.Write, plan.Reasoning
	reply, err := t.converse(ctx, now, scene, nil)
	w := answer{Out: persona.Out{Text: reply.Text}}
	if w.Text != "" {
		w.Mention, w.poke = present(scene, plan.AtUser), present(scene, plan.PokeUser)
	}
	return w, err
}

// present are those of the ids whose owners have said something that the turn sees: a plan makes ids up.
func present(s persona.Scene, ids []string) (some []string) {
	if s.Chat.Kind != persona.Group {
		return nil
	}
	for _, id := range ids {
		is := func(m persona.Message) bool { return m.From == id && !m.Own }
		if !slices.Contains(some, id) && (slices.ContainsFunc(s.Recent, is) || slices.ContainsFunc(s.History, is)) {
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
