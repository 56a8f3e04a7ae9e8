package qqbottest

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// A Sent is a message that the bot sent and the platform accepted.
type Sent struct {
	Chat      qqbot.Chat
	ID, Index string
	Type      int    // msg_type: 0 text, 2 markdown, 7 media
	Text      string // with a Media: its caption
	Markdown  string
	Media     *File // nil if there is none
	Quote     string
	MsgID     string // "" and EventID "": proactive
	EventID   string
	Seq       int
	WakeUp    bool
	Time      time.Time
	Recalled  bool
}

// A File is an uploaded file, or an attachment of a message.
type File struct {
	Type        qqbot.FileType
	Data        []byte
	URL         string
	Name        string
	ContentType string // of attachments; "": that of the type
	WAV         string // of a voice attachment
	Transcript  string // of a voice attachment
	Width       int
	Height      int
}

// A Typing is a request to show that the bot is typing.
type Typing struct {
	User, MsgID string
	Seconds     int
}

// outbox is what the bot did. Server.mu guards it.
type outbox struct {
	sent    []*Sent
	typings []Typing
	answers map[string]int  // of interactions, to the code
	joins   map[string]bool // of requests, to the approval
	uploads map[string]upload
}

type upload struct {
	file  File
	group bool
	ends  time.Time
}

// Sent returns the accepted messages, oldest first.
func (s *Server) Sent() (all []Sent) {
	s.locked(func() { all = s.outbox.list() })
	return all
}

func (o *outbox) list() (all []Sent) {
	for _, m := range o.sent {
		all = append(all, *m)
	}
	return all
}

// WaitSent waits for n accepted messages in total.
func (s *Server) WaitSent(ctx context.Context, n int) (all []Sent, err error) {
	err = s.wait(ctx, func() bool {
		all = s.outbox.list()
		return len(all) >= n
	})
	return all, err
}

// Typings returns when the bot was typing.
func (s *Server) Typings() (all []Typing) {
	s.locked(func() { all = slices.Clone(s.outbox.typings) })
	return all
}

// Answer returns the bot's code for an interaction. ok is false if it has not answered.
func (s *Server) Answer(interaction string) (code int, ok bool) {
	s.locked(func() { code, ok = s.outbox.answers[interaction] })
	return code, ok
}

// Approval returns if the bot approved a request to join. ok is false if it has not answered.
func (s *Server) Approval(requestID string) (approved, ok bool) {
	s.locked(func() { approved, ok = s.outbox.joins[requestID] })
	return approved, ok
}

func (s *Server) serveAnswer(r *request) reply {
	if s.outbox.answers == nil {
		s.outbox.answers = make(map[string]int)
	}
	s.outbox.answers[r.PathValue("id")] = r.whole("code")
	return ok(object{})
}

func (s *Server) serveJoin(r *request) reply {
	if s.outbox.joins == nil {
		s.outbox.joins = make(map[string]bool)
	}
	s.outbox.joins[r.text("join_request_id")] = r.text("op") == "approve"
	return ok(object{})
}

// serveFile stores an upload.
func (s *Server) serveFile(r *request) reply {
	chat, no := s.chatOf(r)
	if chat == nil {
		return no
	}
	f := File{Type: qqbot.FileType(r.whole("file_type")), URL: r.text("url"), Name: r.text("file_name")}
	if text := r.text("file_data"); text != "" {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return refuse(400, 850019, "file_data is not base64")
		}
		f.Data = data
	}
	if f.Type < 1 || f.Type > 4 || f.URL == "" && len(f.Data) == 0 {
		return refuse(400, 50059, "bad file")
	}
	if s.outbox.uploads == nil {
		s.outbox.uploads = make(map[string]upload)
	}
	info := s.id("file-")
	s.outbox.uploads[info] = upload{f, chat.id.Group, s.now().Add(time.Hour)}
	return ok(object{"file_uuid": "uuid-" + info, "file_info": info, "ttl": 3600})
}

// serveRecall deletes a message of the bot.
func (s *Server) serveRecall(r *request) reply {
	chat, no := s.chatOf(r)
	if chat == nil {
		return no
	}
	for _, m := range s.outbox.sent {
		switch {
		case m.ID != r.PathValue("id") || m.Chat != chat.id:
		case s.now().Sub(m.Time) > 2*time.Minute:
			return refuse(400, 40064004, "too old")
		default:
			m.Recalled = true
			return ok(object{})
		}
	}
	return refuse(400, 40062003, "no right")
}
