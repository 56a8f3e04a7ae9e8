package heartflow

import (
	"fmt"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Energy is how much a chat wears the bot out, and how it rests. Energy is 1 in a fresh chat, falls with each reply
// there, and comes back with time. It is a number of each chat, not of the account: so a chat's decisions depend on
// that chat alone and can be replayed, and one loud group does not silence the others. For what weighs on the whole
// being there is [Attention.SetMood].
//
// A negative number means 0. The defaults are those of AstrBot's Heartflow plugin.
type Energy struct {
	ReplyCost   float64 // what a reply costs, however many messages it has; 0 means .1
	SilenceGain float64 // what a silent verdict on something heard gives; 0 means .02
	MinuteGain  float64 // what a minute gives; 0 means .1
	DayGain     float64 // what midnight gives, in the Location of now; 0 means .2
	Min         float64 // the least it can be; 0 means .1
}

var defaultEnergy = Energy{ReplyCost: .1, SilenceGain: .02, MinuteGain: .1, DayGain: .2, Min: .1}

func (e Energy) validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"Reply", e.ReplyCost}, {"Silence", e.SilenceGain}, {"Minute", e.MinuteGain}, {"Day", e.DayGain}, {"Floor", e.Min}} {
		if !(f.value <= 1) {
			return fmt.Errorf("heartflow: Energy.%s is %v: it must be at most 1", f.name, f.value)
		}
	}
	return nil
}

// A fatigue is what a chat lacks of energy. The zero value is rested, and costs nothing.
type fatigue struct {
	Lack float64   `json:",omitempty"` // at At
	At   tick.Tick `json:",omitempty"`
}

// at is what still lacks at t. It changes nothing: when, and how often, it is asked makes no difference.
func (f fatigue) at(t tick.Tick, e *Energy, loc *time.Location) float64 {
	if f.Lack == 0 {
		return 0
	}
	lack := min(f.Lack, 1-max(e.Min, 0)) - max(e.MinuteGain, 0)*time.Duration(t-f.At).Minutes()
	if lack > 0 && e.DayGain > 0 {
		lack -= e.DayGain * float64(max(civilDay(t, loc)-civilDay(f.At, loc), 0))
	}
	return max(lack, 0)
}

// add takes off energy, or gives some back where it is negative.
func (f *fatigue) add(t tick.Tick, cost float64, e *Energy, loc *time.Location) {
	if f.Lack == 0 && cost <= 0 {
		return
	}
	lack := min(max(f.at(t, e, loc)+cost, 0), 1-max(e.Min, 0))
	if *f = (fatigue{Lack: lack, At: t}); lack == 0 {
		f.At = 0
	}
}

func (f fatigue) valid() bool { return f.Lack >= 0 && f.Lack <= 1 && f.At >= 0 }

// civilDay numbers the days of the calendar.
func civilDay(t tick.Tick, loc *time.Location) int64 {
	_, offset := time.Unix(0, int64(t)).In(loc).Zone()
	return (int64(t)/int64(time.Second) + int64(offset)) / 86400
}

// Energy returns the energy that the bot has for chat at now, from Energy.Floor to 1.
func (a *Attention[K]) Energy(now time.Time, chat K) float64 {
	at := a.enter(now)
	defer a.leave()
	if c := a.chats[chat]; c != nil {
		return 1 - c.Fatigue.at(at, &c.tuning.energy, a.account.loc)
	}
	return 1
}

// SetMood sets the mood of the whole being, from -1 to 1; what is beyond counts as the nearest, and no number as 0.
// The caller keeps it and lets it change with time; a policy may heed it, and what is called is answered in any mood.
func (a *Attention[K]) SetMood(mood float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.account.mood = clampMood(mood)
}

// SetChatMood sets what the mood in chat is beyond that of the whole being: the sum of both is what holds there.
func (a *Attention[K]) SetChatMood(chat K, mood float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chat(chat).Mood = clampMood(mood)
}

// Mood returns what holds in chat: the sum of both, from -1 to 1.
func (a *Attention[K]) Mood(chat K) float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.chats[chat]; c != nil {
		return clampMood(a.account.mood + c.Mood)
	}
	return a.account.mood
}

func clampMood(mood float64) float64 {
	if math.IsNaN(mood) {
		return 0
	}
	return min(max(mood, -1), 1)
}
