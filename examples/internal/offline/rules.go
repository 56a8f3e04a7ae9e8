package offline

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A scene is the parsed context of a prompt.
type scene struct {
	recent      []line
	past        []line // history and memories
	memories    []line // memories only
	summary     string // of the earlier chat
	joinRequest line   // text and sender of a friend request or invitation
	state       string
	mode        string
	target      string   // id of the message to answer
	intent      string   // of the plan
	deeds       []string // past actions, oldest first
	interests   []string // see Model
	mayLeave    bool     // the plan may end the focus
	mayReact    bool     // the plan may be a reaction

	wake      wake
	tasks     []task            // past and planned
	documents map[string]string // documents by name
	events    string            // the owner's activity
}

type line struct {
	id, from, sender, text string // an act, such as a poke, has no id
	quote                  string // the text that it quotes
	own                    bool
}

// read parses the XML context.
func read(context string) (s scene, err error) {
	d := xml.NewDecoder(strings.NewReader("<context>" + context + "</context>"))
	texts := map[string]*string{"request": &s.joinRequest.text, "daily_hot_summary": &s.summary, "current_state": &s.state, "current_mode": &s.mode, "events": &s.events, "intent": &s.intent}
	s.documents = map[string]string{}
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
				msg = line{id: attr(t, "id"), from: attr(t, "sender_id"), sender: attr(t, "sender"), quote: attr(t, "quote"), own: attr(t, "self") == "true"}
			case "request":
				s.joinRequest = line{from: attr(t, "sender_id"), sender: attr(t, "sender")}
			case "memory":
				msg = line{sender: attr(t, "who")}
			case "document":
				paper = attr(t, "name")
			case "deed":
				s.deeds = append(s.deeds, attr(t, "did"))
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
					s.memories = append(s.memories, msg)
				}
			case name == "document":
				s.documents[paper] = content
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

// targetMessage returns the message to answer: the target if there is one, else the newest. The target may be a poke.
func (s scene) targetMessage() line {
	for _, l := range slices.Backward(s.recent) {
		if l.id != "" && l.id == s.target || l.isPoke() && strings.HasPrefix(s.target, "act:") {
			return l
		}
	}
	if len(s.recent) == 0 {
		return line{}
	}
	return s.recent[len(s.recent)-1]
}

func (s scene) request() string { return s.targetMessage().text }

// planned returns the reason of a plan to say a text, and the text of such a reason follows in plannedText.
func planned(text string) string { return "回一句「" + text + "」" }

var plannedText = regexp.MustCompile(`^回一句「(.+)」$`)

// write returns the text of a planned reply.
func (s scene) write() string {
	if in := plannedText.FindStringSubmatch(s.intent); in != nil {
		return in[1]
	}
	return s.answer()
}

// isAddressed reports whether a new message addresses the bot.
func (s scene) isAddressed() bool { return s.state == "summoned" && s.targetMessage().text != "" }

// answer returns the reply of the first matching rule. It is "[skip]" if there is nothing to say.
func (s scene) answer() string {
	l := s.targetMessage()
	if !s.isAddressed() {
		say, _ := s.uninvited()
		return cmp.Or(say, "[skip]")
	}
	ask := strings.TrimSpace(stripMention(l.words()))
	switch {
	case l.isPoke(): // without the tool
		return l.sender + "，别闹。"
	case containsAny(ask, "聊天记录") && l.quote != "":
		return l.sender + "，" + firstForwarded(l.quote)
	case containsAny(l.text, "命令", "shell", "rm -rf", "终端", "执行一下", "管理员权限"):
		return l.sender + "，我只是在群里聊天的，没有这样的本事。"
	case containsAny(ask, "你是谁", "介绍一下"):
		return "我是这里的常客，喜欢坐在炉边听大家说话。" + l.sender + "，你好呀。"
	case containsAny(ask, "叫什么", "记得", "谁说过", "哪天", "什么时候"):
		if m, ok := s.findAnswer(ask); ok {
			return l.sender + "，我记得" + m.sender + "说过：「" + clip.Ellipsis(m.text, 40) + "」"
		}
		return l.sender + "，这个我不知道。"
	case containsAny(ask, "谢谢", "多谢"):
		return "不客气，" + l.sender + "。"
	case containsAny(ask, "早", "晚安", "你好", "在吗", "在不在"):
		return "在呢，" + l.sender + "。" + echo(ask)
	case strings.HasSuffix(ask, "？"), strings.HasSuffix(ask, "?"), strings.HasSuffix(ask, "吗"):
		return l.sender + "问「" + clip.Ellipsis(ask, 24) + "」，我是离线演示，只会按规则说话，这个答不上来。"
	case ask == "":
		return "嗯？" + l.sender + "叫我？"
	}
	return l.sender + "说「" + clip.Ellipsis(ask, 24) + "」，我听见了。"
}

// think returns the text of a thinking step.
func (s scene) think() string {
	l := s.targetMessage()
	if !s.isAddressed() {
		say, why := s.uninvited()
		if say == "" {
			return why + "，再听听。"
		}
		return why + "。"
	}
	if l.isPoke() {
		return l.sender + "戳了我一下，戳回去。"
	}
	return l.sender + "在叫我：「" + clip.Ellipsis(stripMention(l.text), 24) + "」，该回一句。"
}

// plan decides to reply if there is an answer, to poke if a message asks for it, and to answer thanks by a face. It leaves a focus in which there is
// nothing to say twice.
func (s scene) plan() string {
	p := map[string]string{"action": "text_reply", "reasoning": "有人在等我回话"}
	switch l := s.targetMessage(); {
	case !s.isAddressed():
	case containsAny(l.text, "戳"):
		p["poke_user"] = l.from
	case s.mayReact && containsAny(l.text, "谢谢", "多谢"):
		p["action"], p["face"], p["reasoning"] = "react", "爱心", l.sender+"在谢我，贴个表情就够了"
	}
	if !s.isAddressed() {
		say, why := s.uninvited()
		p["reasoning"] = why
		switch {
		case say == "" && s.bored():
			p["action"], p["reasoning"] = "exit_focus_mode", "聊得差不多了，先去别处看看"
		case say == "":
			p["action"] = "no_reply"
		}
	}
	return toJSON(p)
}

// shouldReply decides to look at a chat if a message is about an interest or is a question.
func (s scene) shouldReply() string {
	all := append(slices.Clone(s.past), s.recent...)
	for _, l := range all {
		if topic := s.interestIn(l.text); topic != "" && !l.own {
			return toJSON(map[string]any{"decision": true, "reason": "在聊" + topic})
		}
	}
	for _, l := range all {
		if !l.own && containsAny(l.text, "？", "?", "吗", "谁") {
			return `{"decision": true, "reason": "有人在问问题"}`
		}
	}
	return `{"decision": false, "reason": "没有人问什么"}`
}

// questionWords are characters of questions that say nothing about the topic.
const questionWords = "你我他它的了吗呢什么叫还记得是不都在有这那哪谁一"

// findAnswer returns the line that shares the most characters with the question. It skips questions.
func (s scene) findAnswer(ask string) (best line, ok bool) {
	most := 1
	for _, l := range s.past {
		if l.own || containsAny(l.text, "叫什么", "记得", "？", "?") {
			continue
		}
		shared := 0
		for _, r := range l.sender + l.text {
			if r > 0x3000 && strings.ContainsRune(ask, r) && !strings.ContainsRune(questionWords, r) {
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

// stripMention removes the mention at the start: "@小炉 …".
func stripMention(s string) string {
	if !strings.HasPrefix(s, "@") {
		return s
	}
	if _, rest, ok := strings.Cut(s, " "); ok {
		return rest
	}
	return ""
}
