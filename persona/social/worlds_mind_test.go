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

// A conv is one conversation with the model.
type conv struct {
	place *place
	human string
	began time.Time
	batch []int        // what it is to answer
	shown map[int]bool // what it could read
	steps []modeltest.Step
	step  int
	peeks int
	task  string // of what is made in the background
}

// An act is a run of the tool with an effect.
type act struct {
	turn string // its errand
	conv *conv
}

var (
	tokens  = regexp.MustCompile(`k(\d+)x(\d+)z`)
	session = regexp.MustCompile(`<session type="(\w+)" id="(\d+)"`)
	bodies  = regexp.MustCompile(`(?s)<msg [^>]*>(.*?)</msg>`)
)

// model thinks in one life. What it does follows from what it reads.
func (w *world) model(l *life) *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		w.mu.Lock()
		defer w.mu.Unlock()
		l.calls++
		if step, ok := w.aside(l, p); ok {
			return step
		}
		if step, ok := w.part(p); ok {
			return step
		}
		c := w.conversation(l, p)
		for _, k := range tokens.FindAllStringSubmatch(p.Text(), -1) {
			n, _ := strconv.Atoi(k[2])
			c.shown[n] = true
			if k[1] != fmt.Sprint(c.place.no) {
				w.bad("a prompt of %v holds %s of another chat", c.place.chat, k[0])
			}
		}
		step := c.steps[min(c.step, len(c.steps)-1)]
		c.step++
		return step
	})
}

// conversation finds or begins the one that a prompt belongs to.
func (w *world) conversation(l *life, p modeltest.Prompt) *conv {
	human := p.Human()
	if len(p.ToolResults()) > 0 {
		for i := len(w.convs) - 1; i >= 0; i-- {
			if w.convs[i].human == human {
				return w.convs[i]
			}
		}
	}
	c := &conv{human: human, began: time.Now(), shown: map[int]bool{}}
	var recent string
	c.place, recent = w.where(human)
	for _, body := range bodies.FindAllStringSubmatch(recent, -1) {
		if k := tokens.FindStringSubmatch(body[1]); k != nil {
			n, _ := strconv.Atoi(k[2])
			c.batch = append(c.batch, n)
		}
	}
	w.convs = append(w.convs, c)
	l.convs++
	w.intend(c)
	return c
}

// where finds the chat that a prompt is about, and what is to be answered in it.
func (w *world) where(human string) (p *place, recent string) {
	_, recent, _ = strings.Cut(human, "<recent_messages>")
	recent, _, _ = strings.Cut(recent, "</recent_messages>")
	where := session.FindStringSubmatch(recent)
	for _, q := range w.places {
		if q.name.Kind == where[1] && q.name.ID == where[2] {
			p = q
		}
	}
	return p, recent
}

// part answers the parts of a turn that write nothing.
func (w *world) part(p modeltest.Prompt) (step modeltest.Step, ok bool) {
	human := p.Human()
	_, task, _ := strings.Cut(human, "## 现在：")
	task, _, _ = strings.Cut(task, "\n")
	if task == "" || task == "写" {
		return step, false
	}
	here, _ := w.where(human)
	for _, k := range tokens.FindAllStringSubmatch(human, -1) {
		if k[1] != fmt.Sprint(here.no) {
			w.bad("a prompt of %v holds %s of another chat", here.chat, k[0])
		}
	}
	r := w.dice(task, human)
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

// aside answers what is made in the background. It echoes all that it read, as the worst of models would.
func (w *world) aside(l *life, p modeltest.Prompt) (step modeltest.Step, ok bool) {
	human := p.Human()
	_, task, _ := strings.Cut(human, "## 现在：")
	task, _, _ = strings.Cut(task, "\n")
	if task != "记" && task != "梦" && task != "看人" {
		return step, false
	}
	l.asides++
	here, recent := w.where(human)
	c := &conv{place: here, human: human, began: time.Now(), shown: map[int]bool{}, task: task}
	for _, k := range tokens.FindAllStringSubmatch(p.Text(), -1) {
		n, _ := strconv.Atoi(k[2])
		c.shown[n] = true
		if k[1] != fmt.Sprint(here.no) {
			w.bad("what is made in the background of %v holds %s of another chat", here.chat, k[0])
		}
	}
	w.asides = append(w.asides, c)
	r := w.dice(task, human)
	if r.IntN(10) == 0 {
		return modeltest.Fail(errModel).After(time.Duration(r.Int64N(int64(5 * time.Second)))), true
	}
	var answer map[string]any
	switch task {
	case "记":
		step = modeltest.Say("记着 " + strings.Join(tokens.FindAllString(human, -1), " "))
	case "梦": // of the memories it was shown it says nothing: it would have to say which
		insights := []map[string]any{{"text": "都说过 " + strings.Join(tokens.FindAllString(recent, -1), " "), "importance": .9}}
		for _, m := range numbered.FindAllStringSubmatch(recent, -1) {
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
			w.Fatal(err)
		}
		step = modeltest.Say(string(text))
	}
	return step.After(time.Duration(r.Int64N(int64(5 * time.Second)))), true
}

var (
	numbered = regexp.MustCompile(`(?s)<msg [^>]*? id="(\d+)"[^>]*>(.*?)</msg>`)
	speaker  = regexp.MustCompile(`100\d`)
)

var errModel = errors.New("the model is not itself today")

// intend says what the model is going to do.
func (w *world) intend(c *conv) {
	r := w.dice("think", fmt.Sprint(c.batch), c.began.String())
	words := func() string {
		w.n++
		w.minted[w.n] = c
		return "好的 " + token(c.place, w.n)
	}
	send := func() modeltest.Step { return modeltest.Call("qq_send_text", map[string]any{"content": words()}) }
	pay := func() modeltest.Step { return modeltest.Call("pay", map[string]any{"conv": len(w.convs) - 1}) }
	peek := func() modeltest.Step { return modeltest.Call("peek", map[string]any{"conv": len(w.convs) - 1}) }
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
	if w.over {
		then(modeltest.Say(words()))
		return
	}
	kind := r.IntN(20)
	if w.three { // whoever writes has no tools
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

type about struct {
	Conv int `json:"conv"`
}

// tools are one with an effect and one without.
func (w *world) tools() *nit.Registry {
	pay, err := nit.Define("pay", nit.L1, "付钱", func(ctx context.Context, in about) (string, error) {
		who, _ := nit.PrincipalFrom(ctx)
		w.mu.Lock()
		w.acts = append(w.acts, act{turn: who.Turn, conv: w.convs[in.Conv]})
		took := time.Duration(w.dice("pay", who.Turn).Int64N(int64(3 * time.Second)))
		w.mu.Unlock()
		select {
		case <-time.After(took):
		case <-ctx.Done():
		}
		return "付了", ctx.Err()
	})
	if err != nil {
		w.Fatal(err)
	}
	peek, err := nit.Define("peek", nit.L1, "看看", func(_ context.Context, in about) (string, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.convs[in.Conv].peeks++; w.convs[in.Conv].peeks > 8 {
			w.bad("a ninth tool call in a turn")
		}
		return "没什么", nil
	}, nit.ReadOnly())
	if err != nil {
		w.Fatal(err)
	}
	r := &nit.Registry{}
	if err := r.Add(pay, peek); err != nil {
		w.Fatal(err)
	}
	return r
}
