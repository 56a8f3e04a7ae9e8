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

// MarshalJSON encodes the cycle without its options.
func (c *Cycle) MarshalJSON() ([]byte, error) {
	dice, _ := c.dice.MarshalBinary() // never returns an error
	s := savedCycle{dice, c.s}
	s.Open = c.s.Open || c.retry
	return json.Marshal(s)
}

// UnmarshalJSON restores the output of MarshalJSON. The options stay. An open step is repeated at once with another
// id. Invalid data is an error and changes nothing.
func (c *Cycle) UnmarshalJSON(b []byte) error {
	var s savedCycle
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("hfc: cycle: %w", err)
	}
	if err := s.validate(); err != nil {
		return err
	}
	n := Cycle{o: c.o.withDefaults(), loc: c.loc, retry: s.Open, s: s.cycleState}
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
		return errors.New("hfc: cycle: invalid time")
	case min(s.Unseen, s.Missed, s.Replies, s.Silent, s.Asked.NewMessages) < 0 || len(s.Past) > maxRecords:
		return errors.New("hfc: cycle: invalid count")
	case !slices.Contains(kinds, s.Step) || s.Open && (s.Asked.Kind != s.Step || s.Quiet != 0 || s.Wake > s.Now || s.Ended != ""):
		return errors.New("hfc: cycle: invalid step")
	case !slices.Contains([]Ending{"", EndPlanned, EndSilent}, s.Ended):
		return errors.New("hfc: cycle: invalid ending")
	}
	return nil
}
