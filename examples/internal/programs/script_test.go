package programs

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/tmc/langchaingo/llms"
)

// A Script has the steps of a turn by the subject of the turn: the text of the target message, the task heading, or both
// with a colon between them. The first step answers the prompt, the others answer tool results.
type Script map[string][]modeltest.Step

var (
	heading  = regexp.MustCompile(`(?m)^## 现在：(.*)$`)
	target   = regexp.MustCompile(`<current_thought_target>(.*)</current_thought_target>`)
	messages = regexp.MustCompile(`<msg ([^>]*)>([^<]*)</msg>`)
)

// Answer returns the step for a prompt.
func (s Script) Answer(p modeltest.Prompt) modeltest.Step {
	heading, text := taskAndText(p.Human())
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

// taskAndText returns the last task heading, if any, and the target message, or else the last message that is not the bot's
// own.
func taskAndText(prompt string) (what, text string) {
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
