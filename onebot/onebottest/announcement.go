package onebottest

import (
	"slices"
	"strconv"
	"time"
)

// An Announcement is an announcement (群公告) of a group.
type Announcement struct {
	ID     string
	UserID int64 // who published it
	At     time.Time
	Text   string
	Image  string // as sent; "": none
}

// Announcements returns the group's announcements, oldest first.
func (g *Group) Announcements() []Announcement {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	return slices.Clone(g.announcements)
}

// Announce publishes an announcement on behalf of a user. It pushes no event; for the message that QQ shows send a [Card]
// of the kind [AnnouncementCard] as well.
func (g *Group) Announce(userID int64, text string) Announcement {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.join(userID, "")
	return g.announce(Announcement{UserID: userID, Text: text})
}

func (g *Group) announce(a Announcement) Announcement {
	a.ID, a.At = "notice-"+strconv.FormatUint(uint64(uint32(g.s.ids.next())), 36), time.Now()
	g.announcements = append(g.announcements, a)
	g.s.changed()
	return a
}

func (g *Group) sendNotice(p params) (any, error) {
	if p.text("content") == "" {
		return nil, required("content")
	}
	g.announce(Announcement{UserID: g.s.opts.SelfID, Text: p.text("content"), Image: p.text("image")})
	return nil, nil
}

func (g *Group) listNotices(params) (any, error) {
	list := []object{}
	for _, a := range slices.Backward(g.announcements) {
		images := []object{}
		if a.Image != "" {
			images = append(images, object{"id": a.ID, "width": "1", "height": "1"})
		}
		list = append(list, object{
			"notice_id": a.ID, "sender_id": a.UserID, "publish_time": a.At.Unix(), "message": object{"text": a.Text, "images": images},
		})
	}
	return list, nil
}

func (g *Group) deleteNotice(p params) (any, error) {
	id := p.text("notice_id")
	n := len(g.announcements)
	g.announcements = slices.DeleteFunc(g.announcements, func(a Announcement) bool { return a.ID == id })
	if len(g.announcements) == n {
		return nil, refused(1200, "公告不存在")
	}
	return nil, nil
}

// Signed returns the members who checked in to the group (群打卡), oldest first: the bot by send_group_sign.
func (g *Group) Signed() (userIDs []int64) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	return slices.Clone(g.signed)
}

func (g *Group) sign(params) (any, error) {
	if me := g.s.opts.SelfID; !slices.Contains(g.signed, me) {
		g.signed = append(g.signed, me)
	}
	return nil, nil
}
