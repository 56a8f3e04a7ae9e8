package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chinese reads a Chinese text clause by clause.
func (r *reader) chinese(text string) {
	text = withoutDialect(text)
	if news.in(text) {
		r.aboutJob, r.decided, r.renamed, r.announced = jobNews.in(text), decisions.in(text), renaming.in(text), strings.Contains(text, "官宣")
	}
	r.birthday(text)
	whole := text
	for text != "" {
		clause, rest, question := nextClause(text)
		text = rest
		r.text = whole[:len(whole)-len(rest)]
		if isDoubt(clause) && (question || text == "") {
			r.claims = slices.DeleteFunc(r.claims, func(c Claim) bool { return c.Subject != r.speaker })
			continue
		}
		clause = plainEnd(clause)
		if conditions.in(clause) {
			if clause = r.afterTopic(clause); clause == "" || conditions.in(clause) {
				return
			}
		}
		if strings.HasPrefix(clause, "谁再") && (tasteReader{r}).threatened(clause) {
			continue
		}
		asks := question || isQuestion(clause)
		if asks || strings.HasSuffix(clause, "嘛") {
			if statement, ok := r.rhetorical(clause); ok {
				clause, question = statement, false
				asks = isQuestion(clause)
			}
		}
		if strings.HasPrefix(clause, "在") && strings.HasSuffix(clause, "里") && runes(clause) < 8 && len(r.claims) > 0 { // 我养了一百只猫，在游戏里
			r.claims = nil
			return
		}
		r.asked = r.asked || asks
		if clause == "" || asks {
			if what, w, _ := questions.find(clause); w == "谁" && what != "" && runes(what) < 9 { // 香菜谁爱谁拿走，我不喜欢
				r.object = likeable(what)
			} else if _, w, what := loving.find(clause); w != "" && runes(what) > 1 && r.object == "" { // 怎么会有人喜欢香菜，我反正讨厌
				r.object = likeable(asking.cutEnds(what))
			} else if _, w, what := innerHeads.findLast(clause); w != "" { // 能不能别提香菜，我最讨厌了
				what, _, _ = questions.find(what)
				r.object = likeable(what)
			} else if what, w, _ := questions.find(clause); w == "谁" && what != "" { // 香菜谁不爱呢，反正我爱
				r.object = likeable(what)
			} else if question && runes(clause) < 7 && !questions.in(clause) { // 香菜？早不吃了
				r.object = likeable(clause)
			}
			continue
		}
		r.clause(clause)
	}
	jobReader{r}.jobNews(whole)
}

// plainEnd replaces 啦 and the like at the end of a clause by 了.
func plainEnd(c string) string {
	for _, end := range [...]string{"啦", "咯", "喽", "辣", "叻"} {
		if short, ok := strings.CutSuffix(c, end); ok && !strings.HasSuffix(short, "了") && !strings.HasSuffix(short, end) {
			return short + "了"
		}
	}
	return c
}

// news words matter for all clauses of a message.
var news = unionOf(jobNews, decisions, renaming, setOf(" 官宣"))

// nextClause cuts the first clause off a text. question reports that a question mark ends it.
func nextClause(text string) (clause, rest string, question bool) {
	before, spaced := rune(0), false
	for i, c := range text {
		size := utf8.RuneLen(c)
		switch c {
		case '？', '?':
			return strings.TrimSpace(text[:i]), text[i+size:], true
		case '，', '。', '！', '；', '\n', ',', '!', ';', '…', '~', '～', '（', '(', '）', ')', '|', '—', '→':
			return strings.TrimSpace(text[:i]), text[i+size:], false
		case '：', ':': // 坐标：成都 is one clause, and 通知：我搬家了 is two
			if label.ends(strings.TrimSpace(text[:i])) == "" {
				return strings.TrimSpace(text[:i]), text[i+size:], false
			}
		case '哈', '呜', '嘿', '嘻':
			if strings.HasPrefix(text[i+size:], string(c)) {
				return strings.TrimSpace(text[:i]), strings.TrimLeft(text[i:], string(c)), false
			}
		case ' ', '\u3000':
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			latin := before < utf8.RuneSelf && !unicode.IsDigit(before)
			if unicode.Is(unicode.Han, next) && !strings.HasSuffix(lower(text[:i]), "base") && (unicode.Is(unicode.Han, before) || latin && !spaced) {
				return strings.TrimSpace(text[:i]), text[i+size:], false
			}
			if next < utf8.RuneSelf && strings.ContainsRune("了呗吧啊呢嘛哈呀啦哦", before) {
				return strings.TrimSpace(text[:i]), text[i+size:], false
			}
			spaced = true
		default:
			if isEmoji(c) {
				return strings.TrimSpace(text[:i]), text[i+size:], false
			}
		}
		before = c
	}
	return strings.TrimSpace(text), "", false
}

// isEmoji reports whether a character is an emoji or a part of one.
func isEmoji(c rune) bool {
	return c >= 0x1F000 && c < 0x1FB00 || c >= 0x2600 && c < 0x27C0 || c == 0xFE0F || c == 0x200D || c >= 0x2B00 && c < 0x2C00
}

// label words stand before a colon.
var label = setOf(" 心头好 本命 快乐源泉 真爱 精神食粮 近期爱好 雷区 最新爱好 新爱好 小目标 今年目标 今年的目标 年度目标 今年计划 今年的计划 flag FLAG 心愿 愿望 生日 坐标 现居 现居地 居住地 常住地 常住 base Base 住址 地址 城市 所在地 对象 我对象 职业 工作 工作单位 单位 公司 行业 外号 昵称 小名 绰号 花名 室友 我室友 爱好 兴趣 兴趣爱好 最爱 喜欢 讨厌 最讨厌 雷点 宠物 计划 目标 新目标 打算 我的生日 我生日 新公司 新东家 新工作 新家 男朋友 女朋友 下家")

// cutLast splits a text at the last occurrence of a word.
func cutLast(text, word string) (before, after string, ok bool) {
	if i := strings.LastIndex(text, word); i >= 0 {
		return text[:i], text[i+len(word):], true
	}
	return text, "", false
}

// isQuestion reports whether a clause asks.
func isQuestion(c string) bool {
	if strings.HasSuffix(c, "没") || strings.HasSuffix(c, "没有") && !strings.HasSuffix(c, "都没有") && !strings.HasSuffix(c, "不能没有") || strings.HasPrefix(c, "求") || questions.in(c) {
		return true
	}
	if head, verb, ok := cutLast(c, "没"); ok && runes(verb) == 1 && verb != "了" && strings.Contains(head, verb) { // 搬成都没搬
		return true
	}
	for i := 0; ; { // 喜不喜欢, 大不大
		at := strings.Index(c[i:], "不")
		if at < 0 {
			return false
		}
		i += at
		before, size := utf8.DecodeLastRuneInString(c[:i])
		after, _ := utf8.DecodeRuneInString(c[i+len("不"):])
		if size > 0 && before == after && unicode.Is(unicode.Han, before) {
			return true
		}
		i += len("不")
	}
}
