package programs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// A story is an acceptance test for one document of the specification. It runs a program as users start it, over real
// sockets, with a platform and a model service of the test. It checks what the platform received and what the model read.
type story struct {
	*testing.T
	model *storyModel
	dir   string // for the program's files
}

func newStory(t *testing.T) *story {
	if testing.Short() {
		t.Skip("a story takes up to a minute")
	}
	t.Parallel()
	s := &story{T: t, model: serveModel(t), dir: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "key"), []byte("sk-of-the-test"), 0o600))
	return s
}

// modelFlags are the flags of a program for the story's model.
func (s *story) modelFlags() []string {
	return []string{"-model", "openai", "-model-name", "m", "-base-url", s.model.url, "-key-file", filepath.Join(s.dir, "key")}
}

// section runs a part of the story, named like the section of the document. The parts after a failed one do not run.
func (s *story) section(name string, do func(*section)) {
	s.Helper()
	if !s.Run(name, func(t *testing.T) { do(&section{T: t, model: s.model}) }) {
		s.FailNow()
	}
}

// A section is a running part of a story.
type section struct {
	*testing.T
	model *storyModel
}

// eventually waits until ok returns true.
func (s *section) eventually(what string, ok func() bool) {
	s.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > patience {
			require.Fail(s, "this did not happen", "%s; the model read:\n%s", what, s.model)
		}
	}
}

// read waits until the model has read a prompt on the subject that contains all texts. It returns the first one.
func (s *section) read(subject string, texts ...string) (found modeltest.Prompt) {
	s.Helper()
	s.eventually(fmt.Sprintf("the model reads %q with %q", subject, texts), func() bool {
		all := s.model.prompts(subject, texts...)
		if len(all) > 0 {
			found = all[0]
		}
		return len(all) > 0
	})
	return found
}

// has checks that a prompt contains all texts.
func (s *section) has(p modeltest.Prompt, texts ...string) {
	s.Helper()
	for _, text := range texts {
		assert.True(s, strings.Contains(p.Text(), text), "%q is missing in:\n%s", text, p.Human())
	}
}

// lacks checks that a prompt contains none of the texts.
func (s *section) lacks(p modeltest.Prompt, texts ...string) {
	s.Helper()
	for _, text := range texts {
		assert.False(s, strings.Contains(p.Text(), text), "%q is in:\n%s", text, p.Human())
	}
}

// A storyModel answers like an OpenAI-compatible service with a thinking model, which refuses tool results without its
// reasoning. A story sets the steps for a subject, which is the task of the
// prompt, such as 打算, or the message to answer. Subjects without steps get an answer without effects.
type storyModel struct {
	url    string
	served *modeltest.Model

	mu    sync.Mutex
	steps map[string]func(modeltest.Prompt) []modeltest.Step
	once  map[string]bool // subjects whose steps are for one turn
	begun map[string]bool // of them, those whose turn has begun
}

func serveModel(t *testing.T) *storyModel {
	m := &storyModel{steps: map[string]func(modeltest.Prompt) []modeltest.Step{}, once: map[string]bool{}, begun: map[string]bool{}}
	m.served = modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step { return m.answer(p) })
	server := httptest.NewServer(m.served.HandlerWith(modeltest.HandlerOptions{RequireReasoning: true}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// always sets the steps of each turn on the subject: the first answers the prompt, the others answer tool results.
func (m *storyModel) always(subject string, steps ...modeltest.Step) { m.set(subject, false, steps) }

// next sets the steps of the next turn on the subject. Later turns get an answer without effects.
func (m *storyModel) next(subject string, steps ...modeltest.Step) { m.set(subject, true, steps) }

func (m *storyModel) set(subject string, once bool, steps []modeltest.Step) {
	m.setFunc(subject, once, func(modeltest.Prompt) []modeltest.Step { return steps })
}

// setFunc is like always or next with steps that depend on the prompt.
func (m *storyModel) setFunc(subject string, once bool, steps func(modeltest.Prompt) []modeltest.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps[subject], m.once[subject], m.begun[subject] = steps, once, false
}

// quiet are the answers to tasks without steps. Other subjects get silence.
var quiet = map[string]string{
	"打算": "没有要做的", "回想": "没有要做的", "没赶上的事": "算了", "体会": "平静", "记下结果": "做完了", "记": "聊了几句", "往大处想": "都好",
	"看人": `{"people": [], "names": []}`, "梦": `{"insights": []}`, "判断申请": `{"decision": "hold"}`, "要不要看": `{"decision": false}`,
	"想": "再看看", "决定": `{"action": "no_reply", "reasoning": "没有要说的"}`,
}

func (m *storyModel) answer(p modeltest.Prompt) modeltest.Step {
	heading, text := subjectOf(p)
	step := 0
	for _, message := range p.Messages {
		if message.Role == llms.ChatMessageTypeAI {
			step++
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, subject := range []string{heading + "：" + text, cmp.Or(heading, text)} {
		var steps []modeltest.Step
		if f := m.steps[subject]; f != nil {
			steps = f(p)
		}
		if step >= len(steps) || step == 0 && m.begun[subject] {
			continue
		}
		m.begun[subject] = m.once[subject]
		answer := steps[step]
		if len(answer.Calls) > 0 {
			answer.Reasoning = cmp.Or(answer.Reasoning, "要用工具："+subject)
		}
		return answer
	}
	return modeltest.Say(cmp.Or(quiet[heading], "[skip]"))
}

var timerText = regexp.MustCompile(`<timer [^>]*>([^<]*)</timer>`)

// subjectOf returns the task of a prompt, if any, and the text of the timer or of the message to answer.
func subjectOf(p modeltest.Prompt) (heading, text string) {
	heading, text = taskAndText(p.Human())
	if timer := timerText.FindStringSubmatch(p.Human()); timer != nil {
		text = timer[1]
	}
	return heading, text
}

// prompts returns the received prompts on the subject that contain all texts.
func (m *storyModel) prompts(subject string, texts ...string) (found []modeltest.Prompt) {
	for _, p := range m.served.Prompts() {
		heading, text := subjectOf(p)
		if subject != cmp.Or(heading, text) && subject != heading+"："+text {
			continue
		}
		all := p.Text()
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(all, text) }) {
			found = append(found, p)
		}
	}
	return found
}

// results returns the results of all tools that turns on the subject have called.
func (m *storyModel) results(subject string) (all []string) {
	for _, p := range m.prompts(subject) {
		if results := p.ToolResults(); len(results) > 0 {
			all = append(all, results[len(results)-1].Content)
		}
	}
	return all
}

// String lists the subjects of the received prompts.
func (m *storyModel) String() string {
	var b strings.Builder
	for _, p := range m.served.Prompts() {
		heading, text := subjectOf(p)
		fmt.Fprintf(&b, "- %s：%s\n", heading, text)
	}
	return b.String()
}

// element returns the content of the first XML element with that name in a prompt.
func element(p modeltest.Prompt, name string) string {
	_, rest, _ := strings.Cut(p.Human(), "<"+name+">")
	text, _, _ := strings.Cut(rest, "</"+name+">")
	return text
}

// A storyCompanion is a companion process of a story.
type storyCompanion struct {
	*runningCompanion
	screen *screen
}

// startCompanion starts a companion with the story's model. It is killed at the end of the story.
func (s *story) startCompanion(args ...string) *storyCompanion {
	s.Helper()
	c := &storyCompanion{screen: &screen{}}
	c.runningCompanion = startCompanion(s.T, c.screen, append(s.modelFlags(), args...)...)
	return c
}

// end closes the companion's input and waits for its end.
func (c *storyCompanion) end(t *testing.T) {
	t.Helper()
	require.NoError(t, c.typed.Close())
	require.NoError(t, c.Wait())
}

// say types a line as the owner.
func (c *storyCompanion) say(t *testing.T, text string) {
	t.Helper()
	_, err := fmt.Fprintln(c.typed, text)
	require.NoError(t, err)
}

// ask types a line as the owner and waits for the answer, which is the text of the last step. It returns the prompt.
func (c *storyCompanion) ask(s *section, text string, steps ...modeltest.Step) modeltest.Prompt {
	s.Helper()
	answer := steps[len(steps)-1].Text
	answers := func() (n int) {
		for _, reply := range c.shown("reply") {
			if reply == answer {
				n++
			}
		}
		return n
	}
	s.model.next(text, steps...)
	before := answers()
	c.say(s.T, text)
	s.eventually("the answer to "+text, func() bool { return answers() > before })
	return s.read(text)
}

// shown returns the texts of the printed lines of one kind, such as reply, notice or report.
func (c *storyCompanion) shown(kind string) (texts []string) {
	for line := range strings.Lines(c.screen.Printed()) {
		if _, text, ok := strings.Cut(strings.TrimSpace(line), " "+kind+": "); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// A storyDay is the part of the day as JSON that stories check.
type storyDay struct {
	Tasks []struct {
		Title, Status, Result, Error, Reflection string
	}
	Timers    []struct{ ID, Spec, Text string }
	Documents []struct{ Name, Text string }
	Inner     string `json:"inner_state"`
}

// day returns the companion's state, or an empty one if it does not answer yet.
func (c *storyCompanion) day(t *testing.T) (d storyDay) {
	t.Helper()
	in, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address.FindString(c.screen.Printed())+"bot/0/day", nil)
	if err != nil {
		return d
	}
	in.Header.Set("Authorization", "Bearer "+token)
	in.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(in)
	if err != nil {
		return d
	}
	defer response.Body.Close()
	_ = json.NewDecoder(response.Body).Decode(&d)
	return d
}

// status returns the status of the latest task with that title, such as scheduled or accomplished.
func (d storyDay) status(title string) (status string) {
	for _, t := range d.Tasks {
		if t.Title == title {
			status = t.Status
		}
	}
	return status
}

func (d storyDay) document(name string) string {
	for _, one := range d.Documents {
		if one.Name == name {
			return one.Text
		}
	}
	return ""
}

func (d storyDay) timer(text string) (spec string) {
	for _, t := range d.Timers {
		if t.Text == text {
			spec = t.Spec
		}
	}
	return spec
}
