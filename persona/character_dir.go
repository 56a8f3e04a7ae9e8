package persona

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ReadCharacter reads a character from a directory:
//
//	persona.json               {"name": "小炉", "aliases": ["炉子"], "interests": ["猫", "咖啡"]}
//	about.md                   the description of the bot for the prompts
//	prompts/rules.md           a custom text for a field of Prompts: system, rules, think, sum_up, plan_ahead, …
//	documents/<name>.md        the initial text of a document: character_state, …
//
// Only persona.json is required. The final line break of a text is removed, and CRLF becomes LF. An empty prompt file
// selects the default prompt. Files with a name that begins with a dot are ignored. Every other unknown file, unknown
// JSON field or invalid value is an error that names it and matches [ErrInvalidCharacter].
//
// os.DirFS follows symbolic links out of the directory. If you do not trust the directory, pass the FS of an os.Root.
func ReadCharacter(fsys fs.FS) (Character, error) {
	files := make(map[string]string)
	left := int64(maxCharacter + 1)
	for _, dir := range []string{".", promptDir, documentDir} {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil && (dir == "." || !errors.Is(err, fs.ErrNotExist)) {
			return Character{}, fmt.Errorf("persona: character: %w", err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if strings.HasPrefix(e.Name(), ".") || name == promptDir || name == documentDir {
				continue
			}
			text, err := readText(fsys, name, left)
			if err != nil {
				return Character{}, err
			}
			if left -= int64(len(text)); left <= 0 {
				return Character{}, invalidFile(name, fmt.Sprintf("the character has more than %d bytes", maxCharacter))
			}
			files[name] = text
		}
	}
	return characterOf(files)
}

// readText reads a file of at most left bytes. It opens regular files only: opening a named pipe would block.
func readText(fsys fs.FS, name string, left int64) (string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return "", fmt.Errorf("persona: character: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", invalidFile(name, "not a regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return "", fmt.Errorf("persona: character: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, left))
	if err != nil {
		return "", fmt.Errorf("persona: character: %s: %w", name, err)
	}
	return string(text), nil
}

// WriteDir writes the character to a new or empty directory. It never overwrites existing files: the error then matches
// [fs.ErrExist]. The write is atomic and synced to disk. Only the owner of the directory can read it.
func (c Character) WriteDir(dir string) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	if err := writeDir(dir, files); err != nil {
		return fmt.Errorf("persona: character: %w", err)
	}
	return nil
}

func writeDir(dir string, files map[string]string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := checkVacant(dir); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	dirs := map[string]bool{tmp: true}
	for name, text := range files {
		to := filepath.Join(tmp, filepath.FromSlash(name))
		dirs[filepath.Dir(to)] = true
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := writeText(to, text); err != nil {
			return err
		}
	}
	for sub := range dirs {
		syncDir(sub)
	}
	if err := os.Rename(tmp, dir); err != nil { // some systems cannot rename onto an existing empty directory
		if checkVacant(dir) != nil || os.Remove(dir) != nil {
			return fmt.Errorf("%w: %w", fs.ErrExist, err)
		}
		if err := os.Rename(tmp, dir); err != nil {
			return err
		}
	}
	syncDir(filepath.Dir(dir))
	return nil
}

// checkVacant returns an error unless dir is missing or an empty directory.
func checkVacant(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) == 0 {
			return err
		}
	}
	return &fs.PathError{Op: "write", Path: dir, Err: fs.ErrExist}
}

func writeText(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir syncs the directory entries to disk if the system supports it.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
