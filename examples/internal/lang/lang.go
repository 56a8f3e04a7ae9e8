// Package lang has the texts of the programs for people, in Chinese and in English.
//
// An error of [Errorf] has both texts. Its Error method returns the English one. [Language.Error] returns an error in a
// language and adds what to do for common causes.
package lang

import (
	"cmp"
	"fmt"
	"os"
	"strings"
)

// A Language is the language of the texts for the user.
type Language string

// The languages.
const (
	Chinese Language = "zh"
	English Language = "en"
)

// Of returns the language of a start: that of -lang among the arguments, or that of LC_ALL, LC_MESSAGES or LANG, or on
// Windows that of the system. If none of them names a language, it is Chinese, because the bots speak it.
func Of(args []string) Language {
	for i, arg := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name != "lang" || !strings.HasPrefix(arg, "-") {
			continue
		}
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		if l := Language(value); l.Valid() {
			return l
		}
	}
	return ofEnvironment(os.Getenv, system)
}

// ofEnvironment returns the language of the first variable that is set, as POSIX has it.
func ofEnvironment(getenv func(string) string, system func() string) Language {
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
	locale, _, _ = strings.Cut(locale, ".") // C.UTF-8
	if locale == "" || locale == "C" || locale == "POSIX" {
		locale = cmp.Or(system(), string(Chinese))
	}
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return Chinese
	}
	return English
}

// Valid reports whether l is one of the languages.
func (l Language) Valid() bool { return l == Chinese || l == English }

// Check returns an error if l, the value of -lang, is invalid.
func (l Language) Check() error {
	if l.Valid() {
		return nil
	}
	return Errorf("-lang %q 不认识：写 zh 或者 en", "-lang %q is unknown: zh or en", string(l))
}

// A Text is a text in both languages with arguments, as in fmt.Sprintf. Arguments that are errors or Texts are printed in
// the same language.
type Text struct {
	chinese, english string
	args             []any
}

// T returns a Text.
func T(chinese, english string, args ...any) Text { return Text{chinese, english, args} }

// String returns the English text.
func (t Text) String() string { return English.Text(t) }

// Text returns t in the language.
func (l Language) Text(t Text) string {
	format := t.chinese
	if l == English {
		format = t.english
	}
	args := make([]any, len(t.args))
	for i, a := range t.args {
		switch a := a.(type) {
		case Text:
			args[i] = l.Text(a)
		case error:
			args[i] = l.Error(a)
		default:
			args[i] = a
		}
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(strings.ReplaceAll(format, "%w", "%v"), args...)
}

// Sprintf returns one of two texts with arguments. See [Text].
func (l Language) Sprintf(chinese, english string, args ...any) string {
	return l.Text(T(chinese, english, args...))
}
