package onebottest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// filesPath is the path of all download URLs; the id of the file follows.
const filesPath = "/onebottest"

// Image adds a picture and returns a message with it, to send in any chat. The bot downloads it by the url of the
// segment or finds it by get_image. Pictures with equal names are found by the newest.
func (s *Server) Image(name string, data []byte) onebot.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.media("image", s.addFile(name, slices.Clone(data)))
}

// Voice adds a voice message and returns it, to send in any chat. The bot downloads it by the url of the segment or
// finds it by get_record, which converts nothing: the content is data in every out_format. transcript is the text that
// fetch_ptt_text (NapCat, SnowLuma) and voice_msg_to_text (LLBot) return; with "" they fail. Voice messages with equal
// names are found by the newest.
func (s *Server) Voice(name string, data []byte, transcript string) onebot.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.addFile(name, slices.Clone(data))
	f.transcript = transcript
	return s.media("record", f)
}

// media returns a message with a file as a segment of the type kind.
func (s *Server) media(kind string, f *File) onebot.Message {
	f.media = true
	data := object{"file": f.Name, "url": f.URL}
	like := s.opts.Quirks.Events
	if like == LikeNapCat || like == LikeLLBot {
		data["file_size"] = strconv.Itoa(len(f.Data))
	}
	switch {
	case kind == "record" && (like == LikeNapCat || like == LikeLLBot):
		data["path"] = f.Path
	case kind == "image" && like == LikeLLBot:
		data["subType"] = 0
	case kind == "image" && (like == LikeNapCat || like == LikeSnowLuma):
		data["sub_type"], data["summary"] = 0, ""
	}
	return onebot.Message{{Type: kind, Data: encode(data)}}
}

// fileURL returns the download URL of a file: of the port of Start, or else for any client of HTTPClient.
func (s *Server) fileURL(id string) string {
	host := "onebottest"
	if s.url != "" {
		host = strings.TrimPrefix(s.url, "ws://")
	}
	return "http://" + host + filesPath + id
}

// serveFile serves a download and returns true if the request is one.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) bool {
	id, ok := strings.CutPrefix(r.URL.Path, filesPath)
	if !ok {
		return false
	}
	s.mu.Lock()
	f := firstMatch(s.files, func(f *File) bool { return f.ID == id })
	s.mu.Unlock()
	if f == nil {
		return false
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Data))
	return true
}

// mediaOf finds a picture or voice message by the name in its segment, or any file by its id.
func (s *Server) mediaOf(p params) (*File, error) {
	name := cmp.Or(p.text("file"), p.text("file_id"))
	if name == "" {
		return nil, required("file")
	}
	for _, f := range slices.Backward(s.files) {
		if name == f.ID || name == f.Path || f.media && name == f.Name {
			return f, nil
		}
	}
	return nil, refused(1200, "file not found")
}

// getFile is get_image and get_file.
func (s *Server) getFile(f *File, _ params) (any, error) {
	size := len(f.Data)
	switch s.opts.Quirks.Actions {
	case LikeSnowLuma:
		if !f.media {
			return nil, refused(1200, "file_id not found in the image/voice cache")
		}
		return object{"file": f.Name, "url": f.URL, "file_size": size, "file_name": f.Name}, nil
	case LikeGoCQHTTP:
		return object{"size": size, "filename": f.Name, "url": f.URL}, nil
	}
	return object{"file": f.Path, "url": f.URL, "file_size": strconv.Itoa(size), "file_name": f.Name}, nil
}

// getRecord is get_record. NapCat and LLBot convert on their disk, SnowLuma returns what it converted.
func (s *Server) getRecord(f *File, p params) (any, error) {
	data, err := s.getFile(f, p)
	if err != nil {
		return nil, err
	}
	o, format := data.(object), p.text("out_format")
	switch {
	case format == "":
	case s.opts.Quirks.Actions == LikeSnowLuma:
		o["out_format"], o["base64"] = format, base64.StdEncoding.EncodeToString(f.Data)
	default:
		o["file"] = strings.TrimSuffix(f.Path, path.Ext(f.Path)) + "." + format
	}
	return o, nil
}

// transcript returns the text of a voice message.
func (s *Server) transcript(m *message, _ params) (any, error) {
	for _, seg := range m.Message {
		if seg.Type != "record" {
			continue
		}
		f, err := s.mediaOf(params{"file": encode(seg.Param("file"))})
		if err == nil && f.transcript != "" {
			return object{"text": f.transcript}, nil
		}
	}
	return nil, refused(1200, "语音转文字失败")
}
