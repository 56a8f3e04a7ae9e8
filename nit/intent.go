package nit

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// RequestedIn reports whether a text names this act and its target: it holds one of the words of [ActsOn], and the value of each
// target argument that the call has, at least one. The text has to be what the owner typed, without quotes and forwards; args
// are those of a [Request].
//
// A value is a whole number or a string. A number, also that of "group_123" and "user_987", does not count within a longer
// number, a date or a version; a name has two characters at least, and does not count within a longer word, where the script
// separates words. Case, full width and blanks make no difference. A part of the text counts once: where a name holds a word,
// the word has to stand elsewhere, too. A word behind a no, in the same part of a sentence, does not count. Null, lists, objects
// and keys given twice are false.
//
// It does not understand the text: a question names an act as an order does.
func (i ToolInfo) RequestedIn(args json.RawMessage, text string) bool {
	if i.Target == nil {
		return false
	}
	given := fieldsOf(args)
	var tokens []token
	for key, raw := range given {
		if !slices.Contains(i.Target.Args, key) {
			if slices.ContainsFunc(i.Target.Args, func(name string) bool { return foldCase(name) == foldCase(key) }) {
				return false // encoding/json would take it for the argument
			}
			continue
		}
		var id ID
		if id.UnmarshalJSON(raw) != nil {
			return false
		}
		value := chatNumber(string(id))
		t := newToken(normalize(value))
		if t.number && t.text != value {
			return false // a number in other digits may be somebody's name
		}
		tokens = append(tokens, t)
	}
	rest, ok := cutAll(normalize(text), slices.Compact(longestFirst(tokens)))
	return ok && slices.ContainsFunc(i.Target.CommandWords, func(w string) bool { return hasCommand(rest, normalize(w)) })
}

// ArgumentsFoundIn reports whether a text gives all that a call of this tool of the [OpenWorld] would send away: every string and number
// among its arguments, at least one, stands in the text letter by letter and as a whole, each in a place of its own. What a
// whole is is as for [ToolInfo.RequestedIn], and an address does not stand within a longer one. Arguments that the tool's schema does
// not name at its top are false, and so are objects, and lists of anything but strings and numbers; true, false and null pass.
// It is false of tools that are not of the OpenWorld, and of an Info that no view gave.
func (i ToolInfo) ArgumentsFoundIn(args json.RawMessage, text string) bool {
	if i.args == nil {
		return false
	}
	var tokens []token
	for key, raw := range fieldsOf(args) {
		if i.args.schema.Properties[key] == nil {
			return false
		}
		list := []json.RawMessage{raw}
		switch raw[0] {
		case 't', 'f', 'n':
			continue
		case '[':
			if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
				return false
			}
		}
		for _, raw := range list {
			value := string(raw)
			switch {
			case raw[0] == '"':
				if json.Unmarshal(raw, &value) != nil {
					return false
				}
			case !decimal.MatchString(value):
				return false
			}
			tokens = append(tokens, newToken(chatNumber(value)))
		}
	}
	_, ok := cutAll(text, longestFirst(tokens))
	return ok
}

// fieldsOf reads arguments as strictly as a call's are read. What cannot be read has no fields.
func fieldsOf(args json.RawMessage) (fields map[string]json.RawMessage) {
	if _, _, err := parseObject(string(args), maxArgumentDepth); err != nil || json.Unmarshal(args, &fields) != nil {
		return nil
	}
	return fields
}

var (
	decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	chatID  = regexp.MustCompile(`^(?:group|user)_([0-9]+)$`)
)

// chatNumber gives the number of a chat or person as tools name them; anything else stays.
func chatNumber(value string) string {
	if m := chatID.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return value
}

// A token is what a text is searched for. One without a text is found nowhere.
type token struct {
	text   string
	number bool
}

// newToken gives what to search for to find a value. It has no text where the value is too short.
func newToken(text string) token {
	if decimal.MatchString(text) {
		return token{text, true}
	}
	shown := 0
	for _, r := range text {
		if !unicode.In(r, unicode.M, unicode.P, unicode.Z) && !unseen.Rune(r) {
			shown++
		}
	}
	if shown < 2 {
		return token{}
	}
	return token{text: text}
}

func longestFirst(tokens []token) []token {
	slices.SortFunc(tokens, func(a, b token) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text))
	})
	return tokens
}

// cutAll takes tokens out of a text, one after the other, and tells whether all were there, and one at least.
func cutAll(text string, tokens []token) (rest string, ok bool) {
	for _, t := range tokens {
		if text, ok = t.cut(text); !ok {
			return "", false
		}
	}
	return text, ok
}

// cut takes each place out where the token stands as a whole, and tells whether there was one.
func (t token) cut(text string) (rest string, ok bool) {
	if t.text == "" {
		return "", false
	}
	var b strings.Builder
	from := 0
	for at := 0; ; {
		i := strings.Index(text[at:], t.text)
		if i < 0 {
			b.WriteString(text[from:])
			return b.String(), ok
		}
		i += at
		if end := i + len(t.text); t.isWhole(text[:i], text[end:]) {
			b.WriteString(text[from:i])
			b.WriteByte(0) // what stands on either side does not come together
			from, at, ok = end, end, true
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		at = i + n
	}
}

// isWhole tells whether the token ends on both sides of where it stands.
func (t token) isWhole(before, after string) bool {
	joints, goesOn := "-_.@/'&+#~$=%", extendsWord
	switch {
	case t.number:
		if joints, goesOn = "-+._/~", unicode.IsNumber; len(t.text) <= 3 {
			joints += ",:" // 1,234 and 12:30
		}
		if r, _ := utf8.DecodeLastRuneInString(before); r == '-' || r == '+' || r == '.' {
			return false
		}
	case strings.ContainsAny(t.text, ".:/@"): // an address
		joints += ":?,;!*()[]"
	}
	passes := func(r rune) bool {
		return strings.ContainsRune(joints, r) || unseen.Rune(r) && r != 0 || t.number && r < utf8.RuneSelf && unicode.IsLetter(r)
	}
	first, _ := utf8.DecodeRuneInString(t.text)
	last, _ := utf8.DecodeLastRuneInString(t.text)
	left, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(before, passes))
	right, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(after, passes))
	next, _ := utf8.DecodeRuneInString(after)
	return (unspaced(first) || !goesOn(left)) && (unspaced(last) || !goesOn(right)) && !unicode.IsMark(next)
}

// unspaced tells a letter of a script that does not separate words: there a name ends wherever it ends.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// extendsWord tells what makes a word longer.
func extendsWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !unspaced(r)
}

// hasCommand tells whether a text holds a word, and not after a no.
func hasCommand(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if (token{text: word}).isWhole(text[:i], text[i+len(word):]) && !negated(text[:i]) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		at = i + n
	}
}

var (
	negation = regexp.MustCompile(`别|勿|甭|不要|不许|不准|不用|不必|[不没未]\pL?$|\bDON['’]?T\b|\bNOT\b|\bNEVER\b`) // 不踢, 不能踢
	question = strings.NewReplacer("能不能", "", "要不要", "")
)

// negated tells whether the last part of a sentence says no, in its last 200 bytes.
func negated(before string) bool {
	before = before[max(0, len(before)-200):]
	if i := strings.LastIndexFunc(before, func(r rune) bool { return strings.ContainsRune("，。、；！？：,.;!?:", r) }); i >= 0 {
		before = before[i:]
	}
	return negation.MatchString(question.Replace(before))
}

// normalize makes texts equal that differ in case, full width and blanks alone. The comma and the colon of full width stay: they end
// a part of a sentence, where the narrow ones may stand within a number.
func normalize(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == 0:
			return -1 // cut writes it
		case r == '，' || r == '：':
			return r
		case '！' <= r && r <= '～':
			return r - '！' + '!'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, s)
	return foldCase(strings.Join(strings.Fields(s), " "))
}
