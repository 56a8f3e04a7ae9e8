package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// chinese reads a Chinese text clause by clause.
func (r *reader) chinese(text string) {
	if news.in(text) {
		r.aboutJob, r.decided, r.renamed, r.announced = jobNews.in(text), decisions.in(text), renaming.in(text), strings.Contains(text, "官宣")
	}
	r.birthday(text)
	for text != "" {
		clause, rest, question := nextClause(text)
		text = rest
		if conditions.in(clause) {
			return
		}
		if strings.HasPrefix(clause, "在") && strings.HasSuffix(clause, "里") && runes(clause) < 8 && len(r.claims) > 0 { // 我养了一百只猫，在游戏里
			r.claims = nil
			return
		}
		if clause == "" || question || isQuestion(clause) {
			if _, w, what := innerHeads.findLast(clause); w != "" { // 能不能别提香菜，我最讨厌了
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
var label = setOf(" flag FLAG 心愿 愿望 生日 坐标 现居 现居地 居住地 常住地 常住 base Base 住址 地址 城市 所在地 对象 我对象 职业 工作 工作单位 单位 公司 行业 外号 昵称 小名 绰号 花名 室友 我室友 爱好 兴趣 兴趣爱好 最爱 喜欢 讨厌 最讨厌 雷点 宠物 计划 目标 新目标 打算 我的生日 我生日 新公司 新东家 新工作 新家 男朋友 女朋友 下家")

// isQuestion reports whether a clause asks.
func isQuestion(c string) bool {
	if strings.HasSuffix(c, "没") || strings.HasSuffix(c, "没有") && !strings.HasSuffix(c, "都没有") || strings.HasPrefix(c, "求") || questions.in(c) {
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

// A clause is a part of a message with the person that it is about.
type clause struct {
	text     string // without the words that only begin it
	subject  string // "": a person whom nobody knows
	explicit bool   // the clause names the subject
	lead     string // the words that only begin it
	before   string // what stands before a subject in the middle
	rest     string // what follows the subject
	future   bool   // it names a time in the future
	past     bool   // it tells of former times
	reported bool   // the subject has said so
	thing    bool   // its subject is no person
	stressed bool   // words that only begin a clause stand before its verb
}

// clause applies the rules to a clause. The first rule that matches wins.
func (r *reader) clause(text string) {
	if r.callsMe(text) {
		return
	}
	if r.couple(text) {
		return
	}
	c := r.findSubject(text)
	if c.explicit && !c.thing {
		r.subject = c.subject
	}
	_ = r.alias(&c) || r.petEnd(&c) || r.planEnd(&c) || r.plan(&c) || r.pet(&c) || r.place(&c) || r.job(&c) || r.likes(&c)
}

// claim adds a claim about the subject of a clause, unless that is unknown or the clause tells of the past.
func (r *reader) claim(c *clause, relation Relation, value string, ends bool) bool {
	if c.subject == "" || c.past && !ends {
		return false
	}
	return r.add(c.subject, relation, value, ends)
}

// findSubject finds the person that a clause is about, and removes the words before its verb. Without a subject it is
// the person of the clause before, at first the speaker.
func (r *reader) findSubject(text string) (c clause) {
	c = clause{text: text, subject: r.subject, rest: text}
	r.skip(&c)
	if !c.explicit {
		c.text, c.stressed = c.rest, len(c.rest) < len(text)
		c.lead = text[:len(text)-len(c.rest)]
		r.lookAhead(&c)
	}
	if c.subject == "" || !c.explicit || c.subject == r.speaker { // he of the next clause
		for _, m := range r.mentions(text) {
			if !m.self && m.id != "" {
				r.named, r.name = m.id, m.name
				break
			}
		}
	}
	return c
}

// skip removes the subject and other words from the start of a clause.
func (r *reader) skip(c *clause) {
	for range 16 {
		c.rest = strings.TrimLeft(c.rest, " @[【「“\"'：:、")
		if id, name := r.names.prefix(c.rest); name != "" {
			r.person(c, id, name)
			if id == "" {
				return
			}
			continue
		}
		if rest, ok := selfWords.cut(c.rest); ok {
			if _, name := r.names.prefix(rest); name != "" && !strings.HasSuffix(c.rest[:len(c.rest)-len(rest)], "俩") { // 我们小王
				c.rest = rest
				continue
			}
			if isKin(rest) {
				if who, said, ok := strings.Cut(rest, "说"); ok && runes(who) < 6 { // 我同事说小王搬家了
					if _, name := r.names.prefix(said); name != "" {
						c.rest = said
						continue
					}
				}
				c.subject, c.explicit = "", true
				return
			}
			c.subject, c.explicit, c.rest = r.speaker, true, cutPossessive(rest)
			continue
		}
		if rest, ok := thirdPersons.cut(c.rest); ok {
			if _, name := r.names.prefix(rest); name != "" && strings.HasPrefix(c.rest, "人家") { // 人家小王
				c.rest = rest
				continue
			}
			c.subject, c.explicit, c.rest = r.named, true, cutPossessive(rest)
			if isKin(c.rest) {
				c.subject = ""
			}
			if c.subject == "" {
				return
			}
			continue
		}
		if rest, ok := cutReport(c.rest); ok { // 听我妈说
			c.rest = rest
			continue
		}
		if w, _ := strangers.begins(c.rest); w != "" && !c.explicit {
			if titles.is(w) && !strings.HasPrefix(c.rest[len(w):], "说") {
				c.rest = c.rest[len(w):]
				continue
			}
			c.subject, c.explicit, c.rest = "", true, c.rest[len(w):]
			c.thing = strings.HasPrefix(w, "这") || strings.HasPrefix(w, "那") || strings.HasPrefix(w, "每") || w == "它"
			return
		}
		if w, _ := titles.begins(c.rest); w != "" && !c.explicit && (strings.HasPrefix(c.rest[len(w):], "我") || strings.HasPrefix(c.rest[len(w):], "的") || titleVerbs.begin(c.rest[len(w):])) {
			c.rest = strings.TrimPrefix(c.rest[len(w):], "的")
			continue
		}
		if rest, ok := future.cut(c.rest); ok {
			c.rest, c.future = rest, true
			continue
		}
		if w, _ := past.begins(c.rest); w != "" {
			c.rest, c.past = cutPossessive(c.rest[len(w):]), true
			continue
		}
		if rest, ok := fillers.cut(c.rest); ok {
			c.rest = rest
			continue
		}
		return
	}
}

// person makes a person who is named at the start of a clause its subject.
func (r *reader) person(c *clause, id, name string) {
	c.subject, c.explicit, c.rest = id, true, strings.TrimLeft(c.rest[len(name):], " ")
	if r.named, r.name = id, name; id == "" {
		return
	}
	c.rest = afterName.cutAll(c.rest)
	if said, ok := saying.cut(c.rest); ok {
		c.rest, c.reported = strings.TrimLeft(said, " "), true
	}
	c.rest = cutPossessive(c.rest)
	if isKin(c.rest) && !strings.HasPrefix(c.rest, "哥") && !strings.HasPrefix(c.rest, "姐") {
		c.subject = ""
	}
}

// lookAhead finds a subject in the middle of a clause: 别看小王不吭声, 香菜我不爱.
func (r *reader) lookAhead(c *clause) {
	for i, char := range c.rest {
		if i == 0 || char < 0x2E80 && !isLetter(c.rest[i]) {
			continue
		}
		at := c.rest[i:]
		if insideWord(c.rest, i) {
			continue
		}
		_, name := r.names.prefix(at)
		self, _ := selfWords.begins(at)
		lead := strings.TrimRight(c.rest[:i], " ")
		if name == "" && self == "" || objectOf.ends(lead) != "" && perceiving.ends(lead) == "" {
			continue
		}
		before, old := c.rest[:i], *c
		c.rest = at
		r.skip(c)
		if !c.explicit {
			*c = old
			continue
		}
		c.before = before
		return
	}
}

// cutReport removes 听…说 and the like from the start of a clause.
func cutReport(c string) (rest string, ok bool) {
	w, _ := reports.begins(c)
	if w == "" {
		return c, false
	}
	head := c[len(w):]
	who, said, found := strings.Cut(head, "说")
	if !found || runes(who) > 6 || who == "" {
		return c, false
	}
	if selfWords.in(who) || strangers.in(who) || kin.in(who) {
		return strings.TrimPrefix(said, "了"), true
	}
	return head, true // the person who says so may be the subject, too
}

var (
	reports   = setOf(" 听 听到 听见 据 看 看见 看到")
	saying    = setOf(" 嚷嚷着 嚷嚷 吵着 嚷着 喊着 念叨着 嚷嚷着 嚷嚷 吵着 嚷着 喊着 念叨着 跟我说了 跟我说过 跟我说 和我说过 和我说 跟我讲 跟我提过 跟我们说 和我们说 给我说 告诉我们 告诉我 亲口说 自己说 说了 说过 说是 说 讲 透露 表示 宣布 官宣 发朋友圈说 私聊我说 私下说 昨天说 今天说 前几天说 刚说 上次说 刚跟我说 昨天跟我说 昨晚跟我说 之前说 之前跟我说 微信上说 打电话说 发消息说 发动态说")
	afterName = setOf(" 这人 那人 这家伙 那家伙 这货 那货 这小子 那小子 这丫头 同学 老师 大佬 大神 老板 师傅 总 自己 本人 两口子 小两口 夫妻俩 一家子 一家 全家 一家人 他 她 ta 他们家 她们家 那边 这边")
)

// isKin reports whether what follows a person is another person: 妈, 有个朋友.
func isKin(rest string) bool {
	for range 3 {
		if w, hidden := kin.begins(rest); w != "" {
			return true
		} else if hidden > 0 {
			return false
		}
		var ok bool
		if rest, ok = kinFillers.cut(rest); !ok {
			return false
		}
	}
	w, _ := kin.begins(rest)
	return w != ""
}

// titleVerbs follow a title by which speakers call themselves: 哥现在是包工头.
var titleVerbs = setOf(" 现在 也 就 最近 终于 已经 今天 从今天 早就 是")

// cutDuration removes 三年 and the like from the start of a text.
func cutDuration(text string) string {
	n := 0
	for _, c := range text {
		if !isDigit(c) && c != '两' && c != '几' && c != '半' && c != '多' && c != '好' {
			break
		}
		n += utf8.RuneLen(c)
	}
	if rest, ok := cutAny(text[n:], []string{"年多的", "年多", "年的", "年", "个多月", "个月的", "个月", "天的", "天"}); ok && n > 0 {
		return rest
	}
	return text
}

// cutPossessive removes 的 after a subject.
func cutPossessive(c string) string { return strings.TrimPrefix(c, "的") }

// light reports whether a text has no other words than those that only begin a clause.
func light(lead string) bool {
	for before := ""; before != lead; {
		before = lead
		lead = future.cutAll(degrees.cutAll(fillers.cutAll(saying.cutAll(lead))))
	}
	return lead == ""
}

// near reports whether a cue belongs to the subject of a clause. lead stands between them.
func (c *clause) near(lead string) bool {
	for before := ""; before != lead; {
		before = lead
		lead = saying.cutAll(lead)
		lead = future.cutAll(degrees.cutAll(fillers.cutAll(lead)))
	}
	switch {
	case lead == "" || lead == "是":
		return true
	case strings.Contains(lead, "的") || strings.Contains(lead, "你") || strings.Contains(lead, "他") || kin.in(lead):
		return false
	case c.explicit:
		return runes(lead) <= 8
	}
	return runes(lead) <= 8 && adverbials.ends(lead) != ""
}

// adverbials end what tells of a time or place and is no subject.
var adverbials = setOf(" 后 时 时候 就 完 下来 以来 起 天 年 月 晚 里 上 下 边 地 前 中 着")

// value cleans the value of a clause. It is "" if the text is none.
func value(v string, most int) string {
	v = strings.Trim(particles.cutEnds(strings.TrimLeft(v, " ：:“\"「『《【@、")), " ")
	if w, _ := badStarts.begins(v); w != "" || runes(v) > most {
		return ""
	}
	return v
}
