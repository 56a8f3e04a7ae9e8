package hfc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

type savedCycle struct {
	Dice []byte
	cycleState
}

// MarshalJSON keeps all of the cycle but its options.
func (c *Cycle) MarshalJSON() ([]byte, error) {
	dice, _ := c.dice.MarshalBinary() // has no error to give
	s := savedCycle{dice, c.s}
	s.Open = c.s.Open || c.anew
	return json.Marshal(s)
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
	n := Cycle{o: c.o.withDefaults(), loc: c.loc, anew: s.Open, s: s.cycleState}
	n.s.Open = false
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
	kinds := []StepKind{Think, MakePlan, Act}
	switch {
	case min(s.Now, s.Began) <= 0 || s.Began > s.Now || min(s.Wake, s.Quiet) < 0 || s.Waited < 0:
		return errors.New("hfc: cycle: a time that cannot be")
	case min(s.Unseen, s.Missed, s.Replies, s.Silent, s.Asked.NewMessages) < 0 || len(s.Past) > recordsKept:
		return errors.New("hfc: cycle: a count that cannot be")
	case !slices.Contains(kinds, s.Step) || s.Open && (s.Asked.Kind != s.Step || s.Quiet != 0 || s.Wake > s.Now || s.Ended != ""):
		return errors.New("hfc: cycle: a step that cannot be")
	case !slices.Contains([]Ending{"", EndPlanned, EndSilent}, s.Ended):
		return errors.New("hfc: cycle: an ending that cannot be")
	}
	return nil
}
