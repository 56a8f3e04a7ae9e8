package persona

import (
	"cmp"
	"strconv"
	"strings"
)

// TextOf returns parts as people read them: "@小炉 看这个[图片]". The content of a part is shown as far as it is known:
//
//	[图片]  [图片：一只猫]  [动画表情]  [语音]  [语音：我晚点到]  [视频]  [微笑]
//	[文件 表.csv 3 kB]  [文件 表.csv 3 kB：日期,金额…]  [小程序：标题 · 说明 · 来源]  [位置：虹桥站 申贵路1500号]
//	[聊天记录]  [聊天记录：
//	小明: 在吗
//	小红: 在]
//
// Links use it for [Message.Text], so that a message looks the same from all platforms.
func TextOf(parts []Part) string {
	if len(parts) == 1 {
		if text, ok := parts[0].(Text); ok {
			return string(text)
		}
	}
	var b strings.Builder
	for _, p := range parts {
		writePart(&b, p)
	}
	return b.String()
}

func writePart(b *strings.Builder, p Part) {
	switch p := p.(type) {
	case Text:
		b.WriteString(string(p))
	case Mention:
		b.WriteString("@" + p.name())
	case Face:
		writeLabel(b, cmp.Or(p.Name, "表情"), "")
	case Picture:
		writeLabel(b, cmp.Or(p.Label, "图片"), p.Description)
	case Voice:
		writeLabel(b, "语音", p.Transcript)
	case Video:
		writeLabel(b, "视频", "")
	case File:
		writeLabel(b, joined(" ", "文件", p.Name, sizeText(p.Size)), p.Excerpt)
	case Forward:
		writeForward(b, p)
	case Card:
		writeLabel(b, cmp.Or(p.Label, "卡片"), joined(" · ", p.Title, p.Description, p.Source))
	case Location:
		writeLabel(b, "位置", joined(" ", p.Name, p.Address))
	case Other:
		writeLabel(b, cmp.Or(p.Label, "消息"), "")
	}
}

// writeLabel writes [label] or [label：content].
func writeLabel(b *strings.Builder, label, content string) {
	b.WriteString("[" + label)
	if content != "" {
		b.WriteString("：" + content)
	}
	b.WriteByte(']')
}

// writeForward writes each message on a line of its own. Further lines of a message are indented.
func writeForward(b *strings.Builder, f Forward) {
	var content strings.Builder
	for _, m := range f.Messages {
		content.WriteString("\n" + cmp.Or(m.Name, m.From) + ": " + strings.ReplaceAll(m.Text, "\n", "\n  "))
	}
	writeLabel(b, "聊天记录", content.String())
}

// name returns the text after "@".
func (m Mention) name() string {
	if m.ID == "" {
		return "全体成员"
	}
	return cmp.Or(m.Name, m.ID)
}

// joined joins the texts that are not empty.
func joined(separator string, texts ...string) string {
	some := texts[:0]
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return strings.Join(some, separator)
}

// sizeText returns a number of bytes with its unit, or "" for 0.
func sizeText(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	}
	size, unit := float64(n)/1000, 0
	for size >= 999.5 && unit < 3 {
		size, unit = size/1000, unit+1
	}
	digits := 0
	if size < 9.95 {
		digits = 1
	}
	return strings.TrimSuffix(strconv.FormatFloat(size, 'f', digits, 64), ".0") + " " + [...]string{"kB", "MB", "GB", "TB"}[unit]
}

// Words returns the words that the sender typed: Text without the content of other parts, such as names, cards, files and
// transcripts. Names and commands are looked for only in these. Without Parts it returns Text.
func (m Message) Words() string {
	if m.Parts == nil {
		return m.Text
	}
	var b strings.Builder
	for _, p := range m.Parts {
		if text, ok := p.(Text); ok {
			b.WriteString(string(text))
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}
