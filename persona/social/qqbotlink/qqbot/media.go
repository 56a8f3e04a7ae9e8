package qqbot

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// UploadLimit is the largest file that is uploaded as data. Larger ones need a URL from which the platform fetches them.
const UploadLimit = 20 << 20

// A FileType is the type of an uploaded file.
type FileType int

// File types. The platform takes PNG and JPEG images, MP4 videos, and SILK, WAV, MP3 or OGG voice.
const (
	ImageFile FileType = 1
	VideoFile FileType = 2
	VoiceFile FileType = 3
	OtherFile FileType = 4
)

// A File is what to upload: Data, or a public URL from which the platform fetches it.
type File struct {
	Type FileType
	Data []byte // at most UploadLimit
	URL  string
	Name string // shown for an OtherFile; may be ""
}

// A Media is an uploaded file.
type Media struct {
	Info string        // for Out.Media; valid only in chats of the same kind, so not in a group if uploaded for a user
	UUID string        // may be ""
	Life time.Duration // how long Info is valid; 0 means long
}

// Upload uploads a file for a chat. Nobody sees it until [Client.Send] sends its Info. It does not count as a reply.
func (c *Client) Upload(ctx context.Context, to Chat, f File) (Media, error) {
	path, err := to.path()
	switch {
	case err != nil:
	case f.Type < ImageFile || f.Type > OtherFile:
		err = errors.New("File.Type is unknown")
	case (len(f.Data) == 0) == (f.URL == ""):
		err = errors.New("want either File.Data or File.URL")
	case len(f.Data) > UploadLimit:
		err = fmt.Errorf("the file has %d bytes, at most %d: use File.URL", len(f.Data), UploadLimit)
	}
	if err != nil {
		return Media{}, fmt.Errorf("qqbot: upload: %w", err)
	}
	body := map[string]any{"file_type": int(f.Type), "srv_send_msg": false}
	if f.URL != "" {
		body["url"] = f.URL
	} else {
		body["file_data"] = base64.StdEncoding.EncodeToString(f.Data)
	}
	if f.Name != "" {
		body["file_name"] = f.Name
	}
	answer, err := c.object(ctx, call{name: "upload", method: http.MethodPost, path: path + "/files", body: body, route: uploadRoute, limit: 4 * c.opts.CallTimeout})
	if err != nil {
		return Media{}, err
	}
	m := Media{Info: answer.text("file_info"), UUID: answer.text("file_uuid"), Life: time.Duration(min(max(answer.whole("ttl"), 0), 1e9)) * time.Second}
	if m.Info == "" {
		return Media{}, &callError{call: "upload", err: errors.New("the answer has no file_info")}
	}
	return m, nil
}
