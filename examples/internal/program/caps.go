package program

import (
	"errors"
	"flag"
	"fmt"

	"github.com/hearth-bot/hearth/heartflow"
)

// Caps are the flags for the rate limits of a chat. The zero value has the defaults of heartflow.
type Caps struct{ replies, perPerson, interjections int }

// Flags defines the flags.
func (c *Caps) Flags(f *flag.FlagSet) {
	f.IntVar(&c.replies, "max-replies", 0, "most `replies` to people who address it, in 5 minutes of a chat; 0: 30 in a private chat and 20 in a group")
	f.IntVar(&c.perPerson, "max-replies-per-person", 0, "most `replies` to one person in a minute, in a group; 0: 3")
	f.IntVar(&c.interjections, "max-interjections", 0, "most other `messages` in 5 minutes of a chat; 0: 6")
}

// Check validates the flags.
func (c *Caps) Check() error {
	var errs []error
	for _, f := range []struct {
		name string
		n    int
	}{{"max-replies", c.replies}, {"max-replies-per-person", c.perPerson}, {"max-interjections", c.interjections}} {
		if f.n < 0 || f.n > 1000 {
			errs = append(errs, fmt.Errorf("-%s %d must be from 0 to 1000", f.name, f.n))
		}
	}
	return errors.Join(errs...)
}

// Caps returns the caps for the options of heartflow.
func (c *Caps) Caps() heartflow.Caps {
	return heartflow.Caps{Replies: c.replies, RepliesPerPerson: c.perPerson, Interjections: c.interjections}
}
