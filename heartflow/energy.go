package heartflow

import (
	"fmt"
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Energy is a soft cooldown of each chat. It is 1 in a new chat, falls with each reply, and recovers with time. Each
// chat has its own, so its decisions can be replayed alone, and a busy group does not silence the others.
// [Attention.SetMood] affects all chats.
//
// A negative number means 0. The defaults come from AstrBot's Heartflow plugin.
type Energy struct {
	ReplyCost   float64 // cost of a reply, with any number of messages; 0 means .1
	SilenceGain float64 // gain of a Silent verdict on a batch; 0 means .02
	MinuteGain  float64 // gain per minute; 0 means .1
	DayGain     float64 // gain at midnight in the Location of now; 0 means .2
	Min         float64 // minimum energy; 0 means .1
}

var defaultEnergy = Energy{ReplyCost: .1, SilenceGain: .02, MinuteGain: .1, DayGain: .2, Min: .1}

func (e Energy) validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"ReplyCost", e.ReplyCost}, {"SilenceGain", e.SilenceGain}, {"MinuteGain", e.MinuteGain}, {"DayGain", e.DayGain}, {"Min", e.Min}} {
		if !(f.value <= 1) {
			return fmt.Errorf("heartflow: Energy.%s is %v: it must be at most 1", f.name, f.value)
		}
	}
	return nil
}

// A fatigue is the missing energy of a chat. The zero value is fully rested, and snapshots omit it.
type fatigue struct {
	Lack float64   `json:",omitempty"` // missing energy at time At
	At   tick.Tick `json:",omitempty"`
}

// at returns the missing energy at t. It changes nothing, so extra calls make no difference.
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

// add charges cost. A negative cost restores energy.
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

// civilDay numbers the calendar days of loc.
func civilDay(t tick.Tick, loc *time.Location) int64 {
	_, offset := time.Unix(0, int64(t)).In(loc).Zone()
	return (int64(t)/int64(time.Second) + int64(offset)) / 86400
}

// Energy returns the energy of chat at now, from Energy.Min to 1.
func (a *Attention[K]) Energy(now time.Time, chat K) float64 {
	at := a.enter(now)
	defer a.leave()
	if c := a.chats[chat]; c != nil {
		return 1 - c.Fatigue.at(at, &c.settings.energy, a.account.loc)
	}
	return 1
}

// SetMood sets the mood of the bot, from -1 to 1. Other values are clamped, and NaN counts as 0. The caller changes
// the mood over time. Policies may use it; those of this package answer messages to the bot in any mood.
func (a *Attention[K]) SetMood(mood float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.account.mood = clampMood(mood)
}

// SetChatMood sets the mood offset of chat. The mood there is the sum of the bot's mood and the offset.
func (a *Attention[K]) SetChatMood(chat K, mood float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chat(chat).Mood = clampMood(mood)
}

// Mood returns the mood in chat, from -1 to 1: the sum of the bot's mood and the chat's offset.
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
