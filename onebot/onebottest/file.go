package onebottest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A File is a file on the implementation's disk: from a user or [Server.File], for the bot to download, or uploaded by
// the bot.
type File struct {
	ID   string // for downloads
	Path string // on the implementation's disk; no such file exists
	Name string
	URL  string // serves Data by GET, without a token: on the port of Start if it was called before, else by HTTPClient
	Data []byte // do not modify it

	SentTo Chat   // the chat of an upload; zero: none
	From   int64  // who uploaded it there; Options.SelfID for the bot
	Folder string // id of a folder of the group; "": the root

	at         time.Time
	media      bool   // in a message, as picture or voice
	transcript string // of a voice message
}

// File adds a file for download_file_stream, by its ID or its Path, and returns it.
func (s *Server) File(name string, data []byte) File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.addFile(name, slices.Clone(data))
}

// Files returns all files, oldest first.
func (s *Server) Files() []File {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]File, 0, len(s.files))
	for _, f := range s.files {
		all = append(all, *f)
	}
	return all
}

func (s *Server) addFile(name string, data []byte) *File {
	f := &File{ID: "/file-" + strconv.FormatUint(uint64(uint32(s.ids.next())), 36), Path: "/app/napcat/temp/" + name, Name: name, Data: data, at: time.Now()}
	f.URL = s.fileURL(f.ID)
	s.files = append(s.files, f)
	return f
}

func (s *Server) findFile(name string) *File {
	return firstMatch(s.files, func(f *File) bool { return name == f.ID || name == f.Path })
}

// downloadStream returns a file in chunks: file_info, file_chunk for each chunk, file_complete.
func (s *Server) downloadStream(p params) (any, error) {
	name := cmp.Or(p.text("file"), p.text("file_id"))
	size, err := p.int("chunk_size", 64<<10)
	if err != nil {
		return nil, err
	}
	if size <= 0 {
		size = 64 << 10
	}
	f := s.findFile(name)
	if f == nil {
		return nil, refused(1200, "Download failed: file not found")
	}
	out := stream{{"type": "stream", "data_type": "file_info", "file_name": f.Name, "file_size": len(f.Data), "chunk_size": size}}
	done := 0
	for chunk := range slices.Chunk(f.Data, int(min(size, 1<<30))) {
		done += len(chunk)
		data := base64.StdEncoding.EncodeToString(chunk)
		out = append(out, object{
			"type": "stream", "data_type": "file_chunk", "index": len(out) - 1, "data": data,
			"size": len(chunk), "progress": done * 100 / len(f.Data), "base64_size": len(data),
		})
	}
	return append(out, object{
		"type": "response", "data_type": "file_complete", "total_chunks": len(out) - 1, "total_bytes": done, "message": "Download completed",
	}), nil
}

// An upload is a file received in chunks, in any order, one call for each.
type upload struct {
	name, sha256 string
	chunks       map[int64][]byte
	total        int64
}

// uploadStream receives a chunk. Each call gets one frame of type "stream" as its response. The last call, with
// is_complete, gets a "response".
func (s *Server) uploadStream(p params) (any, error) {
	id := p.text("stream_id")
	if id == "" {
		return nil, required("stream_id")
	}
	if p.bool("reset", false) {
		delete(s.uploads, id)
		return nil, refused(1200, "Stream reset completed")
	}
	u := s.uploads[id]
	switch total, err := p.int("total_chunks", 0); {
	case err != nil:
		return nil, err
	case u != nil:
	case p.bool("verify_only", false):
		return nil, refused(1200, "Stream not found")
	case total <= 0:
		return nil, refused(1200, "total_chunks required for new stream")
	default:
		u = &upload{name: path.Base("/" + p.text("filename")), sha256: p.text("expected_sha256"), chunks: make(map[int64][]byte), total: total}
		if u.name == "/" {
			u.name = "upload_" + id
		}
		s.uploads[id] = u
	}
	switch {
	case p.bool("verify_only", false):
	case p.text("chunk_data") != "" && p.has("chunk_index"):
		return s.takeChunk(id, u, p)
	case p.bool("is_complete", false), int64(len(u.chunks)) == u.total:
		return s.completeUpload(id, u)
	}
	return u.state("stream", id, "file_created"), nil
}

func (s *Server) takeChunk(id string, u *upload, p params) (any, error) {
	index, err := p.int("chunk_index", 0)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= u.total {
		return nil, refused(1200, "Invalid chunk index: %d", index)
	}
	if _, known := u.chunks[index]; known {
		return u.state("stream", id, "file_created"), nil
	}
	data, err := base64.StdEncoding.DecodeString(p.text("chunk_data"))
	if err != nil {
		return nil, refused(1200, "chunk_data: %v", err)
	}
	u.chunks[index] = data
	return u.state("stream", id, "chunk_received"), nil
}

func (s *Server) completeUpload(id string, u *upload) (any, error) {
	var b bytes.Buffer
	for i := range u.total {
		chunk, ok := u.chunks[i]
		if !ok {
			return nil, refused(1200, "Missing memory chunk %d", i)
		}
		b.Write(chunk)
	}
	out := u.state("response", id, "file_complete")
	if u.sha256 != "" {
		sum := sha256.Sum256(b.Bytes())
		got := hex.EncodeToString(sum[:])
		if got != u.sha256 {
			return nil, refused(1200, "SHA256 mismatch. Expected: %s, Got: %s", u.sha256, got)
		}
		out["sha256"] = got
	}
	delete(s.uploads, id)
	f := s.addFile(u.name, b.Bytes())
	out["file_path"], out["file_size"] = f.Path, len(f.Data)
	return out, nil
}

func (u *upload) state(typ, id, status string) object {
	return object{"type": typ, "stream_id": id, "status": status, "received_chunks": len(u.chunks), "total_chunks": u.total}
}

func (s *Server) cleanStreams(params) (any, error) {
	clear(s.uploads)
	return object{"message": "Stream temp files cleaned"}, nil
}

// sendFile sends a file to a chat: an existing one, base64://…, or an empty one for any other name.
func (s *Server) sendFile(m *message, p params) (any, error) {
	name := p.text("file")
	if name == "" {
		return nil, required("file")
	}
	if err := s.sendable(m); err != nil {
		return nil, err
	}
	f := s.findFile(name)
	if f == nil {
		var data []byte
		if b64, ok := strings.CutPrefix(name, "base64://"); ok {
			data, _ = base64.StdEncoding.DecodeString(b64)
		}
		f = s.addFile(path.Base(name), data)
	}
	f.Name = cmp.Or(p.text("name"), f.Name)
	f.SentTo, f.From = m.Chat, s.opts.SelfID
	if m.Chat.Kind == "group" {
		f.Folder = rootless(cmp.Or(p.text("folder"), p.text("folder_id")))
	}
	if like := s.opts.Quirks.Actions; like == LikeNapCat || like == LikeSnowLuma {
		return object{"file_id": f.ID}, nil
	}
	return nil, nil
}

// fileMessage returns a friend's message with a file.
func (s *Server) fileMessage(f *Friend, file *File) *message {
	data := object{"file": file.Name, "file_id": file.ID, "file_size": strconv.Itoa(len(file.Data)), "url": file.URL}
	if s.opts.Quirks.Events == LikeSnowLuma {
		data["file_size"], data["name"], data["file_hash"] = len(file.Data), file.Name, ""
	}
	seg := onebot.Segment{Type: "file", Data: encode(data)}
	return &message{ChatMessage: ChatMessage{Chat: f.Chat(), UserID: f.ID, Message: onebot.Message{seg}, At: time.Now()}}
}
