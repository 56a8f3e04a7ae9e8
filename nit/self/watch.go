package self

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// An Account is somebody on a platform: {"qq", "987654"}.
type Account struct{ Platform, ID string }

// A Message is a message as a [Watch] looks at it.
type Message struct {
	Chat         string  // any name that tells chats apart, with the platform: "qq:group:123"
	From         Account // who said it
	Text         string
	Mentions     []string // ids, on From's platform, of whom it mentions
	Own          bool     // said by the bot itself
	Bot          bool     // said by another bot
	OwnerPresent bool     // the owner is there: nobody has to be told that they are looked for
}

// WatchOptions say what deserves a report. The zero value knows the usual words and nobody.
type WatchOptions struct {
	Owners      []Account     // the owner's accounts: a mention of one looks for the owner, and what they say is never reported
	Names       []string      // what people call the owner, beside 主人, 你主人, 你家主人
	UrgentWords []string      // of what is urgent or grave; nil: a list in Chinese and English; empty: none
	Watched     []Account     // under special watch
	Cooldown    time.Duration // the same in one chat is not reported again for so long; 0 means 30 min
	MaxKeys     int           // chats, words and persons that are kept apart; 0 means 4096
}

// DefaultUrgentWords is the list that stands in for WatchOptions.Words.
func DefaultUrgentWords() []string {
	return []string{
		"宕机", "服务器挂了", "服务挂了", "网站挂了", "线上事故", "生产事故", "紧急bug", "紧急故障", "紧急通知", "紧急情况", "重要通知", "十万火急",
		"数据丢失", "数据泄露", "被盗号", "号被盗", "密码泄露", "着火了", "火警", "报警", "救命", "出车祸", "住院了", "地震了",
		"server is down", "server down", "site is down", "outage", "data loss", "data leak", "emergency", "urgent",
	}
}

// A Watch tells which messages deserve a report though nobody called the bot. Rules alone decide. It may be used concurrently.
//
// Somebody looks for the owner where a message mentions one of the owner's accounts, or names the owner and asks where they are, whether they are
// there, or for somebody to find or tell them, in one sentence: 主人在吗, 有人看到老王了吗, 帮我找一下老王, where is Lao Wang. Something is urgent where a
// message has one of the words, and no 没, 不 or 别 before it. Somebody under watch begins to talk with their first message after
// a silence of Again.
type Watch struct {
	owners, watched []Account
	names           []name
	words           []word
	again           time.Duration
	most            int

	mu   sync.Mutex
	now  time.Time
	last map[watchKey]time.Time // when it was reported; of a person, when they last spoke
	ring []watchKey             // in the order in which they came; next is the oldest once it is full
	next int
}

type watchKey struct {
	reason     Reason
	chat, what string
}

// NewWatch checks the options.
func NewWatch(o WatchOptions) (*Watch, error) {
	if o.Cooldown < 0 || o.MaxKeys < 0 {
		return nil, errors.New("self: WatchOptions.Again or Keys is negative")
	}
	for _, a := range slices.Concat(o.Owners, o.Watched) {
		if a.Platform == "" || a.ID == "" {
			return nil, errors.New("self: an account without a platform or an id")
		}
	}
	w := &Watch{owners: slices.Clone(o.Owners), watched: slices.Clone(o.Watched), again: o.Cooldown, most: o.MaxKeys, last: make(map[watchKey]time.Time)}
	w.again = cmp.Or(w.again, 30*time.Minute)
	w.most = cmp.Or(w.most, 4096)
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
			return nil, errors.New("self: WatchOptions.Words has an empty word")
		}
		w.words = append(w.words, word(folded))
	}
	return w, nil
}

// Check tells whether a message asks for a report, and by which criterion. Of several, the one that is named first counts.
func (w *Watch) Check(now time.Time, m Message) (Reason, bool) {
	if m.Own || slices.Contains(w.owners, m.From) {
		return "", false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now = now.Round(0); now.After(w.now) {
		w.now = now
	}
	began := slices.Contains(w.watched, m.From) && w.rested(watchKey{WatchedPerson, m.Chat, m.From.Platform + "\x00" + m.From.ID}, true)
	text := fold(m.Text)
	if !m.Bot && !m.OwnerPresent && (w.mentions(m) || w.seeks(text)) && w.rested(watchKey{AskedForOwner, m.Chat, ""}, false) {
		return AskedForOwner, true
	}
	for _, u := range w.words {
		if u.urgent(text) && w.rested(watchKey{Urgent, m.Chat, string(u)}, false) {
			return Urgent, true
		}
	}
	if began {
		return WatchedPerson, true
	}
	return "", false
}

func (w *Watch) mentions(m Message) bool {
	return slices.ContainsFunc(m.Mentions, func(id string) bool { return slices.Contains(w.owners, Account{m.From.Platform, id}) })
}

func (w *Watch) seeks(text string) bool {
	return slices.ContainsFunc(w.names, func(n name) bool { return n.sought(text) })
}

// rested reports whether this was not for so long that it counts as new, and notes that it is now. One that is renewed counts from its last time.
func (w *Watch) rested(k watchKey, renewed bool) bool {
	at, known := w.last[k]
	fresh := !known || w.now.Sub(at) >= w.again
	if !fresh && !renewed {
		return false
	}
	if !known {
		if len(w.ring) < w.most {
			w.ring = append(w.ring, k)
		} else {
			delete(w.last, w.ring[w.next])
			w.ring[w.next], w.next = k, (w.next+1)%w.most
		}
	}
	w.last[k] = w.now
	return fresh
}
