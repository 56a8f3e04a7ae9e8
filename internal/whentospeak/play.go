package whentospeak

import (
	"cmp"
	"iter"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// A Decision is the bot's decision about one message of somebody else.
type Decision struct {
	Line    *Line
	Verdict heartflow.Verdict
	Speak   bool // the policy speaks without a model: see [Speaks]
	Point   bool // the message is labelled, so it counts
	Answer  bool // the played speaker answered it
	Own     int  // messages of that speaker since the decision before
}

// Play lets a bot with the options o play that speaker in l, and yields its decisions in order. The bot's name is the
// speaker's. Every message is judged on arrival. The policy sees no later messages, and no ReplyTo of other people.
// The sequence is for one range loop.
//
// Play sets o.Names and o.KeepTraces, and o.Seed to 1 if it is 0. Caps have no effect, because the speaker's messages
// do not pass Speak. Play returns the error of heartflow.New, for example for a speaker without a visible character.
func Play(l *Log, speaker string, o heartflow.Options) (iter.Seq[Decision], error) {
	o.Names, o.Seed, o.KeepTraces = []string{speaker}, cmp.Or(o.Seed, 1), -1
	attention, err := heartflow.New[string](o)
	if err != nil {
		return nil, err
	}
	return PlayOn(l, speaker, attention, func(v heartflow.Verdict) bool { return Speaks(o.Policy, v) }), nil
}

// A Decider makes decisions: a heartflow.Attention or an hfc.Flow.
type Decider interface {
	Observe(now time.Time, chat string, m heartflow.Message) heartflow.Notice
	Judge(now time.Time, chat string) heartflow.Verdict
}

// PlayOn is Play with a new Decider that knows the speaker's name. speaks reports whether a verdict means to speak.
func PlayOn(l *Log, speaker string, decider Decider, speaks func(heartflow.Verdict) bool) iter.Seq[Decision] {
	return func(yield func(Decision) bool) {
		answered := l.answered(speaker)
		own := 0
		for i := range l.Lines {
			line := &l.Lines[i]
			m := heartflow.Message{ID: line.ID, From: line.Sender, Text: line.Text}
			if line.Sender == speaker {
				own++
				m.Own = true
				if len(line.ReplyTo) > 0 { // the bot knows its own answers
					m.QuoteID = line.ReplyTo[0]
				}
				decider.Observe(line.Time, l.Chat, m)
				continue
			}
			decider.Observe(line.Time, l.Chat, m)
			v := decider.Judge(line.Time, l.Chat)
			d := Decision{Line: line, Verdict: v, Speak: speaks(v), Point: line.Labeled, Answer: answered[line.ID], Own: own}
			own = 0
			if !yield(d) {
				return
			}
		}
	}
}

// Speaks reports whether a verdict of p means to speak without a model. A method of p with that name decides; package
// learned compares the score with its threshold. For any other policy Ask counts as Speak.
func Speaks(p heartflow.Policy, v heartflow.Verdict) bool {
	if s, ok := p.(interface{ Speaks(heartflow.Verdict) bool }); ok {
		return s.Speaks(v)
	}
	return v.Do != heartflow.Silent
}

// answered returns the ids that the speaker's messages answer.
func (l *Log) answered(speaker string) map[string]bool {
	ids := map[string]bool{}
	for i := range l.Lines {
		if l.Lines[i].Sender == speaker {
			for _, id := range l.Lines[i].ReplyTo {
				ids[id] = true
			}
		}
	}
	return ids
}
