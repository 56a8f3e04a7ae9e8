package prompt

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A node is an element from a strict parser, or an expected element.
type node struct {
	Name  string
	Attrs []string // name=value
	Text  string   // for elements without children
	Kids  []*node
}

// parse parses XML strictly. White space between elements is ignored.
func parse(text string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader("<root>" + text + "</root>"))
	var stack []*node
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("ended early")
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &node{Name: tok.Name.Local}
			for _, a := range tok.Attr {
				n.Attrs = append(n.Attrs, a.Name.Local+"="+a.Value)
			}
			if len(stack) > 0 {
				top := stack[len(stack)-1]
				top.Kids = append(top.Kids, n)
			}
			stack = append(stack, n)
		case xml.EndElement:
			n := stack[len(stack)-1]
			if stack = stack[:len(stack)-1]; len(n.Kids) > 0 {
				if strings.TrimSpace(n.Text) != "" {
					return nil, fmt.Errorf("text beside elements in %s: %q", n.Name, n.Text)
				}
				n.Text = ""
			}
			if len(stack) == 0 {
				if _, err := d.Token(); !errors.Is(err, io.EOF) {
					return nil, errors.New("more after the end")
				}
				return n, nil
			}
		case xml.CharData:
			stack[len(stack)-1].Text += string(tok)
		default:
			return nil, fmt.Errorf("unexpected %T", tok)
		}
	}
}

// meant builds the expected context of a scene without the writer.
func meant(p persona.Profile, now time.Time, s Scene) *node {
	list := func(name string, kids ...*node) *node {
		n := &node{Name: name, Kids: kids}
		if len(kids) == 0 {
			n.Text = "\n"
		}
		return n
	}
	msgs := func(ms []persona.Message) (nodes []*node) {
		for _, m := range ms {
			nodes = append(nodes, meantMessage(p, now, s.Location, m))
		}
		return nodes
	}
	session := func(c persona.Chat, name string, ms []persona.Message, background bool) *node {
		n := list("session", msgs(ms)...)
		n.add("type", c.Kind, maxName, false)
		n.add("id", c.ID, maxName, false)
		n.add("name", name, maxName, false)
		if background {
			n.add("background", "true", maxName, false)
		}
		return n
	}
	memories := func(name string, ms []Memory) *node {
		n := &node{Name: name}
		for _, m := range ms {
			kid := &node{Name: "memory", Text: body(m.Text)}
			importance := m.Importance
			if importance == "" {
				importance = "normal"
			}
			kid.add("id", m.ID, maxName, false)
			kid.add("importance", importance, maxName, true)
			kid.add("who", m.Person, maxName, false)
			kid.add("where", m.Chat, maxName, false)
			kid.addTime(now, s.Location, m.At)
			n.Kids = append(n.Kids, kid)
		}
		return n
	}
	root := &node{Name: "root"}
	root.Kids = append(root.Kids, meantPapers(now, s)...)
	if s.Summary != "" {
		root.Kids = append(root.Kids, &node{Name: "daily_hot_summary", Text: "\n" + body(s.Summary) + "\n"})
	}
	var sessions []*node
	for _, b := range s.Background {
		sessions = append(sessions, session(b.Chat, b.Name, b.Messages, true))
	}
	sessions = append(sessions, session(s.Chat, s.ChatName, s.Recent, false))
	root.Kids = append(root.Kids, list("social_context", list("history_messages", msgs(s.History)...), list("recent_messages", sessions...)))
	if len(s.People) > 0 {
		people := &node{Name: "people"}
		for _, p := range s.People {
			people.Kids = append(people.Kids, meantPerson(p))
		}
		root.Kids = append(root.Kids, people)
	}
	if len(s.Memories) > 0 {
		root.Kids = append(root.Kids, memories("social_memory", s.Memories))
	}
	if len(s.OwnerMemories) > 0 {
		root.Kids = append(root.Kids, memories("owner_memory_snapshot", s.OwnerMemories))
	}
	root.Kids = append(root.Kids, meantSelf(now, s)...)
	root.Kids = append(root.Kids, meantPetition(now, s.Location, s.Request)...)
	root.Kids = append(root.Kids, meantWake(now, s.Location, s.Wake)...)
	state, target := s.State, s.Target
	if state == "" {
		state = "observing"
	}
	if target == "" {
		target = s.Chat.SourceID()
	}
	state, _ = neutralNaive(state, maxName, false)
	info := list("session_info",
		&node{Name: "current_mode", Text: s.Mode.String()}, &node{Name: "current_state", Text: state},
		&node{Name: "is_master_present", Text: fmt.Sprint(s.OwnerPresent)}, &node{Name: "current_thought_target", Text: body(target)})
	info.Attrs = []string{"time=" + now.In(s.Location).Format("2006-01-02 15:04:05 ") + weekdays[now.In(s.Location).Weekday()]}
	root.Kids = append(root.Kids, info)
	if a := s.Attention; a != nil {
		kid := &node{Name: "attention"}
		kid.add("global_state", a.GlobalState, maxName, false)
		kid.add("chat_state", a.ChatState, maxName, false)
		kid.Attrs = append(kid.Attrs, "interest="+strconv.FormatFloat(min(max(a.Interest, 0), 1), 'f', 2, 64))
		root.Kids = append(root.Kids, kid)
	}
	if len(s.Actions) > 0 {
		deeds := &node{Name: "recent_deeds"}
		for _, d := range s.Actions {
			kid := &node{Name: "deed", Text: body(d.Reason)}
			kid.add("did", d.Name, maxName, true)
			deeds.Kids = append(deeds.Kids, kid)
		}
		root.Kids = append(root.Kids, deeds)
	}
	current := ""
	if n := len(s.Thoughts); n > 0 {
		current = s.Thoughts[n-1].Text
	}
	if len(s.Thoughts) > 1 {
		past := &node{Name: "past_thoughts"}
		for _, t := range s.Thoughts[:len(s.Thoughts)-1] {
			kid := &node{Name: "thought", Text: body(t.Text)}
			kid.addTime(now, s.Location, t.At)
			past.Kids = append(past.Kids, kid)
		}
		root.Kids = append(root.Kids, past)
	}
	for _, b := range [][2]string{{"current_thought", current}, {"intent", s.Intent}} {
		if b[1] != "" {
			root.Kids = append(root.Kids, &node{Name: b[0], Text: body(b[1])})
		}
	}
	return root
}

func meantPetition(now time.Time, loc *time.Location, p *RequestContext) []*node {
	if p == nil {
		return nil
	}
	comment, _ := neutralNaive(p.Comment, maxComment, false)
	n := &node{Name: "request", Text: comment}
	n.add("kind", p.Kind, maxName, true)
	n.add("sender", p.Name, maxName, true)
	n.add("sender_id", p.From.ID, maxName, false)
	n.add("group_id", p.Group, maxName, false)
	n.add("group_name", p.GroupName, maxName, false)
	n.addTime(now, loc, p.At)
	if p.Energy < 0 {
		return []*node{n}
	}
	self := &node{Name: "self", Attrs: []string{fmt.Sprintf("energy=%.2f", min(p.Energy, 1))}}
	if p.Interest >= 0 {
		self.Attrs = append(self.Attrs, fmt.Sprintf("interest=%.2f", min(p.Interest, 1)))
	}
	return []*node{n, self}
}

func meantPerson(p Person) *node {
	n := &node{Name: "person"}
	n.add("id", p.ID, maxName, true)
	n.add("name", p.Name, maxName, false)
	n.add("relation", []string{"hostile", "cold", "neutral", "friendly", "fond", "close"}[min(max(p.Relation, -2), 3)+2], maxName, true)
	for _, nick := range p.Nicknames {
		text, _ := neutralNaive(nick.Name, maxName, false)
		kid := &node{Name: "nickname", Text: text}
		kid.add("by", strings.Join(nick.By, ","), 5*maxName, false)
		n.Kids = append(n.Kids, kid)
	}
	if p.Impression != "" {
		n.Kids = append(n.Kids, &node{Name: "impression", Text: body(p.Impression)})
	}
	return n
}

func meantMessage(p persona.Profile, now time.Time, loc *time.Location, m persona.Message) *node {
	shown := func(own bool, name string) string {
		if own && p.Name != "" {
			return p.Name
		}
		return name
	}
	n := &node{Name: "msg", Text: body(m.Text)}
	n.add("sender", shown(m.Own, m.Name), maxName, true)
	n.add("sender_id", m.From, maxName, false)
	n.add("id", m.ID, maxName, false)
	n.addTime(now, loc, m.At)
	for _, flag := range []struct {
		name string
		set  bool
	}{{"at_me", m.AtMe}, {"self", m.Own}, {"bot", m.Bot}} {
		if flag.set {
			n.add(flag.name, "true", maxName, true)
		}
	}
	n.add("reply_to", m.ReplyTo, maxName, false)
	if q := m.Quote; q != nil {
		n.add("quote_sender", shown(q.Own, q.Name), maxName, false)
		n.add("quote_sender_id", q.From, maxName, false)
		n.add("quote", q.Text, maxQuote, true)
	}
	return n
}

func (n *node) add(name, value string, max int, always bool) {
	if value != "" || always {
		text, _ := neutralNaive(value, max, true)
		n.Attrs = append(n.Attrs, name+"="+text)
	}
}

func (n *node) addTime(now time.Time, loc *time.Location, t time.Time) {
	n.addMoment("time", now, loc, t)
}

func (n *node) addMoment(name string, now time.Time, loc *time.Location, t time.Time) {
	if t.IsZero() {
		return
	}
	layout := "15:04:05"
	t, now = t.In(loc), now.In(loc)
	switch {
	case t.Year() != now.Year():
		layout = time.DateTime
	case t.YearDay() != now.YearDay():
		layout = "01-02 15:04:05"
	}
	n.Attrs = append(n.Attrs, name+"="+t.Format(layout))
}

func body(s string) string { return long(s, maxText) }

func long(s string, max int) string {
	text, cut := neutralNaive(s, max, false)
	if cut {
		text += "…（后文略）"
	}
	return text
}
