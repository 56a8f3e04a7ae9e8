package preset

import (
	"cmp"
	"math"
	"time"

	"github.com/hearth-bot/hearth/persona/social"
)

// Scale returns o for a bot whose time passes speed times faster, such as 60 for an hour in a minute, for
// demonstrations and tests. speed must be positive and finite. A field at zero first gets its default. Scale copies
// what it changes.
//
// Scale divides every wait, pause and period of the bot, and multiplies every count for a minute, an hour or a day. What
// the outside world sets stays: timeouts of models, tools and downloads, the age of a message on receipt, and times of
// day, which are quiet hours, the hour of dreams and cron lines. A budget in When.Attention.Budget stays too; create it
// for the speed.
func Scale(o social.Options, speed float64) social.Options {
	s := scale(speed)
	s.when(&o.When)
	if o.Reply.Speech != nil {
		v := *o.Reply.Speech
		p := &v.Pace
		s.divide(&p.Han, 200*time.Millisecond)
		s.divide(&p.Other, 100*time.Millisecond)
		s.divide(&p.Min, 0)
		s.divide(&p.Max, 3*time.Second)
		s.divide(&p.HurryAfter, 10*time.Second)
		o.Reply.Speech = &v
	}
	if o.Reply.Excuses != nil {
		v := *o.Reply.Excuses
		s.divide(&v.Every, 10*time.Minute)
		o.Reply.Excuses = &v
	}
	if o.Tools.Builtin != nil {
		v := *o.Tools.Builtin
		s.multiply(&v.Reports.PerMinute, 1)
		s.multiply(&v.Reports.PerHour, 10)
		s.multiply(&v.Reports.PerDay, 60)
		s.divide(&v.Reports.DedupeWindow, 30*time.Minute)
		if v.Watch != nil {
			w := *v.Watch
			s.divide(&w.Cooldown, 30*time.Minute)
			v.Watch = &w
		}
		o.Tools.Builtin = &v
	}
	if o.Background.Digest != nil {
		v := *o.Background.Digest
		s.divide(&v.Dream.HalfLife, 30*24*time.Hour)
		o.Background.Digest = &v
	}
	if o.Background.Expressions != nil {
		v := *o.Background.Expressions
		s.divide(&v.Every, 20*time.Hour)
		o.Background.Expressions = &v
	}
	if o.Background.Autonomy != nil {
		v := *o.Background.Autonomy
		p := &v.Planner
		s.divide(&p.TaskInterval, time.Minute)
		if p.TaskInterval > 0 {
			p.TaskInterval = min(max(p.TaskInterval, time.Second), time.Hour) // the limits of the planner
		}
		s.divide(&p.TimerInterval, 30*time.Second)
		s.divide(&p.ConversationGap, 3*time.Minute)
		s.multiply(&p.BackgroundPerHour, 4)
		s.multiply(&p.ReviewsPerHour, 0) // 0 follows BackgroundPerHour
		s.divide(&p.MaxTaskDelay, 10*time.Minute)
		o.Background.Autonomy = &v
	}
	return o
}

// A scale is the factor by which time passes faster.
type scale float64

func (s scale) when(w *social.When) {
	s.divide(&w.Buffer.Debounce, 20*time.Second)
	s.divide(&w.Buffer.UrgentDelay, 2*time.Second)
	s.divide(&w.Buffer.MaxWait, time.Minute)
	a := &w.Attention
	s.divide(&a.ActiveFor, 2*time.Minute)
	s.divide(&a.Staleness.RepeatWindow, 10*time.Minute)
	s.divide(&a.Caps.Window, 5*time.Minute)
	if a.Begin != nil {
		v := *a.Begin
		s.divide(&v.Silence, time.Hour)
		a.Begin = &v
	}
	if a.Energy.MinuteGain >= 0 {
		a.Energy.MinuteGain = min(1, cmp.Or(a.Energy.MinuteGain, .1)*float64(s))
	}
	if w.Feedback != nil {
		v := *w.Feedback
		s.divide(&v.Wait, 10*time.Minute)
		s.divide(&v.HalfLife, 7*24*time.Hour)
		w.Feedback = &v
	}
	if w.HFC != nil {
		v := *w.HFC
		v.Speed = cmp.Or(v.Speed, 1) * float64(s)
		w.HFC = &v
	}
}

// divide divides *d, or its default if it is 0. A negative duration has a meaning of its own and stays.
func (s scale) divide(d *time.Duration, otherwise time.Duration) {
	if *d = cmp.Or(*d, otherwise); *d > 0 {
		*d = max(1, time.Duration(float64(*d)/float64(s)))
	}
}

// multiply multiplies *n, or its default if it is 0. A negative count has a meaning of its own and stays.
func (s scale) multiply(n *int, otherwise int) {
	if *n = cmp.Or(*n, otherwise); *n > 0 {
		*n = int(min(math.Ceil(float64(*n)*float64(s)), math.MaxInt32))
	}
}
