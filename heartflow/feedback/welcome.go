package feedback

import (
	"math"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Limits of what is learned.
const (
	maxWelcome = .6
	maxPeople  = 64 // of a chat
)

// A mean is a moving mean of ratings.
type mean struct {
	Value float64   `json:",omitempty"`
	At    tick.Tick `json:",omitempty"` // of Value
	Count int       `json:",omitempty"`
}

// A person is the mean of the ratings by one person in a chat.
type person struct {
	ID string
	mean
}

// at returns the mean at a later time.
func (m mean) at(now tick.Tick, halfLife time.Duration) float64 {
	return m.Value * math.Exp2(-float64(now.Since(m.At))/float64(halfLife))
}

// add adds a rating.
func (m *mean) add(now tick.Tick, score float64, o *Options) {
	v := m.at(now, o.HalfLife)
	m.Value, m.At, m.Count = v+o.Rate*(score-v), now, m.Count+1
}

// learn adds an utterance to the means of its chat and of the people who reacted, or who did not.
func (t *Tracker[K]) learn(c *chat[K], u *utterance) {
	if u.Set == 0 {
		return // nobody was there, or the answer was enough
	}
	c.mean.add(t.now, u.Set.score(), &t.o)
	if u.To != "" && u.Set&(talkedOver|ignored) != 0 {
		c.person(u.To).add(t.now, u.Set.score(), &t.o)
	}
	for _, r := range u.By {
		if r.Person != "" {
			c.person(r.Person).add(t.now, r.Set.score(), &t.o)
		}
	}
}

// person returns the entry of a person, as the latest one.
func (c *chat[K]) person(id string) *mean {
	p := person{ID: id}
	if i := slices.IndexFunc(c.people, func(p person) bool { return p.ID == id }); i >= 0 {
		p = c.people[i]
		c.people = slices.Delete(c.people, i, i+1)
	} else if len(c.people) == maxPeople {
		c.people = slices.Delete(c.people, 0, 1)
	}
	c.people = append(c.people, p)
	return &c.people[len(c.people)-1].mean
}

// Welcome returns how welcome the bot is in a chat, and to a person there, from -.6 to .6. 0 means that nothing is known. The
// person counts as much as the chat; with who == "" and for a person without ratings it is the chat alone.
func (t *Tracker[K]) Welcome(now time.Time, key K, who string) float64 {
	t.enter(now)
	defer t.mu.Unlock()
	return t.welcome(t.chats[key], who)
}

// WelcomeIn is [Tracker.Welcome] for a chat by its key formatted by fmt.Sprint, for Options.Welcome of package heartflow.
func (t *Tracker[K]) WelcomeIn(now time.Time, chat, who string) float64 {
	t.enter(now)
	defer t.mu.Unlock()
	return t.welcome(t.names[chat], who)
}

func (t *Tracker[K]) welcome(c *chat[K], who string) float64 {
	if c == nil {
		return 0
	}
	w := c.mean.at(t.now, t.o.HalfLife)
	if i := slices.IndexFunc(c.people, func(p person) bool { return p.ID == who }); i >= 0 && who != "" {
		w = (w + c.people[i].at(t.now, t.o.HalfLife)) / 2
	}
	return min(max(w, -maxWelcome), maxWelcome)
}

// Reset forgets all that was learned about a chat and its people. Open utterances stay.
func (t *Tracker[K]) Reset(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.chats[key]; c != nil {
		c.mean, c.people = mean{}, nil
	}
}

// Forget removes a chat.
func (t *Tracker[K]) Forget(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.chats[key]; c != nil {
		t.waiting.Remove(c)
		delete(t.names, c.name)
	}
	delete(t.chats, key)
	t.ended = slices.DeleteFunc(t.ended, func(r Rating[K]) bool { return r.Chat == key })
}

// ForgetPerson removes a person from a chat: their mean, and their id from open utterances and ratings. The mean of the chat stays.
func (t *Tracker[K]) ForgetPerson(key K, who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.ended {
		if t.ended[i].Chat == key && t.ended[i].To == who {
			t.ended[i].To = ""
		}
	}
	c := t.chats[key]
	if c == nil || who == "" {
		return
	}
	c.people = slices.DeleteFunc(c.people, func(p person) bool { return p.ID == who })
	for _, u := range c.open {
		if u.To == who {
			u.To = ""
		}
		u.By = slices.DeleteFunc(u.By, func(r reactor) bool { return r.Person == who })
	}
}
