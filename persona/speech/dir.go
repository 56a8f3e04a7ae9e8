package speech

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// A StickerDir is a directory of stickers: PNG, JPEG, GIF and WebP, by their first bytes. Their tags are what their names are
// made of, "开心,大笑.png" or "happy-wave_2.gif": commas (， and 、 as well), spaces, plus, minus and underscores part them,
// and numbers are no tags. A file index.json has the tags of those files that it names:
//
//	{"0231.png": ["开心", "大笑"], "0232.gif": ["无语"]}
//
// Nothing outside of the directory is ever read or written, also not through links. What is no picture, is empty or too
// large, lies in a folder or begins with a dot is left out. Files that [StickerDir.Add] writes are named by their tags and what
// they hold, so that the same picture is kept once.
//
// All methods may be called concurrently.
type StickerDir struct {
	root *os.Root
	o    StickerDirOptions

	mu    sync.Mutex
	kinds map[string]sniffed
}

// StickerDirOptions bound what is read.
type StickerDirOptions struct {
	MaxFiles int   // the first so many by age; 0 means 2000
	MaxBytes int64 // of a picture; 0 means 4 MiB
}

// A sniffed file was looked into as it was then.
type sniffed struct {
	size  int64
	at    time.Time
	image bool
}

const (
	indexName = "index.json"
	maxIndex  = 1 << 20
	maxTags   = 8
	maxTag    = 24  // runes
	maxName   = 160 // bytes of all tags in a name: file systems take 255
)

// NewStickerDir returns the directory of stickers at root. It reads nothing yet. The caller closes root.
func NewStickerDir(root *os.Root, o StickerDirOptions) (*StickerDir, error) {
	switch {
	case root == nil:
		return nil, errors.New("speech: sticker directory: root is nil")
	case o.MaxFiles < 0:
		return nil, fmt.Errorf("speech: sticker directory: MaxFiles of %d is negative", o.MaxFiles)
	case o.MaxBytes < 0:
		return nil, fmt.Errorf("speech: sticker directory: MaxBytes of %d is negative", o.MaxBytes)
	}
	o.MaxFiles, o.MaxBytes = cmp.Or(o.MaxFiles, 2000), cmp.Or(o.MaxBytes, 4<<20)
	return &StickerDir{root: root, o: o, kinds: make(map[string]sniffed)}, nil
}

// Stickers gives what lies there now, the oldest first. An index that cannot be read is an error.
func (d *StickerDir) Stickers(ctx context.Context) ([]Sticker, error) {
	index, err := d.index()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if e.Name() == indexName || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		// Links are followed as far as they stay inside.
		if info, err := d.root.Stat(e.Name()); err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() <= d.o.MaxBytes {
			files = append(files, named{info, e.Name()})
		}
	}
	slices.SortStableFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	var all []Sticker
	for _, f := range files {
		if len(all) == d.o.MaxFiles {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !d.isImage(f) {
			continue
		}
		tags, listed := index[f.Name()]
		if !listed {
			tags = tagsOf(f.Name())
		}
		all = append(all, Sticker{ID: f.Name(), Tags: tags})
	}
	return all, nil
}

// named is a file's info under the name that it has in the directory.
type named struct {
	fs.FileInfo
	name string
}

func (n named) Name() string { return n.name }

func (d *StickerDir) index() (map[string][]string, error) {
	data, err := d.read(indexName, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var index map[string][]string
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &index); err != nil {
		return nil, fmt.Errorf("speech: %s: %w", indexName, err)
	}
	return index, nil
}

// isImage looks into a file when it is new or has changed.
func (d *StickerDir) isImage(f fs.FileInfo) bool {
	d.mu.Lock()
	known, ok := d.kinds[f.Name()]
	d.mu.Unlock()
	if ok && known.size == f.Size() && known.at.Equal(f.ModTime()) {
		return known.image
	}
	file, err := d.root.Open(f.Name())
	if err != nil {
		return false
	}
	defer file.Close()
	var head [16]byte
	n, _ := io.ReadFull(file, head[:])
	known = sniffed{size: f.Size(), at: f.ModTime(), image: imageKind(head[:n]) != ""}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.kinds) > 2*d.o.MaxFiles {
		clear(d.kinds)
	}
	d.kinds[f.Name()] = known
	return known.image
}

// Picture reads one. What is no picture any more is an error that matches [ErrInvalidSticker].
func (d *StickerDir) Picture(_ context.Context, id string) ([]byte, error) {
	if id != path.Base(id) || id == indexName {
		return nil, fmt.Errorf("speech: sticker %q: %w", id, fs.ErrNotExist)
	}
	data, err := d.read(id, d.o.MaxBytes)
	if err != nil {
		return nil, err
	}
	if imageKind(data) == "" {
		return nil, fmt.Errorf("%w: %s is no picture", ErrInvalidSticker, id)
	}
	return data, nil
}

func (d *StickerDir) read(name string, most int64) ([]byte, error) {
	// Nothing that blocks is opened: a pipe would wait for its writer.
	if info, err := d.root.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no file", ErrInvalidSticker, name)
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrInvalidSticker, name, most)
	}
	return data, nil
}

// Add writes a picture under a name made of its tags; one that is there already stays as it is. It is there whole or not
// at all.
func (d *StickerDir) Add(ctx context.Context, tags []string, picture []byte) (Sticker, error) {
	kind := imageKind(picture)
	if kind == "" || int64(len(picture)) > d.o.MaxBytes {
		return Sticker{}, fmt.Errorf("%w: no picture, or more than %d bytes", ErrInvalidSticker, d.o.MaxBytes)
	}
	tags = tagsOf(strings.Join(tags, ",") + ".x")
	if len(tags) == 0 {
		return Sticker{}, fmt.Errorf("%w: it has no tags", ErrInvalidSticker)
	}
	for len(strings.Join(tags, ",")) > maxName {
		tags = tags[:len(tags)-1]
	}
	sum := sha256.Sum256(picture)
	end := ",0x" + hex.EncodeToString(sum[:8]) + "." + kind // begins with a digit, so it is no tag
	all, err := d.Stickers(ctx)
	if err != nil {
		return Sticker{}, err
	}
	for _, one := range all {
		if strings.HasSuffix(one.ID, end) {
			return one, nil
		}
	}
	name := strings.Join(tags, ",") + end
	rough := "." + name + ".new"
	if err = d.root.WriteFile(rough, picture, 0o600); err == nil {
		err = d.root.Rename(rough, name)
	}
	if err != nil {
		d.root.Remove(rough)
		return Sticker{}, err
	}
	return Sticker{ID: name, Tags: tags}, nil
}

// Remove deletes a sticker's file.
func (d *StickerDir) Remove(_ context.Context, id string) error {
	if id != path.Base(id) || id == indexName || strings.HasPrefix(id, ".") {
		return fmt.Errorf("speech: sticker %q: %w", id, fs.ErrNotExist)
	}
	if err := d.root.Remove(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tagsOf gives the tags in a file's name.
func tagsOf(name string) []string {
	name = strings.TrimSuffix(name, path.Ext(name))
	var tags []string
	for tag := range strings.FieldsFuncSeq(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`,，、;；+-_.()（）[]/\:*?"<>|`, r)
	}) {
		runes := []rune(tag)
		if unicode.IsDigit(runes[0]) || plain(tag) == "" || slices.Contains(tags, tag) || len(tags) == maxTags {
			continue
		}
		tags = append(tags, string(runes[:min(len(runes), maxTag)]))
	}
	return tags
}

// imageKind tells a picture's kind by its first bytes; "" for what is none.
func imageKind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "jpg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "gif"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp"
	}
	return ""
}
