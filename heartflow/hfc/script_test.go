package hfc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/script"
)

const flowScripts = "testdata/flow/*.txt"

// TestFlow_Scripts plays testdata/flow/*.txt. The traces and results of each step are below it.
func TestFlow_Scripts(t *testing.T) {
	playScripts(t, flowScripts, func(t *testing.T) script.Step { return newPlayer(t, false).step })
}

// TestFlow_ScriptsWithRestarts restarts before every step without open questions, without any effect on the results.
// Scripts with sleep are skipped.
func TestFlow_ScriptsWithRestarts(t *testing.T) {
	files, err := filepath.Glob(flowScripts)
	require.NoError(t, err)
	played := 0
	for _, file := range files {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(want), "# Skipped with restarts") {
			continue
		}
		played++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			restarting := newPlayer(t, true)
			require.Equal(t, lasting(script.Play(string(want), newPlayer(t, false).step)), lasting(script.Play(string(want), restarting.step)))
			require.GreaterOrEqual(t, restarting.restarted, 3)
		})
	}
	require.GreaterOrEqual(t, played, 3)
}

// lasting removes lines that a restart may change: changes of the Attention and the result of Next.
func lasting(played string) string {
	var b strings.Builder
	for line := range strings.Lines(played) {
		if !strings.HasPrefix(line, "    next ") && !strings.Contains(line, " perceived ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

type player struct {
	t         *testing.T
	opts      Options
	f         *Flow[string]
	sets      map[string]Settings
	openSteps map[string]uint64 // open steps by chat
	questions map[string]uint64
	restarts  bool // restart before every step
	restarted int
	out       []string
}

func newPlayer(t *testing.T, restarts bool) *player {
	p := &player{
		t: t, opts: Options{Attention: heartflow.Options{Seed: 1}}, sets: map[string]Settings{},
		openSteps: map[string]uint64{}, questions: map[string]uint64{}, restarts: restarts,
	}
	p.opts.Attention.OnTrace = func(tr heartflow.Trace) { p.say(tr.String()) }
	return p
}

func (p *player) say(s string) { p.out = append(p.out, s) }

func (p *player) clock(s string) time.Time { return script.Clock(p.t, s) }

// restart continues with a restored Flow. It does nothing if something is open, because the new Flow would report it
// again.
func (p *player) restart() {
	if p.f.Stats().Engaged > 0 || len(p.f.chats.changed) > 0 || p.f.shared.reported != p.f.shared.global.State {
		return
	}
	for _, s := range p.f.chats.byKey {
		if s.question.id != 0 || s.State == Focused && s.cycle.s.Open {
			return
		}
	}
	b, err := p.f.Snapshot()
	require.NoError(p.t, err)
	p.f = newFlow[string](p.opts)
	for chat, s := range p.sets {
		require.NoError(p.t, p.f.Configure(chat, s))
	}
	require.NoError(p.t, p.f.Restore(b))
	for _, s := range p.f.chats.changed {
		s.reported, s.marked = s.State, false
	}
	p.f.chats.changed, p.f.shared.reported = nil, p.f.shared.global.State
	p.restarted++
}

// step plays "options key=value…" or "15:04:05 verb chat rest".
func (p *player) step(line string) []string {
	p.out = nil
	p.play(strings.Fields(line))
	return p.out
}

func (p *player) play(f []string) {
	if f[0] == "options" {
		for _, kv := range f[1:] {
			p.option(kv)
		}
		return
	}
	if p.f == nil {
		p.f = newFlow[string](p.opts)
	} else if p.restarts {
		p.restart()
	}
	now, verb := p.clock(f[0]), f[1]
	f = append(f[2:], "", "", "")
	chat, rest := f[0], strings.TrimSpace(strings.Join(f[1:], " "))
	switch verb {
	case "observe":
		if p.f.Observe(now, chat, parseMessage(rest)).Addressed {
			p.say("addressed")
		}
	case "judge":
		p.f.Judge(now, chat)
	case "begin":
		p.f.BeginTurn(now, chat, heartflow.Code(rest))
	case "speak":
		if err := p.f.Speak(now, chat, rest); err != nil {
			p.say(err.Error())
		}
	case "skip":
		p.f.SkipTurn(now, chat, heartflow.Code(rest))
	case "recall":
		p.f.Retract(now, chat, rest)
	case "step":
		p.nextStep(now, chat)
	case "answer":
		a := StepResult{Thought: rest, Plan: Plan{Action: Action(f[1]), Reasoning: strings.TrimSpace(strings.Join(f[2:], " "))}}
		if f[1] == "error" {
			a = StepResult{Err: errors.New(strings.TrimSpace(strings.Join(f[2:], " ")))}
		}
		if !p.f.FinishStep(now, chat, p.openSteps[chat], a) {
			p.say("late")
		}
	case "decide":
		if !p.f.AnswerQuestion(now, chat, p.questions[chat], rest == "yes") {
			p.say("late")
		}
	case "mood":
		mood, err := strconv.ParseFloat(chat, 64)
		require.NoError(p.t, err)
		p.f.SetMood(mood)
	case "mute":
		p.f.Mute(now, chat, p.until(rest))
	case "unmute":
		p.f.Unmute(now, chat)
	case "muteall":
		p.f.MuteAll(now, p.until(chat))
	case "unmuteall":
		p.f.UnmuteAll(now)
	case "sleep":
		p.f.Sleep(now, p.until(chat))
	case "wake":
		p.f.Wake(now)
	case "state":
		level, chance := p.f.Interest(now, chat)
		p.say(fmt.Sprintf("%v, %v, interest %.3g chance %.3g", p.f.GlobalState(now), p.f.ChatState(now, chat), level, chance))
	case "records":
		for _, r := range p.f.Records(chat) {
			p.say(fmt.Sprintf("%d %s-%s %q %s wanted=%q err=%q", r.ID, r.Began.Format("15:04:05"), r.Ended.Format("15:04:05"), r.Thought, r.Plan.Action, r.Chosen, r.Err))
		}
	case "set":
		s := Settings{Settings: heartflow.Settings{Off: rest == "off"}, SpeakLess: rest == "down", NoFocus: rest == "nofocus"}
		p.sets[chat] = s
		require.NoError(p.t, p.f.Configure(chat, s))
	case "until":
		p.run(now)
	case "due":
		p.due(now)
		if next, ok := p.f.Next(); ok {
			p.say("next " + next.Format("15:04:05"))
		}
	default:
		p.t.Fatalf("no such verb: %s", verb)
	}
}

// run calls Due at each time that Next returns.
func (p *player) run(end time.Time) {
	for range 5000 {
		next, ok := p.f.Next()
		if !ok || next.After(end) {
			break
		}
		p.due(next)
	}
	p.due(end)
}

func (p *player) due(now time.Time) {
	for _, e := range p.f.Due(now) {
		if e.Kind == QuestionAsked {
			p.questions[e.Chat] = e.Question.ID
		}
		p.say(e.String())
	}
}

func (p *player) nextStep(now time.Time, chat string) {
	a, ok := p.f.NextStep(now, chat)
	if !ok {
		p.say("nothing")
		return
	}
	p.openSteps[chat] = a.ID
	s := fmt.Sprintf("%d %s until %s", a.ID, a.Kind, a.Expires.Format("15:04:05"))
	switch a.Kind {
	case Think:
		s += fmt.Sprintf(": new %d, last %s, silent %d waited %v, focused %v", a.NewMessages, a.LastPlan.Action, a.ConsecutiveSilences, a.SilentFor, a.FocusedFor)
	case MakePlan:
		s += fmt.Sprintf(": %q, of %v", a.Thought, a.Allowed)
	case Act:
		s += fmt.Sprintf(": %s %s", a.Plan.Action, a.Plan.Reasoning)
	}
	p.say(s)
}

func (p *player) until(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	return p.clock(s)
}

func (p *player) option(kv string) {
	k, v, _ := strings.Cut(kv, "=")
	number := func() int {
		n, err := strconv.Atoi(v)
		require.NoError(p.t, err)
		return n
	}
	switch k {
	case "names":
		p.opts.Attention.Names = strings.Split(v, ",")
	case "topics":
		p.opts.Topics = strings.Split(v, ",")
	case "seed":
		p.opts.Attention.Seed = uint64(number())
	case "chats":
		p.opts.GlobalState.Chats = number()
	case "focused":
		p.opts.GlobalState.Focused = number()
	case "fixed":
		p.opts.GlobalState.Fixed = map[string]GlobalState{"peeking": Peeking, "normal": NormalChat, "focused": FocusedChat}[v]
	case "drift":
		p.opts.Drift = true
	case "askfocus":
		p.opts.AskFocus = true
	case "ignorecalls":
		p.opts.IgnoreCalls = true
	case "judge":
		p.opts.AnswerQuestion = func(Question) bool { return v == "yes" }
	case "policy":
		p.opts.Attention.Policy = heartflow.Interject{}
	default:
		p.t.Fatalf("no such option: %s", kv)
	}
}

// parseMessage parses "from [at private own id=1]: text". The brackets are optional.
func parseMessage(s string) heartflow.Message {
	head, text, _ := strings.Cut(s, ": ")
	from, flags, _ := strings.Cut(head, " [")
	m := heartflow.Message{From: from, Text: text}
	for _, f := range strings.Fields(strings.TrimSuffix(flags, "]")) {
		k, v, _ := strings.Cut(f, "=")
		switch k {
		case "at":
			m.AtMe = true
		case "private":
			m.Private = true
		case "own":
			m.Own = true
		case "id":
			m.ID = v
		}
	}
	return m
}
