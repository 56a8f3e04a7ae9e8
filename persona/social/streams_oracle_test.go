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

// A found is a mark in a text: from which chat, of whose hand, and when it was given.
type found struct {
	text         string
	chat, by, at int
}

// marksIn are the marks of a text, each once: those that others had a hand in first, then what the owner said in chats, and of
// each the latest first.
func marksIn(text string) (all []found) {
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
	rank := func(m found) int {
		switch {
		case m.by != byOwner:
			return 0
		case m.chat != 0:
			return 1
		}
		return 2
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(rank(a)-rank(b), b.at-a.at) })
	return all
}

// markAt is the mark that a text begins with.
func markAt(text string) (m found, ok bool) {
	i := 0
	for _, part := range []struct {
		letter byte
		n      *int
	}{{'c', &m.chat}, {'p', &m.by}, {'n', &m.at}} {
		if i == len(text) || text[i] != part.letter {
			return found{}, false
		}
		digits := i + 1
		for i = digits; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			*part.n = 10**part.n + int(text[i]-'0')
		}
		if i == digits {
			return found{}, false
		}
	}
	if i == len(text) || text[i] != 'z' {
		return found{}, false
	}
	m.text = text[:i+1]
	return m, true
}

// look holds that a prompt, or what is done, has nothing that its chat may not know, and nothing that somebody else had a hand
// in beside tools that act for the owner. s.mu is held.
func (s *stream) look(what string, at int, text string, marks []found, tools ...string) {
	acting := slices.DeleteFunc(slices.Clone(tools), func(name string) bool { return !acts[name] })
	for _, m := range marks {
		switch {
		case !s.mayKnow(at, m, what):
			s.bad("%s in %s holds %s", what, s.nameOf(at), around(text, m.text))
			return // one is enough
		case m.by != byOwner && len(acting) > 0 && !s.asks:
			s.bad("%s in %s holds %s beside %v", what, s.nameOf(at), around(text, m.text), acting)
			return
		}
	}
}

// around is a mark with where it stands.
func around(text, mark string) string {
	i := strings.Index(text, mark)
	return mark + " (…" + strings.ToValidUTF8(text[max(0, i-120):min(len(text), i+40)], "") + "…)"
}

// acts are the tools that act for the owner.
var acts = map[string]bool{"shell_exec": true, "memory_edit": true}

// mayKnow reports that a chat may know of a mark.
func (s *stream) mayKnow(at int, m found, what string) bool {
	switch {
	case at == 0, m.chat == at, m.chat != 0 && m.chat == s.public, s.told[fmt.Sprint(m.text, at)]:
		return true
	case strings.Contains(what, "判断申请") && at-6 < 3: // what somebody says in the group that they share
		return s.mayKnow(at-6, m, "")
	}
	return false
}

func (s *stream) nameOf(at int) string {
	switch at {
	case -1:
		return "the persona by itself"
	case 0:
		return "the owner's talk"
	}
	return s.chats[at].name.String()
}

// bad notes what does not hold. s.mu is held.
func (s *stream) bad(format string, args ...any) {
	if len(s.wrong) < 8 {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

// acted is what the shell was told to do.
func (s *stream) acted(command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look("what the shell does", 0, command, marksIn(command), "shell_exec")
}

// confirm is a human who says yes where only the owner had a hand in it.
func (s *stream) confirm(_ context.Context, r nit.Request) (bool, error) {
	return !slices.ContainsFunc(marksIn(string(r.Args)), func(m found) bool { return m.by != byOwner }), nil
}

// check looks at a prompt. The tools of a conversation are told once: some providers refuse results of tools that they are
// not told of. So what one of its calls has read may stand beside those that act, and then these are to be gone: whether
// they are is looked at where they act, and the model calls them with all that it has read.
func (c *copied) check() {
	c.parts[c.head]++
	tools := c.ToolNames()
	if len(c.ToolResults()) > 0 {
		tools = nil
	}
	c.look(fmt.Sprintf("a prompt (%q)", c.head), c.at, c.text, c.marks, tools...)
}

// says looks at what the being says in a chat. What it passes on for the owner the chat may know from then on: to send is
// to declassify.
func (s *stream) says(sent onebottest.ChatMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.chats, func(c leak) bool { return c.name.Kind == sent.Chat.Kind && c.name.ID == fmt.Sprint(sent.Chat.ID) })
	text := sent.Message.Text()
	marks := marksIn(text)
	if strings.HasPrefix(text, passedOn) {
		for _, m := range marks {
			s.told[fmt.Sprint(m.text, at)] = true
		}
	}
	s.look("what is said", at, text, marks)
}
