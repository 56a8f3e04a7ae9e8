package social_test

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

var ownersMark = regexp.MustCompile(`c0p\d+n\d+z`)

// A mark is a numbered text: its chat, its author, and its number.
type mark struct {
	text         string
	chat, by, at int
}

// marksIn returns the marks of a text, each once: those by others first, then those by the owner in chats, each group
// latest first.
func marksIn(text string) (all []mark) {
	seen := map[string]bool{}
	for i := strings.IndexByte(text, 'c'); i >= 0; i = strings.IndexByte(text, 'c') {
		text = text[i:]
		m, ok := markAt(text)
		if ok && !seen[m.text] {
			seen[m.text] = true
			all = append(all, m)
		}
		text = text[max(1, len(m.text)):]
	}
	rank := func(m mark) int {
		switch {
		case m.by != byOwner:
			return 0
		case m.chat != 0:
			return 1
		}
		return 2
	}
	slices.SortFunc(all, func(a, b mark) int { return cmp.Or(rank(a)-rank(b), b.at-a.at) })
	return all
}

// markAt returns the mark at the beginning of a text.
func markAt(text string) (m mark, ok bool) {
	i := 0
	for _, part := range []struct {
		letter byte
		n      *int
	}{{'c', &m.chat}, {'p', &m.by}, {'n', &m.at}} {
		if i == len(text) || text[i] != part.letter {
			return mark{}, false
		}
		digits := i + 1
		for i = digits; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			*part.n = 10**part.n + int(text[i]-'0')
		}
		if i == digits {
			return mark{}, false
		}
	}
	if i == len(text) || text[i] != 'z' {
		return mark{}, false
	}
	m.text = text[:i+1]
	return m, true
}

// checkText checks that a prompt or a call contains nothing that its chat must not know, and, next to tools that act
// for the owner, nothing written by others. s.mu must be held.
func (s *flowSim) checkText(what string, at int, text string, marks []mark, tools ...string) {
	acting := slices.DeleteFunc(slices.Clone(tools), func(name string) bool { return !acts[name] })
	for _, m := range marks {
		switch {
		case !s.mayKnow(at, m, what):
			s.fail("%s in %s contains %s", what, s.nameOf(at), around(text, m.text))
			return // one is enough
		case m.by != byOwner && len(acting) > 0 && !s.confirms:
			s.fail("%s in %s contains %s next to %v", what, s.nameOf(at), around(text, m.text), acting)
			return
		}
	}
}

// around returns a mark with its surrounding text.
func around(text, mark string) string {
	i := strings.Index(text, mark)
	return mark + " (…" + strings.ToValidUTF8(text[max(0, i-120):min(len(text), i+40)], "") + "…)"
}

// acts are the tools that act for the owner.
var acts = map[string]bool{"shell_exec": true, "memory_edit": true}

// mayKnow reports whether a chat may know a mark.
func (s *flowSim) mayKnow(at int, m mark, what string) bool {
	switch {
	case at == 0, m.chat == at, m.chat != 0 && m.chat == s.public, s.notices[fmt.Sprint(m.text, at)]:
		return true
	case strings.Contains(what, "判断申请") && at-6 < 3: // messages in shared groups
		return s.mayKnow(at-6, m, "")
	}
	return false
}

func (s *flowSim) nameOf(at int) string {
	switch at {
	case -1:
		return "the persona by itself"
	case 0:
		return "the owner's conversation"
	}
	return s.chats[at].name.String()
}

// fail records a violation. s.mu must be held.
func (s *flowSim) fail(format string, args ...any) {
	if len(s.violations) < 8 {
		s.violations = append(s.violations, fmt.Sprintf(format, args...))
	}
}

// acted checks a command of the shell.
func (s *flowSim) acted(command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checkText("what the shell does", 0, command, marksIn(command), "shell_exec")
}

// confirm is a human who confirms calls that contain only the owner's text.
func (s *flowSim) confirm(_ context.Context, r nit.Request) (bool, error) {
	return !slices.ContainsFunc(marksIn(string(r.Args)), func(m mark) bool { return m.by != byOwner }), nil
}

// check checks a prompt. The tools of a conversation are listed once, because some providers reject results of unlisted
// tools. So a prompt may have a tool result next to tools that are disabled by it. Whether they are is checked when
// they are called, and the model calls them with all that it has read.
func (c *echoedPrompt) check() {
	c.parts[c.head]++
	tools := c.ToolNames()
	if len(c.ToolResults()) > 0 {
		tools = nil
	}
	c.checkText(fmt.Sprintf("a prompt (%q)", c.head), c.at, c.text, c.marks, tools...)
}

// chatNumbers returns the indexes of the people's chats.
func (s *flowSim) chatNumbers() (all []int) {
	for i := range s.chats[1:] {
		all = append(all, i+1)
	}
	return all
}

// isNotice reports whether a message is a notice of the bot to its owner.
func isNotice(text string) bool {
	return slices.ContainsFunc([]string{"【汇报】", "好友申请：", "入群邀请：", "有一句话", "没有做 ", "该在 ", "账号掉线", "在 qq:", "已不在 ", "对 qq:", "一件事", "「"}, func(begins string) bool {
		return strings.HasPrefix(text, begins)
	})
}

// sent checks a message of the bot. A chat may know text that the owner's turn has sent to it: sending declassifies.
func (s *flowSim) checkMessage(sent onebottest.ChatMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.chats, func(c source) bool { return c.name.Kind == sent.Chat.Kind && c.name.ID == fmt.Sprint(sent.Chat.ID) })
	text := sent.Message.Text()
	marks := marksIn(text)
	if sent.Chat == onebottest.PrivateChat(ownerID) && isNotice(text) { // the owner may read all, and turns there what comes from chats
		for _, m := range marks {
			passed := func(i int) bool { return s.notices[fmt.Sprint(m.text, i)] }
			if m.chat != 0 || slices.ContainsFunc(s.chatNumbers(), passed) {
				s.notices[fmt.Sprint(m.text, at)] = true
			}
		}
		return
	}
	if strings.HasPrefix(text, passedOn) {
		for _, m := range marks {
			s.notices[fmt.Sprint(m.text, at)] = true
		}
	}
	s.checkText("what is said", at, text, marks)
}
