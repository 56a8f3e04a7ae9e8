package onebot

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// pinLimit is the frame size above which strings are cloned one by one. Strings of smaller frames alias the event's
// copy of the frame, so a retained string keeps at most this much memory.
const pinLimit = 16 << 10

// decoder decodes one frame in one pass. The decoded values alias b, so b must not change afterwards.
type decoder struct {
	b    []byte
	segs []Segment // scratch, reused for the next frame
	err  error     // the reason if the frame is refused though it is JSON
}

// maxItems is the largest number of members of an event and of elements in each of its lists. The largest known event
// has a few dozen. Without a limit, an event of tiny items would need many times the memory of its frame.
const maxItems = 10_000

// frame holds all top-level members of a frame, either an event or a response.
type frame struct {
	raw          json.RawMessage
	extra        int // bytes that the replacement of invalid UTF-8 added
	post, sub    string
	kinds        [4]string // message_type, notice_type, request_type, meta_event_type
	time, selfID int64
	hasTime      bool

	groupID, userID, messageID int64
	operatorID, targetID       int64
	senderID, inviterID        int64
	seq, realSeq, realID, font int64
	sourceGroupID              int64
	anonymous                  *Anonymous
	duration, interval         int64
	groupName, rawMessage      string
	comment, flag, tag, via    string
	card                       cardChange
	sender                     Sender
	message                    Message
	text                       string // the message if it is a string

	echo, status, wording, msg string
	stream                     string // "stream-action" in each part of a response that may have several
	code                       int64
	data                       []byte
	statusObject               []byte // the status if it is an object
}

// cardChange is a member's card before and after a change.
type cardChange struct{ old, new string }

// Indexes of frame.kinds.
const (
	ofMessage = iota
	ofNotice
	ofRequest
	ofMeta
)

var (
	errNotJSON  = errors.New("onebot: frame is not a JSON object")
	errNotEvent = errors.New("onebot: frame is not an event: no post_type")
	errTooMany  = errors.New("onebot: message, object or list with more than 10000 items")
)

// ParseEvent decodes one event, as in a frame or in the body of an HTTP POST. The event keeps no reference to b.
// Input that is not JSON or has no post_type is an error, and so is a message, object or list of more than 10 000 items.
// Unknown kinds and fields are no errors.
func ParseEvent(b []byte) (Event, error) {
	d := decoder{b: bytes.Clone(b)}
	var f frame
	if err := d.frame(&f); err != nil {
		return nil, err
	}
	if f.post == "" {
		return nil, errNotEvent
	}
	return f.event(), nil
}

// frame decodes d.b into f. f must be zero.
func (d *decoder) frame(f *frame) error {
	f.raw, d.err = d.b, nil
	b := validText(d.b)
	d.b, f.extra = b, len(b)-len(d.b)
	o := openObject(b, skipSpace(b, 0), 0)
	members := 0
	for o.next() {
		d.member(f, &o)
		members++
	}
	switch {
	case d.err != nil:
		return d.err
	case o.i < 0 || skipSpace(b, o.i) != len(b):
		return errNotJSON
	case members > maxItems:
		return errTooMany
	}
	if len(b) > pinLimit {
		f.unpin(len(b) / 2)
	}
	return nil
}

// member decodes one member of the frame's object.
func (d *decoder) member(f *frame, o *fields) {
	switch string(o.key()) {
	case "post_type":
		f.post = o.str()
	case "message_type":
		f.kinds[ofMessage] = o.str()
	case "notice_type":
		f.kinds[ofNotice] = o.str()
	case "request_type":
		f.kinds[ofRequest] = o.str()
	case "meta_event_type":
		f.kinds[ofMeta] = o.str()
	case "sub_type":
		f.sub = o.str()
	case "time":
		f.hasTime = o.i < len(o.b) && o.b[o.i] != 'n'
		f.time = o.int()
	case "self_id":
		f.selfID = o.int()
	case "group_id":
		f.groupID = o.int()
	case "user_id":
		f.userID = o.int()
	case "message_id":
		f.messageID = o.int()
	case "message":
		f.message, f.text, o.i = d.messageOrText(o.i)
	case "raw_message":
		f.rawMessage = o.str()
	case "sender":
		f.sender, o.i = readSender(o.b, o.i)
	case "group_name":
		f.groupName = o.str()
	case "message_seq":
		f.seq = o.int()
	case "real_seq":
		f.realSeq = o.int()
	case "real_id":
		f.realID = o.int()
	case "font":
		f.font = o.int()
	case "target_id":
		f.targetID = o.int()
	case "operator_id":
		f.operatorID = o.int()
	case "sender_id":
		f.senderID = o.int()
	case "echo":
		f.echo = o.str()
	case "status":
		f.status, f.statusObject = readStatus(o)
	case "retcode":
		f.code = o.int()
	case "data":
		f.data = o.raw()
	default:
		d.rare(f, o)
	}
}

// rare decodes members that few events have.
func (d *decoder) rare(f *frame, o *fields) {
	switch string(o.key()) {
	case "wording":
		f.wording = o.str()
	case "msg":
		f.msg = o.str()
	case "stream":
		f.stream = o.str()
	case "duration":
		f.duration = o.int()
	case "interval":
		f.interval = o.int()
	case "comment":
		f.comment = o.str()
	case "flag":
		f.flag = o.str()
	case "invitor_id":
		f.inviterID = o.int()
	case "card_new":
		f.card.new = o.str()
	case "card_old":
		f.card.old = o.str()
	case "tag":
		f.tag = o.str()
	case "source_group_id":
		f.sourceGroupID = o.int()
	case "via":
		f.via = o.str()
	case "anonymous":
		f.anonymous = readAnonymous(o.raw())
	default:
		d.skip(o)
	}
}

// skip skips a value and refuses a list that is too long.
func (d *decoder) skip(o *fields) {
	if o.i >= len(o.b) || o.b[o.i] != '[' {
		o.skip()
		return
	}
	n := 0
	o.i = elems(o.b, o.i, func(i int) int {
		n++
		return skipValue(o.b, i, o.depth+2)
	})
	if n > maxItems {
		d.err = errTooMany
	}
}

// memory returns the approximate size in bytes of the frame and its event. Small segments and list items take more
// memory than text in the frame.
func (f *frame) memory(e Event) int {
	const item = 64
	size := len(f.raw)
	if f.extra > 0 {
		size += len(f.raw) + f.extra
	}
	var m Message
	switch e := e.(type) {
	case *GroupMessage:
		m = e.Message
	case *PrivateMessage:
		m = e.Message
	case *GuildMessage:
		m = e.Message
	case *Reaction:
		size += item * len(e.Likes)
	case *FlashFile:
		size += item * len(e.Files)
	case *GuildReactions:
		size += 2 * item * len(e.Current)
	}
	size += item * len(m)
	if f.text != "" { // the segments have their own data
		for _, s := range m {
			size += len(s.Data)
		}
	}
	return size
}

// messageOrText decodes the member "message": segments in events, a text in responses and notices.
func (d *decoder) messageOrText(i int) (Message, string, int) {
	if i < len(d.b) && d.b[i] == '"' {
		f := fields{b: d.b, i: i}
		s := f.str()
		return nil, s, f.i
	}
	m, end := d.message(i, 1)
	return m, "", end
}

// message decodes a message in any of its forms.
func (d *decoder) message(i, depth int) (Message, int) {
	if i >= len(d.b) {
		return nil, -1
	}
	switch d.b[i] {
	case '[':
		d.segs = d.segs[:0]
		end := elems(d.b, i, func(i int) int {
			s, end := d.segment(i, depth+1)
			if s.Type == "" && s.Data == nil {
				return end
			}
			if len(d.segs) == maxSegments {
				d.err = errTooMany
				return -1
			}
			d.segs = append(d.segs, s)
			return end
		})
		var m Message
		if end >= 0 {
			m = make(Message, len(d.segs))
			copy(m, d.segs)
		}
		if clear(d.segs); cap(d.segs) > 256 { // otherwise they keep the frame in memory
			d.segs = nil
		}
		return m, end
	case '{':
		s, end := d.segment(i, depth)
		return Message{s}, end
	case '"':
		f := fields{b: d.b, i: i}
		s := f.str()
		if f.i < 0 {
			return nil, -1
		}
		return ParseCQ(s), f.i
	}
	return nil, skipValue(d.b, i, depth)
}

// segment decodes {"type":…,"data":…}. A string among the segments is text; anything else yields the zero Segment.
func (d *decoder) segment(i, depth int) (s Segment, end int) {
	if i < len(d.b) && d.b[i] == '"' {
		f := fields{b: d.b, i: i}
		text := f.str()
		return Text(text), f.i
	}
	if i < len(d.b) && d.b[i] != '{' {
		return s, skipValue(d.b, i, depth)
	}
	o := openObject(d.b, i, depth)
	for o.next() {
		switch string(o.key()) {
		case "type":
			s.Type = o.str()
		case "data":
			if s.Data = o.raw(); string(s.Data) == "null" {
				s.Data = nil
			}
		default:
			o.skip()
		}
	}
	if len(d.b) > pinLimit {
		s.unpin(len(d.b) / 2)
	}
	return s, o.i
}

func readSender(b []byte, i int) (s Sender, end int) {
	if i < len(b) && b[i] != '{' {
		return s, skipValue(b, i, 1)
	}
	o := openObject(b, i, 1)
	for o.next() {
		switch string(o.key()) {
		case "user_id":
			s.UserID = o.int()
		case "nickname":
			s.Nickname = o.str()
		case "card":
			s.Card = o.str()
		case "role":
			s.Role = o.str()
		case "title":
			s.Title = o.str()
		case "level":
			s.Level = o.str()
		case "area":
			s.Area = o.str()
		case "sex":
			s.Sex = o.str()
		case "age":
			s.Age = o.int()
		case "group_id":
			s.GroupID = o.int()
		default:
			o.skip()
		}
	}
	return s, o.i
}

// readStatus decodes the member "status": a word in responses, an object in heartbeats.
func readStatus(o *fields) (word string, object []byte) {
	if o.i < len(o.b) && o.b[o.i] == '"' {
		return o.str(), nil
	}
	return "", o.raw()
}

// readAnonymous returns nil for anything but an object: most messages have null.
func readAnonymous(raw []byte) *Anonymous {
	a := new(Anonymous)
	if len(raw) == 0 || raw[0] != '{' || lenient.Unmarshal(raw, a) != nil {
		return nil
	}
	return a
}

// unpin clones pieces of a large frame that are smaller than limit, so that a retained piece does not keep the frame
// in memory.
func (s *Segment) unpin(limit int) {
	unpin(&s.Type, limit)
	if len(s.Data) < limit {
		s.Data = json.RawMessage(bytes.Clone(s.Data))
	}
}
