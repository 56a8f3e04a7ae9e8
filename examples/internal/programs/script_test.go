package programs

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/tmc/langchaingo/llms"
)

// A Script has the steps of a model's turn by what the turn is about: the text of the message to think of, or the
// heading of what else is to be done, or both with a colon between. The first step answers the prompt, the others the results of tools.
type Script map[string][]modeltest.Step

var (
	heading  = regexp.MustCompile(`(?m)^## 现在：(.*)$`)
	target   = regexp.MustCompile(`<current_thought_target>(.*)</current_thought_target>`)
	messages = regexp.MustCompile(`<msg ([^>]*)>([^<]*)</msg>`)
)

// Answer is the step that a prompt gets.
func (s Script) Answer(p modeltest.Prompt) modeltest.Step {
	heading, text := about(p.Human())
	of := heading + "：" + text
	if _, ok := s[of]; !ok {
		of = cmp.Or(heading, text)
	}
	steps, n := s[of], 0
	for _, m := range p.Messages {
		if m.Role == llms.ChatMessageTypeAI {
			n++
		}
	}
	if n >= len(steps) {
		return modeltest.Say(fmt.Sprintf("nothing in the script, step %d of %q", n, of))
	}
	return steps[n]
}

// about is the last heading, if there is one, and the message that is the target, else the last that is not the model's own.
func about(prompt string) (what, text string) {
	if found := heading.FindAllStringSubmatch(prompt, -1); found != nil {
		what = found[len(found)-1][1]
	}
	id := target.FindStringSubmatch(prompt)
	for _, m := range messages.FindAllStringSubmatch(prompt, -1) {
		switch {
		case id != nil && strings.Contains(m[1], ` id="`+id[1]+`"`):
			return what, m[2]
		case !strings.Contains(m[1], ` self="true"`):
			text = m[2]
		}
	}
	return what, text
}
