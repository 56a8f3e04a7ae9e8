package self

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A Message is a message for a [Watch].
type Message struct {
	Chat         string          // unique id of the chat with the platform: "qq:group:123"
	From         persona.Account // the sender
	Text         string
	Mentions     []string // ids of the mentioned users, on From's platform
	Own          bool     // sent by the bot itself
	Bot          bool     // sent by another bot
	OwnerPresent bool     // the owner is present in this chat; disables AskedForOwner
}

// WatchOptions define the messages that deserve a report. The zero value has the usual words and no people.
type WatchOptions struct {
	Owners      []persona.Account // accounts of the owner; their own messages are never reported
	Names       []string          // names of the owner, in addition to 主人, 你主人 and 你家主人
	UrgentWords []string          // urgent words; nil means the default list in Chinese and English; empty means none
	Watched     []persona.Account // people to watch
	Cooldown    time.Duration     // minimum time between equal reports from one chat; 0 means 30 min
	MaxKeys     int               // maximum number of remembered reports; 0 means 4096
}

// DefaultUrgentWords returns the default list of urgent words.
func DefaultUrgentWords() []string {
	return []string{
		"宕机", "服务器挂了", "服务挂了", "网站挂了", "线上事故", "生产事故", "紧急bug", "紧急故障", "紧急通知", "紧急情况", "重要通知", "十万火急",
		"数据丢失", "数据泄露", "被盗号", "号被盗", "密码泄露", "着火了", "火警", "报警", "救命", "出车祸", "住院了", "地震了",
		"server is down", "server down", "site is down", "outage", "data loss", "data leak", "emergency", "urgent",
	}
}

// A Watch finds messages that deserve a report even if the bot is not addressed. It uses rules and no model. It may be
// used concurrently.
//
// A message asks for the owner ([AskedForOwner]) if it mentions an account of the owner. It also does so if one
// sentence contains a name of the owner and a question for them or a request to find or tell them. Examples are 主人在吗,
// 有人看到老王了吗, 帮我找一下老王 and where is Lao Wang.
//
// A message is urgent ([Urgent]) if it contains an urgent word without a negation such as 没, 不 or 别 before it. A
// watched person starts to talk ([WatchedPerson]) with the first message after a silence of [WatchOptions.Cooldown].
type Watch struct {
	owners, watched []persona.Account
	names           []name
	words           []word
	cooldown        time.Duration
	maxKeys         int

	mu   sync.Mutex
	now  time.Time
	last map[watchKey]time.Time // time of the last report, or of a person's last message
	ring []watchKey             // in order of insertion; once it is full, next is the oldest
	next int
}

type watchKey struct {
	reason     Reason
	chat, what string
}

// NewWatch returns a Watch, or an error for invalid options.
func NewWatch(o WatchOptions) (*Watch, error) {
	if o.Cooldown < 0 || o.MaxKeys < 0 {
		return nil, errors.New("self: WatchOptions.Cooldown or MaxKeys is negative")
	}
	for _, a := range slices.Concat(o.Owners, o.Watched) {
		if a.Platform == "" || a.ID == "" {
			return nil, errors.New("self: account without a platform or an id")
		}
	}
	w := &Watch{owners: slices.Clone(o.Owners), watched: slices.Clone(o.Watched), cooldown: o.Cooldown, maxKeys: o.MaxKeys, last: make(map[watchKey]time.Time)}
	w.cooldown = cmp.Or(w.cooldown, 30*time.Minute)
	w.maxKeys = cmp.Or(w.maxKeys, 4096)
	for _, n := range slices.Concat([]string{"你家主人", "你主人", "主人"}, o.Names) {
		folded := strings.TrimSpace(fold(n))
		if folded == "" {
			return nil, errors.New("self: WatchOptions.Names has an empty name")
		}
		w.names = append(w.names, name{word(folded), folded == "主人"})
	}
	if o.UrgentWords == nil {
		o.UrgentWords = DefaultUrgentWords()
	}
	for _, s := range o.UrgentWords {
		folded := strings.TrimSpace(fold(s))
		if folded == "" {
			return nil, errors.New("self: WatchOptions.UrgentWords has an empty word")
		}
		w.words = append(w.words, word(folded))
	}
	return w, nil
}

// Check reports whether a message deserves a report, and the reason. If several reasons apply, it returns the first in
// the order of the constants.
func (w *Watch) Check(now time.Time, m Message) (Reason, bool) {
	if m.Own || slices.Contains(w.owners, m.From) {
		return "", false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now = now.Round(0); now.After(w.now) {
		w.now = now
	}
	began := slices.Contains(w.watched, m.From) && w.cooledDown(watchKey{WatchedPerson, m.Chat, m.From.Platform + "\x00" + m.From.ID}, true)
	text := fold(m.Text)
	if !m.Bot && !m.OwnerPresent && (w.mentionsOwner(m) || w.asksForOwner(text)) && w.cooledDown(watchKey{AskedForOwner, m.Chat, ""}, false) {
		return AskedForOwner, true
	}
	for _, u := range w.words {
		if u.urgent(text) && w.cooledDown(watchKey{Urgent, m.Chat, string(u)}, false) {
			return Urgent, true
		}
	}
	if began {
		return WatchedPerson, true
	}
	return "", false
}

func (w *Watch) mentionsOwner(m Message) bool {
	return slices.ContainsFunc(m.Mentions, func(id string) bool {
		return slices.Contains(w.owners, persona.Account{Platform: m.From.Platform, ID: id})
	})
}

func (w *Watch) asksForOwner(text string) bool {
	return slices.ContainsFunc(w.names, func(n name) bool { return n.askedFor(text) })
}

// cooledDown reports whether the last event with this key is at least Cooldown ago, and records this one. A renewed key
// restarts the period each time.
func (w *Watch) cooledDown(k watchKey, renewed bool) bool {
	at, known := w.last[k]
	fresh := !known || w.now.Sub(at) >= w.cooldown
	if !fresh && !renewed {
		return false
	}
	if !known {
		if len(w.ring) < w.maxKeys {
			w.ring = append(w.ring, k)
		} else {
			delete(w.last, w.ring[w.next])
			w.ring[w.next], w.next = k, (w.next+1)%w.maxKeys
		}
	}
	w.last[k] = w.now
	return fresh
}
