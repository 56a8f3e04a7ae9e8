package nit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Tool is a function that a model can call, with what it is told about it. [Define] and [DefineRaw]
// make one; it does not change afterwards. The zero Tool is refused by a [Registry].
type Tool struct{ d *definition }

// Name is the name that the tool is called by; empty for the zero Tool.
func (t Tool) Name() string {
	if t.d == nil {
		return ""
	}
	return t.d.name
}

// definition is a Tool's content, never changed once it was made.
type definition struct {
	name           string
	description    string
	in             map[string]string // descriptions by mode
	only           []string          // the modes of Only, nil without
	modes          []string          // that it is shown in
	tier           Tier
	readOnly       bool
	selfCommitting bool
	confirm        bool
	revokes        Tier
	integrity      Integrity
	openWorld      bool
	target         *Target
	timeout        time.Duration
	edits          []func(*jsonschema.Schema)
	errs           []error // of the options

	args   *arguments
	listed map[string]any // the schema as models get it

	// prepare decodes arguments that were found valid. What it returns runs the tool, once.
	prepare func(args []byte) (invocation, error)
}

// invocation is a call with its arguments decoded: it runs the tool.
type invocation func(ctx context.Context) (any, error)

// An Option says more about a tool.
type Option func(*definition)

// DescribeIn gives the tool another description in one mode, and so shows it there if the mode is the host's own.
func DescribeIn(mode, description string) Option {
	return func(d *definition) {
		d.checkMode(mode)
		d.checkDescription(description)
		if _, twice := d.in[mode]; twice {
			d.refuse("two descriptions for mode %q", mode)
		}
		if d.in == nil {
			d.in = make(map[string]string)
		}
		d.in[mode] = description
	}
}

// OnlyIn shows the tool in these modes and no other.
func OnlyIn(modes ...string) Option {
	return func(d *definition) {
		if len(modes) == 0 {
			d.refuse("Only without a mode")
		}
		for _, m := range modes {
			d.checkMode(m)
		}
		d.only = append(d.only, modes...)
	}
}

// ReadOnly says that the tool changes nothing: no guard is asked before it runs.
func ReadOnly() Option { return func(d *definition) { d.readOnly = true } }

// SelfCommitting says that the tool itself sees to it that its effect is written down first, as one
// that speaks through the mouth does: no guard is asked before it runs.
func SelfCommitting() Option { return func(d *definition) { d.selfCommitting = true } }

// RequireConfirmation says that a human confirms every call of the tool, whatever the policies say beyond that: see [Registry].Confirm.
func RequireConfirmation() Option { return func(d *definition) { d.confirm = true } }

// RevokesAfterUse says that what this tool gives may come from anybody and tell much: once it was called, the tools of these tiers
// that are not ReadOnly are gone for the rest of the view, its sub-views and the view that it is a sub-view of. Where there
// is a Confirm they stay, and a human is asked about every call of theirs. Tools that are ReadOnly stay, also those of the
// [OpenWorld]: a [Policy] decides about them.
func RevokesAfterUse(tiers Tier) Option {
	return func(d *definition) {
		if tiers&allTiers == 0 || tiers&^allTiers != 0 {
			d.refuse("Sheds names tiers")
		}
		d.revokes |= tiers
	}
}

// Timeout is how long one call may take: 0 means the registry's Limits, negative means no end.
func Timeout(limit time.Duration) Option { return func(d *definition) { d.timeout = limit } }

// EditSchema edits the inferred schema: enumerations, patterns, bounds, defaults that are told to the model.
// It is called more than once, each time with a fresh schema. A default is told, not applied.
func EditSchema(edit func(*jsonschema.Schema)) Option {
	return func(d *definition) { d.edits = append(d.edits, edit) }
}

func (d *definition) refuse(format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf(format, args...))
}

func (d *definition) checkMode(mode string) {
	if mode == "persona" {
		d.refuse(`the mode is ModePersona, not "persona"`)
	}
}

func (d *definition) checkDescription(s string) {
	if s == "" || len(s) > maxDescription || !utf8.ValidString(s) {
		d.refuse("a description is 1 to %d bytes of UTF-8", maxDescription)
	}
}

const (
	maxDescription = 8 << 10

	// unknownName stands in an answer where the name of a tool would be: no tool can have it.
	unknownName = "unknown"
)

// Every provider of models accepts these names.
var goodName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// newDefinition applies the options and checks all that does not depend on the arguments.
func newDefinition(name string, tier Tier, description string, opts []Option) (*definition, error) {
	d := &definition{name: name, description: description, tier: tier}
	if !goodName.MatchString(name) || name == unknownName {
		// not quoted: names come from foreign servers, too
		return nil, errors.New("nit: a tool's name is 1 to 64 letters, digits, _ and -, does not begin with a digit or -, and is not \"unknown\"")
	}
	if tier != L1 && tier != L2 && tier != L3 {
		d.refuse("the tier is L1, L2 or L3, not %v", tier)
	}
	d.checkDescription(description)
	for _, o := range opts {
		o(d)
	}
	if d.readOnly && d.selfCommitting {
		d.refuse("ReadOnly and Commits exclude each other")
	}
	for mode := range d.in {
		if d.only != nil && !slices.Contains(d.only, mode) {
			d.refuse("a description for mode %q, which Only leaves out", mode)
		}
	}
	if err := errors.Join(d.errs...); err != nil {
		return nil, fmt.Errorf("nit: tool %s: %w", name, err)
	}
	d.modes = modesOf(d)
	return d, nil
}
