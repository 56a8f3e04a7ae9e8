package recall

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/internal/described"
)

// Options of the tools.
type Options struct {
	// Space returns the space of the turn's chat, or false if there is none. Nil means [SpaceOf].
	Space func(nit.Principal) (memory.Space, bool)
	// ExtraModes lists modes of the host in which read_owner_memory and memory_ops work as in persona mode.
	ExtraModes []string
	// Redact masks each text outside agent mode, before the registry's redactor. Nil means no extra masking.
	Redact memory.RedactFunc
	// IncludeSecretChats lets read_social_memory also read the secret spaces of chats: hidden messages, and messages of banned
	// people that persona/social keeps.
	IncludeSecretChats bool
	// OnRead is called in owner turns with the joined label and the ids of the memories, before the model reads them. The
	// host can then restrict the turn, for instance with nit.View.Revoke, and read_social_memory revokes nothing. Nil:
	// read_social_memory revokes tier L3.
	OnRead func(ctx context.Context, l memory.Label, ids []string)
	// Placeholder returns a text that replaces a found memory with this label, or "" to show it. The model can open the
	// memory by its id. Nil shows all.
	Placeholder func(ctx context.Context, r memory.Record) string
	// WriteLabel returns the label of the records that memory_edit writes. Nil means trusted, from the owner's conversation.
	WriteLabel func(ctx context.Context) memory.Label
	Location   *time.Location // for displayed and parsed times; nil means time.Local
}

// toolkit implements the tools.
type toolkit struct {
	m *memory.Memory
	o Options
}

// Tools returns the four tools. It fails if m is nil or a mode is invalid.
func Tools(m *memory.Memory, o Options) ([]nit.Tool, error) {
	if m == nil {
		return nil, errors.New("recall: the memory is nil")
	}
	k := &toolkit{m: m, o: o}
	if k.o.Space == nil {
		k.o.Space = SpaceOf
	}
	k.o.Location = cmp.Or(k.o.Location, time.Local)
	return described.Tools(k.readOwner, k.readSocial, k.ops, k.edit)
}

// describedForModes adds the description for persona mode, also for the modes of the host.
func (k *toolkit) describedForModes(persona string, opts ...nit.Option) []nit.Option {
	opts = append(opts, nit.DescribeIn(nit.ModePersona, persona))
	for _, mode := range k.o.ExtraModes {
		opts = append(opts, nit.DescribeIn(mode, persona))
	}
	return opts
}

// now returns the time in the configured location.
func (k *toolkit) now() time.Time { return time.Now().In(k.o.Location) }

const (
	defaultHits = 5
	maxHits     = 20
	maxQuery    = 500 // characters
	maxFilter   = 300
	maxMoment   = 40
	maxOpened   = 5
)

// setBounds sets the limits of the common search parameters.
func setBounds(s *jsonschema.Schema) {
	least, most := 1.0, float64(maxHits)
	if p := s.Properties["limit"]; p != nil {
		p.Minimum, p.Maximum, p.Default = &least, &most, []byte("5")
	}
	for name, n := range map[string]int{"query": maxQuery, "filter": maxFilter, "since": maxMoment, "until": maxMoment} {
		if p := s.Properties[name]; p != nil {
			p.MaxLength = &n
		}
	}
}
