package qqbottest

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	groupWindow, groupReplies = 5 * time.Minute, 5
	userWindow, userReplies   = time.Hour, 4
	perMinute, perDay         = 20, 1000
	longestText               = 5000
)

// AllowURLs lists domains whose URLs the bot may send to groups.
func (s *Server) AllowURLs(domains ...string) {
	s.locked(func() { s.chats.domains = append(s.chats.domains, domains...) })
}

// serveMessage accepts or refuses a message of the bot.
func (s *Server) serveMessage(r *request) reply {
	c, no := s.chatOf(r)
	if c == nil {
		return no
	}
	m := Sent{Chat: c.id, Type: r.whole("msg_type"), Text: r.text("content"), MsgID: r.text("msg_id"), EventID: r.text("event_id"), Seq: r.whole("msg_seq"), Time: s.now()}
	m.WakeUp, _ = r.body["is_wakeup"].(bool)
	if m.Seq == 0 {
		m.Seq = 1
	}
	if code := s.badContent(c, r, &m); code != 0 {
		return refuse(400, code, "bad content")
	}
	if c.muted {
		return refuse(400, 40054002, "muted")
	}
	code := 0
	if m.MsgID == "" && m.EventID == "" {
		code = s.speakFirst(c)
	} else {
		code = s.replyTo(c, m)
	}
	if code != 0 {
		return refuse(400, code, "not now")
	}
	if m.Type == 6 {
		seconds, _ := r.body["input_notify"].(object)["input_second"].(float64)
		s.outbox.typings = append(s.outbox.typings, Typing{c.id.ID, m.MsgID, int(seconds)})
		return ok(object{})
	}
	m.ID, m.Index = s.id("ROBOT1.0_")+"!", s.id("REFIDX_")+"=="
	s.chats.stored[m.Index] = stored{text: m.Text + m.Markdown, author: object{"id": botID(c.id.ID), "bot": true, "username": s.opts.Username}}
	s.outbox.sent = append(s.outbox.sent, &m)
	return ok(object{"id": m.ID, "timestamp": m.Time.Format(time.RFC3339), "ext_info": object{"ref_idx": m.Index}})
}

var urlInText = regexp.MustCompile(`https?://[^\s<>"]+`)

// badContent completes m and returns the code of a refusal, or 0.
func (s *Server) badContent(c *chat, r *request, m *Sent) int {
	switch m.Type {
	case 0:
		if strings.TrimSpace(m.Text) == "" {
			return 50006
		}
	case 2:
		md, _ := r.body["markdown"].(object)
		if m.Markdown, _ = md["content"].(string); m.Markdown == "" || m.Text != "" {
			return 40034008
		}
	case 6:
		if notify, ok := r.body["input_notify"].(object); c.id.Group || !ok || notify == nil || m.MsgID == "" {
			return 50059
		}
	case 7:
		media, _ := r.body["media"].(object)
		info, _ := media["file_info"].(string)
		up, known := s.outbox.uploads[info]
		if !known || up.group != c.id.Group || s.now().After(up.ends) {
			return 304080
		}
		m.Media = &up.file
	default:
		return 22006
	}
	if ref, ok := r.body["message_reference"].(object); ok {
		m.Quote, _ = ref["message_id"].(string)
	}
	if utf8.RuneCountInString(m.Text) > longestText || utf8.RuneCountInString(m.Markdown) > longestText {
		return 40054007
	}
	if m.WakeUp && (c.id.Group || m.MsgID != "" || m.EventID != "") {
		return 40034122
	}
	for _, found := range urlInText.FindAllString(m.Text, -1) {
		u, err := url.Parse(found)
		if c.id.Group && (err != nil || !slices.Contains(s.chats.domains, u.Hostname())) {
			return 304003
		}
	}
	return 0
}

// replyTo uses up a reply. It returns the code of a refusal, or 0.
func (s *Server) replyTo(c *chat, m Sent) int {
	t, window, most := c.targets[m.MsgID+m.EventID], userWindow, userReplies
	if c.id.Group {
		window, most = groupWindow, groupReplies
	}
	switch {
	case t == nil && m.EventID != "":
		return 40034025
	case t == nil:
		return 40034024
	case s.now().Sub(t.at) > window:
		return 40034128
	case t.seqs[m.Seq]:
		return 40054005
	case t.replies >= most:
		return 22009
	}
	t.replies++
	t.seqs[m.Seq] = true
	return 0
}

// speakFirst counts a message that replies to nothing. It returns the code of a refusal, or 0.
func (s *Server) speakFirst(c *chat) int {
	now := s.now()
	if c.refused {
		return 40054013
	}
	if !c.proactive {
		return 40034105
	}
	c.proactives = slices.DeleteFunc(c.proactives, func(t time.Time) bool { return now.Sub(t) >= 24*time.Hour })
	minute := 0
	for _, t := range c.proactives {
		if now.Sub(t) < time.Minute {
			minute++
		}
	}
	if minute >= perMinute || len(c.proactives) >= perDay {
		return 40034100
	}
	c.proactives = append(c.proactives, now)
	return 0
}
