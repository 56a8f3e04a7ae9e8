package whentospeak

import (
	"cmp"
	"iter"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// A Decision is what the bot would have done about one message of somebody else.
type Decision struct {
	Line    *Line
	Verdict heartflow.Verdict
	Speak   bool // what the policy does without a model: see [Speaks]
	Point   bool // the message is labelled, so it counts
	Answer  bool // the speaker that the bot plays has answered it
	Own     int  // messages that this speaker said since the decision before
}

// Play lets a bot with the options o play that speaker in l, and yields its decisions in order. Its name is the
// speaker's, and every message is judged when it arrives. The policy sees nothing of what comes later in l, and nobody
// else's ReplyTo. The sequence is for one range loop.
//
// Play sets o.Names and Ring, and Seed to 1 if it is 0. Caps do not matter, since the speaker's messages do not count as
// sent by Speak. Play returns an error where heartflow.New does, as for a speaker whose name has no visible character.
func Play(l *Log, speaker string, o heartflow.Options) (iter.Seq[Decision], error) {
	o.Names, o.Seed, o.KeepTraces = []string{speaker}, cmp.Or(o.Seed, 1), -1
	attention, err := heartflow.New[string](o)
	if err != nil {
		return nil, err
	}
	return PlayOn(l, speaker, attention, func(v heartflow.Verdict) bool { return Speaks(o.Policy, v) }), nil
}

// A Decider decides: a heartflow.Attention, or an hfc.Flow over one.
type Decider interface {
	Observe(now time.Time, chat string, m heartflow.Message) heartflow.Notice
	Judge(now time.Time, chat string) heartflow.Verdict
}

// PlayOn is Play on a heart that is new and knows the speaker's name; speaks says whether a verdict of it means to speak.
func PlayOn(l *Log, speaker string, heart Decider, speaks func(heartflow.Verdict) bool) iter.Seq[Decision] {
	return func(yield func(Decision) bool) {
		answered := l.answered(speaker)
		own := 0
		for i := range l.Lines {
			line := &l.Lines[i]
			m := heartflow.Message{ID: line.ID, From: line.Sender, Text: line.Text}
			if line.Sender == speaker {
				own++
				m.Own = true
				if len(line.ReplyTo) > 0 { // it knows what it answered
					m.QuoteID = line.ReplyTo[0]
				}
				heart.Observe(line.Time, l.Chat, m)
				continue
			}
			heart.Observe(line.Time, l.Chat, m)
			v := heart.Judge(line.Time, l.Chat)
			d := Decision{Line: line, Verdict: v, Speak: speaks(v), Point: line.Labeled, Answer: answered[line.ID], Own: own}
			own = 0
			if !yield(d) {
				return
			}
		}
	}
}

// Speaks reports whether a verdict of p means to speak where no model can be asked: its method of that name says so,
// where it has one (package learned compares the score with its threshold); for any other policy Ask counts as Speak.
func Speaks(p heartflow.Policy, v heartflow.Verdict) bool {
	if s, ok := p.(interface{ Speaks(heartflow.Verdict) bool }); ok {
		return s.Speaks(v)
	}
	return v.Do != heartflow.Silent
}

// answered lists the ids that the speaker's messages answer.
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
