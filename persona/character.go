package persona

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Character describes a bot without its memories. It holds the profile, custom prompt texts and the initial
// documents. It is data and not code. It can be stored in a directory that people edit by hand, in a row of a [State]
// or as JSON. The forms are equivalent. Use [ReadCharacter] and [Character.WriteDir] for a directory, and
// [SaveCharacter] and [LoadCharacter] for a row. The memories of a bot move separately: see memory.Memory.Export.
type Character struct {
	Profile   Profile           // Name is required
	Prompts   Prompts           // the zero value keeps all default prompts
	Documents map[string]string // Markdown text by name ("character_state"); a name has only a-z, 0-9, _ and -
}

// ErrInvalidCharacter is matched by all errors about an invalid or incomplete character. The error text names the file.
var ErrInvalidCharacter = errors.New("not a valid character")

// Size limits of a character.
const (
	maxCharacter  = 1 << 20 // bytes of all files together
	maxNames      = 64      // limit for aliases, for interests and for documents
	maxNameRunes  = 64
	maxDocumentID = 64
)

// Validate returns an error if the character could not be written and read back. The name is required. A name has at most
// 64 runes and no line breaks, and so does an interest. There are at most 64 aliases, 64 interests and 64 documents. The name of a document must be valid as a
// file name on every system. All texts are UTF-8 without control characters, and at most 1 MiB together.
func (c Character) Validate() error {
	_, err := c.files()
	return err
}

// files returns the character as a directory: a map from slash-separated paths to texts. An empty prompt has no file.
func (c Character) files() (map[string]string, error) {
	if err := c.Profile.check(); err != nil {
		return nil, invalidFile(profileFile, err.Error())
	}
	files := map[string]string{profileFile: c.Profile.file()}
	put := func(path, text string) { files[path] = text + "\n" }
	if c.Profile.About != "" {
		put(aboutFile, c.Profile.About)
	}
	for _, p := range c.Prompts.texts() {
		if *p.text != "" {
			put(promptDir+"/"+p.name+textExt, *p.text)
		}
	}
	for name, text := range c.Documents {
		put(documentDir+"/"+name+textExt, text)
	}
	if len(c.Documents) > maxNames {
		return nil, invalidFile(documentDir, fmt.Sprintf("%d documents, at most %d", len(c.Documents), maxNames))
	}
	all := 0
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := checkText(files[path]); err != nil {
			return nil, invalidFile(path, err.Error())
		}
		if name, ok := strings.CutPrefix(path, documentDir+"/"); ok {
			if err := checkID(strings.TrimSuffix(name, textExt)); err != nil {
				return nil, invalidFile(path, err.Error())
			}
		}
		if all += len(files[path]); all > maxCharacter {
			return nil, invalidFile(path, fmt.Sprintf("the character has more than %d bytes", maxCharacter))
		}
	}
	return files, nil
}

func (p Profile) check() error {
	if p.Name == "" {
		return errors.New("the name is missing")
	}
	if len(p.Aliases) > maxNames {
		return fmt.Errorf("%d aliases, at most %d", len(p.Aliases), maxNames)
	}
	if len(p.Interests) > maxNames {
		return fmt.Errorf("%d interests, at most %d", len(p.Interests), maxNames)
	}
	for _, name := range append([]string{p.Name}, p.Aliases...) {
		if err := checkWord("name", name); err != nil {
			return err
		}
	}
	for _, interest := range p.Interests {
		if err := checkWord("interest", interest); err != nil {
			return err
		}
	}
	return nil
}

// checkWord rejects a name or an interest that is empty, too long or not one line.
func checkWord(what, s string) error {
	switch err := checkText(s); {
	case err != nil:
		return fmt.Errorf("%s %q: %w", what, s, err)
	case strings.TrimSpace(s) == "" || s != strings.TrimSpace(s) || strings.ContainsAny(s, "\n\t"):
		return fmt.Errorf("%s %q is empty or has line breaks, tabs or outer spaces", what, s)
	case utf8.RuneCountInString(s) > maxNameRunes:
		return fmt.Errorf("%s %q has more than %d runes", what, s, maxNameRunes)
	}
	return nil
}

// checkText rejects invalid UTF-8 and control characters. An editor could change them, and no reader would see them.
func checkText(text string) error {
	for i, r := range text {
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			return fmt.Errorf("byte %d is not UTF-8", i)
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f, r == '\ufeff':
			return fmt.Errorf("byte %d is the control character %U", i, r)
		}
	}
	return nil
}

var (
	idForm   = regexp.MustCompile(`^[a-z0-9_-]+$`)
	reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`) // reserved file names on Windows
)

func checkID(id string) error {
	if len(id) > maxDocumentID || !idForm.MatchString(id) || reserved.MatchString(id) {
		return fmt.Errorf("invalid name %q: want 1 to %d of a-z, 0-9, _ and -", id, maxDocumentID)
	}
	return nil
}

// invalidFile returns an error about one file of a character. It matches [ErrInvalidCharacter].
func invalidFile(path, why string) error {
	return fmt.Errorf("persona: character: %s: %s: %w", path, why, ErrInvalidCharacter)
}
