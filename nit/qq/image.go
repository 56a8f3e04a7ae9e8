package qq

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type imageIn struct {
	Target nit.ID `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Path   string `json:"image_path" jsonschema:"图片目录里的相对路径，例如 cat/1.png"`
}

func (k *toolkit) sendImage() (nit.Tool, error) {
	opts := []nit.Option{nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(sendWords, "target_id")}
	description := "向指定的 QQ 群或好友发送一张图片。image_path 是图片目录里的相对路径。target_id 也可以写群名、好友的备注或昵称。"
	if k.fetch != nil {
		description += "image_path 也可以是公网图片的 http 或 https 网址。"
		opts = append(opts, nit.OpenWorld())
	}
	return nit.Define("qq_send_image", nit.L1, description, k.sendPicture, append(opts,
		nit.DescribeIn(nit.ModePersona, "在当前的聊天里发一张你存着的图片，比如表情。"),
		nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["image_path"].Description += listFiles(k.o.Images, isPictureName, "。图片目录里有：")
			s.Properties["image_path"].MinLength, s.Properties["image_path"].MaxLength = new(1), new(2048)
		}))...)
}

// maxListedFiles limits the files that the model is told of.
const maxListedFiles = 40

// listFiles lists files of a root for the model after a text, or returns "".
func listFiles(root *os.Root, listed func(path string) bool, before string) string {
	var names []string
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it cannot be sent either
		case len(names) == maxListedFiles:
			return fs.SkipAll
		case d.Type().IsRegular() && isPlainName(path) && listed(path):
			names = append(names, path)
		}
		return nil
	})
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, "、")
}

// isPlainName reports whether a path has at most 80 characters and only letters, digits, blanks and _ . / -. Others could carry
// instructions to the model.
func isPlainName(path string) bool {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune(" _./-", r)
	}
	return utf8.RuneCountInString(path) <= 80 && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0
}

func isPictureName(path string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}, strings.ToLower(filepath.Ext(path)))
}

func (k *toolkit) sendPicture(ctx context.Context, in imageIn) (sendOut, error) {
	to, _, err := k.resolveTarget(ctx, in.Target, "", "group")
	if err != nil {
		return sendOut{}, err
	}
	data, err := k.loadPicture(ctx, in.Path)
	if err != nil {
		return sendOut{}, err
	}
	image, err := k.actor.EncodeImage(data)
	if err != nil {
		return sendOut{}, errors.Join(errPictureNotFound, err)
	}
	return k.sendMessage(ctx, in.Target, to, persona.Outgoing{Image: image})
}

var (
	errPictureNotFound   = nit.ModelError("没有这张图片，或者它不是能发的图片")
	errPictureNotFetched = nit.ModelError("没有取到这张图片")
	errOutsideRoot       = nit.ModelError("只能发图片目录里的图片，image_path 是其中的相对路径")
)

// loadPicture reads a picture from the root, or from a URL in agent mode. Outside agent mode, a path outside the root
// gives ErrUnknownTool, so that the model does not learn of other files.
func (k *toolkit) loadPicture(ctx context.Context, path string) ([]byte, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if isURL(path) && isAgent(p) && k.fetch != nil {
		file, err := k.fetch(ctx, path)
		if err != nil {
			return nil, errors.Join(errPictureNotFetched, err)
		}
		return file.Data, nil
	}
	data, err := k.readFile(path)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fetch.ErrNotImage):
		return nil, errors.Join(errPictureNotFound, err)
	case isAgent(p):
		return nil, errors.Join(errOutsideRoot, err)
	}
	return nil, errors.Join(nit.ErrUnknownTool, err)
}

func isURL(path string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(path), "://")
	return ok && (scheme == "http" || scheme == "https")
}

// readFile reads a file in the root.
func (k *toolkit) readFile(path string) ([]byte, error) {
	path = strings.TrimPrefix(path, "./")
	if !isPlainPath(path) {
		return nil, errors.New("qq: not a plain relative path")
	}
	return fetch.ReadImage(k.o.Images, path, k.o.MaxImageBytes)
}

// isPlainPath reports whether a path means the same on all systems: relative, with slashes, without drives, streams,
// devices and "..".
func isPlainPath(path string) bool {
	if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, `\:*?"<>|`) || strings.IndexFunc(path, unicode.IsControl) >= 0 {
		return false
	}
	for element := range strings.SplitSeq(path, "/") {
		stem, _, _ := strings.Cut(strings.ToUpper(element), ".")
		if strings.HasSuffix(element, ".") || strings.TrimSpace(element) != element || slices.Contains(devices, strings.TrimSpace(stem)) {
			return false
		}
	}
	return true
}

// Windows reserves these names in every directory, with any extension.
var devices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
}
