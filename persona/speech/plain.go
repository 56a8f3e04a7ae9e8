package speech

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain turns the Markdown of a reply into plain text, because chats show Markdown as it is written:
//
//   - The lines with the fence of a code block are removed, and the signs around inline code. The code stays as it is.
//   - # at the start of a heading, > at the start of a quotation, and * around bold and italic text are removed.
//   - -, * and + at the start of a list item become •. Numbers stay.
//   - [text](https://…) becomes "text (https://…)", and <https://…> loses its brackets.
//   - Lines of ---, *** or ___ and the line below the head of a table are removed, and the outer | of its rows.
//   - <br> becomes a line break.
//
// Everything else stays, such as #topic, 2*3, **** and faces like (*^▽^*). Plain removes no words and makes no text longer,
// counted in characters. A plain text without a backquote stays as it is.
func Plain(text string) string {
	if !strings.ContainsAny(text, "`*#>|[<-+_~\r") { // most replies
		return strings.TrimSpace(text)
	}
	for range maxPasses { // removing a sign may uncover another one
		short, code := plainOnce(text)
		if short == text || code {
			return short
		}
		text = short
	}
	return text
}

// Limits of nested signs, so that the time is linear in the length of the text.
const (
	maxPasses   = 16
	maxEmphasis = 4 // removed in one pass
)

// plainOnce is one pass of Plain. code reports whether the text has code, whose signs a second pass would remove.
func plainOnce(text string) (plain string, code bool) {
	code = strings.Contains(text, "`")
	lines := strings.Split(lineBreak.ReplaceAllString(text, "\n"), "\n")
	out := lines[:0]
	fence := "" // of the open code block
	table := false
	for i, line := range lines {
		if fence != "" {
			if closesFence(strings.TrimLeft(line, " \t"), fence) {
				fence = ""
			} else {
				out = append(out, line)
			}
			continue
		}
		line = lineStart.ReplaceAllString(line, "")
		mark := strings.TrimLeft(line, " \t")
		switch {
		case opensFence(mark):
			fence, code = fenceOf(mark), true
			continue
		case tableRule.MatchString(line) && table:
			continue
		case rule.MatchString(line):
			continue
		}
		table = isRow(line) && (table || i+1 < len(lines) && tableRule.MatchString(lines[i+1]))
		if table {
			line = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|"))
		}
		out = append(out, plainLine(line))
	}
	return strings.TrimSpace(strings.Join(out, "\n")), code
}

var (
	lineBreak = regexp.MustCompile(`\r\n|\r|<[bB][rR] ?/?>`)
	rule      = regexp.MustCompile(`^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$`)
	tableRule = regexp.MustCompile(`^ {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*$`)
	lineStart = regexp.MustCompile(`^(?: {0,3}(?:#{1,6}|>)[ \t]+)+`) // of headings and quotations
	bullet    = regexp.MustCompile(`^([ \t]*)[-*+]([ \t]+\S)`)
	link      = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\(\s*<?((?:https?://|mailto:)[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)`)
	autolink  = regexp.MustCompile(`<((?:https?://|mailto:)[^\s<>]+)>`)
	info      = regexp.MustCompile("^(`{3,}|~{3,})[ \t]*[A-Za-z0-9+#._-]*[ \t]*$")
)

func opensFence(line string) bool { return info.MatchString(line) }

// fenceOf returns the run of signs at the start of a fence.
func fenceOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}

func closesFence(line, fence string) bool {
	line = strings.TrimRight(line, " \t")
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

func isRow(line string) bool { return strings.Count(line, "|") > 0 && strings.TrimSpace(line) != "" }

// plainLine removes the signs of one line outside of code blocks.
func plainLine(line string) string {
	line = bullet.ReplaceAllString(line, "$1•$2")
	if !strings.ContainsAny(line, "`*[<") {
		return line
	}
	line, code := cutCode(line)
	line = plainSpan(line)
	if len(code) == 0 {
		return line
	}
	var out strings.Builder
	for _, r := range line {
		if i := int(r - firstCode); i >= 0 && i < len(code) {
			out.WriteString(code[i])
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// firstCode stands for the first inline code of a line while the signs around it are removed. It is for private use.
const firstCode = '\U000f0000'

func isCode(r rune) bool { return r >= firstCode && r < firstCode+0xfff0 }

// cutCode replaces the inline code of a line by firstCode and the runes after it.
func cutCode(line string) (without string, code []string) {
	if strings.IndexFunc(line, isCode) >= 0 || !utf8.ValidString(line) {
		return line, nil
	}
	var out strings.Builder
	for line != "" {
		open := strings.IndexByte(line, '`')
		if open < 0 {
			break
		}
		signs := fenceOf(line[open:])
		rest := line[open+len(signs):]
		shut := closingSigns(rest, signs)
		out.WriteString(line[:open])
		if shut < 0 || isFaceBefore(line[:open]) || len(code) == 0xfff0 {
			out.WriteString(signs)
			line = rest
			continue
		}
		out.WriteRune(firstCode + rune(len(code)))
		code = append(code, rest[:shut])
		line = rest[shut+len(signs):]
	}
	return out.String() + line, code
}

// closingSigns returns the index of the next run of exactly these signs, or −1.
func closingSigns(text, signs string) int {
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '`')
		if n < 0 {
			return -1
		}
		i += n
		run := fenceOf(text[i:])
		if run == signs {
			return i
		}
		i += len(run)
	}
	return -1
}

// isFaceBefore reports whether a bracket of a face is open at the end of text, with a sign that text has only in faces.
func isFaceBefore(text string) bool {
	i := strings.LastIndexAny(text, "(（")
	if i < 0 {
		return false
	}
	in := text[i:]
	return !strings.ContainsAny(in, ")）") && strings.ContainsAny(in, "´・ω▽∀Д`≧≦^゜ﾟ╯°□︵ー")
}

// plainSpan removes the signs of text without code.
func plainSpan(text string) string {
	text = link.ReplaceAllStringFunc(text, func(s string) string {
		m := link.FindStringSubmatch(s)
		if label := strings.TrimSpace(m[1]); label != "" && label != m[2] {
			return label + " (" + m[2] + ")"
		}
		return m[2]
	})
	text = autolink.ReplaceAllString(text, "$1")
	for range maxEmphasis {
		short := withoutEmphasis(text)
		if short == text {
			return text
		}
		text = short
	}
	return text
}

// withoutEmphasis removes * around words.
func withoutEmphasis(text string) string {
	var out strings.Builder
	at := 0
	for i := 0; i < len(text); {
		if text[i] != '*' {
			i++
			continue
		}
		signs := fenceOf(text[i:])
		inner, ok := emphasized(text, i, signs)
		if !ok {
			i += len(signs)
			continue
		}
		out.WriteString(text[at:i] + inner)
		i += len(inner) + 2*len(signs)
		at = i
	}
	return out.String() + text[at:]
}

// emphasized returns the words between signs at i and the next ones.
func emphasized(text string, i int, signs string) (inner string, ok bool) {
	rest := text[i+len(signs):]
	shut := strings.IndexByte(rest, '*')
	if len(signs) > 3 || shut <= 0 || fenceOf(rest[shut:]) != signs {
		return "", false
	}
	inner = rest[:shut]
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(rest[shut+len(signs):])
	first, _ := utf8.DecodeRuneInString(inner)
	last, _ := utf8.DecodeLastRuneInString(inner)
	switch {
	case isAlnum(before), isAlnum(after), before == '\\': // 2*3*4
		return "", false
	case unicode.IsSpace(first), unicode.IsSpace(last):
		return "", false
	case len(signs) == 1 && !isText(first): // a face
		return "", false
	case strings.IndexFunc(inner, isText) < 0:
		return "", false
	}
	return inner, true
}

func isText(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || isCode(r) }

// CutNames removes the bot's name before a reply, as in "小炉：在的" or "【小炉】在的". Models write it because the messages in a
// prompt have names. If the reply begins with it, it is removed from all lines.
func CutNames(text string, names ...string) string {
	first := strings.TrimSpace(text)
	if cutName(first, names) == first {
		return text
	}
	lines := strings.Split(first, "\n")
	for i, line := range lines {
		for {
			short := cutName(strings.TrimSpace(line), names)
			if short == strings.TrimSpace(line) {
				break
			}
			line = short
		}
		lines[i] = line
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// nameBrackets are the signs that may stand around a name.
var nameBrackets = []struct{ open, shut string }{{"", ""}, {"**", "**"}, {"【", "】"}, {"[", "]"}, {"「", "」"}, {"<", ">"}}

// cutName removes one name from the start of a line.
func cutName(line string, names []string) string {
	for _, name := range names {
		if name == "" {
			continue
		}
		for _, b := range nameBrackets {
			rest, ok := strings.CutPrefix(line, b.open+name)
			if !ok {
				continue
			}
			if id := accountID.FindString(rest); id != "" {
				rest = rest[len(id):]
			}
			colon, inside := cutColon(rest) // **小炉：**
			if inside {
				rest = colon
			}
			if rest, ok = strings.CutPrefix(rest, b.shut); !ok {
				continue
			}
			if after, ok := cutColon(rest); ok {
				return strings.TrimSpace(after)
			}
			if inside && !strings.HasPrefix(rest, "//") || b.open == "【" || b.open == "[" && !strings.HasPrefix(rest, "(") {
				return strings.TrimSpace(rest)
			}
		}
	}
	return line
}

var accountID = regexp.MustCompile(`^ ?[(（]\d+[)）]`)

func cutColon(text string) (rest string, ok bool) {
	text = strings.TrimLeft(text, " ")
	if rest, ok = strings.CutPrefix(text, "："); ok {
		return rest, true
	}
	return strings.CutPrefix(text, ":")
}

// WholeSentences returns the text up to its last complete sentence or line, for a reply that the model's limit of tokens has
// cut. It returns "" if there is none. A line that ends in a comma or colon is incomplete, and so is an open code block. The
// items of [ItemParser] stay.
func WholeSentences(text string) string {
	if i := strings.LastIndex(text, itemClose); i >= 0 {
		head := text[:i+len(itemClose)]
		rest, tagged := strings.CutPrefix(strings.TrimSpace(text[len(head):]), itemOpen)
		if rest = WholeSentences(rest); rest != "" && tagged {
			rest = itemOpen + rest + itemClose
		}
		return head + rest
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), itemOpen)
	end := 0
	s := scanner{text: text, line: true}
	for {
		prev := s.prev
		t, ok := s.next()
		if !ok {
			return strings.TrimSpace(text[:end])
		}
		if !s.fence && (t.level >= sentence || t.newline) && !strings.ContainsRune("：:，,、；;—", prev) {
			end = t.end
		}
		if t.fence && !s.fence {
			end = t.end
		}
	}
}
