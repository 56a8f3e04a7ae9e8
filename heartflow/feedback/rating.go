package feedback

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// Signals: what people did after an utterance. [heartflow.Code.Text] has their texts.
const (
	Answered   heartflow.Code = "got_answer"    // somebody answered it
	Quoted     heartflow.Code = "got_quote"     // somebody quoted it
	Laughed    heartflow.Code = "got_laugh"     // somebody laughed
	Praised    heartflow.Code = "got_praise"    // somebody thanked or agreed, or reacted with an approving face
	Complained heartflow.Code = "got_complaint" // somebody asked the bot to be quiet, or was annoyed
	Deleted    heartflow.Code = "got_deleted"   // somebody else deleted it
	Muted      heartflow.Code = "got_muted"     // the bot was muted
	TalkedOver heartflow.Code = "talked_over"   // others were talking, and went on
	Ignored    heartflow.Code = "ignored"       // others wrote, and nobody reacted
)

// signals lists all in the order of Rating.Signals. Their bits in a set follow it.
var signals = [...]heartflow.Code{Complained, Muted, Deleted, Answered, Quoted, Laughed, Praised, TalkedOver, Ignored}

// A set holds signals as bits.
type set uint16

const (
	complained set = 1 << iota
	muted
	deleted
	answered
	quoted
	laughed
	praised
	talkedOver
	ignored
)

const good = answered | quoted | laughed | praised

// codes lists the signals of a set.
func (s set) codes() []heartflow.Code {
	var list []heartflow.Code
	for i, c := range signals {
		if s&(1<<i) != 0 {
			list = append(list, c)
		}
	}
	return list
}

// score rates the signals of one utterance, or of one person.
func (s set) score() float64 {
	switch {
	case s&(complained|muted) != 0:
		return -1
	case s&deleted != 0:
		return -.8
	case s&good != 0:
		n := 0
		for g := s & good; g != 0; g &= g - 1 {
			n++
		}
		return min(.5*float64(n), 1)
	case s&talkedOver != 0:
		return -.5
	case s&ignored != 0:
		return -.3
	}
	return 0
}

// A Rating says how people received one utterance.
type Rating[K comparable] struct {
	Chat    K
	ID      string           // of the first message of the utterance
	To      string           // the person whom it answered; "" for nobody
	Called  bool             // it answered a message that addressed the bot
	At      time.Time        // when its last message was sent
	Ended   time.Time        // when the rating was known
	Others  int              // messages by others until then
	Signals []heartflow.Code // complaints first
	Score   float64          // -1 to 1
}

// String returns the id, the signals and the score: "17 got_answer got_laugh 1".
func (r Rating[K]) String() string {
	var b strings.Builder
	b.WriteString(r.ID)
	for _, s := range r.Signals {
		b.WriteString(" " + string(s))
	}
	fmt.Fprintf(&b, " %.3g", r.Score)
	return b.String()
}

// Has reports whether a signal was seen.
func (r Rating[K]) Has(signal heartflow.Code) bool { return slices.Contains(r.Signals, signal) }
