// Package config reads the configuration file of a program: YAML whose keys are the flags of the program, and the
// settings of chats. It works with any flag.FlagSet. A file that is JSON and has only chats is read, too.
//
// [Parse] reads the file, [Write] makes one with comments, and [File.Watch] reads it again when it changes.
package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// Options configure Parse.
type Options struct {
	Help     program.Help                // what -h prints; Parse adds the sections and Chinese texts of the flags
	Policies map[string]heartflow.Policy // the program's policies, which chats may name
	Purposes []string                    // keys below models:; nil means that the file has no such section
}

// A File is the configuration of one start.
type File struct {
	Path   string // empty without a file
	Chats  map[persona.Chat]social.ChatSettings
	Models map[string][]Model // by purpose, in the order in which they are asked
	Check  bool               // -check was given
	Lang   lang.Language

	// Reread parses the flags and the file once more, with all checks of a start. [File.Watch] needs it.
	Reread func() (*File, error)

	out    io.Writer
	state  fileState         // when it was read
	values map[string]string // flags that the file sets, by name; those of the command line are not among them
	lines  map[string]int    // of the keys

	policies map[string]heartflow.Policy
}

// own are the flags that Parse defines, and others that end the program. They are no keys of the file.
var own = []string{"config", "init", "check", "learn"}

// chatsKey is the key of the chats' settings.
const chatsKey = "chats"

// Parse defines the flags -config, -init and -check, parses args, and sets the flags that only the file has. After -init
// it returns [program.ErrDone]. The error names all mistakes of the file, each with its line.
func Parse(f *flag.FlagSet, o Options, args []string, diagnostics io.Writer) (*File, error) {
	path := f.String("config", "", "`file` in YAML with these flags, models of other services and the settings of chats, which it watches for changes; flags come before it; -init writes one")
	write := f.String("init", "", "write such a `file` with comments, and end; flags that are given stand in it")
	check := f.Bool("check", false, "print what a start would do, change nothing, and end")
	code := f.String("lang", "", "language of messages to the user: zh or en; empty: that of LC_ALL, LC_MESSAGES or LANG")
	if err := program.Parse(f, withTexts(o.Help), args, diagnostics); err != nil {
		return nil, err
	}
	if err := program.NoArguments(f); err != nil {
		return nil, err
	}
	if *write != "" {
		if err := Write(*write, f, o.Purposes); err != nil {
			return nil, lang.Errorf("-init 写不了 %s：%v", "-init %s: %v", *write, err)
		}
		fmt.Fprintln(diagnostics, lang.Of(args).Sprintf("写好了 %[1]s。改好之后：%[2]s -config %[1]s", "wrote %[1]s; to use it: %[2]s -config %[1]s", *write, f.Name()))
		return nil, program.ErrDone
	}
	file := &File{Path: *path, Check: *check, out: diagnostics, policies: o.Policies, values: map[string]string{}, lines: map[string]int{}}
	if *path != "" {
		file.state = stateOf(*path)
		text, err := readFile(*path)
		if err != nil {
			return nil, lang.Errorf("-config 读不了：%v（-init %s 写一个）", "-config: %v; -init %s writes one", err, *path)
		}
		err = file.set(f, o, text)
		if file.Lang = lang.Language(*code); err != nil {
			return file, file.Wrap(err)
		}
	}
	if file.Lang = lang.Language(*code); *code == "" {
		file.Lang = lang.Of(args)
	}
	return file, file.Locate(file.Lang.Check())
}

// Wrap returns err with the language of the file. A nil File returns err.
func (c *File) Wrap(err error) error {
	if c == nil {
		return err
	}
	return c.Lang.Wrap(err)
}

// withTexts returns a help with the sections and the Chinese texts of the flags.
func withTexts(h program.Help) program.Help {
	h.Chinese = Chinese
	for _, s := range sections {
		chinese, english, _ := strings.Cut(s.title, " · ")
		if english == "QQ" {
			english = "Link to QQ"
		}
		next := program.Section{Title: lang.T(chinese, english)}
		for _, t := range s.texts {
			next.Flags = append(next.Flags, t.key)
		}
		h.Sections = append(h.Sections, next)
	}
	return h
}

// maxBytes is the largest size of a file.
const maxBytes = 1 << 20

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = lang.Errorf("%s 太大了，最多 %d 字节", "%s is larger than %d bytes", path, maxBytes)
	}
	return text, err
}

// A mistake is an error in one line of a file.
type mistake struct {
	line int
	text lang.Text
}

// mistakes collects the mistakes of a file.
type mistakes []mistake

func (m *mistakes) add(line int, chinese, english string, args ...any) {
	*m = append(*m, mistake{line, lang.T(chinese, english, args...)})
}

// err returns all mistakes by line, or nil.
func (m mistakes) err(path string) error {
	slices.SortStableFunc(m, func(x, y mistake) int { return cmp.Compare(x.line, y.line) })
	var errs []error
	for _, x := range m {
		errs = append(errs, lang.Errorf("%s:%d: %s", "%s:%d: %s", path, x.line, x.text))
	}
	return errors.Join(errs...)
}

var flagInError = regexp.MustCompile(`(?:^|[^\w-])--?([a-z][a-z0-9-]*)`)

// Locate adds the file and line to an error that names a flag, if the file sets that flag.
func (c *File) Locate(err error) error {
	if c == nil || err == nil {
		return err
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range all.Unwrap() {
			errs = append(errs, c.Locate(e))
		}
		return errors.Join(errs...)
	}
	for _, m := range flagInError.FindAllStringSubmatch(err.Error(), -1) {
		if line, ok := c.lines[m[1]]; ok && !strings.HasPrefix(err.Error(), c.Path+":") {
			return lang.Errorf("%s:%d: %s: %v", "%s:%d: %s: %v", c.Path, line, m[1], err)
		}
	}
	return err
}
