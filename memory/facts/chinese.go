package facts

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chinese reads a Chinese text clause by clause.
func (r *reader) chinese(text string) {
	r.aboutJob, r.decided = containsAny(text, jobContext), containsAny(text, []string{"决定了", "想好了", "定了"})
	for text != "" {
		clause, rest, question := nextClause(text)
		text = rest
		if clause == "" || question || questions.in(clause) || strings.HasSuffix(clause, "没") || strings.HasPrefix(clause, "求") {
			continue
		}
		r.clause(clause)
	}
}

// nextClause cuts the first clause off a text. question reports that a question mark ends it.
func nextClause(text string) (clause, rest string, question bool) {
	before := rune(0)
	for i, c := range text {
		size := utf8.RuneLen(c)
		switch c {
		case '？', '?':
			return strings.TrimSpace(text[:i]), text[i+size:], true
		case '，', '。', '！', '；', '\n', ',', '!', ';', '…', '~', '～', '：':
			return strings.TrimSpace(text[:i]), text[i+size:], false
		case ' ', '\u3000':
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if unicode.Is(unicode.Han, before) && unicode.Is(unicode.Han, next) {
				return strings.TrimSpace(text[:i]), text[i+size:], false
			}
		}
		before = c
	}
	return strings.TrimSpace(text), "", false
}

// clause applies the rules to a clause. The first rule that matches wins.
func (r *reader) clause(c string) {
	if date, rest := cutDate(c); date != "" && r.birthday(date, rest) {
		return
	}
	if r.callsMe(c) {
		return
	}
	subject, explicit, rest, intent := r.findSubject(c)
	if explicit {
		r.subject = subject
	}
	if subject == "" || past.in(c) {
		return
	}
	_ = r.alias(subject, c, rest) || r.planEnd(subject, rest) || r.plan(subject, rest, explicit && intent || r.decided) || r.partner(subject, explicit, c, rest) || r.petEnd(subject, rest) || r.pet(subject, explicit, rest) ||
		r.job(subject, explicit, rest) || r.place(subject, explicit, rest) || r.likes(subject, explicit, c, rest)
}

// findSubject finds the person that a clause is about, and removes the words before its verb. Without a subject it is
// the person of the clause before, at first the speaker. subject is "" for a person whom nobody knows. intent reports a time in the future.
func (r *reader) findSubject(c string) (subject string, explicit bool, rest string, intent bool) {
	subject = r.subject
	for range 12 {
		c = strings.TrimLeft(c, " @[【「“\"'：:")
		if id, name := r.names.prefix(c); name != "" {
			subject, explicit, c = id, true, c[len(name):]
			if r.named, r.name = id, name; id == "" {
				return "", true, c, false
			}
			c = strings.TrimLeft(c, " ")
			if said, ok := cutAny(c, []string{"跟我说", "和我说", "告诉我", "说了", "说", "讲"}); ok {
				c = said
			}
			c = cutPossessive(c)
			continue
		}
		if rest, ok := cutAny(c, []string{"我们俩", "我俩", "我们", "本人", "俺", "咱家", "我"}); ok {
			if _, family := cutAny(strings.TrimPrefix(rest, "的"), kin); family {
				return "", true, "", false
			}
			subject, explicit, c = r.speaker, true, cutPossessive(rest)
			continue
		}
		if rest, ok := cutAny(c, []string{"他", "她"}); ok && !strings.HasPrefix(rest, "们") {
			if r.named == "" {
				return "", true, "", false
			}
			subject, explicit, c = r.named, true, cutPossessive(rest)
			continue
		}
		if _, stranger := cutAny(c, strangers); stranger && !explicit {
			return "", true, "", false
		}
		if rest, ok := future.cut(c); ok {
			c, intent = rest, true
			continue
		}
		if rest, ok := fillers.cut(c); ok {
			c = rest
			continue
		}
		break
	}
	return subject, explicit, c, intent
}

// cutPossessive removes 的 after a subject.
func cutPossessive(c string) string { return strings.TrimPrefix(c, "的") }

// value cleans the value of a clause. It is "" if the text is none.
func value(v string, most int) string {
	for {
		cut, ok := cutEndAny(strings.TrimSpace(v), particles)
		if v = cut; !ok {
			break
		}
	}
	if _, bad := cutAny(v, badStarts); bad || runes(v) > most {
		return ""
	}
	return v
}

// cutDate removes a day of the year from a clause. date has the form 3月5日.
func cutDate(c string) (date, rest string) {
	at := strings.Index(c, "月")
	if at < 0 {
		return "", c
	}
	begin := at
	for begin > 0 {
		d, size := utf8.DecodeLastRuneInString(c[:begin])
		if !isDigit(d) {
			break
		}
		begin -= size
	}
	end := at + len("月")
	for end < len(c) {
		d, size := utf8.DecodeRuneInString(c[end:])
		if !isDigit(d) {
			break
		}
		end += size
	}
	month, day := number(c[begin:at]), number(c[at+len("月"):end])
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return "", c
	}
	after, _ := cutAny(c[end:], []string{"号", "日"})
	return strconv.Itoa(month) + "月" + strconv.Itoa(day) + "日", c[:begin] + after
}

func isDigit(c rune) bool {
	return '0' <= c && c <= '9' || strings.ContainsRune("一二三四五六七八九十廿", c)
}

// number reads a number up to 39 in digits or Chinese numerals, or returns 0.
func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	n := 0
	for _, c := range s {
		switch d := strings.IndexRune("一二三四五六七八九", c) / 3; {
		case c == '十':
			n = max(n, 1) * 10
		case c == '廿':
			n = 20
		case strings.ContainsRune("一二三四五六七八九", c):
			n += d + 1
		default:
			return 0
		}
	}
	return n
}

// birthday reads a clause without its date: 我的生日是, 是小王生日, 我出生的.
func (r *reader) birthday(date, rest string) bool {
	if !containsAny(rest, []string{"生日", "出生", "生的"}) {
		return false
	}
	rest, _ = cutAny(strings.TrimSpace(rest), []string{"那天是", "就是", "是", "轮到", "该"})
	subject, explicit, rest, _ := r.findSubject(rest)
	for again := true; again; {
		rest, again = cutAny(rest, []string{"是", "在", "于", "的", "那天", "那日", "就", "要", "这天"})
	}
	if _, ok := cutAny(rest, []string{"过生日", "生日", "出生", "生的"}); !ok {
		return false
	}
	if explicit {
		r.subject = subject
	}
	return r.add(subject, Birthday, date, false)
}

// callsMe reads 叫我老王就行 and 大家可以叫我老王.
func (r *reader) callsMe(c string) bool {
	before, name, ok := strings.Cut(c, "叫我")
	if !ok {
		before, name, ok = strings.Cut(c, "喊我")
	}
	if !ok {
		return false
	}
	_, invited := cutAny(before, []string{"以后", "可以", "大家", "你们", "都", "请"})
	name, polite := cutEndAny(name, []string{"就可以了", "就可以", "就行了", "就行", "就好了", "就好", "即可", "吧", "好了"})
	if name = value(name, 6); !polite && !invited || !usableName(name) {
		return false
	}
	return r.add(r.speaker, Alias, name, false)
}

// alias reads 我外号老王 and 我叫老王.
func (r *reader) alias(subject, c, rest string) bool {
	name, ok := cutAny(rest, []string{"外号叫", "外号是", "外号", "绰号叫", "绰号是", "绰号", "小名叫", "小名是", "小名", "昵称是", "花名叫", "花名是", "网名叫", "网名是", "网名", "昵称叫", "昵称", "叫"})
	if !ok || subject != r.speaker || strings.HasPrefix(rest, "叫") && !strings.HasPrefix(c, "我叫") {
		return false
	}
	if name = value(name, 6); !usableName(name) {
		return false
	}
	return r.add(subject, Alias, name, false)
}

// intentions begin a plan. weak ones need a time in the future or a decision.
var (
	intentions = []string{"在考虑", "考虑", "打算要", "打算", "准备要", "准备", "计划着", "计划", "决定要", "决定", "想好了要"}
	weak       = []string{"要去", "要", "想要", "想去", "想", "会去", "去"}
	stopped    = []string{"的计划取消了", "的计划取消", "的计划泡汤了", "的计划黄了", "的事黄了", "的事泡汤了", "的事取消了", "的打算取消了", "计划取消了", "取消了", "泡汤了", "黄了", "去不成了"}
)

// planEnd reads 我不打算考研了, 考研取消了 and 我不考研了.
func (r *reader) planEnd(subject, rest string) bool {
	if what, ok := cutEndAny(rest, stopped); ok && what != "" {
		what, _ = cutAny(what, intentions)
		return r.add(subject, Plan, value(what, 16), true)
	}
	if what, ok := cutAny(rest, []string{"放弃", "取消了", "取消"}); ok && r.add(subject, Plan, value(what, 16), true) {
		return true
	}
	what, ok := strings.CutPrefix(rest, "不")
	if !ok || !strings.HasSuffix(rest, "了") {
		return false
	}
	what, ok = cutAny(what, append([]string{"想", "考虑"}, intentions...))
	if !ok {
		if _, other := cutAny(what, []string{"喜欢", "爱", "再", "养", "住", "在", "干", "做", "玩了", "行", "对", "好", "和", "跟", "是"}); other {
			return false
		}
	}
	v := value(what, 16)
	_, small := cutAny(v, trivial)
	return !small && runes(v) > 1 && r.add(subject, Plan, v, true)
}

// plan reads 我打算考研 and 下周我要去云南玩.
func (r *reader) plan(subject, rest string, intent bool) bool {
	what, ok := cutAny(rest, intentions)
	if !ok {
		if what, ok = cutAny(rest, weak); !ok || !intent {
			return false
		}
		if strings.HasSuffix(rest[:len(rest)-len(what)], "去") {
			what = "去" + what
		}
	}
	for again := true; again; {
		if what, again = future.cut(what); !again {
			what, again = cutAny(what, []string{"在", "就", "先", "要", "自己", "开始"})
		}
	}
	if _, small := cutAny(what, trivial); small {
		return true // nothing to remember, and no other rule applies
	}
	return r.add(subject, Plan, value(what, 16), false)
}

var (
	together  = []string{"是一对", "是情侣", "谈了", "谈上了", "处对象了", "处对象", "在一起了", "在一起", "在谈恋爱", "谈恋爱了", "谈恋爱", "恋爱了", "结婚了", "结婚", "领证了", "订婚了", "好上了", "在谈"}
	sharing   = []string{"合租了", "合租", "一起合租", "住一起了", "住一起", "住在一起", "一起住", "同居了", "同居"}
	broken    = []string{"结束了", "散了", "分手了", "分了", "离婚了", "掰了", "吹了"}
	lovers    = []string{"女朋友", "男朋友", "女友", "男友", "对象", "老婆", "老公", "媳妇", "爱人", "未婚妻", "未婚夫"}
	roommates = []string{"室友", "舍友", "合租室友"}
)

// partner reads 我和小王在一起了, 小王是我对象, 我分手了, and the same for roommates.
func (r *reader) partner(subject string, explicit bool, c, rest string) bool {
	if _, over := cutAny(rest, []string{"分手了", "分手", "离婚了", "单身了", "恢复单身", "被甩了"}); over && explicit {
		return r.add(subject, Partner, "", true)
	}
	met, _ := cutAny(rest, []string{"搬去", "搬来", "搬到"})
	if with, ok := cutAny(met, []string{"和", "跟", "与", "同"}); ok {
		for again := true; again; {
			with, again = cutEndAny(with, []string{"哦", "啦", "呀", "吧", "哈哈", "啊"})
		}
		for _, kind := range [...]struct {
			ends     []string
			relation Relation
			over     bool
		}{{sharing, Roommate, false}, {together, Partner, false}, {broken, Partner, true}} {
			if name, ok := cutEndAny(with, kind.ends); ok {
				for again := true; again; {
					name, again = cutEndAny(strings.TrimSpace(name), []string{"已经", "现在", "正式", "正", "刚", "一起", "好像", "也", "都"})
				}
				if (name == "我" || name == "俺") && subject == r.named { // 小王和我合租
					subject, name = r.speaker, r.name
				}
				if name = value(name, 12); name != "" {
					return r.add(subject, kind.relation, name, kind.over)
				}
			}
		}
		return false
	}
	for _, kind := range [...]struct {
		words    []string
		relation Relation
	}{{lovers, Partner}, {roommates, Roommate}} {
		if name, ok := cutAny(rest, kind.words); ok && explicit { // 我对象是小王
			if name, ok = cutAny(name, []string{"现在是", "就是", "是", "叫"}); ok {
				if name = value(name, 12); name != "" {
					return r.add(subject, kind.relation, name, false)
				}
			}
		}
		if before, ok := cutEndAny(strings.TrimRight(c, "了啦哦呀哈"), kind.words); ok { // 小王是我对象
			name, whose, ok := strings.Cut(before, "是")
			if of, known := r.names.prefix(whose); ok && known != "" && cutPossessive(whose[len(known):]) == "" { // 小王是小李的对象
				return r.add(of, kind.relation, value(name, 12), false)
			}
			if ok && (whose == "我" || whose == "我的") {
				name, _ = cutEndAny(name, []string{"现在", "已经", "就"})
				if name = value(name, 12); name != "" {
					return r.add(r.speaker, kind.relation, name, false)
				}
			}
		}
	}
	return false
}

func isAnimal(s string) bool {
	for _, a := range animals {
		if strings.HasSuffix(s, a) {
			return true
		}
	}
	return false
}

var petGone = []string{"送人了", "送走了", "送人养了", "去世了", "走了", "死了", "没了", "不养了", "跑丢了", "丢了", "去喵星了", "去汪星了", "回喵星了", "送给"}

// petEnd reads 猫送人了, 我把猫送人了 and 我不养猫了.
func (r *reader) petEnd(subject, rest string) bool {
	if what, ok := cutAny(rest, []string{"不养", "不再养", "没养", "没再养"}); ok {
		what = value(what, 8)
		return isAnimal(what) && r.add(subject, Pet, what, true)
	}
	rest, _ = cutAny(rest, []string{"家里的", "家的", "家那只", "家里", "家"})
	what, _ := cutAny(rest, []string{"的", "那只", "把家里的", "把我家", "把我的", "把", "将"})
	what, _ = cutAny(what, measures)
	for _, end := range petGone {
		if name, _, ok := strings.Cut(what, end); ok {
			for again := true; again; {
				name, again = cutEndAny(name, fillers.words)
			}
			return isAnimal(name) && r.add(subject, Pet, value(name, 8), true)
		}
	}
	return false
}

// pet reads 我养了一只猫, 家里新来了一只猫 and 我家的猫到家了.
func (r *reader) pet(subject string, explicit bool, rest string) bool {
	rest, home := cutAny(cutOrigin(rest), []string{"家里面", "家里", "家的", "家"})
	rest, _ = cutAny(rest, []string{"最近", "现在", "已经", "刚", "也", "新"})
	for again := home; again; {
		rest, again = cutAny(rest, []string{"还", "又", "新"})
	}
	what, kept := cutAny(rest, []string{"领养了", "领养", "收养了", "收养", "抱养了", "养了", "养着", "养起了", "养"})
	if !kept {
		if home {
			what, kept = cutAny(rest, []string{"来了", "添了", "多了", "有"})
		}
		if !kept {
			what, kept = cutAny(rest, []string{"买了", "捡了", "捡到", "接了", "带了", "接回", "接", "抱了", "拥有了", "有了", "有"})
			if !kept && home { // 我家的猫到家了
				if name, ok := cutEndAny(rest, []string{"到家了", "来了"}); ok && isAnimal(name) {
					return r.add(subject, Pet, value(name, 8), false)
				}
			}
			if !kept {
				return false
			}
			what, _ = cutAny(what, []string{"属于自己的", "自己的"})
		}
	}
	what, counted := cutAny(what, measures)
	for _, tail := range [...]string{"回来养", "回来", "回家", "来养", "当宠物"} {
		what, _, _ = strings.Cut(what, tail)
	}
	what = value(what, 8)
	if !isAnimal(what) && !(counted && kept && strings.Contains(rest, "养")) || what == "" {
		return false
	}
	return r.add(subject, Pet, what, false)
}
