package qqbot

import (
	"sync"
	"time"
)

// selfLimit is the number of groups whose member_openid of the bot is remembered.
const selfLimit = 1 << 14

// self knows the bot's ids.
type self struct {
	appID string
	mu    sync.Mutex
	ids   map[string]string // member_openid by group
}

func (s *self) learn(group, id string) {
	if group == "" || id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil || len(s.ids) >= selfLimit {
		s.ids = make(map[string]string)
	}
	s.ids[group] = id
}

// is reports whether id is the bot in a group. Some content mentions the bot by its app id.
func (s *self) is(group, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return id != "" && (id == s.appID || s.ids[group] == id)
}

// decode returns the typed event of a dispatch frame.
func (s *self) decode(f frame, now time.Time) Event {
	common := Common{EventID: f.id, Name: f.name, Time: now, Raw: f.data}
	d, err := parseObject(f.data)
	if err != nil {
		if f.name == "RESUMED" {
			return &Resumed{common}
		}
		return &Unknown{common}
	}
	for _, name := range []string{"timestamp", "apply_at"} {
		if t := d.time(name); !t.IsZero() {
			common.Time = t
			break
		}
	}
	if e := s.typed(f.name, common, d); e != nil {
		return e
	}
	return &Unknown{common}
}

// typed returns nil for an event without a type, or without what makes it useful.
func (s *self) typed(name string, common Common, d object) Event {
	group, user, operator, member := d.text("group_openid"), d.text("openid"), d.text("op_member_openid"), d.text("member_openid")
	switch name {
	case "READY":
		u := d.object("user")
		return &Ready{common, User{ID: u.text("id"), Username: u.text("username")}}
	case "RESUMED":
		return &Resumed{common}
	case "C2C_MESSAGE_CREATE":
		author := d.object("author")
		id := author.text("user_openid")
		if id == "" {
			id = author.text("id")
		}
		return s.message(common, d, UserChat(id))
	case "GROUP_AT_MESSAGE_CREATE", "GROUP_MESSAGE_CREATE":
		return s.message(common, d, GroupChat(group))
	case "INTERACTION_CREATE":
		return interaction(common, d)
	}
	if user != "" {
		switch name {
		case "FRIEND_ADD":
			return &FriendAdded{common, user, int(d.whole("scene")), d.text("scene_param")}
		case "FRIEND_DEL":
			return &FriendRemoved{common, user}
		case "C2C_MSG_RECEIVE", "C2C_MSG_REJECT":
			return &ProactiveSwitched{common, UserChat(user), name == "C2C_MSG_RECEIVE", ""}
		}
	}
	if group == "" {
		return nil
	}
	switch name {
	case "GROUP_ADD_ROBOT":
		return &BotAdded{common, group, operator}
	case "GROUP_DEL_ROBOT":
		return &BotRemoved{common, group, operator}
	case "GROUP_MSG_RECEIVE", "GROUP_MSG_REJECT":
		return &ProactiveSwitched{common, GroupChat(group), name == "GROUP_MSG_RECEIVE", operator}
	case "GROUP_MEMBER_ADD":
		return &MemberAdded{common, group, member, d.text("user_openid")}
	case "GROUP_MEMBER_REMOVE":
		return &MemberRemoved{common, group, member, d.text("user_openid")}
	case "GROUP_JOIN_REQUEST":
		return joinRequest(common, d)
	}
	return nil
}

// message decodes a message of a chat.
func (s *self) message(common Common, d object, chat Chat) Event {
	m := &Message{Common: common, Chat: chat, ID: d.text("id"), Index: messageIndex(d), Type: MessageType(d.whole("message_type")), Author: readAuthor(d.object("author"))}
	if m.ID == "" || chat.ID == "" {
		return nil
	}
	for _, o := range d.objects("mentions") {
		m.mention(s.readMention(chat.ID, o))
	}
	find := func(id string) Mention {
		for _, at := range m.Mentions {
			if at.ID == id {
				return at
			}
		}
		return Mention{ID: id, You: s.is(chat.ID, id)}
	}
	m.Parts = parseContent(d.text("content"), find)
	for _, p := range m.Parts {
		if p.Mention != nil {
			m.mention(*p.Mention)
		}
	}
	if common.Name == "GROUP_AT_MESSAGE_CREATE" && !m.ToMe() {
		m.Mentions = append(m.Mentions, Mention{You: true, Bot: true}) // such an event does not list the bot
	}
	m.Own = s.is(chat.ID, m.Author.ID) && chat.Group
	m.Attachments = readAttachments(d.objects("attachments"))
	m.Quote = readQuote(d, find)
	if ark := d.object("ark_data"); ark != nil {
		m.Card = &Card{Prompt: ark.text("prompt"), Type: ark.text("ark_type"), Name: ark.text("ark_name"), Fields: ark["fields"]}
	}
	return m
}

// mention adds a mention unless the person is listed.
func (m *Message) mention(at Mention) {
	for _, known := range m.Mentions {
		if known.ID == at.ID && known.All == at.All || known.You && at.You {
			return
		}
	}
	m.Mentions = append(m.Mentions, at)
}

func (s *self) readMention(group string, o object) Mention {
	if o.text("scope") == "all" { // is_you is set here, too
		return Mention{All: true}
	}
	at := Mention{ID: o.text("member_openid"), Username: o.text("username"), Bot: o.flag("bot"), You: o.flag("is_you")}
	if at.ID == "" {
		at.ID = o.text("id")
	}
	if at.You {
		s.learn(group, at.ID)
	}
	return at
}

func readAuthor(o object) Author {
	a := Author{UnionID: o.text("union_openid"), Username: o.text("username"), Role: Role(o.text("member_role")), Bot: o.flag("bot")}
	for _, name := range []string{"member_openid", "user_openid", "id"} {
		if a.ID = o.text(name); a.ID != "" {
			break
		}
	}
	return a
}

// readQuote returns nil if the message quotes nothing.
func readQuote(d object, find func(string) Mention) *Quote {
	elements, index := d.objects("msg_elements"), extension(d, "ref_msg_idx")
	if len(elements) == 0 {
		if index == "" {
			return nil
		}
		return &Quote{Index: index}
	}
	o := elements[0]
	if own := o.text("msg_idx"); own != "" {
		index = own
	}
	return &Quote{Index: index, Author: readAuthor(o.object("author")), Parts: parseContent(o.text("content"), find), Attachments: readAttachments(o.objects("attachments"))}
}

func interaction(common Common, d object) Event {
	data := d.object("data").object("resolved")
	e := &Interaction{Common: common, ID: d.text("id"), Type: int(d.whole("type")), ButtonID: data.text("button_id"), ButtonData: data.text("button_data"),
		FeatureID: data.text("feature_id"), MessageID: data.text("message_id")}
	if group := d.text("group_openid"); group != "" {
		e.Chat, e.User = GroupChat(group), d.text("group_member_openid")
	} else if user := d.text("user_openid"); user != "" {
		e.Chat, e.User = UserChat(user), user
	}
	if e.ID == "" {
		return nil
	}
	return e
}

func joinRequest(common Common, d object) Event {
	verify := d.object("verify_info")
	e := &JoinRequest{Common: common, Group: d.text("group_openid"), RequestID: d.text("join_request_id"), Member: d.text("member_openid"), UnionID: d.text("union_openid"),
		Username: d.text("username"), Invited: d.text("apply_source") == "invited", InvitedBy: d.text("invited_by"), Bot: d.flag("bot"), Risk: d.text("risk_tips"),
		Message: verify.text("verify_message"), Approved: d.object("auto_approved").text("strategy_id") != ""}
	for _, qa := range verify.objects("review_qa_list") {
		e.Answers = append(e.Answers, JoinAnswer{qa.text("question"), qa.text("answer")})
	}
	return e
}
