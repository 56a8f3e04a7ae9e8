package media

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

// maxExcerpt is the length of the beginning of a text file, in bytes.
const maxExcerpt = 4 << 10

// textFiles are the extensions of files that are read.
var textFiles = []string{
	".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".conf", ".log", ".xml", ".html", ".css", ".js", ".ts",
	".go", ".py", ".rs", ".c", ".h", ".cpp", ".java", ".kt", ".lua", ".sh", ".bat", ".sql", ".srt", ".tex", ".patch", ".diff",
}

func isTextFile(f persona.File) bool {
	return slices.Contains(textFiles, strings.ToLower(path.Ext(f.Name)))
}

// readFile returns a file with the beginning of its text, or nil if it cannot be had.
func (r *run) readFile(ctx context.Context, m persona.Message, f persona.File) persona.Part {
	opened := f
	var err error
	if f.URL == "" {
		opened, err = openPart(ctx, r, m, f)
	}
	switch {
	case err != nil:
	case opened.URL == "":
		err = errors.New("social: the platform gave no address of the file")
	default:
		f.Excerpt, err = r.excerpt(ctx, opened.URL)
	}
	r.count(r.turn.Chat.ID, "file", err)
	if err != nil {
		return nil
	}
	return f
}

// excerpt downloads the beginning of a text file.
func (r *run) excerpt(ctx context.Context, url string) (string, error) {
	file, err := r.text.Get(ctx, url)
	if err != nil {
		return "", err
	}
	text := string(file.Data)
	cut := len(text) > maxExcerpt
	text = strings.TrimPrefix(clip.Bytes(text, maxExcerpt), "\ufeff")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", errors.New("social: the file is no text in UTF-8")
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("social: the file is empty")
	}
	if cut {
		text += "……（后文略）"
	}
	return text, nil
}
