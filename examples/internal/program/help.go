package program

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hearth-bot/hearth/examples/internal/lang"
)

// A Help is what -h prints.
type Help struct {
	About    lang.Text
	Examples []Example           // command lines
	Sections []Section           // flags by subject; other flags come last
	Chinese  func(string) string // the Chinese text of a flag, or ""; nil means none
}

// An Example is a command line with its meaning.
type Example struct {
	Command string
	Meaning lang.Text
}

// A Section lists flags of one subject.
type Section struct {
	Title lang.Text
	Flags []string
}

// helpWidth is the width of the lines in columns of a terminal.
const helpWidth = 80

// Print prints the help for the flags of f.
func (h Help) Print(w io.Writer, f *flag.FlagSet, l lang.Language) {
	fmt.Fprint(w, l.Text(h.About))
	if len(h.Examples) > 0 {
		fmt.Fprintf(w, "\n%s\n", l.Sprintf("例子：", "Examples:"))
	}
	for _, e := range h.Examples {
		fmt.Fprintln(w)
		printCommand(w, e.Command)
		wrapText(w, "      ", l.Text(e.Meaning))
	}
	done := map[string]bool{}
	section := func(title string, names []string) {
		for _, name := range names {
			def := f.Lookup(name)
			if def == nil || done[name] {
				continue
			}
			done[name] = true
			if title != "" {
				fmt.Fprintf(w, "\n%s\n\n", title)
				title = ""
			}
			h.printFlag(w, def, l)
		}
	}
	for _, s := range h.Sections {
		section(l.Text(s.Title), s.Flags)
	}
	var rest []string
	f.VisitAll(func(f *flag.Flag) { rest = append(rest, f.Name) })
	title := lang.T("参数", "Flags")
	if len(h.Sections) > 0 {
		title = lang.T("其他", "Others")
	}
	section(l.Text(title), rest)
}

// printCommand prints a command line. A long one goes on behind a backslash.
func printCommand(w io.Writer, command string) {
	line := " "
	for _, word := range strings.Split(command, " -") {
		if line != " " {
			word = "-" + word
		}
		if columnsOf(line+" "+word) > helpWidth-2 {
			fmt.Fprintln(w, line+" \\")
			line = "   "
		}
		line += " " + word
	}
	fmt.Fprintln(w, line)
}

func (h Help) printFlag(w io.Writer, f *flag.Flag, l lang.Language) {
	value, text := flag.UnquoteUsage(f)
	if l == lang.Chinese && h.Chinese != nil && h.Chinese(f.Name) != "" {
		text = h.Chinese(f.Name)
	}
	if d := f.DefValue; d != "" && d != "0" && d != "0s" && d != "false" {
		text += l.Sprintf("（默认 %s）", " (default %s)", d)
	}
	if value != "" {
		value = " " + value
	}
	fmt.Fprintf(w, "  -%s%s\n", f.Name, value)
	wrapText(w, "      ", text)
}

// wrapText prints a text in lines of at most helpWidth columns. It breaks at spaces and behind Chinese characters.
func wrapText(w io.Writer, indent, text string) {
	line, columns := indent, len(indent)
	for _, part := range breakable.FindAllString(text, -1) {
		n := columnsOf(part)
		if columns+columnsOf(strings.TrimRight(part, " ")) > helpWidth && columns > len(indent) {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line, columns = indent, len(indent)
		}
		line, columns = line+part, columns+n
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// breakable matches the parts between which a line may break: no line begins with a closing punctuation mark.
var breakable = regexp.MustCompile(`(\p{Han}|[^\s\p{Han}，。；：、）」？！]+|[，。；：、）」？！])[，。；：、）」？！]*\s*|\s+`)

// columnsOf returns the width of a text in a terminal.
func columnsOf(s string) (n int) {
	for _, r := range s {
		n++
		if unicode.Is(unicode.Han, r) || '\u3000' <= r && r <= '\u303f' || '\uff00' <= r && r <= '\uff60' {
			n++
		}
	}
	return n
}

// Parse parses flags. It returns errors without printing them. -h prints the help.
func Parse(f *flag.FlagSet, h Help, args []string, diagnostics io.Writer) error {
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		h.Print(diagnostics, f, lang.Of(args))
		return err
	}
	if err != nil {
		return explain(f, err)
	}
	return nil
}

var (
	unknownFlag  = regexp.MustCompile(`^flag provided but not defined: -(.*)$`)
	missingValue = regexp.MustCompile(`^flag needs an argument: -(.*)$`)
	invalidValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-([^:]*): `)
)

// explain returns an error of package flag in both languages.
func explain(f *flag.FlagSet, err error) error {
	says := err.Error()
	if m := unknownFlag.FindStringSubmatch(says); m != nil {
		var names []string
		f.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		var hint lang.Text
		if near := lang.Nearest(m[1], names); near != "" {
			hint = lang.T("，是不是 -%s？", " (did you mean -%s?)", near)
		}
		return lang.Errorf("没有 -%s 这个参数%s（-h 列出所有参数）", "flag provided but not defined: -%s%s; -h lists the flags", m[1], hint)
	}
	if m := missingValue.FindStringSubmatch(says); m != nil {
		return lang.Errorf("-%s 后面要写一个值（-h 列出所有参数）", "flag needs an argument: -%s; -h lists the flags", m[1])
	}
	if m := invalidValue.FindStringSubmatch(says); m != nil {
		value, _ := strconv.Unquote(m[1])
		def := f.Lookup(m[2])
		if get, ok := def.Value.(flag.Getter); ok {
			return lang.Errorf("-%s %q 不是%s（-h 列出所有参数）", "invalid value %[2]q for flag -%[1]s: it is no %[3]v; -h lists the flags", m[2], value, KindOf(get.Get()))
		}
		if cause := def.Value.Set(value); cause != nil { // once more, because package flag keeps only its text
			return lang.Errorf("-%s %q：%v", "invalid value %[2]q for flag -%[1]s: %[3]v", m[2], value, cause)
		}
	}
	return fmt.Errorf("%w; -h lists the flags", err)
}

// KindOf names the kind of a value.
func KindOf(v any) lang.Text {
	switch v.(type) {
	case bool:
		return lang.T(" true 或者 false", "true or false")
	case int, int64, uint, uint64:
		return lang.T("整数", "whole number")
	case float64:
		return lang.T("数", "number")
	case time.Duration:
		return lang.T("时长（例如 30s、10m、2h）", "duration such as 30s")
	}
	return lang.T("这里能用的值", "valid value")
}
