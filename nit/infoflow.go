package nit

import (
	"fmt"
	"slices"
)

// An Integrity says whether what a tool gives is only the owner's, or may come from others.
type Integrity uint8

const (
	Undeclared Integrity = iota // the tool does not say: a policy decides, by its tier or by who brought it
	Trusted                     // only the owner, or this program, had a hand in it
	Untrusted                   // others may have had a hand in it: their messages and names, pages of the web
)

// String gives "undeclared", "trusted" or "untrusted".
func (i Integrity) String() string {
	if i > Untrusted {
		i = Undeclared
	}
	return [...]string{"undeclared", "trusted", "untrusted"}[i]
}

// ResultIntegrity says who may have had a hand in what the tool gives, what it tells of a failure included. Of several the last counts.
// It changes nothing by itself: a [Policy] reads it. Compare [RevokesAfterUse].
func ResultIntegrity(i Integrity) Option {
	return func(d *definition) {
		if i > Untrusted {
			d.refuse("there is no integrity %d", i)
		}
		d.integrity = i
	}
}

// OpenWorld says that the tool's arguments leave the machine: it fetches, searches, or calls a server elsewhere. The term is
// that of MCP's openWorldHint. It changes nothing by itself: a [Policy] reads it, and may ask [ToolInfo.ArgumentsFoundIn].
func OpenWorld() Option { return func(d *definition) { d.openWorld = true } }

// A Target says on whom or what a tool acts.
type Target struct {
	CommandWords []string // with which people order the act: 踢, kick
	Args         []string // the arguments that say the person, the chat, the message
}

// ActsOn says on whom or what the tool acts: args are those of its arguments that say the target, by id or by name, and words are
// those with which people order the act, in every language that they may use. It changes nothing by itself: a [Policy] reads it,
// and may ask [ToolInfo.RequestedIn]. A name is to be looked up inside the tool, and to mean one target or none.
func ActsOn(words []string, args ...string) Option {
	return func(d *definition) {
		if d.target != nil {
			d.refuse("ActsOn is given twice")
		}
		if len(words) == 0 || len(args) == 0 || slices.ContainsFunc(words, func(w string) bool { return normalize(w) == "" }) {
			d.refuse("ActsOn names words and arguments")
		}
		d.target = &Target{slices.Clone(words), slices.Clone(args)}
	}
}

// checkTarget finds an argument of ActsOn that the schema does not have.
func (d *definition) checkTarget() error {
	if d.target == nil {
		return nil
	}
	for _, name := range d.target.Args {
		if d.args.schema.Properties[name] == nil {
			return fmt.Errorf("ActsOn names %q, which is no argument", name)
		}
	}
	return nil
}
