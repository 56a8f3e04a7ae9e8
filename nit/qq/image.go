package qq

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type imageIn struct {
	Target nit.ID `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Path   string `json:"image_path" jsonschema:"图片目录里的相对路径，例如 cat/1.png"`
}

func (k *kit) sendImage() (nit.Tool, error) {
	opts := []nit.Option{nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(sendWords, "target_id")}
	description := "向指定的 QQ 群或好友发送一张图片。image_path 是图片目录里的相对路径。target_id 也可以写群名、好友的备注或昵称。"
	if k.fetch != nil {
		description += "image_path 也可以是公网图片的 http 或 https 网址。"
		opts = append(opts, nit.OpenWorld())
	}
	return nit.Define("qq_send_image", nit.L1, description, k.show, append(opts,
		nit.DescribeIn(nit.ModePersona, "在当前的聊天里发一张你存着的图片，比如表情。"),
		nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["image_path"].MinLength, s.Properties["image_path"].MaxLength = new(1), new(2048)
		}))...)
}

func (k *kit) show(ctx context.Context, in imageIn) (sendOut, error) {
	to, _, err := k.aim(ctx, in.Target, "", "group")
	if err != nil {
		return sendOut{}, err
	}
	data, err := k.picture(ctx, in.Path)
	if err != nil {
		return sendOut{}, err
	}
	image, err := k.actor.EncodeImage(data)
	if err != nil {
		return sendOut{}, errors.Join(errNoPicture, err)
	}
	return k.utter(ctx, in.Target, to, persona.Outgoing{Image: image})
}

var (
	errNoPicture  = nit.ModelError("没有这张图片，或者它不是能发的图片")
	errNotFetched = nit.ModelError("没有取到这张图片")
	errOutside    = nit.ModelError("只能发图片目录里的图片，image_path 是其中的相对路径")
)

// picture reads a picture. What lies outside of the root is refused; a persona is not told that there is an outside.
func (k *kit) picture(ctx context.Context, path string) ([]byte, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if isURL(path) && everywhere(p) && k.fetch != nil {
		file, err := k.fetch(ctx, path)
		if err != nil {
			return nil, errors.Join(errNotFetched, err)
		}
		return file.Data, nil
	}
	data, err := k.read(path)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fetch.ErrUnfit):
		return nil, errors.Join(errNoPicture, err)
	case everywhere(p):
		return nil, errors.Join(errOutside, err)
	}
	return nil, errors.Join(nit.ErrUnknownTool, err)
}

func isURL(path string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(path), "://")
	return ok && (scheme == "http" || scheme == "https")
}

// read reads a file below the root.
func (k *kit) read(path string) ([]byte, error) {
	path = strings.TrimPrefix(path, "./")
	if !plain(path) {
		return nil, errors.New("qq: not a plain relative path")
	}
	return fetch.ReadImage(k.o.Images, path, k.o.MaxImageBytes)
}

// plain reports whether a path means the same on every system: relative, with slashes, without drives, streams,
// devices and parents.
func plain(path string) bool {
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

// Names that Windows takes for devices, in every directory and with any ending.
var devices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
}
