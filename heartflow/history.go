package heartflow

import (
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// A history holds the data of a policy with a lookback.Source in one chat, at most 26 kB. Other policies have none.
type history struct {
	chat     lookback.Chat
	features []messageFeatures // of the newest messages by others; number n is at (n-1)%maxWaiting
	received int64             // messages by others so far
}

// messageFeatures are the features of one message.
type messageFeatures struct {
	Line     int64 // number of the message in chat
	Features lookback.Features
}

// A preview is the analysis of a message without its chat. It needs no lock.
type preview struct {
	wanted bool
	toMe   int
	text   lookback.Text
}

// maxAnalyzed is the maximum length of an analyzed text, in bytes.
const maxAnalyzed = 1000

// preview analyzes the text of m for a policy with a lookback.Source. by are the reasons for which m addresses the
// bot.
func (t *compiledSettings) preview(m *Message, by reasons, g *preview) {
	if t.model == nil || t.off {
		return
	}
	var scratch [1024]byte
	buf := fold.Append(scratch[:0], clip.Bytes(m.Text, maxAnalyzed))
	g.wanted, g.text = true, lookback.Analyze(buf, t.model.Words)
	switch {
	case by&(isPrivate|isMention|isReply) != 0, by&(isName|isWakeWord) != 0 && t.lexicon.begins(buf, len(m.Addressees) == 0):
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

// observe adds a message by somebody else and returns the number of its features.
func (r *history) observe(m *Message, at tick.Tick, g *preview, model *lookback.Model) int64 {
	id := idHash(m.ID)
	if m.Replayed {
		if n := r.findReplayed(id); n > 0 {
			return n
		}
	}
	in := lookback.Input{At: model.Seconds(int64(at)), From: authorHash(m.From), ToMe: g.toMe, ID: id, Quote: idHash(m.QuoteID), Text: &g.text}
	var to [4]uint32
	for _, who := range m.Addressees {
		if len(in.To) < len(to) {
			in.To = append(to[:len(in.To)], authorHash(who))
		}
	}
	if len(r.features) < maxWaiting {
		r.features = append(lookback.Grow(r.features, maxWaiting), messageFeatures{})
	}
	k := &r.features[r.received%maxWaiting]
	k.Line = r.chat.Count
	r.chat.Observe(&in, model.Links, &k.Features)
	r.received++
	return r.received
}

// findReplayed returns the number of the features of a message received before a restart; 0: they are gone.
func (r *history) findReplayed(id uint32) int64 {
	if line := r.chat.Find(id); line >= 0 {
		for i := range r.features {
			if n := r.received - int64(i); r.features[(n-1)%maxWaiting].Line == line {
				return n
			}
		}
	}
	return 0
}

// addOwn adds an own message. It answers the message with that number of features, or with the id quote; 0: unknown.
func (r *history) addOwn(id, quote string, at tick.Tick, answers int64, g *preview, model *lookback.Model) {
	in := lookback.Input{At: model.Seconds(int64(at)), Own: true, ID: idHash(id), Quote: idHash(quote), Line: -1, Text: &g.text}
	if k := r.at(answers); k != nil {
		in.Line = k.Line
	}
	r.chat.AddOwn(&in, model.Links)
}

// addOwnTo adds an own message to the history of c, if the policy needs it. answers is as in addOwn.
func (c *chat[K]) addOwnTo(at tick.Tick, text string, answers int64) {
	if c.settings.model == nil || c.settings.off {
		return
	}
	var scratch [1024]byte
	g := preview{text: lookback.Analyze(fold.Append(scratch[:0], clip.Bytes(text, maxAnalyzed)), nil)}
	c.historyOf().addOwn("", "", at, answers, &g, c.settings.model)
}

// at returns the features with that number; nil: they are gone.
func (r *history) at(n int64) *messageFeatures {
	if n <= max(r.received-maxWaiting, 0) || n > r.received {
		return nil
	}
	return &r.features[(n-1)%maxWaiting]
}

// idHash returns 0 for an empty id.
func idHash(id string) uint32 {
	if id == "" {
		return 0
	}
	return max(fold.Hash(id), 1)
}

// authorHash hashes the folded name, so that it matches a text that begins with the name.
func authorHash(name string) uint32 {
	var scratch [128]byte
	return max(fold.Hash(fold.Append(scratch[:0], clip.Bytes(name, 100))), 2)
}

// A savedHistory is the JSON form of a history.
type savedHistory struct {
	Chat  []byte
	Looks []byte
	Heard int64
}

func (r *history) save() *savedHistory {
	if r == nil {
		return nil
	}
	return &savedHistory{Chat: r.chat.Save(), Looks: lookback.SaveAll(r.features), Heard: r.received}
}

func (s *savedHistory) history() (*history, error) {
	if s == nil {
		return nil, nil
	}
	r := &history{received: s.Heard}
	if err := r.chat.Load(s.Chat); err != nil {
		return nil, err
	}
	var err error
	if r.features, err = lookback.LoadAll[messageFeatures](widened(s.Looks, int(min(max(r.received, 0), maxWaiting)))); err != nil {
		return nil, err
	}
	if len(r.features) > maxWaiting || int64(len(r.features)) != min(r.received, maxWaiting) {
		return nil, errors.New("invalid features")
	}
	return r, nil
}

// widened adds the features that an older version did not save, as zeros. saved holds that many messages.
func widened(saved []byte, messages int) []byte {
	size := binary.Size(messageFeatures{})
	if messages == 0 || len(saved)%messages != 0 {
		return saved
	}
	old := len(saved) / messages
	if old >= size || old < size-4 { // only the newest feature may be missing
		return saved
	}
	wide := make([]byte, 0, messages*size)
	for part := range slices.Chunk(saved, old) {
		wide = append(append(wide, part...), make([]byte, size-old)...)
	}
	return wide
}

// historyOf returns the history of c. It creates a missing one.
func (c *chat[K]) historyOf() *history {
	if c.history == nil {
		c.history = new(history)
	}
	return c.history
}

// addFeatures copies the features of the batch from h.
func (m *PolicyInput) addFeatures(r *history, model *lookback.Model) {
	if r == nil || model == nil {
		return
	}
	v := lookback.ViewOf(m)
	if model.NeedsPace {
		v.Pace = r.chat.Pace(model.Seconds(int64(tick.Of(m.Now))))
	}
	v.Messages = slices.Grow(v.Messages, len(m.Batch))[:len(m.Batch)]
	for i := range m.Batch {
		to := &v.Messages[i]
		if k := r.at(m.Batch[i].features); k != nil {
			to.Known, to.Features = true, k.Features
		} else {
			*to, m.Batch[i].features = lookback.Message{}, 0
		}
	}
}
