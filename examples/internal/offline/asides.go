package offline

import (
	"encoding/json"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

const (
	summaryLines = 8
	mostInsights = 5
)

// sumUp keeps the last lines: no rule knows what matters.
func (s scene) sumUp() string {
	lines := strings.FieldsFunc(s.before, func(r rune) bool { return r == '\n' })
	for _, l := range s.recent {
		if !l.own {
			lines = append(lines, l.sender+"说："+clip.Ellipsis(strings.ReplaceAll(l.text, "\n", " "), 24))
		}
	}
	return strings.Join(lines[max(0, len(lines)-summaryLines):], "\n")
}

// dream takes for worth remembering what people say of themselves, and is not known yet.
func (s scene) dream() string {
	known := map[string]bool{}
	for _, l := range s.known {
		known[l.text] = true
	}
	insights := []map[string]any{}
	for _, l := range s.recent {
		text := l.sender + "说过：" + clip.Ellipsis(strip(l.text), 40)
		if l.own || !has(l.text, "我家", "我的", "我叫", "我喜欢", "我是", "生日") || has(l.text, "？", "?", "吗") || known[text] || len(insights) == mostInsights {
			continue
		}
		known[text] = true
		insights = append(insights, map[string]any{"text": text, "about": l.from, "importance": .5, "from": []string{l.id}})
	}
	return object(map[string]any{"insights": insights})
}

// regard is glad of who is polite, and knows no nicknames.
func (s scene) regard() string {
	people := []map[string]any{}
	seen := map[string]bool{}
	for _, l := range s.recent {
		if l.own || seen[l.from] || !has(l.text, "谢谢", "多谢", "你好", "早") {
			continue
		}
		seen[l.from] = true
		people = append(people, map[string]any{"id": l.from, "feeling": "happy", "stance": 0, "impression": "说话客气。"})
	}
	return object(map[string]any{"people": people})
}

// judge knows who is known, and whom nobody wants; all others are the owner's matter.
func (s scene) judge() string {
	switch {
	case has(s.asked.text, "兼职", "贷款", "加微信", "优惠", "刷单"):
		return object(map[string]any{"decision": "reject", "reason": "像是广告", "notify": true})
	case len(s.known) > 0:
		return object(map[string]any{"decision": "approve", "reason": "在群里见过", "notify": true, "greeting": true})
	}
	return object(map[string]any{"decision": "hold", "reason": "不认识"})
}

func (s scene) greet() string { return s.asked.sender + "，你好呀，我是离线演示。" }

func object(v any) string {
	text, _ := json.Marshal(v) // made of what is always JSON
	return string(text)
}
