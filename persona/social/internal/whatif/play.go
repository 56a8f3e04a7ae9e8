package whatif

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/replay"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A core is the attention of a replay.
type core interface {
	replay.Attention
	SetChatMood(chat string, mood float64)
	MuteAll(now, until time.Time)
	UnmuteAll(now time.Time)
	Sleep(now, until time.Time)
	Wake(now time.Time)
}

// A player replays a log under one set of options.
type player struct {
	engine    *engine.Engine
	log       *log
	chat      string
	o         engine.ChatOptions
	state     string
	core      core
	attention *heartflow.Attention[string] // of core
	sim       *replay.Simulator[int]
	budget    *heartflow.Budget
	decisions []Decision
	claimed   map[int]bool // replies that belong to a turn of the replay
}

// modelTakes is the assumed duration of a turn whose duration is not known.
const modelTakes = 3 * time.Second

// play returns the decisions about the messages of a log. state fixes the state of the chat in a Flow; "" means that of the log.
func play(e *engine.Engine, l *log, chat persona.Chat, o engine.ChatOptions, state string) ([]Decision, error) {
	o.Attention.Off = o.Attention.Off || o.Off
	p := &player{engine: e, log: l, chat: chat.String(), o: o, state: state, decisions: make([]Decision, l.shown), claimed: map[int]bool{}}
	plain, flowOptions, err := engine.ReplayOptions(e, func(t heartflow.Trace) {
		if p.sim != nil {
			p.sim.Trace(t)
		}
	})
	if err != nil {
		return nil, err
	}
	p.budget = plain.Budget
	var flow *hfc.Flow[string]
	if flowOptions == nil {
		a, err := heartflow.New[string](plain)
		if err != nil {
			return nil, err
		}
		if err := a.Configure(p.chat, o.Attention); err != nil {
			return nil, err
		}
		p.core, p.attention = a, a
	} else if flow, err = p.newFlow(*flowOptions); err != nil {
		return nil, err
	} else {
		p.core, p.attention = flow, flow.Attention
	}
	p.core.SetChatMood(p.chat, e.Attention.Mood(chat))
	p.sim = replay.New(replay.Options[int]{
		Attention: p.core, Flow: flow, Buffer: e.Options.Buffer, MaxAge: e.Options.MaxAge, Supersede: true, Answer: p.answer, OnJudge: p.preset, OnTurn: p.finished,
	})
	p.run()
	return p.decisions, nil
}

// run plays the log in order of time.
func (p *player) run() {
	words := engine.FilterOf(p.engine, p.o)
	said, traced := 0, 0
	var end time.Time
	for i := range p.log.messages[:p.log.shown] {
		m := p.log.messages[i].Message
		at := p.log.messages[i].at
		end = at
		said, traced = p.until(at, said, traced)
		why := dropped(p.engine, words, &m)
		if why == "" && p.o.Off {
			why = heartflow.WhyOff
		}
		if p.decisions[i].Dropped = why; why == "" {
			p.sim.Message(at, p.chat, engine.AttentionMessage(p.engine, m), i)
		}
	}
	p.until(end.Add(sayingGap), said, traced)
	p.sim.RunUntil(time.Time{})
}

// until plays what the bot said and what else happened before a time.
func (p *player) until(at time.Time, said, traced int) (int, int) {
	for {
		speaks := said < len(p.log.sayings) && !p.log.sayings[said].at.After(at)
		happens := traced < len(p.log.traces) && !p.log.traces[traced].At.After(at)
		switch {
		case happens && (!speaks || !p.log.traces[traced].At.After(p.log.sayings[said].at)):
			p.happens(p.log.traces[traced])
			traced++
		case speaks:
			p.says(said)
			said++
		default:
			return said, traced
		}
	}
}

// says plays a message of the bot that no turn of the replay has sent.
func (p *player) says(i int) {
	s := p.log.sayings[i]
	p.sim.RunUntil(s.at)
	switch {
	case p.claimed[i]:
	case s.unprompted != "":
		_ = p.core.Speak(s.at, p.chat, s.text, s.unprompted) // a refusal is what would have happened
	default: // these settings would not have sent it, but people have read it
		p.core.Observe(s.at, p.chat, heartflow.Message{Text: s.text, Own: true, At: s.at})
	}
}

// happens plays a mute, sleep or a model call.
func (p *player) happens(t heartflow.Trace) {
	if t.Kind == heartflow.KindModel && t.Call != nil {
		p.sim.RunUntil(t.At)
		p.budget.AddCall(t.At, t.Chat, t.Call.Tokens)
		return
	}
	if t.Kind != heartflow.KindState || len(t.Why) == 0 {
		return
	}
	account := t.Chat == ""
	switch why := t.Why[0]; {
	case account && why == heartflow.WhySlept:
		p.sim.RunUntil(t.At)
		p.core.Sleep(t.At, t.Next)
	case account && why == heartflow.WhyWoke:
		p.sim.RunUntil(t.At)
		p.core.Wake(t.At)
	case why == heartflow.WhyMutedAll:
		p.sim.RunUntil(t.At)
		p.core.MuteAll(t.At, t.Next)
	case account && why == heartflow.WhyUnmuted:
		p.sim.RunUntil(t.At)
		p.core.UnmuteAll(t.At)
	case why == heartflow.WhyMuted:
		p.sim.RunUntil(t.At)
		p.core.Mute(t.At, p.chat, t.Next)
	case why == heartflow.WhyUnmuted:
		p.sim.Mute(t.At, p.chat, time.Time{})
	case p.state == "" && why == hfc.WhyAbsent:
		p.leave(t.At)
	}
}

// draws is the number of random numbers that both replays have in common in one judgement.
const draws = 16

// preset gives a judgement the draws of the decision in fact. Without one it depends on the last message alone, so that both
// replays have the same luck.
func (p *player) preset(t *replay.Turn[int]) {
	last := t.Batch[len(t.Batch)-1]
	var drawn []float64
	for _, g := range p.log.facts[last].Trace.Gates {
		if g.Draw != 0 {
			drawn = append(drawn, g.Draw)
		}
	}
	h := fnv.New64a()
	h.Write([]byte(p.log.messages[last].Key))
	dice := rand.New(rand.NewPCG(p.engine.Attention.Seed(), h.Sum64()))
	for len(drawn) < draws {
		drawn = append(drawn, (float64(dice.Uint64()>>11)+.5)/(1<<53))
	}
	heartflow.PresetDraws(p.attention, t.Chat, drawn...)
}

// answer returns what the bot said in fact after the messages of a turn.
func (p *player) answer(t *replay.Turn[int]) (a replay.Answer) {
	for _, i := range t.Batch {
		a.Ends = later(a.Ends, p.log.ends[i])
	}
	known := a.Ends.After(t.At)
	if !known {
		a.Ends = t.At.Add(modelTakes)
	}
	for i, s := range p.log.sayings {
		if p.claimed[i] || s.typed || s.unprompted != "" || s.at.Before(t.At) {
			continue
		}
		if len(a.Say) == 0 && s.at.Sub(t.At) > sayingGap {
			break
		}
		answers := s.answers == nil && len(a.Say) == 0 || slices.ContainsFunc(s.answers, func(i int) bool { return slices.Contains(t.Batch, i) })
		if !answers {
			if len(a.Say) > 0 {
				break
			}
			continue
		}
		p.claimed[i] = true
		a.Say = append(a.Say, replay.Saying{At: s.at, Text: s.text})
	}
	if len(a.Say) > 0 && !known { // it ends with the last reply
		a.Ends = time.Time{}
	}
	return a
}

// finished keeps the decision of a turn. The replies that it did not send are free again.
func (p *player) finished(t replay.Turn[int]) {
	if t.Superseded() || t.Refused != nil {
		for i, s := range p.log.sayings {
			if p.claimed[i] && s.at.After(p.sim.Now()) {
				delete(p.claimed, i)
			}
		}
	}
	if t.Superseded() {
		return
	}
	d := Decision{Known: true, Trace: t.Trace, Spoke: !t.Spoke.IsZero()}
	if refused, ok := t.Refused.(*heartflow.RefusedError); ok {
		d.Refused = refused.Code
	}
	if len(t.Trace.Gates) == 0 && len(t.Trace.Why) == 0 { // it arrived too late
		d = Decision{Dropped: heartflow.WhyStale}
	}
	for _, i := range t.Batch {
		p.decisions[i] = d
	}
}
