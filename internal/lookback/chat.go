package lookback

import (
	"math"
	"math/bits"
	"slices"
)

const (
	maxLines  = 64 // lines kept per chat
	reach     = 40 // how many lines back a link may go
	maxPeople = 64 // people kept per chat; the one without a line for the longest time is dropped
	maxTo     = 3  // addressees kept per line
)

// bot is the bot in People. It is no hash of a name, and always the first.
const bot = 1

// A Chat holds the last lines of one chat and their authors. The zero value is empty. It is not safe for concurrent
// use.
type Chat struct {
	Count  int64 // lines added so far
	Lines  []Line
	People []Person
	Own    Habits
	Rate   float32 // lines, decaying within five minutes
	RateAt int64

	own    uint64 // a bit for each index of Lines: it is by the bot
	naming uint64 // the same: it names somebody
}

// A Line is one message. Its number is its index among all lines of the chat.
type Line struct {
	At     int64 // seconds
	From   uint32
	ID     uint32
	Sum    uint32
	To     [maxTo]uint32
	Words  words
	Said   uint32 // earlier lines of its author
	Called uint32 // earlier lines that begin with its author's name
	Other  uint32 // recent addressee of its author, up to this line
	Before uint32 // the same, before this line
	Cues   uint32
	Count  uint16
	Class  uint8
	Slot   uint8 // index of its author in People
	Names  uint8
	Start  bool // it begins with the name of the first addressee
	Gone   bool // it was recalled

	Directed float32 // chance that it addresses the bot
	Thread   float32 // chance that the bot takes part in its thread
	Part     float32 // the same, by the answers of the bot
	Answered float32 // chance that somebody else answered it
	Mine     bool    // the bot answered it
}

// A Person is an author in a chat.
type Person struct {
	Hash   uint32
	Lines  uint32
	Called uint32 // lines that begin with this name
	Last   int64  // number of the last line; -1: none
	LastAt int64

	Other   uint32 // last addressee of this person
	OtherAt int64

	FromMe   int64 // number of the bot's last line to this person; -1: none
	FromMeAt int64
	FromMeN  uint32
	Directed float32 // lines of this person to the bot
	Replied  float32 // of them, lines that the bot answered
	Turns    float32 // lines after an earlier line of this person
	Bursts   float32 // of them, lines soon after an unanswered one
	Words    float32 // words in all lines
	AskedN   float32 // the bot's questions to this person
	ByOtherN float32 // lines of others to this person

	ToOther  int64 // last line to somebody else
	ByOther  int64 // last line of somebody else to this person
	ByOtherI int64 // number of that line
}

// Habits describe the earlier behavior of the bot in a chat.
type Habits struct {
	Lines    float32
	Asked    float32 // lines with a question
	Answers  float32 // lines of others that the bot answered
	Uncalled float32 // of them, lines that did not address the bot
	Heard    float32 // lines that address the bot
	Replied  float32 // of them, lines that the bot answered
	Named    float32 // lines that name the bot
	Returned float32 // of them, lines that the bot answered
	New      float32 // questions of new people
	Helped   float32 // of them, questions that the bot answered
	Few      float32 // own lines, decaying within five minutes
	Many     float32 // the same within an hour
	Near     float32 // the same within forty lines
	FadedAt  int64
	Latency  float32 // response time of the bot, on a log scale
	Partner  uint32
	Last     int64 // number of the bot's last line; -1: none
	LastAt   int64
}

// An Input is a message on arrival.
type Input struct {
	At    int64 // seconds
	From  uint32
	Own   bool
	ToMe  int      // 1: it addresses the bot (an @, a quote, or the name at the start), 2: it contains the bot's name, 0: neither
	To    []uint32 // other people in an @ or a quote
	ID    uint32   // 0: none
	Quote uint32   // ID of the quoted message; 0: none
	Line  int64    // for an own message: number of the answered line; negative: unknown
	Text  *Text
}

const never = math.MinInt64 / 2

func (c *Chat) line(n int64) *Line { return &c.Lines[uint64(n)%maxLines] }

// first returns the number of the oldest kept line.
func (c *Chat) first() int64 { return c.Count - int64(len(c.Lines)) }

// person returns the index of a person. It adds an unknown one.
func (c *Chat) person(hash uint32) int {
	if i := c.known(hash); i >= 0 {
		return i
	}
	p := Person{Hash: hash, Last: -1, FromMe: -1, LastAt: never, OtherAt: never, FromMeAt: never, ToOther: never, ByOther: never, ByOtherI: -1}
	if len(c.People) < maxPeople {
		c.People = append(Grow(c.People, maxPeople), p)
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

// Grow returns list with room for one more element. It allocates twice on the way to most elements, first for few of them: many
// chats have few lines.
func Grow[T any](list []T, most int) []T {
	if len(list) < cap(list) {
		return list
	}
	size := most
	if len(list) < most/4 {
		size = most / 4
	}
	return append(make([]T, 0, size), list...)
}

func (c *Chat) known(hash uint32) int {
	for i := range c.People {
		if c.People[i].Hash == hash {
			return i
		}
	}
	return -1
}

// newLine makes a line from in and from the lines before it.
func (c *Chat) newLine(in *Input) Line {
	if len(c.People) == 0 {
		c.person(bot)
		c.Own.Last = -1
		c.Own.Latency = 3
	}
	t := in.Text
	l := Line{
		At: in.At, From: in.From, ID: in.ID, Sum: t.Sum, Words: t.Words, Cues: t.Cues, Count: t.Count, Class: t.Class,
	}
	if in.Own {
		l.From = bot
	}
	if in.ToMe == 1 {
		l.Start = true
		l.address(bot)
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
		l.address(bot)
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

// Relations of a line to a person.
const (
	toNobody   = iota
	toStart    // it begins with the name
	toInside   // it contains the name
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

// add appends l and updates all counts.
func (c *Chat) add(l *Line) {
	n := c.Count
	if len(c.Lines) < maxLines {
		c.Lines = append(Grow(c.Lines, maxLines), Line{})
	}
	*c.line(n) = *l
	c.mark(n)
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
	c.Rate = c.Rate*fiveMinutes.after(l.At-c.RateAt) + 1
	c.RateAt = l.At
}

// mark sets the bits of line n.
func (c *Chat) mark(n int64) {
	l, at := c.line(n), uint64(n)%maxLines
	c.own = c.own&^(1<<at) | uint64(bit(l.From == bot))<<at
	c.naming = c.naming&^(1<<at) | uint64(bit(l.Names > 0))<<at
}

// newestFirst turns bits of indexes of Lines so that those of the last lines are the highest.
func (c *Chat) newestFirst(of uint64) uint64 { return bits.RotateLeft64(of, -int(c.Count%maxLines)) }

// A decay holds the factors of a count that fades within a time. The first ones are most of what is asked for.
type decay struct {
	within float64 // seconds
	first  [512]float32
}

var fiveMinutes, hour = newDecay(300), newDecay(3600)

func newDecay(within float64) *decay {
	d := &decay{within: within}
	for n := range d.first {
		d.first[n] = d.compute(int64(n))
	}
	return d
}

// after returns the factor after so many seconds.
func (d *decay) after(seconds int64) float32 {
	if seconds = max(seconds, 0); seconds < int64(len(d.first)) {
		return d.first[seconds]
	}
	return d.compute(seconds)
}

func (d *decay) compute(seconds int64) float32 {
	return float32(math.Exp(-float64(seconds) / d.within))
}

// Find returns the number of the line with that id; -1: it is not kept.
func (c *Chat) Find(id uint32) int64 {
	for i := int64(1); i <= int64(len(c.Lines)) && id != 0; i++ {
		if c.line(c.Count-i).ID == id {
			return c.Count - i
		}
	}
	return -1
}

// Recall marks the line with that id as recalled.
func (c *Chat) Recall(id uint32) {
	for i := range c.Lines {
		if l := &c.Lines[i]; l.ID == id && id != 0 {
			l.Gone = true
			l.Words, l.Directed, l.Thread, l.Part = words{}, 0, 0, 0
		}
	}
}
