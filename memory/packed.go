package memory

import (
	"encoding/binary"
	"fmt"
	"time"
)

// A packedRecord is the JSON form of a Record.
type packedRecord struct {
	ID         string    `json:"id"`
	Space      Space     `json:"space"`
	Kind       string    `json:"kind,omitzero"`
	Text       string    `json:"text,omitzero"`
	Person     string    `json:"person,omitzero"`
	Name       string    `json:"name,omitzero"`
	ReplyTo    string    `json:"reply_to,omitzero"`
	Own        bool      `json:"own,omitzero"`
	Tags       []string  `json:"tags,omitzero"`
	Importance float64   `json:"importance,omitzero"`
	At         time.Time `json:"at,omitzero"`
	Sources    []string  `json:"sources,omitzero"`
	Label      Label     `json:"label,omitzero"`
	Vector     []byte    `json:"vector,omitzero"` // float32, little endian
	Embedder   string    `json:"embedder,omitzero"`
	Seq        uint64    `json:"seq,omitzero"` // only in exports
}

func pack(r *Record) packedRecord {
	vector, _ := binary.Append(nil, binary.LittleEndian, r.Vector) // cannot fail for floats
	return packedRecord{r.ID, r.Space, r.Kind, r.Text, r.Person, r.Name, r.ReplyTo, r.Own, r.Tags, r.Importance, r.At.UTC(), r.Sources, r.Label, vector, r.Embedder, 0}
}

func (p *packedRecord) unpack() (Record, error) {
	r := Record{ID: p.ID, Space: p.Space, Kind: p.Kind, Text: p.Text, Person: p.Person, Name: p.Name, ReplyTo: p.ReplyTo, Own: p.Own, Tags: p.Tags,
		Importance: p.Importance, At: p.At, Sources: p.Sources, Label: p.Label, Embedder: p.Embedder}
	if len(p.Vector)%4 != 0 {
		return r, fmt.Errorf("memory: vector of record %q: %w", p.ID, ErrVector)
	}
	if len(p.Vector) > 0 {
		r.Vector = make([]float32, len(p.Vector)/4)
		binary.Decode(p.Vector, binary.LittleEndian, r.Vector)
	}
	return r, nil
}
