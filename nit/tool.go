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

// A Tool is a function that a model can call, with its description and schema. [Define] and [DefineRaw] make one. It is
// immutable. A [Registry] rejects the zero Tool.
type Tool struct{ d *definition }

// Name returns the name of the tool; empty for the zero Tool.
func (t Tool) Name() string {
	if t.d == nil {
		return ""
	}
	return t.d.name
}

// definition is the immutable content of a Tool.
type definition struct {
	name           string
	description    string
	in             map[string]string // descriptions by mode
	only           []string          // modes of OnlyIn; nil without
	modes          []string          // modes in which it is shown
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
	errs           []error // errors of options

	*parameters // nil until the tool is complete

	// prepare decodes validated arguments. The result runs the tool once.
	prepare func(args []byte) (invocation, error)
}

// invocation runs a tool with decoded arguments.
type invocation func(ctx context.Context) (any, error)

// An Option configures a tool.
type Option func(*definition)

// DescribeIn sets another description for one mode. It also shows the tool in that mode, for modes of the host.
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

// OnlyIn shows the tool in these modes only.
func OnlyIn(modes ...string) Option {
	return func(d *definition) {
		if len(modes) == 0 {
			d.refuse("OnlyIn needs a mode")
		}
		for _, m := range modes {
			d.checkMode(m)
		}
		d.only = append(d.only, modes...)
	}
}

// ReadOnly declares that the tool changes nothing. Guards are not called for it.
func ReadOnly() Option { return func(d *definition) { d.readOnly = true } }

// SelfCommitting declares that the tool commits its effect durably before it acts, as sending through the outbox does. Guards
// are not called for it.
func SelfCommitting() Option { return func(d *definition) { d.selfCommitting = true } }

// RequireConfirmation requires the confirmation of a human for every call, in addition to the policies. See [Registry].Confirm.
func RequireConfirmation() Option { return func(d *definition) { d.confirm = true } }

// RevokesAfterUse marks a tool whose results may contain untrusted text. After its first call, the tools of these tiers are
// revoked in the view and in all views that share its state. Read-only tools stay, also those of the [OpenWorld]; a
// [Policy] decides about them. If the registry has a Confirm, the revoked tools stay listed and each of their calls
// needs confirmation.
func RevokesAfterUse(tiers Tier) Option {
	return func(d *definition) {
		if tiers&allTiers == 0 || tiers&^allTiers != 0 {
			d.refuse("RevokesAfterUse needs valid tiers")
		}
		d.revokes |= tiers
	}
}

// Timeout limits the time of one call: 0 means Registry.Limits, negative means no limit.
func Timeout(limit time.Duration) Option { return func(d *definition) { d.timeout = limit } }

// EditSchema edits the inferred schema: enumerations, patterns, bounds, defaults. edit is called more than once, each time
// with a new schema. The model sees a default, but nit does not fill it in.
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
		d.refuse("a description needs 1 to %d bytes of UTF-8", maxDescription)
	}
}

const (
	maxDescription = 8 << 10

	// unknownName is the tool name in responses to unknown calls. No tool can have it.
	unknownName = "unknown"
)

// All model providers accept these names.
var goodName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// newDefinition applies the options and validates everything but the arguments.
func newDefinition(name string, tier Tier, description string, opts []Option) (*definition, error) {
	d := &definition{name: name, description: description, tier: tier}
	if !goodName.MatchString(name) || name == unknownName {
		// not quoted: a remote server may have chosen the name
		return nil, errors.New("nit: a tool name has 1 to 64 letters, digits, _ and -, does not begin with a digit or -, and is not \"unknown\"")
	}
	if tier != L1 && tier != L2 && tier != L3 {
		d.refuse("the tier is L1, L2 or L3, not %v", tier)
	}
	d.checkDescription(description)
	for _, o := range opts {
		o(d)
	}
	if d.readOnly && d.selfCommitting {
		d.refuse("ReadOnly and SelfCommitting exclude each other")
	}
	for mode := range d.in {
		if d.only != nil && !slices.Contains(d.only, mode) {
			d.refuse("a description for mode %q, which OnlyIn excludes", mode)
		}
	}
	if err := errors.Join(d.errs...); err != nil {
		return nil, fmt.Errorf("nit: tool %s: %w", name, err)
	}
	d.modes = modesOf(d)
	return d, nil
}
