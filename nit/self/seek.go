package self

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

const maxWatched = 2000 // characters of a message to check

// fold lowercases letters, maps full-width characters to ASCII, and removes invisible characters.
func fold(s string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if n++; n > maxWatched {
			return -1
		}
		switch {
		case 0x4E00 <= r && r <= 0x9FFF, 'a' <= r && r <= 'z', '0' <= r && r <= '9': // most characters
			return r
		case 0xFF01 <= r && r <= 0xFF5E:
			r -= 0xFEE0
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// A word is a folded text to search for. A Latin word must match as a whole word.
type word string

// eachMatch calls f with the text before and after each match of the word. It stops when f returns true.
func (w word) eachMatch(text string, f func(before, behind string) bool) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], string(w))
		if i < 0 {
			return false
		}
		i += from
		end := i + len(w)
		first, _ := utf8.DecodeRuneInString(string(w))
		last, _ := utf8.DecodeLastRuneInString(string(w))
		prev, _ := utf8.DecodeLastRuneInString(text[:i])
		next, _ := utf8.DecodeRuneInString(text[end:])
		if !(latin(first) && latin(prev)) && !(latin(last) && latin(next)) && f(text[:i], text[end:]) {
			return true
		}
		from = i + 1
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
}

func latin(r rune) bool { return r < 0x250 && (unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_') }

// urgent reports whether a text contains the word without a negation before it.
func (w word) urgent(text string) bool {
	return w.eachMatch(text, func(before, _ string) bool {
		return !endsWith(before, "没", "没有", "不", "不是", "未", "无", "别", "非", "不会", "not ", "no ", "isn't ", "non-")
	})
}

// A name is a name of the owner.
type name struct {
	word
	bare bool // 主人, a common word
}

var (
	// Texts before and behind a name that show that somebody looks for the owner.
	seekBefore = []string{
		"找", "找一下", "找下", "找找", "联系", "联系一下", "联系下", "联系到", "呼叫", "帮我叫", "叫一下", "叫下", "去叫", "快叫", "喊一下", "喊下", "帮我喊", "快喊",
		"转告", "告诉", "告诉一下", "通知", "通知一下", "通知下", "看到", "看见", "见到", "where is ", "where's ", "wheres ", "looking for ", "seen ", "tell ", "call ",
	}
	seekAfter = []string{
		"在吗", "在么", "在嘛", "在不在", "在没在", "在线吗", "在线么", "在哪", "在家吗", "去哪", "上哪", "哪去了", "哪里去了", "人呢", "有空吗", "有没有空", "方便吗", "回来了吗", "回来没",
		"什么时候在", "什么时候回", "什么时候来", "什么时候有空", "怎么联系", "联系方式", "怎么不在", "怎么没来", "怎么没在", "睡了吗", "忙吗", "上线了吗", "来了吗", "出来一下", "出来下", "回个话",
	}
	// Words before 主人 that refer to the owner of another person or animal.
	otherOwners = []string{"我", "我的", "他", "她", "它", "他的", "她的", "它的", "狗", "猫", "的", "小", "女", "房"}
)

// askedFor reports whether somebody looks for the person with this name.
func (n name) askedFor(text string) bool {
	return n.eachMatch(text, func(before, behind string) bool {
		if n.bare && (endsWith(before, otherOwners...) || strings.HasPrefix(behind, "公") || strings.HasPrefix(behind, "翁") || strings.HasPrefix(behind, "的")) {
			return false
		}
		before, behind = sentence(before, behind)
		seen := endsWith(before, "看到", "看见", "见到", "seen ")
		if asks := strings.HasSuffix(behind, "吗") || strings.HasSuffix(behind, "没") || strings.HasSuffix(behind, "没有") || strings.HasSuffix(behind, "?"); seen {
			return asks // 看到老王了吗 matches, 昨天看到老王 does not
		}
		if endsWith(before, seekBefore...) && !endsWith(before, "不找", "别找", "没找", "不用找", "别告诉", "不要告诉", "不用告诉", "别通知", "不用通知") {
			return true
		}
		near := clip.Runes(strings.TrimLeft(behind, " ,、~"), 14)
		switch strings.TrimRight(near, "~? ") {
		case "呢", "呐", "人":
			return true
		}
		for _, s := range seekAfter {
			if i := strings.Index(near, s); i >= 0 && utf8.RuneCountInString(near[:i]) <= 6 && !strings.ContainsAny(near[:i], "说讲写,") {
				return true
			}
		}
		return endsWith(before, "is ") && (strings.HasPrefix(near, "here") || strings.HasPrefix(near, "around") || strings.HasPrefix(near, "online") || strings.HasPrefix(near, "there"))
	})
}

// sentence cuts both texts at the end of the sentence.
func sentence(before, behind string) (string, string) {
	const ends = "。!;…"
	if i := strings.LastIndexAny(before, ends+"?"); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		before = before[i+size:]
	}
	if i := strings.IndexAny(behind, ends); i >= 0 {
		behind = behind[:i]
	}
	if i := strings.IndexByte(behind, '?'); i >= 0 {
		behind = behind[:i+1]
	}
	return before, behind
}

func endsWith(s string, any ...string) bool {
	trimmed := strings.TrimRight(s, " ")
	return slices.ContainsFunc(any, func(suffix string) bool { return strings.HasSuffix(s, suffix) || strings.HasSuffix(trimmed, suffix) })
}
