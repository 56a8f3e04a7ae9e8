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

// RequestedIn reports whether a text requests this action on this target. It is true if the text contains a word of [ActsOn]
// and the value of each target argument of the call, at least one. Pass the text that the owner typed, without quotes
// and forwards, and the arguments of a [Request].
//
// Values are matched as whole numbers or strings. A number does not match inside a longer number, a date or a version.
// The ids in "group_123" and "user_987" are matched as numbers. A name needs two characters and does not match inside a
// longer word, in scripts that separate words. Case, full width and white space do not matter. Each part of the text
// counts once: if a name contains a word, the word must appear elsewhere too. A negated word in the same clause does not
// count. Null, lists, objects and duplicate keys give false.
//
// It does not understand the text: a question matches like a request.
func (i ToolInfo) RequestedIn(args json.RawMessage, text string) bool {
	if i.Target == nil {
		return false
	}
	given := fieldsOf(args)
	var tokens []token
	for key, raw := range given {
		if !slices.Contains(i.Target.Args, key) {
			if slices.ContainsFunc(i.Target.Args, func(name string) bool { return foldCase(name) == foldCase(key) }) {
				return false // encoding/json would assign it to the argument
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
			return false // digits of another script may be a name
		}
		tokens = append(tokens, t)
	}
	rest, ok := cutAll(normalize(text), slices.Compact(longestFirst(tokens)))
	return ok && slices.ContainsFunc(i.Target.CommandWords, func(w string) bool { return hasCommand(rest, normalize(w)) })
}

// ArgumentsFoundIn reports whether a text contains everything that a call of this [OpenWorld] tool would send away. Every string
// and number among the arguments, at least one, must appear in the text literally and as a whole, each in its own place.
// Whole means the same as for [ToolInfo.RequestedIn], and an address does not match inside a longer one. True, false and null
// are ignored. The result is false for arguments outside the top level of the schema, for objects, and for lists of
// anything but strings and numbers. It is also false for tools that are not open-world and for an Info that no view made.
func (i ToolInfo) ArgumentsFoundIn(args json.RawMessage, text string) bool {
	if i.args == nil {
		return false
	}
	var tokens []token
	for key, raw := range fieldsOf(args) {
		if !i.args.has(key) {
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

// fieldsOf parses arguments as strictly as a call does. Invalid arguments have no fields.
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

// chatNumber returns the number in "group_123" or "user_987" and other values unchanged.
func chatNumber(value string) string {
	if m := chatID.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return value
}

// A token is a value to search for. An empty text is never found.
type token struct {
	text   string
	number bool
}

// newToken returns the token for a value. Its text is empty if the value is too short.
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

// cutAll removes the tokens from text in order. ok reports whether all of them, and at least one, were found.
func cutAll(text string, tokens []token) (rest string, ok bool) {
	for _, t := range tokens {
		if text, ok = t.cut(text); !ok {
			return "", false
		}
	}
	return text, ok
}

// cut removes each whole occurrence of the token and reports whether there was one.
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
			b.WriteByte(0) // keeps the two sides apart
			from, at, ok = end, end, true
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		at = i + n
	}
}

// isWhole reports whether the token does not continue on either side.
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

// unspaced reports whether r belongs to a script without spaces between words. There a name may end anywhere.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// extendsWord reports whether r continues a word.
func extendsWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !unspaced(r)
}

// hasCommand reports whether text contains word without a negation before it.
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

// negated reports whether the last clause of before, in its last 200 bytes, contains a negation.
func negated(before string) bool {
	before = before[max(0, len(before)-200):]
	if i := strings.LastIndexFunc(before, func(r rune) bool { return strings.ContainsRune("，。、；！？：,.;!?:", r) }); i >= 0 {
		before = before[i:]
	}
	return negation.MatchString(question.Replace(before))
}

// normalize folds case, full width and white space. It keeps the full-width comma and colon: they end a clause, while
// the ASCII ones may be part of a number.
func normalize(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == 0:
			return -1 // reserved for cut
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
