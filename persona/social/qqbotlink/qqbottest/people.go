package qqbottest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// A Member is a person in a group.
type Member struct {
	s              *Server
	c              *chat
	id, name, role string
	bot            bool
}

// Member returns a new member with this member_openid, without an event. name may be "".
func (g *Group) Member(id, name string) *Member {
	m := &Member{s: g.s, c: g.c, id: id, name: name, role: "member"}
	g.s.locked(func() { g.c.members = append(g.c.members, m) })
	return m
}

// WithRole sets the member's role: member, admin or owner.
func (m *Member) WithRole(role string) *Member {
	m.s.locked(func() { m.role = role })
	return m
}

// AsBot makes the member a bot.
func (m *Member) AsBot() *Member {
	m.s.locked(func() { m.bot = true })
	return m
}

// ID returns the member_openid.
func (m *Member) ID() string { return m.id }

func (m *Member) object() object {
	return object{"member_openid": m.id, "username": m.name, "member_role": m.role, "bot": m.bot, "joined_at": "2026-07-21T10:00:00+08:00", "union_openid": ""}
}

// A User is a person who talks to the bot in private.
type User struct {
	s *Server
	c *chat
}

// User returns a friend with this user_openid, without an event.
func (s *Server) User(id string) (u *User) {
	s.locked(func() { u = &User{s, s.chat(qqbot.UserChat(id))} })
	return u
}

// A Post is something that a person says.
type Post struct {
	Text     string    // as the platform delivers it, so it may contain its tags
	At       bool      // it mentions the bot; groups only
	AtAll    bool      // it mentions everybody
	Mentions []*Member // further members; their tags are put before the Text
	Quote    string    // the Index of a message
	Files    []File
	Fields   map[string]any // overwrite fields of the event
}

// A Said is a message of a person.
type Said struct {
	ID, Index string
	EventID   string // of the last event; "" if the bot does not get the message
}

// Say says a text.
func (m *Member) Say(text string) Said { return m.Post(Post{Text: text}) }

// At says a text that mentions the bot.
func (m *Member) At(text string) Said { return m.Post(Post{Text: text, At: true}) }

// Post says anything. The bot gets it as the group's [Mode] says.
func (m *Member) Post(p Post) (said Said) {
	m.s.locked(func() {
		author := object{"id": m.id, "member_openid": m.id, "union_openid": "", "username": m.name, "member_role": m.role, "bot": m.bot}
		d, at := m.s.message(m.c, author, p)
		said = Said{ID: d["id"].(string), Index: at}
		if !m.c.inside {
			return
		}
		others := d["mentions"].([]object)
		if m.c.mode != MentionsOnly {
			full := clone(d)
			if p.At {
				full["mentions"] = append([]object{{"scope": "single", "is_you": true, "bot": true, "id": botID(m.c.id.ID), "member_openid": botID(m.c.id.ID), "username": m.s.opts.Username}}, others...)
			}
			said.EventID = m.s.emit("GROUP_MESSAGE_CREATE", m.c, full)
		}
		if p.At && m.c.mode != Full {
			said.EventID = m.s.emit("GROUP_AT_MESSAGE_CREATE", m.c, d)
		}
	})
	return said
}

// Say says a text.
func (u *User) Say(text string) Said { return u.Post(Post{Text: text}) }

// Post says anything.
func (u *User) Post(p Post) (said Said) {
	u.s.locked(func() {
		d, index := u.s.message(u.c, object{"id": u.c.id.ID, "user_openid": u.c.id.ID, "union_openid": "", "username": ""}, p)
		said = Said{ID: d["id"].(string), Index: index, EventID: u.s.emit("C2C_MESSAGE_CREATE", u.c, d)}
	})
	return said
}

// message builds the event of a post and stores what is needed to reply to it and to quote it.
func (s *Server) message(c *chat, author object, p Post) (d object, index string) {
	id := s.id("ROBOT1.0_") + "!"
	index = s.id("REFIDX_") + "=="
	text, mentions := p.Text, []object{}
	for i := len(p.Mentions) - 1; i >= 0; i-- {
		text = "<@" + p.Mentions[i].id + "> " + text
	}
	for _, m := range p.Mentions {
		mentions = append(mentions, object{"scope": "single", "is_you": false, "bot": m.bot, "id": m.id, "member_openid": m.id, "username": m.name})
	}
	if p.AtAll {
		mentions = append(mentions, object{"scope": "all", "is_you": true})
	}
	if p.At {
		text = " " + text // the platform cuts the mention out and leaves the blank
	}
	files := []object{}
	for i := range p.Files {
		files = append(files, p.Files[i].attachment())
	}
	ext := []string{"msg_idx=" + index}
	d = object{"id": id, "timestamp": s.now().In(time.FixedZone("", 8*3600)).Format(time.RFC3339), "author": author, "content": text, "message_type": 0,
		"attachments": files, "mentions": mentions}
	if c.id.Group {
		d["group_openid"], d["group_id"] = c.id.ID, c.id.ID
	}
	if p.Quote != "" {
		q := s.chats.stored[p.Quote]
		ext = append(ext, "ref_msg_idx="+p.Quote)
		d["message_type"] = 103
		d["msg_elements"] = []object{{"msg_idx": p.Quote, "author": q.author, "message_type": 0, "content": q.text, "attachments": q.files}}
	}
	d["message_scene"] = object{"source": "default", "ext": ext}
	for name, v := range p.Fields {
		d[name] = v
	}
	s.chats.stored[index] = stored{p.Text, author, files}
	c.targets[id] = &target{at: s.now(), seqs: make(map[int]bool)}
	return d, index
}

// attachment returns the form of a file in an event.
func (f *File) attachment() object {
	types := map[qqbot.FileType]string{qqbot.ImageFile: "image/jpeg", qqbot.VideoFile: "video/mp4", qqbot.VoiceFile: "voice", qqbot.OtherFile: "file"}
	o := object{"url": strings.TrimPrefix(cmp.Or(f.URL, "https://multimedia.nt.qq.com.cn/download?rkey=x"), "https:"), "filename": f.Name, "size": len(f.Data),
		"content_type": cmp.Or(f.ContentType, types[f.Type])}
	if f.Width > 0 {
		o["width"], o["height"] = f.Width, f.Height
	}
	if f.Type == qqbot.VoiceFile {
		o["voice_wav_url"], o["asr_refer_text"] = f.WAV, f.Transcript
	}
	return o
}

// Befriend adds the bot, with an event. It returns the event's id.
func (u *User) Befriend(scene int, param string) (eventID string) {
	return u.changed("FRIEND_ADD", func() { u.c.inside = true }, object{"scene": scene, "scene_param": param, "author": object{"union_openid": ""}})
}

// Unfriend removes the bot, with an event.
func (u *User) Unfriend() (eventID string) {
	return u.changed("FRIEND_DEL", func() { u.c.inside = false }, nil)
}

// Reject switches messages of the bot off, except replies, with an event.
func (u *User) Reject() (eventID string) {
	return u.changed("C2C_MSG_REJECT", func() { u.c.refused = true }, nil)
}

// Receive switches messages of the bot on, with an event.
func (u *User) Receive() (eventID string) {
	return u.changed("C2C_MSG_RECEIVE", func() { u.c.refused = false }, nil)
}

func (u *User) changed(event string, change func(), more object) (id string) {
	u.s.locked(func() {
		change()
		d := object{"openid": u.c.id.ID, "timestamp": u.s.now().Unix()}
		for k, v := range more {
			d[k] = v
		}
		id = u.s.emit(event, u.c, d)
	})
	return id
}

// Press presses a button. It returns the id of the interaction.
func (u *User) Press(buttonID, data string) (interaction string) {
	u.s.locked(func() {
		interaction = u.s.id("interaction-")
		u.s.emit("INTERACTION_CREATE", u.c, object{"id": interaction, "type": 11, "scene": "c2c", "chat_type": 2, "user_openid": u.c.id.ID,
			"timestamp": u.s.now().Format(time.RFC3339), "application_id": u.s.opts.AppID,
			"data": object{"type": 11, "resolved": object{"button_id": buttonID, "button_data": data}}})
	})
	return interaction
}

// Emit pushes any event. d is marshaled as JSON. It returns the event's id.
func (s *Server) Emit(event string, d any) (eventID string) {
	s.locked(func() { eventID = s.emit(event, nil, d) })
	return eventID
}

func clone(o object) object {
	c := make(object, len(o))
	for k, v := range o {
		c[k] = v
	}
	return c
}

func (c *chat) String() string { return fmt.Sprint(c.id) }
