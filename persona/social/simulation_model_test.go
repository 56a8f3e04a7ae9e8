package social_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/modeltest"
)

// A conversation is one conversation with the model.
type conversation struct {
	chat  *simChat
	human string
	began time.Time
	batch []int        // messages to answer
	shown map[int]bool // messages in its prompt
	steps []modeltest.Step
	step  int
	peeks int
	task  string // of a background call
}

// An effect is one run of the tool with a side effect.
type effect struct {
	turn string // job id
	conv *conversation
}

var (
	tokens  = regexp.MustCompile(`k(\d+)x(\d+)z`)
	session = regexp.MustCompile(`<session type="(\w+)" id="(\d+)"`)
	bodies  = regexp.MustCompile(`(?s)<msg [^>]*>(.*?)</msg>`)
)

// model is the model of one run. Its actions depend on its prompt.
func (s *simulation) model(r *botRun) *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.modelCalls++
		if step, ok := s.background(r, p); ok {
			return step
		}
		if step, ok := s.part(p); ok {
			return step
		}
		c := s.conversation(r, p)
		for _, k := range tokens.FindAllStringSubmatch(p.Text(), -1) {
			n, _ := strconv.Atoi(k[2])
			c.shown[n] = true
			if k[1] != fmt.Sprint(c.chat.number) {
				s.fail("a prompt of %v contains %s of another chat", c.chat.name, k[0])
			}
		}
		step := c.steps[min(c.step, len(c.steps)-1)]
		c.step++
		return step
	})
}

// conversation returns the conversation of a prompt, a new one if necessary.
func (s *simulation) conversation(r *botRun, p modeltest.Prompt) *conversation {
	human := p.Human()
	if len(p.ToolResults()) > 0 {
		for i := len(s.conversations) - 1; i >= 0; i-- {
			if s.conversations[i].human == human {
				return s.conversations[i]
			}
		}
	}
	c := &conversation{human: human, began: time.Now(), shown: map[int]bool{}}
	var recent string
	c.chat, recent = s.where(human)
	for _, body := range bodies.FindAllStringSubmatch(recent, -1) {
		if k := tokens.FindStringSubmatch(body[1]); k != nil {
			n, _ := strconv.Atoi(k[2])
			c.batch = append(c.batch, n)
		}
	}
	s.conversations = append(s.conversations, c)
	r.conversations++
	s.intend(c)
	return c
}

// where returns the chat of a prompt and its messages to answer.
func (s *simulation) where(human string) (c *simChat, recent string) {
	_, recent, _ = strings.Cut(human, "<recent_messages>")
	recent, _, _ = strings.Cut(recent, "</recent_messages>")
	where := session.FindStringSubmatch(recent)
	for _, q := range s.chats { // two platforms have the same ids
		if q.name.Kind == where[1] && q.name.ID == where[2] && (c == nil || strings.Contains(recent, fmt.Sprintf("k%dx", q.number))) {
			c = q
		}
	}
	return c, recent
}

// part answers steps of a turn that send nothing.
func (s *simulation) part(p modeltest.Prompt) (step modeltest.Step, ok bool) {
	human := p.Human()
	_, task, _ := strings.Cut(human, "## 现在：")
	task, _, _ = strings.Cut(task, "\n")
	if task == "" || task == "写" {
		return step, false
	}
	here, _ := s.where(human)
	for _, k := range tokens.FindAllStringSubmatch(human, -1) {
		if k[1] != fmt.Sprint(here.number) {
			s.fail("a prompt of %v contains %s of another chat", here.name, k[0])
		}
	}
	r := s.dice(task, human)
	switch task {
	case "想":
		step = modeltest.Say("想法 " + token(here, 0))
	case "决定":
		step = modeltest.Say([]string{
			`{"action": "text_reply", "reasoning": "想说"}`, `{"action": "text_reply"}`, `{"action": "text_reply", "at_user": "1001", "poke_user": "1002"}`,
			`{"action": "no_reply"}`, `{"action": "exit_focus_mode"}`, "嗯……",
		}[r.IntN(6)])
	default:
		step = modeltest.Say([]string{`{"decision": true}`, `{"decision": false}`, ""}[r.IntN(3)])
	}
	if r.IntN(20) == 0 {
		step = modeltest.Fail(errModel)
	}
	return step.After(time.Duration(r.Int64N(int64(5 * time.Second)))), true
}

// background answers background tasks. It repeats its whole prompt, like the worst of models.
func (s *simulation) background(l *botRun, p modeltest.Prompt) (step modeltest.Step, ok bool) {
	human := p.Human()
	_, task, _ := strings.Cut(human, "## 现在：")
	task, _, _ = strings.Cut(task, "\n")
	if task != "记" && task != "梦" && task != "看人" {
		return step, false
	}
	l.backgroundCalls++
	here, recent := s.where(human)
	c := &conversation{chat: here, human: human, began: time.Now(), shown: map[int]bool{}, task: task}
	for _, k := range tokens.FindAllStringSubmatch(p.Text(), -1) {
		n, _ := strconv.Atoi(k[2])
		c.shown[n] = true
		if k[1] != fmt.Sprint(here.number) {
			s.fail("a background prompt of %v contains %s of another chat", here.name, k[0])
		}
	}
	s.backgroundConvs = append(s.backgroundConvs, c)
	r := s.dice(task, human)
	if r.IntN(10) == 0 {
		return modeltest.Fail(errModel).After(time.Duration(r.Int64N(int64(5 * time.Second)))), true
	}
	var answer map[string]any
	switch task {
	case "记":
		step = modeltest.Say("记着 " + strings.Join(tokens.FindAllString(human, -1), " "))
	case "梦": // nothing about known memories: it would have to name them
		insights := []map[string]any{{"text": "都说过 " + strings.Join(tokens.FindAllString(recent, -1), " "), "importance": .9}}
		for _, m := range tokenPattern.FindAllStringSubmatch(recent, -1) {
			insights = append(insights, map[string]any{"text": "说过 " + strings.Join(tokens.FindAllString(m[2], -1), " "), "about": speaker.FindString(m[0]), "from": m[1], "importance": r.Float64()})
		}
		answer = map[string]any{"insights": insights}
	default:
		var people, names []map[string]any
		for _, who := range []string{"1001", "1002", "1003", "1004", "1005"} {
			people = append(people, map[string]any{"id": who, "feeling": "happy", "impression": "说过 " + strings.Join(tokens.FindAllString(human, -1), " ")})
			for _, name := range tokens.FindAllString(human, -1) {
				names = append(names, map[string]any{"id": who, "name": name, "sure": true})
			}
		}
		answer = map[string]any{"people": people, "names": names}
	}
	if answer != nil {
		text, err := json.Marshal(answer)
		if err != nil {
			s.Fatal(err)
		}
		step = modeltest.Say(string(text))
	}
	return step.After(time.Duration(r.Int64N(int64(5 * time.Second)))), true
}

var (
	tokenPattern = regexp.MustCompile(`(?s)<msg [^>]*? id="(\d+)"[^>]*>(.*?)</msg>`)
	speaker      = regexp.MustCompile(`100\d`)
)

var errModel = errors.New("the model is not itself today")

// intend decides the actions of a conversation.
func (s *simulation) intend(c *conversation) {
	r := s.dice("think", fmt.Sprint(c.batch), c.began.String())
	words := func() string {
		s.n++
		s.byToken[s.n] = c
		return "好的 " + token(c.chat, s.n)
	}
	send := func() modeltest.Step { return modeltest.Call("qq_send_text", map[string]any{"content": words()}) }
	pay := func() modeltest.Step { return modeltest.Call("pay", map[string]any{"conv": len(s.conversations) - 1}) }
	peek := func() modeltest.Step { return modeltest.Call("peek", map[string]any{"conv": len(s.conversations) - 1}) }
	then := func(steps ...modeltest.Step) {
		for i := range steps {
			most := 2 * time.Second
			if i == 0 {
				most = []time.Duration{3 * time.Second, 20 * time.Second, 50 * time.Second}[[]int{0, 0, 0, 0, 1, 1, 2}[r.IntN(7)]]
			}
			steps[i] = steps[i].After(time.Duration(r.Int64N(int64(most))))
		}
		c.steps = steps
	}
	if s.over {
		then(modeltest.Say(words()))
		return
	}
	kind := r.IntN(20)
	if s.threeCalls { // the writing step has no tools
		kind = []int{0, 9, 11, 18}[max(0, kind-16)]
	}
	switch kind {
	case 9, 10:
		then(modeltest.Say([]string{"", "[skip]"}[r.IntN(2)]))
	case 11:
		then(modeltest.Fail(errModel))
	case 12:
		then(send(), modeltest.Say(words()))
	case 13:
		steps := []modeltest.Step{}
		for range 2 + r.IntN(4) {
			steps = append(steps, send())
		}
		then(append(steps, modeltest.Say("[skip]"))...)
	case 14:
		then(pay(), modeltest.Say(words()))
	case 15:
		then(peek(), modeltest.Say(words()))
	case 16:
		then(modeltest.Calls(append(pay().Calls, send().Calls...)...), modeltest.Say(words()))
	case 17:
		var many modeltest.Step
		for range 10 {
			many.Calls = append(many.Calls, peek().Calls...)
		}
		then(many, modeltest.Say(words()))
	case 18:
		then(modeltest.Say(words()))
		c.steps[0].Delay = 70 * time.Second
	case 19:
		then(peek(), modeltest.Step{Panic: "oh"})
	default:
		then(modeltest.Say(words()))
	}
}

type toolArgs struct {
	Conv int `json:"conv"`
}

// tools returns one tool with a side effect and one without.
func (s *simulation) tools() *nit.Registry {
	pay, err := nit.Define("pay", nit.L1, "付钱", func(ctx context.Context, in toolArgs) (string, error) {
		who, _ := nit.PrincipalFrom(ctx)
		s.mu.Lock()
		s.effects = append(s.effects, effect{turn: who.Turn, conv: s.conversations[in.Conv]})
		took := time.Duration(s.dice("pay", who.Turn).Int64N(int64(3 * time.Second)))
		s.mu.Unlock()
		select {
		case <-time.After(took):
		case <-ctx.Done():
		}
		return "付了", ctx.Err()
	})
	if err != nil {
		s.Fatal(err)
	}
	peek, err := nit.Define("peek", nit.L1, "看看", func(_ context.Context, in toolArgs) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.conversations[in.Conv].peeks++; s.conversations[in.Conv].peeks > 8 {
			s.fail("a ninth tool call in a turn")
		}
		return "没什么", nil
	}, nit.ReadOnly())
	if err != nil {
		s.Fatal(err)
	}
	r := &nit.Registry{}
	if err := r.Add(pay, peek); err != nil {
		s.Fatal(err)
	}
	return r
}
