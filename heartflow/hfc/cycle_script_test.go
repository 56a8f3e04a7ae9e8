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

// TestCycleScripts plays testdata/cycle: what a cycle asks, what becomes of the answers, when it goes on.
func TestCycleScripts(t *testing.T) {
	playScripts(t, "testdata/cycle/*.txt", func(t *testing.T) script.Step {
		p := cyclePlayer{t: t}
		return p.step
	})
}

// TestCycleScriptsOverRestarts restarts before each step where nothing is asked: nobody can tell.
func TestCycleScriptsOverRestarts(t *testing.T) {
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
	t    *testing.T
	o    CycleOptions
	seed uint64
	c    *Cycle
	told int // the last record
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
	case "hear":
		p.c.Heard(now)
	case "due":
		if a, ok := p.c.Due(now, Feeling{}); ok {
			said = append(said, askLine(a))
		}
	case "thought":
		said = p.answer(now, CycleAnswer{Thought: strings.Join(rest, " ")})
	case "plan":
		said = p.answer(now, CycleAnswer{Plan: p.plan(rest)})
	case "done":
		said = p.answer(now, CycleAnswer{})
	case "fail":
		said = p.answer(now, CycleAnswer{Err: errors.New(strings.Join(rest, " "))})
	case "late": // an answer to an older ask
		said = append(said, fmt.Sprint(p.c.Answer(now, p.c.s.Asked.ID-1, CycleAnswer{})))
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
	if r := p.c.last(); r.ID != p.told {
		p.told = r.ID
		said = append(said, recordLine(r))
	}
	return append(said, next)
}

func (p *cyclePlayer) answer(now time.Time, a CycleAnswer) []string {
	if !p.c.Answer(now, p.c.s.Asked.ID, a) {
		return []string{"too late"}
	}
	return nil
}

// state says what comes next.
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
		p.o.ReplanP, _ = strconv.ParseFloat(v, 64)
	case "emoji":
		p.o.EmojiP, _ = strconv.ParseFloat(v, 64)
	default:
		p.t.Fatalf("no such option: %s", kv)
	}
}

// askLine is all of an ask that is not zero.
func askLine(a CycleAsk) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ask %d: %s, cycle %d, focused %v", a.ID, a.Kind, a.Cycle, a.Focused)
	part := func(there bool, format string, args ...any) {
		if there {
			fmt.Fprintf(&b, ", "+format, args...)
		}
	}
	part(a.Anew, "anew")
	part(a.Again, "again")
	part(a.New > 0, "%d new", a.New)
	part(a.Thought != "", "thought %q", a.Thought)
	part(a.Allowed != nil, "allowed %v", a.Allowed)
	part(a.Plan.Action != "", "plan %s", planLine(a.Plan))
	part(a.Last.Action != "", "last %s", planLine(a.Last))
	part(a.Replies > 0, "%d replies", a.Replies)
	part(a.Silent > 0, "%d silent", a.Silent)
	part(a.Waited > 0, "waited %v", a.Waited)
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

func recordLine(r Record) string {
	s := fmt.Sprintf("cycle %d: %s to %s, think %v choose %v act %v, %s", r.ID, r.Began.Format("15:04:05.999"), r.Ended.Format("15:04:05.999"),
		r.Think, r.Choose, r.Act, planLine(r.Plan))
	if r.Wanted != "" {
		s += ", wanted " + string(r.Wanted)
	}
	if r.Err != "" {
		s += ", error: " + r.Err
	}
	if r.Replanned {
		s += ", replanned"
	}
	return s
}
