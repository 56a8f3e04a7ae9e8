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
	// Space says in which space the chat of a turn is kept. Nil: [SpaceOf]. Not ok: there is none.
	Space func(nit.Principal) (memory.Space, bool)
	// ExtraModes are further modes of the host that have read_owner_memory and memory_ops, as persona mode has them.
	ExtraModes []string
	// Redact masks what the owner's memories say, text by text, wherever the agent's mode does not read them; the registry's own redactor
	// follows. Nil: there is only that.
	Redact memory.RedactFunc
	// IncludeSecretChats lets read_social_memory read the secret spaces of chats, too: what was hidden there, and what persona/social
	// keeps of messages that are banned.
	IncludeSecretChats bool
	// OnRead is told the label of what a call of the owner's found, and the ids, before the model reads it; with it the host decides what a
	// turn may still do, for instance by nit.View.Shed, and read_social_memory sheds nothing by itself. Nil: nobody is told, and
	// read_social_memory sheds tier L3.
	OnRead func(ctx context.Context, l memory.Label, ids []string)
	// Placeholder gives what stands in the place of a memory of the owner's that a search has found and that the turn is not to
	// read unasked: by its id the model can open it. Nil, or "", shows it.
	Placeholder func(ctx context.Context, l memory.Label) string
	// WriteLabel is the label of what memory_edit writes. Nil: it is trusted and came from the owner's talk.
	WriteLabel func(ctx context.Context) memory.Label
	Location   *time.Location // of times that are shown and written; nil means time.Local
}

// A kit is what the tools are made of.
type kit struct {
	m *memory.Memory
	o Options
}

// Tools makes the tools.
func Tools(m *memory.Memory, o Options) ([]nit.Tool, error) {
	if m == nil {
		return nil, errors.New("recall: tools need a memory")
	}
	k := &kit{m: m, o: o}
	if k.o.Space == nil {
		k.o.Space = SpaceOf
	}
	k.o.Location = cmp.Or(k.o.Location, time.Local)
	return described.Tools(k.readOwner, k.readSocial, k.ops, k.edit)
}

// in shows a tool in the host's own modes with the description of persona mode.
func (k *kit) in(persona string, opts ...nit.Option) []nit.Option {
	opts = append(opts, nit.DescribeIn(nit.ModePersona, persona))
	for _, mode := range k.o.ExtraModes {
		opts = append(opts, nit.DescribeIn(mode, persona))
	}
	return opts
}

// now is the time of a call, in the zone that people mean.
func (k *kit) now() time.Time { return time.Now().In(k.o.Location) }

const (
	usualHits = 5
	maxHits   = 20
	maxQuery  = 500 // characters
	maxFilter = 300
	maxMoment = 40
	maxOpened = 5
)

// bounds sets what every tool that searches has.
func bounds(s *jsonschema.Schema) {
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
