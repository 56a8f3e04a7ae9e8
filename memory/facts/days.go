package facts

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// findDay returns the first day of the year in a text, or "".
func findDay(text string) string {
	before := ' '
	for i, c := range text {
		if !isNumeral(before) && !(c < utf8.RuneSelf && isLetter(byte(c)) && insideWord(text, i)) {
			if day, _ := dayOfYear(text[i:]); day != "" {
				return day
			}
		}
		before = c
	}
	return ""
}

// dayOfYear reads a day of the year at the start of a text: 3月5号, 十二月二十一日, March 5th, 5th of March. It returns the day in the form
// 3月5日 and the length of what it has read.
func dayOfYear(text string) (value string, size int) {
	if text == "" {
		return "", 0
	}
	c, _ := utf8.DecodeRuneInString(text)
	switch {
	case isNumeral(c):
		month, n := numeral(text)
		if rest, ok := strings.CutPrefix(text[n:], "月"); ok {
			day, n2 := numeral(rest)
			end := len(text) - len(rest) + n2
			for _, unit := range [...]string{"号", "日"} {
				if strings.HasPrefix(text[end:], unit) {
					return formatDay(month, day, end+len(unit))
				}
			}
			return formatDay(month, day, end)
		}
		if '0' <= c && c <= '9' {
			return dayBeforeMonth(text, month, n)
		}
	case isLetter(text[0]):
		month, n := englishMonth(text)
		if month == 0 {
			return "", 0
		}
		rest := strings.TrimLeft(text[n:], ". ")
		rest = strings.TrimPrefix(rest, "the ")
		day, n2 := numeral(rest)
		return formatDay(month, day, len(text)-len(rest)+n2+ordinal(rest[n2:]))
	}
	return "", 0
}

// dayBeforeMonth reads 5 March and 5th of March, whose number has been read.
func dayBeforeMonth(text string, day, n int) (value string, size int) {
	rest := strings.TrimLeft(text[n+ordinal(text[n:]):], " ")
	rest = strings.TrimPrefix(rest, "of ")
	month, n2 := englishMonth(rest)
	return formatDay(month, day, len(text)-len(rest)+n2)
}

func formatDay(month, day, size int) (string, int) {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return "", 0
	}
	return strconv.Itoa(month) + "月" + strconv.Itoa(day) + "日", size
}

// ordinal returns the length of the ending of an English ordinal number.
func ordinal(text string) int {
	for _, end := range [...]string{"st", "nd", "rd", "th"} {
		if strings.HasPrefix(text, end) {
			return len(end)
		}
	}
	return 0
}

const numerals = "一二三四五六七八九"

func isNumeral(c rune) bool {
	return '0' <= c && c <= '9' || c == '十' || c == '廿' || c > utf8.RuneSelf && strings.ContainsRune(numerals, c)
}

// numeral reads a number up to 99 in digits or Chinese numerals, or returns 0.
func numeral(text string) (n, size int) {
	for i, c := range text {
		switch d := strings.IndexRune(numerals, c); {
		case '0' <= c && c <= '9':
			n = n*10 + int(c-'0')
		case c == '十':
			n = max(n, 1) * 10
		case c == '廿':
			n = 20
		case d >= 0:
			n += d/len("一") + 1
		default:
			return n, i
		}
		if size = i + utf8.RuneLen(c); n > 99 {
			return 0, 0
		}
	}
	return n, size
}

var englishMonthNames = [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// englishMonth reads the name of a month or its first three letters.
func englishMonth(text string) (month, size int) {
	for size < len(text) && isLetter(text[size]) {
		size++
	}
	word := strings.ToLower(text[:size])
	if size < len("may") {
		return 0, 0
	}
	month = 1 + slices.IndexFunc(englishMonthNames[:], func(name string) bool { return name == word || name[:3] == word })
	if word == "sept" {
		month = 9
	}
	if month == 0 {
		return 0, 0
	}
	return month, size
}
