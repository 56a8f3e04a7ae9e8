package config

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Write writes a file with a comment in Chinese and in English for each key. Keys of flags that are set have their
// values, and all others are commented out. purposes are those of the section models:. An existing file is an error. Only the user may read the file, because it
// may have tokens.
func Write(path string, f *flag.FlagSet, purposes []string) error {
	var b bytes.Buffer
	generate(&b, f, purposes)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = out.Write(b.Bytes()); err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

// untranslated stands in a file for a flag without a Chinese text.
const untranslated = "（还没有中文说明）"

func generate(w io.Writer, f *flag.FlagSet, purposes []string) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	fmt.Fprintf(b, "# %s 的配置。每一项都和命令行参数同名；命令行上写了的，以命令行为准。\n", f.Name())
	fmt.Fprintf(b, "# 去掉行首的 # 就生效。冒号是半角的，后面有一个空格。chats 改了立刻生效，其余重启后生效。\n")
	fmt.Fprintf(b, "# The configuration of %s. Each key is a flag of the same name, and flags on the command line come first.\n", f.Name())
	fmt.Fprintf(b, "# Remove the leading # of a line to set it. Changes of chats apply at once, all others after a restart.\n")
	set := map[string]bool{}
	f.Visit(func(f *flag.Flag) { set[f.Name] = true })
	done := map[string]bool{}
	section := func(title string, names []string) {
		for i, name := range names {
			def := f.Lookup(name)
			if def == nil || done[name] || slices.Contains(own, name) {
				continue
			}
			if !hasAny(names[:i], done) {
				fmt.Fprintf(b, "\n\n# ── %s ──\n", title)
			}
			done[name] = true
			writeFlag(b, def, set[name])
		}
	}
	for _, s := range sections {
		var names []string
		for _, t := range s.texts {
			names = append(names, t.key)
		}
		section(s.title, names)
	}
	var rest []string
	f.VisitAll(func(f *flag.Flag) { rest = append(rest, f.Name) })
	section("其他 · More", slices.DeleteFunc(rest, func(n string) bool { return done[n] }))
	writeModels(b, purposes)
	writeChats(b)
}

func hasAny(names []string, in map[string]bool) bool {
	return slices.ContainsFunc(names, func(n string) bool { return in[n] })
}

func writeFlag(w io.Writer, f *flag.Flag, set bool) {
	_, usage := flag.UnquoteUsage(f)
	chinese := Chinese(f.Name)
	if chinese == "" {
		chinese = untranslated
	}
	fmt.Fprintf(w, "\n# %s\n# %s\n", oneLine(chinese), oneLine(usage))
	like, single := zeroOf(f)
	if !single { // its values cannot be read back
		fmt.Fprintf(w, "#%s: []\n", f.Name)
		return
	}
	if set {
		fmt.Fprintf(w, "%s: %s\n", f.Name, scalar(like, f.Value.String()))
		return
	}
	fmt.Fprintf(w, "#%s: %s\n", f.Name, scalar(like, f.DefValue))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// scalar returns the value of a flag as YAML. like has the type of the flag.
func scalar(like any, value string) string {
	if _, text := like.(string); text {
		return quote(value)
	}
	return value
}

// quote returns a text as YAML, in quotes if it needs them.
func quote(s string) string {
	if plain.MatchString(s) && !strings.EqualFold(s, "null") {
		return s
	}
	return strconv.Quote(s) // also a text of YAML, because the escapes of Go are among those of YAML
}

func writeChats(w io.Writer) {
	fmt.Fprint(w, `

# ── 各个聊天的设置 · Settings of chats ──

# default 是所有聊天的；qq:group:群号、qq:private:QQ号 是单独一个聊天的，优先于 default。
# default is for all chats. An entry such as qq:group:123456 or qq:private:987654 is for one, and comes before default.
#chats:
#  default:
#    quiet_hours: [23:00-07:30]
#  qq:group:123456:
#    policy: interject
#    names: [小炉, 炉子]
#
# 每个聊天可以有的设置 · The settings that each of them may have:
`)
	for _, t := range chatTexts {
		fmt.Fprintf(w, "#   %s\n#       %s\n#       %s\n", t.example, t.chinese, t.english)
	}
}
