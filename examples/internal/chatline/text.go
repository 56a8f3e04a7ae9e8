package chatline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona"
)

// labels are the English names of parts by their Chinese ones.
var labels = map[string]string{
	"图片": "picture", "动画表情": "sticker", "表情": "face", "语音": "voice", "视频": "video", "文件": "file", "聊天记录": "forwarded chat", "卡片": "card", "位置": "location",
	"消息": "message", "小程序": "mini program", "链接": "link", "音乐": "song", "名片": "contact", "推荐群": "group", "群公告": "announcement", "骰子": "dice", "猜拳": "rock-paper-scissors",
	"红包": "red packet", "回复": "reply",
}

// Text returns a message as people read it: [persona.TextOf], with the names of its parts in the language.
func Text(l lang.Language, m persona.Message) string {
	if l == lang.Chinese || m.Parts == nil {
		return m.Text
	}
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(partText(p))
	}
	return b.String()
}

// partText returns a part with its name in English.
func partText(p persona.Part) string {
	switch p := p.(type) {
	case persona.Text:
		return string(p)
	case persona.Mention:
		if p.ID == "" {
			return "@everybody"
		}
	case persona.Face:
		if p.Name != "" {
			return persona.TextOf([]persona.Part{p})
		}
	case persona.Forward:
		messages := slices.Clone(p.Messages)
		for i, m := range messages {
			messages[i].Text = Text(lang.English, m)
		}
		return translate(persona.TextOf([]persona.Part{persona.Forward{Messages: messages}}))
	}
	return translate(persona.TextOf([]persona.Part{p}))
}

// translate replaces the name at the start of a text in brackets, and the colon after it.
func translate(text string) string {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok {
		return text
	}
	end := strings.IndexAny(rest, " ：]")
	if end < 0 {
		return text
	}
	name, rest := cmp.Or(labels[rest[:end]], rest[:end]), rest[end:]
	if content, ok := strings.CutPrefix(rest, "："); ok {
		rest = ": " + content
	} else if size, content, ok := strings.Cut(rest, "："); ok && name == "file" {
		rest = size + ": " + content
	}
	return "[" + name + rest
}
