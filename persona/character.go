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

// A Character is a being without its memories: who it is, texts of its own in its prompts, and the documents that it
// begins with. It is data, not code: a directory that people edit by hand ([ReadCharacter], [Character.WriteDir]), a row
// of a [State] ([SaveCharacter], [LoadCharacter]), or JSON; each holds the same and can be made of the other. What the
// being remembers moves apart from it: see memory.Memory.Export.
type Character struct {
	Profile   Profile           // Name is required
	Prompts   Prompts           // the zero Prompts are the given ones
	Documents map[string]string // Markdown, by names of a-z, 0-9, _ and -: "character_state"
}

// ErrInvalidCharacter is matched by the error of what is no whole, well-formed character. The error names the file.
var ErrInvalidCharacter = errors.New("not a character")

// What a character may come to.
const (
	maxCharacter  = 1 << 20 // bytes of all files
	maxNames      = 64      // aliases, and documents
	maxNameRunes  = 64
	maxDocumentID = 64
)

// Validate reports why a character could not be written and read back: no name, names of more than 64 runes or with line
// breaks, more than 64 aliases or documents, names of documents that some file systems would not take, text that is not
// UTF-8 or has control characters in it, or more than 1 MiB of it all.
func (c Character) Validate() error {
	_, err := c.files()
	return err
}

// files are a character as a directory: texts by their slash-separated paths. A text that is as given has none.
func (c Character) files() (map[string]string, error) {
	if err := c.Profile.check(); err != nil {
		return nil, wrong(profileFile, err.Error())
	}
	files := map[string]string{profileFile: c.Profile.file()}
	put := func(path, text string) { files[path] = text + "\n" }
	if c.Profile.About != "" {
		put(aboutFile, c.Profile.About)
	}
	for _, p := range c.Prompts.texts() {
		if *p.text != "" {
			put(promptDir+"/"+p.name+ending, *p.text)
		}
	}
	for name, text := range c.Documents {
		put(documentDir+"/"+name+ending, text)
	}
	if len(c.Documents) > maxNames {
		return nil, wrong(documentDir, fmt.Sprintf("%d documents, at most %d", len(c.Documents), maxNames))
	}
	all := 0
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := plainText(files[path]); err != nil {
			return nil, wrong(path, err.Error())
		}
		if name, ok := strings.CutPrefix(path, documentDir+"/"); ok {
			if err := checkID(strings.TrimSuffix(name, ending)); err != nil {
				return nil, wrong(path, err.Error())
			}
		}
		if all += len(files[path]); all > maxCharacter {
			return nil, wrong(path, fmt.Sprintf("with it there are more than %d bytes", maxCharacter))
		}
	}
	return files, nil
}

func (p Profile) check() error {
	if p.Name == "" {
		return errors.New("there is no name")
	}
	if len(p.Aliases) > maxNames {
		return fmt.Errorf("%d aliases, at most %d", len(p.Aliases), maxNames)
	}
	for _, name := range append([]string{p.Name}, p.Aliases...) {
		switch err := plainText(name); {
		case err != nil:
			return fmt.Errorf("name %q: %w", name, err)
		case strings.TrimSpace(name) == "" || name != strings.TrimSpace(name) || strings.ContainsAny(name, "\n\t"):
			return fmt.Errorf("name %q is empty, or has line breaks in it or space around it", name)
		case utf8.RuneCountInString(name) > maxNameRunes:
			return fmt.Errorf("name %q has more than %d runes", name, maxNameRunes)
		}
	}
	return nil
}

// plainText refuses what an editor would not keep, or nobody would see.
func plainText(text string) error {
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
	reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`) // no file may be called so on Windows
)

func checkID(id string) error {
	if len(id) > maxDocumentID || !idForm.MatchString(id) || reserved.MatchString(id) {
		return fmt.Errorf("%q is no name: up to %d of a-z, 0-9, _ and -", id, maxDocumentID)
	}
	return nil
}

// wrong is an error about a file.
func wrong(path, why string) error {
	return fmt.Errorf("persona: character: %s: %s: %w", path, why, ErrInvalidCharacter)
}
