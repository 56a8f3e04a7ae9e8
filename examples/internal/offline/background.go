package offline

import (
	"encoding/json"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

const (
	summaryLines = 8
	maxInsights  = 5
)

// summarize returns the last lines of the chat.
func (s scene) summarize() string {
	lines := strings.FieldsFunc(s.summary, func(r rune) bool { return r == '\n' })
	for _, l := range s.recent {
		if !l.own {
			lines = append(lines, l.sender+"说："+clip.Ellipsis(strings.ReplaceAll(l.text, "\n", " "), 24))
		}
	}
	return strings.Join(lines[max(0, len(lines)-summaryLines):], "\n")
}

// dream returns new statements of people about themselves as insights.
func (s scene) dream() string {
	known := map[string]bool{}
	for _, l := range s.memories {
		known[l.text] = true
	}
	insights := []map[string]any{}
	for _, l := range s.recent {
		text := l.sender + "说过：" + clip.Ellipsis(stripMention(l.text), 40)
		if l.own || !containsAny(l.text, "我家", "我的", "我叫", "我喜欢", "我是", "生日") || containsAny(l.text, "？", "?", "吗") || known[text] || len(insights) == maxInsights {
			continue
		}
		known[text] = true
		insights = append(insights, map[string]any{"text": text, "about": l.from, "importance": .5, "from": []string{l.id}})
	}
	return toJSON(map[string]any{"insights": insights})
}

// updatePeople returns a happy feeling for each polite person.
func (s scene) updatePeople() string {
	people := []map[string]any{}
	seen := map[string]bool{}
	for _, l := range s.recent {
		if l.own || seen[l.from] || !containsAny(l.text, "谢谢", "多谢", "你好", "早") {
			continue
		}
		seen[l.from] = true
		people = append(people, map[string]any{"id": l.from, "feeling": "happy", "stance": 0, "impression": "说话客气。"})
	}
	return toJSON(map[string]any{"people": people})
}

// explainWords explains no word.
func (s scene) explainWords() string { return toJSON(map[string]any{"words": []any{}}) }

// decideRequest rejects advertising, approves known people and leaves all others to the owner.
func (s scene) decideRequest() string {
	switch {
	case containsAny(s.joinRequest.text, "兼职", "贷款", "加微信", "优惠", "刷单"):
		return toJSON(map[string]any{"decision": "reject", "reason": "像是广告", "notify": true})
	case len(s.memories) > 0:
		return toJSON(map[string]any{"decision": "approve", "reason": "在群里见过", "notify": true, "greeting": true})
	}
	return toJSON(map[string]any{"decision": "hold", "reason": "不认识"})
}

func (s scene) greet() string { return s.joinRequest.sender + "，你好呀，我是离线演示。" }

func toJSON(v any) string {
	text, _ := json.Marshal(v) // v contains no unsupported types
	return string(text)
}
