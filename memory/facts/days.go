package facts

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// birthWords mean a birthday.
var birthWords = setOf(" 破蛋 过寿 唱生日歌 大寿 生日 出生 生的 寿星 破壳 降生 诞生 诞辰 生辰 来到这个世界 来到人间 大一岁 老一岁 长一岁 又长了一岁 涨一岁 寿辰 生儿 落地 过生 -生日会 -生日蛋糕 -出生率 -生日歌")

// birthday reads a day of the year and a word for a birthday in a message, and finds whose it is: the person who is named last
// before the word, or else the speaker.
func (r *reader) birthday(text string) {
	if !strings.Contains(text, "月") || !birthWords.in(text) {
		return
	}
	date, at, end := findDate(text)
	if date == "" {
		return
	}
	if r.asksDay(text, at) {
		return
	}
	subject, known := r.whoseDay(text[:at] + "\x00" + text[end:])
	if known && subject != "" {
		r.add(subject, Birthday, date, false)
	}
}

// sameDay words tell of the speaker's birthday by that of another person.
var sameDay = setOf(" 生的俺 生的我 生的咱 同一天生日 同一天过生日 跟我同一天 和我同一天 与我同一天 跟我一样 和我一样 跟我一天 和我一天 把我生 生下我 生了我 跟我妈同一天 和我妈同一天 跟我爸同一天 和我爸同一天 还有谁是 谁也是 有人也是 跟我同天 和我同天 同月同日")

// asksDay reports whether the clause with the day at a position asks.
func (r *reader) asksDay(text string, at int) bool {
	if sameDay.in(text) {
		return false
	}
	for from := clauseStart(text, at); ; {
		clause, rest, question := nextClause(text[from:])
		if next := len(text) - len(rest); next > at || rest == "" {
			return question && !wellKnown.begin(clause) || isQuestion(clause)
		} else {
			from = next
		}
	}
}

// clauseStart returns the start of the clause around a position.
func clauseStart(text string, at int) int {
	return strings.LastIndexAny(text[:at], "，。！；\n,!;？?") + 1
}

// whoseDay finds the person of a birthday. known is false for somebody whom nobody knows.
func (r *reader) whoseDay(text string) (subject string, known bool) {
	subject, known = r.speaker, true
	if sameDay.in(text) && len(r.names.Named(text)) == 0 { // 有没有跟我同一天生日的，我3月5日
		return r.speaker, true
	}
	self := false
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		at := text[i:]
		id, name := r.names.prefix(at)
		w, _ := selfWords.begins(at)
		object := objectOf.ends(strings.TrimRight(text[:i], " "))
		if object == "是" || object == "给" || object == "爱" || object == "对" {
			object = ""
		}
		switch {
		case insideWord(text, i):
		case name != "":
			rest := text[i+len(name):]
			if isKin(cutPossessive(rest)) && !strings.HasPrefix(rest, "哥") && !strings.HasPrefix(rest, "姐") && !afterName.begin(rest) {
				if said := strings.Index(text[i:], "说"); said > 0 && said < 30 { // 听小王她妈说，她是3月5日生的
					r.named, r.name, size = id, name, said
					break
				}
				return "", false
			}
			if object == "" || !self {
				if id == "" {
					return "", false
				}
				r.named, r.name = id, name
				return id, true
			}
			size = len(name)
		case w != "" && !self:
			if w2, _ := kin.begins(text[i+len(w):]); w2 != "" { // 我闺蜜小王
				if _, name := r.names.prefix(text[i+len(w)+len(w2):]); name != "" {
					size = len(w) + len(w2)
					break
				}
			}
			if isKin(text[i+len(w):]) {
				if said := strings.Index(text[i:], "说"); said > 0 && said < 24 { // 我妈说
					size = said
					break
				}
				return "", false
			}
			if object == "" && !strings.HasPrefix(at, "我们") {
				self = true
				rest := degrees.cutAll(fillers.cutAll(cutPossessive(at[len(w):])))
				if strings.HasPrefix(rest, "\x00") || birthWords.begin(rest) || strings.HasPrefix(rest, "是") || strings.HasPrefix(rest, "过") || strings.HasPrefix(rest, "身份证") {
					return r.speaker, true
				}
				self = false
			}
			size = len(w)
		case strings.HasPrefix(at, "他") || strings.HasPrefix(at, "她") || strings.HasPrefix(at, "你"):
			rest := at[len("他"):]
			rest = degrees.cutAll(fillers.cutAll(cutPossessive(strings.TrimPrefix(rest, "们"))))
			if strings.HasPrefix(rest, "\x00") || birthWords.begin(rest) || strings.HasPrefix(rest, "是") || isKin(rest) {
				return r.named, r.named != "" && !isKin(rest)
			}
		default:
			if w, _ := strangers.begins(at); w != "" && runes(w) > 1 && objectOf.ends(text[:i]) == "" && kinBirthday(at[len(w):]) {
				return "", false
			}
		}
		i += max(1, size)
	}
	return subject, known
}

// kinBirthday reports whether a word for a birthday follows a person at once.
func kinBirthday(rest string) bool {
	rest = fillers.cutAll(cutPossessive(rest))
	return strings.HasPrefix(rest, "\x00") || birthWords.begin(rest) || strings.HasPrefix(rest, "是\x00")
}

// findDate finds a day of the year. date has the form 3月5日.
func findDate(text string) (date string, begin, end int) {
	for from := 0; ; {
		at := strings.Index(text[from:], "月")
		if at < 0 {
			return "", 0, 0
		}
		at += from
		begin, end = at, at+len("月")
		for begin > 0 {
			d, size := utf8.DecodeLastRuneInString(text[:begin])
			if !isDigit(d) {
				break
			}
			begin -= size
		}
		for end < len(text) {
			d, size := utf8.DecodeRuneInString(text[end:])
			if !isDigit(d) {
				break
			}
			end += size
		}
		month, day := number(text[begin:at]), number(text[at+len("月"):end])
		if month >= 1 && month <= 12 && day >= 1 && day <= 31 {
			for _, unit := range [...]string{"号", "日"} {
				if strings.HasPrefix(text[end:], unit) {
					end += len(unit)
					break
				}
			}
			return strconv.Itoa(month) + "月" + strconv.Itoa(day) + "日", begin, end
		}
		from = at + len("月")
	}
}

// cutDate removes a day of the year from a text.
func cutDate(text string) (date, rest string) {
	date, begin, end := findDate(text)
	return date, text[:begin] + text[end:]
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
