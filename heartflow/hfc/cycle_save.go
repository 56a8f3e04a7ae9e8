package hfc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

type savedCycle struct {
	Dice    []byte
	Now     tick.Tick
	Began   tick.Tick
	Ended   Ending        `json:",omitempty"`
	Asked   CycleAsk      `json:",omitzero"`
	Open    bool          `json:",omitempty"`
	Step    Kind          `json:",omitempty"`
	Wake    tick.Tick     `json:",omitempty"`
	Quiet   tick.Tick     `json:",omitempty"`
	Running Record        `json:",omitzero"`
	Unseen  int           `json:",omitempty"`
	Missed  int           `json:",omitempty"`
	Replies int           `json:",omitempty"`
	Silent  int           `json:",omitempty"`
	Waited  time.Duration `json:",omitempty"`
	Past    []Record      `json:",omitempty"`
}

// MarshalJSON keeps all of the cycle but its options.
func (c *Cycle) MarshalJSON() ([]byte, error) {
	dice, _ := c.dice.MarshalBinary() // has no error to give
	return json.Marshal(savedCycle{
		Dice: dice, Now: c.now, Began: c.began, Ended: c.ended, Asked: c.asked, Open: c.open || c.anew, Step: c.step,
		Wake: c.wake, Quiet: c.quiet, Running: c.cur, Unseen: c.unseen, Missed: c.missed, Replies: c.replies,
		Silent: c.silent, Waited: c.waited, Past: c.past,
	})
}

// UnmarshalJSON brings back what MarshalJSON kept; the options stay. A step that was asked and not answered is asked
// anew at once, by another id. What cannot be is refused.
func (c *Cycle) UnmarshalJSON(b []byte) error {
	var s savedCycle
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("hfc: cycle: %w", err)
	}
	if err := s.validate(); err != nil {
		return err
	}
	n := Cycle{
		o: c.o.withDefaults(), loc: c.loc, now: s.Now, began: s.Began, ended: s.Ended, asked: s.Asked, anew: s.Open, step: s.Step,
		wake: s.Wake, quiet: s.Quiet, cur: s.Running, unseen: s.Unseen, missed: s.Missed, replies: s.Replies,
		silent: s.Silent, waited: s.Waited, past: s.Past,
	}
	if n.loc == nil {
		n.loc = time.UTC
	}
	if err := n.dice.UnmarshalBinary(s.Dice); err != nil {
		return fmt.Errorf("hfc: cycle: %w", err)
	}
	*c = n
	return nil
}

func (s *savedCycle) validate() error {
	kinds := []Kind{Think, Choose, Act}
	switch {
	case min(s.Now, s.Began) <= 0 || s.Began > s.Now || min(s.Wake, s.Quiet) < 0 || s.Waited < 0:
		return errors.New("hfc: cycle: a time that cannot be")
	case min(s.Unseen, s.Missed, s.Replies, s.Silent, s.Asked.New) < 0 || len(s.Past) > recordsKept:
		return errors.New("hfc: cycle: a count that cannot be")
	case !slices.Contains(kinds, s.Step) || s.Open && (s.Asked.Kind != s.Step || s.Quiet != 0 || s.Wake > s.Now || s.Ended != ""):
		return errors.New("hfc: cycle: a step that cannot be")
	case !slices.Contains([]Ending{"", EndPlanned, EndSilent}, s.Ended):
		return errors.New("hfc: cycle: an ending that cannot be")
	}
	return nil
}
