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

// A StickerDir is a directory of stickers: PNG, JPEG, GIF and WebP files, recognized by their first bytes. The tags are in the file
// name, for example "开心,大笑.png" or "happy-wave_2.gif". Commas (also ， and 、), spaces, plus, minus and underscores separate
// tags. Numbers are not tags. A file index.json can set the tags of files:
//
//	{"0231.png": ["开心", "大笑"], "0232.gif": ["无语"]}
//
// A Dir reads and writes nothing outside of the directory, not even thtemp links. It ignores subdirectories, hidden files
// (names that begin with a dot), empty or too large files and files that are no pictures. [StickerDir.Add] names files by their tags
// and a hash of their content, so the same picture is stored once.
//
// All methods may be called concurrently.
type StickerDir struct {
	root *os.Root
	o    StickerDirOptions

	mu      sync.Mutex
	checked map[string]checkedFile
}

// StickerDirOptions are the options of [NewStickerDir].
type StickerDirOptions struct {
	MaxFiles int   // maximum number of stickers, the oldest first; 0 means 2000
	MaxBytes int64 // of a picture; 0 means 4 MiB
}

// A checkedFile is the cached check of a file with this size and time.
type checkedFile struct {
	size  int64
	at    time.Time
	image bool
}

const (
	indexName = "index.json"
	maxIndex  = 1 << 20
	maxTags   = 8
	maxTag    = 24  // runes
	maxName   = 160 // bytes of all tags in a name; file systems allow 255
)

// NewStickerDir returns the stickers in root. It reads nothing yet. The caller closes root.
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
	return &StickerDir{root: root, o: o, checked: make(map[string]checkedFile)}, nil
}

// Stickers lists the current stickers, oldest first. An unreadable index.json is an error.
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
		// os.Root follows links inside the directory only.
		if info, err := d.root.Stat(e.Name()); err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() <= d.o.MaxBytes {
			files = append(files, namedInfo{info, e.Name()})
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

// namedInfo is the info of a linked file with the name of the link.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (n namedInfo) Name() string { return n.name }

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

// isImage reads the start of a file if it is new or has changed.
func (d *StickerDir) isImage(f fs.FileInfo) bool {
	d.mu.Lock()
	known, ok := d.checked[f.Name()]
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
	known = checkedFile{size: f.Size(), at: f.ModTime(), image: imageKind(head[:n]) != ""}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.checked) > 2*d.o.MaxFiles {
		clear(d.checked)
	}
	d.checked[f.Name()] = known
	return known.image
}

// Picture reads a sticker. The error wraps [ErrInvalidSticker] if the file is no longer a picture.
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

func (d *StickerDir) read(name string, limit int64) ([]byte, error) {
	// Opening a pipe would block until it has a writer.
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
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrInvalidSticker, name, limit)
	}
	return data, nil
}

// Add writes a picture with its tags in the file name. It writes atomically. If the picture exists, Add returns the existing
// sticker.
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
	end := ",0x" + hex.EncodeToString(sum[:8]) + "." + kind // begins with a digit, so it is not a tag
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
	temp := "." + name + ".new"
	if err = d.root.WriteFile(temp, picture, 0o600); err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		d.root.Remove(temp)
		return Sticker{}, err
	}
	return Sticker{ID: name, Tags: tags}, nil
}

// Remove deletes the file of a sticker.
func (d *StickerDir) Remove(_ context.Context, id string) error {
	if id != path.Base(id) || id == indexName || strings.HasPrefix(id, ".") {
		return fmt.Errorf("speech: sticker %q: %w", id, fs.ErrNotExist)
	}
	if err := d.root.Remove(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tagsOf returns the tags in a file name.
func tagsOf(name string) []string {
	name = strings.TrimSuffix(name, path.Ext(name))
	var tags []string
	for tag := range strings.FieldsFuncSeq(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`,，、;；+-_.()（）[]/\:*?"<>|`, r)
	}) {
		runes := []rune(tag)
		if unicode.IsDigit(runes[0]) || normalize(tag) == "" || slices.Contains(tags, tag) || len(tags) == maxTags {
			continue
		}
		tags = append(tags, string(runes[:min(len(runes), maxTag)]))
	}
	return tags
}

// imageKind returns the file extension of a picture from its first bytes, or "" if it is no picture.
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
