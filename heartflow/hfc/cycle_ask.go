package hfc

import "time"

// StepKind is what somebody is asked to do.
type StepKind string

const (
	Think    StepKind = "think"  // make a thought of what was observed
	MakePlan StepKind = "choose" // make a plan of the thought
	Act      StepKind = "act"    // carry the plan out: a text_reply or an emoji_reply
)

// A Feeling is how the bot feels, as far as a cycle passes it on. The zero value is calm and without energy.
type Feeling struct {
	Valence float64 // of the mood, -1 to 1
	Arousal float64 // of the mood, -1 to 1
	Energy  float64 // 0 to 1
}

// gain is how much a feeling multiplies the willingness to answer: 1 when wide awake in an even mood, half when
// exhausted, a quarter more or less by each of valence and arousal; .25 to 1.5.
func (f Feeling) gain() float64 {
	return min(max((.5+.5*f.Energy)*(1+.25*f.Valence+.25*f.Arousal), .25), 1.5)
}

// A Step is a step that is wanted. It is answered once, by [Cycle.FinishStep], before it expires. Snapshots keep it under
// the names in its tags, and a [CycleRecord] likewise.
type Step struct {
	ID      uint64 // never 0
	Kind    StepKind
	At      time.Time
	Expires time.Time // from then on an answer is late, and the step has failed
	Cycle   int       // the number of its [CycleRecord], from 1
	Retried bool      `json:"Anew"` // it was asked before a restart and may have been carried out: an Act looks that up first

	NewMessages         int           `json:"New"`   // Think: messages that no thought has seen
	Rethink             bool          `json:"Again"` // Think: redone, since messages came meanwhile
	Thought             string        // Think: the one before; Choose and Act: of this one; empty: none
	Plan                Plan          // Act
	Allowed             []Action      // Choose: what may be chosen, anything else counts as no_reply; read only
	LastPlan            Plan          `json:"Last"`    // the plan of the cycle before: its action and its reasons; no action: it is the first
	ConsecutiveReplies  int           `json:"Replies"` // text_replies in a row
	ConsecutiveSilences int           `json:"Silent"`  // no_replies in a row
	SilentFor           time.Duration `json:"Waited"`  // while silent
	FocusedFor          time.Duration `json:"Focused"` // since the chat became FOCUSED
	Feeling             Feeling       `json:"-"`
}

// A StepResult is what became of a [Step].
type StepResult struct {
	Thought string // of Think
	Plan    Plan   // of Choose
	Err     error  // the step failed: the cycle ends as a no_reply. An Act that sent nothing fails
}

// An Ending is why a focus is over; empty: it is not.
type Ending string

const (
	EndPlanned Ending = "planned" // the planner chose exit_focus_mode
	EndSilent  Ending = "silent"  // too many no_replies in a row, and too long a silence
)

// A CycleRecord is one finished cycle.
type CycleRecord struct {
	ID           int
	Began, Ended time.Time
	ThinkTime    time.Duration `json:"Think"` // how long each step took; 0: there was none
	PlanTime     time.Duration `json:"Choose"`
	ActTime      time.Duration `json:"Act"`
	Thought      string
	Plan         Plan   // its Action is what was done
	Chosen       Action `json:"Wanted"` // what the planner chose, where that is something else; else empty
	Err          string // why a step failed; empty: none did
	Replanned    bool   // the thought was made anew
}
