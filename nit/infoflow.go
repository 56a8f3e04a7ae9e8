package nit

import (
	"fmt"
	"slices"
)

// An Integrity declares whether strangers can influence the results of a tool.
type Integrity uint8

const (
	Undeclared Integrity = iota // a policy decides, for instance by tier or plugin
	Trusted                     // only the owner or this program influences them
	Untrusted                   // others influence them: chat messages, nicknames, web pages
)

// String gives "undeclared", "trusted" or "untrusted".
func (i Integrity) String() string {
	if i > Untrusted {
		i = Undeclared
	}
	return [...]string{"undeclared", "trusted", "untrusted"}[i]
}

// ResultIntegrity declares the integrity of the tool's results and error texts. The last one wins. It has no effect without a
// [Policy] that reads it. Compare [RevokesAfterUse].
func ResultIntegrity(i Integrity) Option {
	return func(d *definition) {
		if i > Untrusted {
			d.refuse("invalid integrity %d", i)
		}
		d.integrity = i
	}
}

// OpenWorld declares that the arguments leave the machine: the tool fetches, searches or calls a remote server. The name
// is from MCP's openWorldHint. It has no effect without a [Policy] that reads it. See [ToolInfo.ArgumentsFoundIn].
func OpenWorld() Option { return func(d *definition) { d.openWorld = true } }

// A Target declares the target of a tool's action.
type Target struct {
	CommandWords []string // words people use to request the action: 踢, kick
	Args         []string // arguments that identify the person, chat or message
}

// ActsOn declares the target of the tool's action. args are the arguments that identify the target by id or by name.
// words are the words people use to request the action, in all languages they may use. The tool must resolve a name to
// one target or fail. ActsOn has no effect without a [Policy] that reads it. See [ToolInfo.RequestedIn].
func ActsOn(words []string, args ...string) Option {
	return func(d *definition) {
		if d.target != nil {
			d.refuse("ActsOn is given twice")
		}
		if len(words) == 0 || len(args) == 0 || slices.ContainsFunc(words, func(w string) bool { return normalize(w) == "" }) {
			d.refuse("ActsOn needs words and arguments")
		}
		d.target = &Target{slices.Clone(words), slices.Clone(args)}
	}
}

// checkTarget rejects target arguments that the schema lacks.
func (d *definition) checkTarget() error {
	if d.target == nil {
		return nil
	}
	for _, name := range d.target.Args {
		if !d.args.has(name) {
			return fmt.Errorf("ActsOn: the schema has no argument %q", name)
		}
	}
	return nil
}
