package lookback

import (
	"math"
	"slices"
)

const (
	maxLines  = 64 // lines of a chat that are kept
	reach     = 40 // how far back a line is looked for that another one goes on with
	maxPeople = 64 // people of a chat that are known; the one who is silent longest is forgotten
	maxTo     = 3  // people that a line names
)

// me is the bot among the people: no hash of a name, and always the first.
const me = 1

// A Chat is what is remembered of one chat. The zero value knows nothing. It is not safe for concurrent use.
type Chat struct {
	Count  int64 // lines heard so far
	Lines  []Line
	People []Person
	Own    Habits
	Rate   float32 // lines, fading within five minutes
	RateAt int64
}

// A Line is one message. Its number is its place among all of the chat.
type Line struct {
	At     int64 // seconds
	From   uint32
	ID     uint32
	Sum    uint32
	To     [maxTo]uint32
	Words  words
	Said   uint32 // lines of its author before it
	Called uint32 // lines that had begun with its author's name by then
	Other  uint32 // whom its author last named before it or in it, if not long ago
	Before uint32 // the same without it
	Cues   uint32
	Count  uint16
	Class  uint8
	Slot   uint8 // of its author in People
	Names  uint8
	Start  bool // it begins with the first of To
	Gone   bool // it was taken back

	Directed float32 // how likely it is said to me
	Thread   float32 // how likely I have part in what it goes on with
	Part     float32 // the same, as of what I have answered
	Answered float32 // how likely somebody else answered it
	Mine     bool    // I answered it
}

// A Person is somebody in a chat.
type Person struct {
	Hash   uint32
	Lines  uint32
	Called uint32 // lines that begin with the name
	Last   int64  // number of the last line; -1: none
	LastAt int64

	Other   uint32 // whom this person last named
	OtherAt int64

	FromMe   int64 // number of my last line to this person; -1: none
	FromMeAt int64
	FromMeN  uint32
	Directed float32 // lines that this person said to me
	Replied  float32 // of them, what I answered
	Turns    float32 // lines after which this person spoke again
	Bursts   float32 // of them, how often that was soon, and nobody had answered
	Words    float32 // in all lines
	AskedN   float32 // my questions to this person
	ByOtherN float32 // how often somebody else spoke to this person

	ToOther  int64 // when this person last spoke to somebody else
	ByOther  int64 // when somebody else last spoke to this person
	ByOtherI int64 // the number of that line
}

// Habits are what I have done so far in a chat.
type Habits struct {
	Lines    float32
	Asked    float32 // lines that ask
	Answers  float32 // lines of others that I answered
	Uncalled float32 // of them, how many were not said to me
	Heard    float32 // lines that were said to me
	Replied  float32 // of them, what I answered
	Named    float32 // lines that name me
	Returned float32 // of them, what I answered
	New      float32 // questions of people who are new
	Helped   float32 // of them, what I answered
	Few      float32 // own lines, fading within five minutes
	Many     float32 // the same within an hour
	Near     float32 // the same within forty lines
	FadedAt  int64
	Latency  float32 // how long I take to answer, on the scale of log
	Partner  uint32
	Last     int64 // number of my last line; -1: none
	LastAt   int64
}

// An Input is a message as it arrives.
type Input struct {
	At    int64 // seconds
	From  uint32
	Own   bool
	ToMe  int      // 0 not, 1 it is said to me (an @, a quote, my name at the start), 2 my name is in it
	To    []uint32 // others whom it @s or quotes
	ID    uint32   // 0: none
	Quote uint32   // the ID that it quotes; 0: none
	Line  int64    // of an own one, the number of the line that it answers; negative: not known
	Text  *Text
}

const never = math.MinInt64 / 2

func (c *Chat) line(n int64) *Line { return &c.Lines[uint64(n)%maxLines] }

// first is the number of the oldest line that is kept.
func (c *Chat) first() int64 { return c.Count - int64(len(c.Lines)) }

// person returns the place of somebody, who may be new.
func (c *Chat) person(hash uint32) int {
	if i := c.known(hash); i >= 0 {
		return i
	}
	p := Person{Hash: hash, Last: -1, FromMe: -1, LastAt: never, OtherAt: never, FromMeAt: never, ToOther: never, ByOther: never, ByOtherI: -1}
	if len(c.People) < maxPeople {
		c.People = append(c.People, p)
		return len(c.People) - 1
	}
	oldest := 1
	for i := 2; i < len(c.People); i++ {
		if c.People[i].Last < c.People[oldest].Last {
			oldest = i
		}
	}
	c.People[oldest] = p
	return oldest
}

func (c *Chat) known(hash uint32) int {
	for i := range c.People {
		if c.People[i].Hash == hash {
			return i
		}
	}
	return -1
}

// take makes a line of in, with what the chat knows before it.
func (c *Chat) take(in *Input) Line {
	if len(c.People) == 0 {
		c.person(me)
		c.Own.Last = -1
		c.Own.Latency = 3
	}
	t := in.Text
	l := Line{
		At: in.At, From: in.From, ID: in.ID, Sum: t.Sum, Words: t.Words, Cues: t.Cues, Count: t.Count, Class: t.Class,
	}
	if in.Own {
		l.From = me
	}
	if in.ToMe == 1 {
		l.Start = true
		l.address(me)
	}
	for _, to := range in.To {
		l.Start = l.Start || l.Names == 0
		l.address(to)
	}
	for _, n := range t.names[:t.found] {
		if n.hash != in.From && c.known(n.hash) > 0 {
			if n.start && l.Names == 0 {
				l.Start = true
			}
			l.address(n.hash)
		}
	}
	if in.ToMe == 2 {
		l.address(me)
	}
	slot := c.person(l.From)
	p := &c.People[slot]
	l.Slot, l.Said, l.Called = uint8(slot), p.Lines, p.Called
	if p.Other != 0 && l.At-p.OtherAt <= 600 {
		l.Before = p.Other
	}
	l.Other = l.Before
	if l.Names > 0 {
		l.Other = l.To[0]
	}
	return l
}

func (l *Line) address(to uint32) {
	if l.Names < maxTo && !slices.Contains(l.To[:l.Names], to) {
		l.To[l.Names] = to
		l.Names++
	}
}

// How a line turns to somebody.
const (
	toNobody   = iota
	toStart    // it begins with the name
	toInside   // it has the name
	otherStart // it begins with another name
	otherInside
	relations
)

func (l *Line) relation(who uint32) int {
	switch i := slices.Index(l.To[:l.Names], who); {
	case i == 0 && l.Start:
		return toStart
	case i >= 0:
		return toInside
	case l.Names == 0:
		return toNobody
	case l.Start:
		return otherStart
	}
	return otherInside
}

// keep puts l behind the others, and counts it.
func (c *Chat) keep(l *Line) {
	n := c.Count
	if len(c.Lines) < maxLines {
		c.Lines = append(c.Lines, Line{})
	}
	*c.line(n) = *l
	c.Count++

	p := &c.People[l.Slot]
	p.Words += float32(l.Count)
	if p.Last >= 0 {
		p.Turns++
		if p.Last >= n-int64(len(c.Lines))+1 && l.At-p.LastAt < 90 {
			if x := c.line(p.Last); x.Answered < .5 && !x.Mine {
				p.Bursts++
			}
		}
	}
	p.Lines++
	p.Last, p.LastAt = n, l.At
	if l.Names > 0 {
		p.Other, p.OtherAt = l.To[0], l.At
	} else if l.Before == 0 {
		p.Other = 0
	}
	if l.Start {
		if i := c.known(l.To[0]); i >= 0 {
			c.People[i].Called++
		}
	}
	c.Rate = c.Rate*fade(l.At-c.RateAt, 300) + 1
	c.RateAt = l.At
}

// fade is what is left of a count after so many seconds.
func fade(seconds int64, within float64) float32 {
	return float32(math.Exp(-float64(max(seconds, 0)) / within))
}

// Find returns the number of the line with that id; -1: it is not among the last.
func (c *Chat) Find(id uint32) int64 {
	for i := int64(1); i <= int64(len(c.Lines)) && id != 0; i++ {
		if c.line(c.Count-i).ID == id {
			return c.Count - i
		}
	}
	return -1
}

// Recall takes back the line with that id.
func (c *Chat) Recall(id uint32) {
	for i := range c.Lines {
		if l := &c.Lines[i]; l.ID == id && id != 0 {
			l.Gone = true
			l.Words, l.Directed, l.Thread, l.Part = words{}, 0, 0, 0
		}
	}
}
