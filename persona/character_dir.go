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
//	persona.json               {"name": "小炉", "aliases": ["炉子"]}
//	about.md                   who it is, in the words of a prompt
//	prompts/rules.md           a text of its own for each field of Prompts: system, rules, think, sum_up, plan_ahead, …
//	documents/<name>.md        what its documents say at the beginning: character_state, …
//
// All but the first may be missing. The end of a text's last line is not part of it, line ends may be those of Windows, and
// a text that is empty is the given one. A file that is none of these, and a field or a value that persona.json does not know, is an error
// that names it and matches [ErrInvalidCharacter]: nothing that a hand wrote is passed over, but for names that begin with a dot.
//
// Give os.Root's FS where links in the directory are not to be trusted: os.DirFS follows them everywhere.
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
				return Character{}, wrong(name, fmt.Sprintf("with it there are more than %d bytes", maxCharacter))
			}
			files[name] = text
		}
	}
	return characterOf(files)
}

// readText reads a file of up to left bytes. Nothing that blocks is opened: a pipe would wait for its writer.
func readText(fsys fs.FS, name string, left int64) (string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return "", fmt.Errorf("persona: character: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", wrong(name, "it is no file of a character's")
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

// WriteDir writes a character to a directory that is not there yet, or is empty: what people have edited is never
// overwritten (an error that matches [fs.ErrExist]). The directory is there whole, and on disk, or not at all; only its
// owner may read it.
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
	if err := vacant(dir); err != nil {
		return err
	}
	rough, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(rough)
	folders := map[string]bool{rough: true}
	for name, text := range files {
		to := filepath.Join(rough, filepath.FromSlash(name))
		folders[filepath.Dir(to)] = true
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := writeText(to, text); err != nil {
			return err
		}
	}
	for folder := range folders {
		syncDir(folder)
	}
	if err := os.Rename(rough, dir); err != nil { // some systems rename to nothing that exists
		if vacant(dir) != nil || os.Remove(dir) != nil {
			return fmt.Errorf("%w: %w", fs.ErrExist, err)
		}
		if err := os.Rename(rough, dir); err != nil {
			return err
		}
	}
	syncDir(filepath.Dir(dir))
	return nil
}

// vacant refuses what is there and not an empty directory.
func vacant(dir string) error {
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

// syncDir brings the names in a directory to disk, where the system can.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
