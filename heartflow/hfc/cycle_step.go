package hfc

import "time"

// StepKind is the kind of a [Step].
type StepKind string

const (
	Think    StepKind = "think"  // write a thought about the new messages
	MakePlan StepKind = "choose" // make a plan from the thought
	Act      StepKind = "act"    // carry out the plan: a text_reply, an emoji_reply or a react
)

// A Feeling is the mood and the energy of the bot. The zero value is calm and without energy.
type Feeling struct {
	Valence float64 // of the mood, -1 to 1
	Arousal float64 // of the mood, -1 to 1
	Energy  float64 // 0 to 1
}

// gain is the factor of a feeling on the willingness to answer, from .25 to 1.5. It is 1 with full energy in a
// neutral mood, and half of that without energy. Valence and arousal each change it by up to a quarter.
func (f Feeling) gain() float64 {
	return min(max((.5+.5*f.Energy)*(1+.25*f.Valence+.25*f.Arousal), .25), 1.5)
}

// A Step is a step of a [Cycle] for the caller. Finish it once with [Cycle.FinishStep], before it expires. Snapshots
// store it under the names in its tags, and a [CycleRecord] likewise.
type Step struct {
	ID      uint64 // never 0
	Kind    StepKind
	At      time.Time
	Expires time.Time // from then on a result is late, and the step has failed
	Cycle   int       // number of its [CycleRecord], from 1
	Retried bool      `json:"Anew"` // repeated after a restart; before an Act, check whether it was already carried out

	NewMessages         int           `json:"New"`   // Think: messages since the last thought
	Rethink             bool          `json:"Again"` // Think: repeated, because messages arrived meanwhile
	Thought             string        // Think: the previous thought; MakePlan and Act: the current one; may be empty
	Plan                Plan          // Act
	Allowed             []Action      // MakePlan: the allowed actions; any other counts as no_reply; read only
	LastPlan            Plan          `json:"Last"`    // plan of the previous cycle, with action and reasoning; no action in the first cycle
	ConsecutiveReplies  int           `json:"Replies"` // text_replies in a row
	ConsecutiveSilences int           `json:"Silent"`  // no_replies in a row
	SilentFor           time.Duration `json:"Waited"`  // total wait during these silences
	FocusedFor          time.Duration `json:"Focused"` // since the chat became Focused
	Feeling             Feeling       `json:"-"`
}

// A StepResult is the result of a [Step].
type StepResult struct {
	Thought  string // for Think
	Previous string // for Think: the thought before it, for [VaryThought]; empty: that of the previous cycle of this focus
	Plan     Plan   // for MakePlan
	Err      error  // the step failed, and the cycle ends as a no_reply; set it also if an Act sent nothing
}

// An Ending is the reason why a focus is over; empty: it continues.
type Ending string

const (
	EndPlanned Ending = "planned" // the planner chose exit_focus_mode
	EndSilent  Ending = "silent"  // too many no_replies in a row, with a long total wait
)

// A CycleRecord is one finished cycle.
type CycleRecord struct {
	ID           int
	Began, Ended time.Time
	ThinkTime    time.Duration `json:"Think"` // duration of each step; 0: there was none
	PlanTime     time.Duration `json:"Choose"`
	ActTime      time.Duration `json:"Act"`
	Thought      string
	Plan         Plan   // its Action is the executed one
	Chosen       Action `json:"Wanted"` // action of the planner, if another one was executed; else empty
	Err          string // error of the failed step; empty: none failed
	Replanned    bool   // the thought was repeated
}
