package hfc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/script"
)

// TestCycle_Scripts plays testdata/cycle: steps, their results, and the next deadline.
func TestCycle_Scripts(t *testing.T) {
	playScripts(t, "testdata/cycle/*.txt", func(t *testing.T) script.Step {
		p := cyclePlayer{t: t}
		return p.step
	})
}

// TestCycle_ScriptsWithRestarts restarts before each line without an open step. This changes nothing.
func TestCycle_ScriptsWithRestarts(t *testing.T) {
	playScripts(t, "testdata/cycle/*.txt", func(t *testing.T) script.Step {
		p := cyclePlayer{t: t}
		return func(line string) []string {
			if p.c != nil && !p.c.s.Open {
				p.restart()
			}
			return p.step(line)
		}
	})
}

type cyclePlayer struct {
	t        *testing.T
	o        CycleOptions
	seed     uint64
	c        *Cycle
	recorded int // id of the last printed record
}

func (p *cyclePlayer) restart() {
	b, err := json.Marshal(p.c)
	require.NoError(p.t, err)
	p.c = newCycle(noon, 99, p.o)
	require.NoError(p.t, json.Unmarshal(b, p.c))
}

// step plays "options key=value…" or "15:04:05 verb rest".
func (p *cyclePlayer) step(line string) (said []string) {
	f := strings.Fields(line)
	if f[0] == "options" {
		for _, kv := range f[1:] {
			p.option(kv)
		}
		return nil
	}
	now, verb := script.Clock(p.t, f[0]), f[1]
	rest := f[2:]
	switch verb {
	case "focus":
		p.c = newCycle(now, p.seed, p.o)
	case "observe":
		p.c.Observe(now)
	case "due":
		if a, ok := p.c.NextStep(now, Feeling{}); ok {
			said = append(said, stepLine(a))
		}
	case "thought":
		said = p.answer(now, StepResult{Thought: strings.Join(rest, " ")})
	case "plan":
		said = p.answer(now, StepResult{Plan: p.plan(rest)})
	case "done":
		said = p.answer(now, StepResult{})
	case "fail":
		said = p.answer(now, StepResult{Err: errors.New(strings.Join(rest, " "))})
	case "late": // a result of an older step
		said = append(said, fmt.Sprint(p.c.FinishStep(now, p.c.s.Asked.ID-1, StepResult{})))
	case "restart":
		p.restart()
	case "records":
		for _, r := range p.c.Records() {
			said = append(said, recordLine(r))
		}
		return said
	default:
		p.t.Fatalf("no such verb: %s", line)
	}
	next := p.state(now)
	if r := p.c.previous(); r.ID != p.recorded {
		p.recorded = r.ID
		said = append(said, recordLine(r))
	}
	return append(said, next)
}

func (p *cyclePlayer) answer(now time.Time, a StepResult) []string {
	if !p.c.FinishStep(now, p.c.s.Asked.ID, a) {
		return []string{"too late"}
	}
	return nil
}

// state describes the next deadline.
func (p *cyclePlayer) state(now time.Time) string {
	if end := p.c.Ended(now); end != "" {
		return "ended: " + string(end)
	}
	at, ok := p.c.Next()
	require.True(p.t, ok)
	how := map[[2]bool]string{{true, false}: "expires", {false, true}: "waits until", {false, false}: "goes on at"}[[2]bool{p.c.s.Open, p.c.s.Quiet != 0}]
	return how + " " + at.Format("15:04:05.999")
}

func (p *cyclePlayer) plan(f []string) Plan {
	plan := Plan{Action: Action(f[0])}
	for _, kv := range f[1:] {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "why":
			plan.Reasoning = v
		case "emoji":
			plan.EmojiQuery = v
		case "at":
			plan.AtUser = strings.Split(v, ",")
		default:
			p.t.Fatalf("no such part of a plan: %s", kv)
		}
	}
	return plan
}

func (p *cyclePlayer) option(kv string) {
	k, v, _ := strings.Cut(kv, "=")
	switch k {
	case "seed":
		p.seed, _ = strconv.ParseUint(v, 10, 64)
	case "replan":
		p.o.ReplanChance, _ = strconv.ParseFloat(v, 64)
	case "emoji":
		p.o.StickerChance, _ = strconv.ParseFloat(v, 64)
	default:
		p.t.Fatalf("no such option: %s", kv)
	}
}

// stepLine prints all fields of a step that are not zero.
func stepLine(a Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d: %s, cycle %d, focused %v", a.ID, a.Kind, a.Cycle, a.FocusedFor)
	part := func(there bool, format string, args ...any) {
		if there {
			fmt.Fprintf(&b, ", "+format, args...)
		}
	}
	part(a.Retried, "retried")
	part(a.Rethink, "rethink")
	part(a.NewMessages > 0, "%d new", a.NewMessages)
	part(a.Thought != "", "thought %q", a.Thought)
	part(a.Allowed != nil, "allowed %v", a.Allowed)
	part(a.Plan.Action != "", "plan %s", planLine(a.Plan))
	part(a.LastPlan.Action != "", "last %s", planLine(a.LastPlan))
	part(a.ConsecutiveReplies > 0, "%d replies", a.ConsecutiveReplies)
	part(a.ConsecutiveSilences > 0, "%d silent", a.ConsecutiveSilences)
	part(a.SilentFor > 0, "waited %v", a.SilentFor)
	return b.String()
}

func planLine(p Plan) string {
	s := string(p.Action)
	if p.Reasoning != "" {
		s += "(" + p.Reasoning + ")"
	}
	if p.EmojiQuery != "" {
		s += " emoji " + p.EmojiQuery
	}
	if p.AtUser != nil {
		s += fmt.Sprint(" at ", p.AtUser)
	}
	return s
}

func recordLine(r CycleRecord) string {
	s := fmt.Sprintf("cycle %d: %s to %s, think %v choose %v act %v, %s", r.ID, r.Began.Format("15:04:05.999"), r.Ended.Format("15:04:05.999"),
		r.ThinkTime, r.PlanTime, r.ActTime, planLine(r.Plan))
	if r.Chosen != "" {
		s += ", wanted " + string(r.Chosen)
	}
	if r.Err != "" {
		s += ", error: " + r.Err
	}
	if r.Replanned {
		s += ", replanned"
	}
	return s
}
