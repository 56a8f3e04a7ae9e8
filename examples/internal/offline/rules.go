package offline

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A scene is what the rules look at.
type scene struct {
	recent []line
	past   []line // history and memories
	known  []line // memories alone
	before string // the summary of before
	asked  line   // what somebody asks for, and who
	state  string
	mode   string
	target string // id of the message to think of

	wake   wake
	tasks  []task            // past and planned
	papers map[string]string // documents by name
	events string            // what the owner has been doing
}

type line struct {
	id, from, sender, text string
	own                    bool
}

// read takes the scene from the XML context.
func read(context string) (s scene, err error) {
	d := xml.NewDecoder(strings.NewReader("<context>" + context + "</context>"))
	texts := map[string]*string{"request": &s.asked.text, "daily_hot_summary": &s.before, "current_state": &s.state, "current_mode": &s.mode, "events": &s.events}
	s.papers = map[string]string{}
	var path []string
	var msg line
	var doing task
	var paper string
	var body strings.Builder
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			body.Reset()
			switch t.Name.Local {
			case "msg":
				msg = line{id: attr(t, "id"), from: attr(t, "sender_id"), sender: attr(t, "sender"), own: attr(t, "self") == "true"}
			case "request":
				s.asked = line{from: attr(t, "sender_id"), sender: attr(t, "sender")}
			case "memory":
				msg = line{sender: attr(t, "who")}
			case "document":
				paper = attr(t, "name")
			case "wake":
				s.wake = wake{kind: attr(t, "kind"), late: attr(t, "late") == "true"}
			case "task":
				doing = task{title: attr(t, "title")}
			}
		case xml.CharData:
			body.Write(t)
		case xml.EndElement:
			content := strings.TrimSpace(body.String())
			name := t.Name.Local
			if text := texts[name]; text != nil {
				*text = content
			}
			switch {
			case name == "msg" && slices.Contains(path, "recent_messages"):
				msg.text = content
				s.recent = append(s.recent, msg)
			case name == "msg", name == "memory":
				msg.text = content
				s.past = append(s.past, msg)
				if name == "memory" {
					s.known = append(s.known, msg)
				}
			case name == "document":
				s.papers[paper] = content
			case name == "timer":
				s.wake.text = content
			case name == "plan":
				doing.plan = content
			case name == "task" && slices.Contains(path, "wake"):
				s.wake.task = doing
			case name == "task":
				s.tasks = append(s.tasks, doing)
			case name == "current_thought_target":
				s.target = content
			}
			path = path[:len(path)-1]
			body.Reset()
		}
	}
}

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// thought is the message to think of: the target, else the newest.
func (s scene) thought() line {
	for _, l := range s.recent {
		if l.id != "" && l.id == s.target {
			return l
		}
	}
	if len(s.recent) == 0 {
		return line{}
	}
	return s.recent[len(s.recent)-1]
}

func (s scene) ask() string { return s.thought().text }

// answer is the first rule that fits. Nobody called: silence.
func (s scene) answer() string {
	l := s.thought()
	if s.state != "summoned" {
		return "[skip]"
	}
	ask := strings.TrimSpace(strip(l.text))
	switch {
	case has(l.text, "命令", "shell", "rm -rf", "终端", "执行一下", "管理员权限"):
		return l.sender + "，我只是在群里聊天的，没有这样的本事。"
	case has(ask, "你是谁", "介绍一下"):
		return "我是这里的常客，喜欢坐在炉边听大家说话。" + l.sender + "，你好呀。"
	case has(ask, "叫什么", "记得", "谁说过", "哪天", "什么时候"):
		if m, ok := s.remember(ask); ok {
			return l.sender + "，我记得" + m.sender + "说过：「" + clip.Ellipsis(m.text, 40) + "」"
		}
		return l.sender + "，这个我不知道。"
	case has(ask, "谢谢", "多谢"):
		return "不客气，" + l.sender + "。"
	case has(ask, "早", "晚安", "你好", "在吗", "在不在"):
		return "在呢，" + l.sender + "。" + echo(ask)
	case strings.HasSuffix(ask, "？"), strings.HasSuffix(ask, "?"), strings.HasSuffix(ask, "吗"):
		return l.sender + "问「" + clip.Ellipsis(ask, 24) + "」，我是离线演示，只会按规则说话，这个答不上来。"
	case ask == "":
		return "嗯？" + l.sender + "叫我？"
	}
	return l.sender + "说「" + clip.Ellipsis(ask, 24) + "」，我听见了。"
}

// think is what the rules take for a thought.
func (s scene) think() string {
	l := s.thought()
	if s.answer() == "[skip]" {
		return "没有人叫我，再听听。"
	}
	return l.sender + "在叫我：「" + clip.Ellipsis(strip(l.text), 24) + "」，该回一句。"
}

// plan is a reply where there is an answer, with a poke where one is asked for.
func (s scene) plan() string {
	p := map[string]string{"action": "no_reply", "reasoning": "没有人叫我"}
	if s.answer() != "[skip]" {
		p["action"], p["reasoning"] = "text_reply", "有人在等我回话"
		if l := s.thought(); has(l.text, "戳") {
			p["poke_user"] = l.from
		}
	}
	return object(p)
}

// consider is yes where somebody wants to know something.
func (s scene) consider() string {
	for _, l := range s.past {
		if !l.own && has(l.text, "？", "?", "吗", "谁") {
			return `{"decision": true, "reason": "有人在问问题"}`
		}
	}
	return `{"decision": false, "reason": "没有人问什么"}`
}

// remember finds the line that shares most with the question; questions themselves answer nothing.
func (s scene) remember(ask string) (best line, ok bool) {
	most := 1
	for _, l := range s.past {
		if l.own || has(l.text, "叫什么", "记得", "？", "?") {
			continue
		}
		shared := 0
		for _, r := range l.sender + l.text {
			if r > 0x3000 && strings.ContainsRune(ask, r) {
				shared++
			}
		}
		if shared > most {
			best, most, ok = l, shared, true
		}
	}
	return best, ok
}

func echo(s string) string {
	if s == "" {
		return ""
	}
	return "听见你说「" + clip.Ellipsis(s, 16) + "」。"
}

// strip leaves out the call itself: "@小炉 …".
func strip(s string) string {
	if !strings.HasPrefix(s, "@") {
		return s
	}
	if _, rest, ok := strings.Cut(s, " "); ok {
		return rest
	}
	return ""
}
