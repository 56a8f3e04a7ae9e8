package qq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// fileTools implements the tools for files.
type fileTools struct{ *toolkit }

type fileIn struct {
	Target nit.ID `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Path   string `json:"path" jsonschema:"文件目录里的相对路径，例如 报告.pdf"`
}

// The path is a target too: what the owner's message does not name is not sent by a turn that has read untrusted text.
func (f fileTools) sendFile() (nit.Tool, error) {
	return nit.Define("qq_send_file", nit.L1, "向指定的 QQ 群或好友发送一个文件。path 是文件目录里的相对路径。target_id 也可以写群名、好友的备注或昵称。", f.sendFromRoot,
		agentOnly(nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(sendWords, "target_id", "path"), nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["path"].Description += listFiles(f.o.Files, isFileName, "。文件目录里有：")
			s.Properties["path"].MinLength, s.Properties["path"].MaxLength = new(1), new(2048)
		}))...)
}

// isFileName reports whether a path starts with a letter or a digit, and so names no hidden file at the top.
func isFileName(path string) bool {
	first, _ := utf8.DecodeRuneInString(path)
	return unicode.IsLetter(first) || unicode.IsNumber(first)
}

var (
	errNoFile       = nit.ModelError("没有这个文件，或者它是空的，或者太大")
	errOutsideFiles = nit.ModelError("只能发文件目录里的文件，path 是其中的相对路径")
)

func (f fileTools) sendFromRoot(ctx context.Context, in fileIn) (sendOut, error) {
	to, _, err := f.resolveTarget(ctx, in.Target, "", "group")
	if err != nil {
		return sendOut{}, err
	}
	data, err := readRegular(f.o.Files, in.Path, f.o.MaxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errUnfit):
		return sendOut{}, errors.Join(errNoFile, err)
	case err != nil:
		return sendOut{}, errors.Join(errOutsideFiles, err)
	}
	return f.sendMessage(ctx, in.Target, to, persona.Outgoing{File: persona.SentFile{Name: path.Base(in.Path), Data: data}})
}

var errUnfit = errors.New("qq: not a file that can be sent")

// readRegular reads a regular file below root. The root prevents links from leading outside.
func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	name = strings.TrimPrefix(name, "./")
	if !isPlainPath(name) {
		return nil, errors.New("qq: not a plain relative path")
	}
	if err := checkRegular(root.Stat(name)); err != nil { // before opening: opening a device may have effects
		return nil, err
	}
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for its other end
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checkRegular(file.Stat()); err != nil { // it may have been replaced
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && (len(data) == 0 || int64(len(data)) > most) {
		err = fmt.Errorf("%w: it is empty or has more than %d bytes", errUnfit, most)
	}
	return data, err
}

func checkRegular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %v", errUnfit, info.Mode())
	}
	return err
}

type filesIn struct {
	groupIn
	Folder string `json:"folder_id,omitempty" jsonschema:"文件夹的 id；留空就是最外层"`
	listIn
}

type groupFileOut struct {
	FolderID string  `json:"folder_id,omitempty"`
	FileID   string  `json:"file_id,omitempty"`
	Name     string  `json:"name"`
	Size     int64   `json:"size,omitempty"` // in bytes
	Uploader shownID `json:"uploader"`
	Time     string  `json:"time,omitempty"`
}

const (
	filesOnPage = 15  // their ids are long
	maxFileID   = 512 // bytes of the id of a file or folder
)

func (f fileTools) groupFiles() (nit.Tool, error) {
	return nit.Define("qq_group_files", nit.L1, "列出一个群的群文件和文件夹：id、名字、大小、上传的人。名字是群里的人写的。", f.listGroupFiles,
		agentOnly(readsUntrusted(nit.EditSchema(listSchema), nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["folder_id"].MaxLength = new(maxFileID)
		}))...)...)
}

func (f fileTools) listGroupFiles(ctx context.Context, in filesIn) (page[groupFileOut], error) {
	group, err := f.resolveGroup(ctx, in.Group)
	if err != nil {
		return page[groupFileOut]{}, err
	}
	files, err := f.actor.Files(ctx, group, in.Folder)
	if err != nil {
		return page[groupFileOut]{}, errors.Join(nit.ModelError("没有查到群文件"), err)
	}
	var all []groupFileOut
	for _, x := range files {
		out := groupFileOut{FileID: x.ID, Name: line(x.Name, 60), Size: x.Size, Uploader: shownID(x.Uploader), Time: f.time(x.At)}
		if x.Folder {
			out.FolderID, out.FileID = x.ID, ""
		}
		all = append(all, out)
	}
	return pageOf(all, in.listIn, filesOnPage, func(x groupFileOut) []string { return []string{x.Name} }), nil
}

type fileURLIn struct {
	groupIn
	File string `json:"file_id" jsonschema:"群文件的 id"`
}

func (f fileTools) fileURL() (nit.Tool, error) {
	return nit.Define("qq_get_file_url", nit.L1, "查一个群文件的下载地址。地址过一阵会失效，文件是群里的人传的。", f.getURL,
		agentOnly(readsUntrusted(nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["file_id"].MinLength, s.Properties["file_id"].MaxLength = new(1), new(maxFileID)
		}))...)...)
}

func (f fileTools) getURL(ctx context.Context, in fileURLIn) (string, error) {
	group, err := f.resolveGroup(ctx, in.Group)
	if err != nil {
		return "", err
	}
	url, err := f.actor.FileURL(ctx, group, in.File)
	if err == nil && !isURL(url) {
		err = errors.New("qq: the address of the file is not an URL")
	}
	if err != nil {
		return "", errors.Join(nit.ModelError("没有查到下载地址"), err)
	}
	return url, nil
}
