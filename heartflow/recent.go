package heartflow

import (
	"errors"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// A recent is what a policy with a lookback.Source knows of a chat: at most 26 kB. Other chats have none.
type recent struct {
	chat  lookback.Chat
	looks []look // of the newest messages by others: number n at (n-1)%maxHeard
	heard int64  // how many there were
}

// A look is what the gate knows of a message.
type look struct {
	Line     int64 // its number in chat
	Features lookback.Features
}

// A glimpse is what a message shows before its chat is looked at, which needs no lock.
type glimpse struct {
	wanted bool
	toMe   int
	text   lookback.Text
}

// glimpsed is how much of a text is looked at, in bytes.
const glimpsed = 1000

// glimpse looks at the text of m, which calls by those, where the policy wants it.
func (t *tuning) glimpse(m *Message, by calls, g *glimpse) {
	if t.back == nil || t.off {
		return
	}
	var scratch [1024]byte
	buf := fold.Append(scratch[:0], clip.Bytes(m.Text, glimpsed))
	g.wanted, g.text = true, lookback.Analyse(buf, t.back.Words)
	switch {
	case by&(isPrivate|isMention|isReply) != 0, by&(isName|isWakeWord) != 0 && t.words.begins(buf, len(m.Addressees) == 0):
		g.toMe = 1
	case by&(isName|isWakeWord) != 0:
		g.toMe = 2
	}
}

// begins reports whether the folded text begins with a name or a wake word.
func (l *lexicon) begins(buf []byte, ats bool) bool {
	for i := 0; i < min(len(buf), 2) && (i == 0 || buf[0] == '@' || buf[0] == ' '); i++ {
		r, _ := utf8.DecodeRune(buf[i:])
		if by, _ := l.at(buf, i, r, &linkFinder{}, ats); by&(isName|isWakeWord) != 0 {
			return true
		}
	}
	return false
}

// hear takes a message of somebody else, and returns the number of its look.
func (r *recent) hear(m *Message, at tick.Tick, g *glimpse, weights []float32) int64 {
	id := idHash(m.ID)
	if m.Replayed {
		if n := r.again(id); n > 0 {
			return n
		}
	}
	in := lookback.Input{At: seconds(at), From: authorHash(m.From), ToMe: g.toMe, ID: id, Quote: idHash(m.QuoteID), Text: &g.text}
	var to [4]uint32
	for _, who := range m.Addressees {
		if len(in.To) < len(to) {
			in.To = append(to[:len(in.To)], authorHash(who))
		}
	}
	if len(r.looks) < maxHeard {
		r.looks = append(r.looks, look{})
	}
	k := &r.looks[r.heard%maxHeard]
	k.Line = r.chat.Count
	r.chat.Hear(&in, weights, &k.Features)
	r.heard++
	return r.heard
}

// again returns the number of the look at a message that was heard before a restart; 0: there is none any more.
func (r *recent) again(id uint32) int64 {
	if line := r.chat.Find(id); line >= 0 {
		for i := range r.looks {
			if n := r.heard - int64(i); r.looks[(n-1)%maxHeard].Line == line {
				return n
			}
		}
	}
	return 0
}

// say takes a message of the bot. answers is the number of the look at what it answers, or quote the id; 0: not known.
func (r *recent) say(id, quote string, at tick.Tick, answers int64, g *glimpse, weights []float32) {
	in := lookback.Input{At: seconds(at), Own: true, ID: idHash(id), Quote: idHash(quote), Line: -1, Text: &g.text}
	if k := r.look(answers); k != nil {
		in.Line = k.Line
	}
	r.chat.Say(&in, weights)
}

// lookSaid keeps what the bot says in c, where the policy looks back; answers is as in say.
func (c *chat[K]) lookSaid(at tick.Tick, text string, answers int64) {
	if c.tuning.back == nil || c.tuning.off {
		return
	}
	var scratch [1024]byte
	g := glimpse{text: lookback.Analyse(fold.Append(scratch[:0], clip.Bytes(text, glimpsed)), nil)}
	c.lookBack().say("", "", at, answers, &g, c.tuning.back.Links)
}

// look returns the look with that number; nil: it is too long ago.
func (r *recent) look(n int64) *look {
	if n <= max(r.heard-maxHeard, 0) || n > r.heard {
		return nil
	}
	return &r.looks[(n-1)%maxHeard]
}

func seconds(t tick.Tick) int64 { return int64(t) / 1e9 }

// idHash is 0 for no id.
func idHash(id string) uint32 {
	if id == "" {
		return 0
	}
	return max(fold.Hash(id), 1)
}

// authorHash is that of the folded name, so that it is found where a text begins with it.
func authorHash(name string) uint32 {
	var scratch [128]byte
	return max(fold.Hash(fold.Append(scratch[:0], clip.Bytes(name, 100))), 2)
}

// A savedRecent is a recent in a snapshot.
type savedRecent struct {
	Chat  []byte
	Looks []byte
	Heard int64
}

func (r *recent) save() *savedRecent {
	if r == nil {
		return nil
	}
	return &savedRecent{Chat: r.chat.Save(), Looks: lookback.SaveAll(r.looks), Heard: r.heard}
}

func (s *savedRecent) recent() (*recent, error) {
	if s == nil {
		return nil, nil
	}
	r := &recent{heard: s.Heard}
	if err := r.chat.Load(s.Chat); err != nil {
		return nil, err
	}
	var err error
	if r.looks, err = lookback.LoadAll[look](s.Looks); err != nil {
		return nil, err
	}
	if len(r.looks) > maxHeard || int64(len(r.looks)) != min(r.heard, maxHeard) {
		return nil, errors.New("looks that cannot be")
	}
	return r, nil
}

// lookBack returns what c's policy may look back on, and begins with it where there is nothing yet.
func (c *chat[K]) lookBack() *recent {
	if c.recent == nil {
		c.recent = new(recent)
	}
	return c.recent
}

// lookBack copies the looks at the batch.
func (m *PolicyInput) lookBack(r *recent) {
	if r == nil {
		return
	}
	v := lookback.ViewOf(m)
	v.Pace = r.chat.Pace(seconds(tick.Of(m.Now)))
	for i := range m.Batch {
		if k := r.look(m.Batch[i].look); k != nil {
			v.Messages = append(v.Messages, lookback.Message{Known: true, Features: k.Features})
		} else {
			v.Messages = append(v.Messages, lookback.Message{})
			m.Batch[i].look = 0
		}
	}
}
