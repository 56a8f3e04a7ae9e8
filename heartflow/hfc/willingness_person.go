package hfc

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// perPerson is the state of [PerPerson]. A chat with fewer than twelve messages is calm. Authors outside of the last
// 64 are at the base.
type perPerson struct {
	o WillingnessOptions
	s savedPerPerson
}

type savedPerPerson struct {
	Now       tick.Tick    `json:",omitempty"`
	Mentioned mentionLimit `json:",omitzero"`
	People    []person     `json:",omitempty"` // the latest author last
	Heard     []tick.Tick  `json:",omitempty"` // times of the last messages
	Replies   []tick.Tick  `json:",omitempty"` // times of replies within the last minute
	Fatigue   []fatigue    `json:",omitempty"`
	Partner   string       `json:",omitempty"` // person of the last reply
	InRow     int          `json:",omitempty"` // consecutive replies to Partner before it
}

// A person is the willingness to answer one author.
type person struct {
	ID      string
	Willing float64
	At      tick.Tick
}

// A fatigue begins at a reply and decreases.
type fatigue struct {
	At  tick.Tick
	For time.Duration
}

const (
	calmBase      = .5 // base of a calm chat
	rateMessages  = 12
	maxPeople     = 64
	tiringReplies = 3 // replies within tiringIn
	tiringIn      = time.Minute
)

// Chance implements willingness.
func (w *perPerson) Chance(now time.Time, s stimulus) float64 {
	t := w.advance(now)
	if w.s.Heard = append(w.s.Heard, t); len(w.s.Heard) > rateMessages {
		w.s.Heard = slices.Delete(w.s.Heard, 0, 1)
	}
	p := w.person(s.From, t)
	if !s.Addressed || w.s.Mentioned.take(w.o, t) {
		if s.Addressed {
			p.Willing += .6 / (math.Floor(p.Willing) + 1)
		}
		p.Willing += .3 * math.Atan(s.interest()/2) * 2 / math.Pi
	}

	v := p.Willing + .1*float64(min(max(s.Relation, -2), 3)) + w.fatigue(t)
	if s.From == w.s.Partner && s.From != "" {
		v += .12 * float64(2*w.s.InRow+1)
	}
	if s.EmojiOnly && w.o.EmojiFactor <= 0 {
		return 0
	}
	chance := math.Atan(4*v) * 2 / math.Pi
	if v >= 2.5 {
		chance = 1
	}
	if s.EmojiOnly {
		chance *= w.o.EmojiFactor
	}
	return s.chance(chance)
}

// Began implements willingness.
func (w *perPerson) Began(time.Time, string) {}

// Sent implements willingness.
func (w *perPerson) Sent(now time.Time, from string) {
	t := w.advance(now)
	if from == w.s.Partner {
		w.s.InRow = min(w.s.InRow+1, 3)
	} else {
		w.s.Partner, w.s.InRow = from, 0
	}
	if w.s.Replies = append(w.s.Replies, t); len(w.s.Replies) >= tiringReplies {
		since := time.Duration(t - w.s.Replies[0])
		w.s.Fatigue = append(w.s.Fatigue, fatigue{t, 2 * (tiringIn - since)})
		w.s.Replies = slices.Delete(w.s.Replies, 0, 1)
	}
}

// Dropped implements willingness.
func (w *perPerson) Dropped(time.Time, string) {}

// advance drops expired entries.
func (w *perPerson) advance(now time.Time) tick.Tick {
	t := max(w.s.Now, tick.Of(now))
	w.s.Now = t
	w.s.Replies = slices.DeleteFunc(w.s.Replies, func(at tick.Tick) bool { return at.Add(tiringIn) <= t })
	w.s.Fatigue = slices.DeleteFunc(w.s.Fatigue, func(f fatigue) bool { return f.At.Add(f.For) <= t })
	return t
}

// base returns the value that every willingness moves to.
func (w *perPerson) base() float64 {
	h := w.s.Heard
	if len(h) < rateMessages {
		return calmBase
	}
	angle := h[len(h)-1].Since(h[0]).Seconds() * 3 * math.Pi / 120 / rateMessages
	if angle >= math.Pi/4 { // two minutes; beyond four the tangent would be negative
		return calmBase
	}
	return math.Tan(angle) / 2
}

// person updates the willingness towards id to t.
func (w *perPerson) person(id string, t tick.Tick) *person {
	base := w.base()
	p := person{ID: id, Willing: base}
	if i := slices.IndexFunc(w.s.People, func(p person) bool { return p.ID == id }); i >= 0 {
		p = w.s.People[i]
		p.Willing = base + (p.Willing-base)*math.Pow(.93, t.Since(p.At).Seconds()/3)
		w.s.People = slices.Delete(w.s.People, i, i+1)
	} else if len(w.s.People) == maxPeople {
		w.s.People = slices.Delete(w.s.People, 0, 1)
	}
	p.At = t
	w.s.People = append(w.s.People, p)
	return &w.s.People[len(w.s.People)-1]
}

// fatigue returns the part that fatigue takes away at t. Each entry starts with twice the base and ends with 0.
func (w *perPerson) fatigue(t tick.Tick) float64 {
	sum := 0.
	for _, f := range w.s.Fatigue {
		sum += w.base() * (2/math.Pi*math.Asin(2*t.Since(f.At).Seconds()/f.For.Seconds()-1) - 1)
	}
	return sum
}

// MarshalJSON implements willingness.
func (w *perPerson) MarshalJSON() ([]byte, error) { return json.Marshal(w.s) }

// UnmarshalJSON implements willingness.
func (w *perPerson) UnmarshalJSON(b []byte) error {
	return load(b, &w.s, (*savedPerPerson).valid)
}

func (s *savedPerPerson) valid() bool {
	bad := !s.Mentioned.valid() || s.Now < 0 || s.InRow < 0 || s.InRow > 3 || len(s.People) > maxPeople || len(s.Heard) > rateMessages || len(s.Replies) >= tiringReplies
	for _, p := range s.People {
		bad = bad || !(p.Willing >= 0 && p.Willing < 1e6) || p.At < 0 || p.At > s.Now
	}
	for _, f := range s.Fatigue {
		bad = bad || f.For <= 0 || f.At > s.Now || f.At < 0
	}
	for _, list := range [][]tick.Tick{s.Heard, s.Replies} {
		bad = bad || !slices.IsSorted(list) || len(list) > 0 && (list[0] < 0 || list[len(list)-1] > s.Now)
	}
	return !bad
}
