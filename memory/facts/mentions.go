package facts

import (
	"strings"
)

// A mention is a person in a clause.
type mention struct {
	at, end  int
	id, name string
	self     bool
}

// mentions finds the first two people in a clause.
func (r *reader) mentions(c string) (all []mention) {
	if c == r.mentionsOf {
		return r.mentioned
	}
	all = r.findMentions(c)
	r.mentionsOf, r.mentioned = c, all
	return all
}

func (r *reader) findMentions(c string) (all []mention) {
	for i := 0; i < len(c) && len(all) < 3; {
		w, hidden := selfWords.begins(c[i:])
		if id, name := r.names.prefix(c[i:]); name != "" && !insideWord(c, i) {
			all = append(all, mention{at: i, end: i + len(name), id: id, name: name})
			i += len(name)
			continue
		} else if w != "" && (perceiving.begin(c[i+len(w):]) || perceiving.begin(fillers.cutAll(c[i+len(w):]))) { // 我看见小王
			i += len(w)
			continue
		} else if w != "" {
			all = append(all, mention{at: i, end: i + len(w), id: r.speaker, self: true})
			i += len(w)
			continue
		} else if named, ok := thirdPersons.cut(c[i:]); ok && r.named != "" && len(all) == 0 {
			n := len(c[i:]) - len(named)
			all = append(all, mention{at: i, end: i + n, id: r.named, name: r.name})
			i += n
			continue
		}
		i += max(hidden, 1)
		for i < len(c) && c[i]&0xC0 == 0x80 {
			i++
		}
	}
	return all
}

// noteName remembers a name for the next clause.
func (r *reader) noteName(c string, m mention) {
	if m.self {
		return
	}
	if r.recent = m; m.end == len(c) && m.at == 0 {
		r.bare = m.name
	}
}

func (r *reader) hasMention(all []mention, until int) bool { return len(all) > 0 && all[0].at < until }

// ownerAt returns the person who is named at the end of a text, and where; left is -1 without one.
func (r *reader) ownerAt(text string, all []mention) (owner string, left int) {
	for _, m := range all {
		if m.end == len(text) || m.end < len(text) && strings.TrimSpace(afterName.cutAll(text[m.end:])) == "" || m.end < len(text) && (text[m.end:] == "家" || text[m.end:] == "的" || text[m.end:] == "们" || text[m.end:] == "家的") {
			return m.id, m.at
		}
	}
	return "", -1
}

// nameEnd returns the name of a person at the end of a text, which may be unknown.
func (r *reader) nameEnd(text string, all []mention) string {
	for _, text := range [...]string{strings.TrimRight(text, " "), strings.TrimRight(degreesEnd(text), " ")} {
		for _, m := range all {
			if m.end == len(text) && !m.self {
				return m.name
			}
		}
	}
	text = strings.TrimRight(degreesEnd(text), " ")
	return personName(fillers.cutAll(text))
}

// nameAfter returns the name of a person after a word for a lover: 是小王, 小王.
func (r *reader) nameAfter(text string, at int, all []mention) string {
	rest := text
	is := false
	for again := true; again; {
		rest, again = cutAny(strings.TrimLeft(rest, " ：:"), []string{"换成了", "换成", "变成了", "现在是", "就是", "居然是", "竟然是", "原来是", "也是", "是", "叫", "名叫", "咱们", "我们", "群里的", "咱群的", "我们群的", "隔壁的", "："})
		is = is || again || strings.HasPrefix(rest, "：") || strings.HasPrefix(text, ":") || strings.HasPrefix(text, "：")
	}
	if _, name := r.names.prefix(strings.TrimLeft(rest, " @")); name != "" {
		return name
	}
	if !is {
		return ""
	}
	return personName(rest)
}

// personName returns a text if it can be the name of somebody outside the chat.
func personName(text string) string {
	name := value(text, 6)
	if runes(name) < 2 || kin.begin(name) || lovers.begin(name) || strangers.begin(name) || questions.in(name) || selfWords.in(name) || strings.Contains(name, "的") || strings.Contains(name, "个") || isRole(name) || notNames.in(name) {
		return ""
	}
	return name
}

// notNames are in texts that name nobody.
var notNames = setOf(" 别人 大家 家人 家里 一只 猫 狗 手机 游戏 工作 自己 学校 空气 电脑 没有 新的 刚 东北 本地 外地 同城 网 人")

// degreesEnd removes adverbs from the end of a text.
func degreesEnd(text string) string {
	for before := ""; before != text; {
		before = text
		text = fillers.cutEnds(degrees.cutEnds(text))
	}
	return text
}
