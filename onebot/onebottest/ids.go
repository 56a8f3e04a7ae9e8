package onebottest

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
)

// ids generates message ids that look like hashes, as the implementations' ids do, so that no bot relies on their
// order. The ids are distinct, also modulo 2³².
type ids struct {
	kind IDRange
	seed uint32
	n    uint32
}

func newIDs(kind IDRange, seed uint64) ids {
	return ids{kind: kind, seed: uint32(seed^seed>>32)*0x9e3779b1 + 0x7f4a7c15}
}

// next scrambles a counter by bijective steps, so that no id repeats.
func (d *ids) next() int64 {
	for {
		d.n++
		id := d.scramble(d.n)
		if id == 0 {
			continue // implementations never use 0; clients take it for "none"
		}
		switch d.kind {
		case IDsInt32, IDsSHA1:
			return int64(int32(id))
		case IDsInt64:
			return int64(id*0x85ebca6b>>1)<<32 | int64(id)
		}
		return int64(id)
	}
}

func (d *ids) scramble(x uint32) uint32 {
	mask := uint32(1<<32 - 1)
	if d.kind == IDsHash31 {
		mask = 1<<31 - 1
	}
	x = (x + d.seed) & mask
	x = x * 0x2c1b3c6d & mask
	x ^= x >> 15
	x = x * 0x297a2d39 & mask
	x ^= x >> 13
	return x
}

// identify gives a message its id.
func (s *Server) identify(m *message) {
	if s.opts.Quirks.IDs != IDsSHA1 {
		m.MessageID = s.ids.next()
		s.messages[uint32(m.MessageID)] = m
		return
	}
	m.MessageID = s.hashID(m, m.Chat.ID)
	s.messages[uint32(m.MessageID)] = m
	if m.Chat.Kind == "private" && m.UserID == s.opts.SelfID { // events are hashed with their sender
		m.echoID = s.hashID(m, m.UserID)
		s.messages[uint32(m.echoID)] = m
	}
}

// hashID hashes the message's number in its chat. In QQ the numbers of two chats are far apart.
func (s *Server) hashID(m *message, session int64) int64 {
	number := m.Chat.ID<<20 + int64(m.seq)
	sum := sha1.Sum(fmt.Appendf(nil, "%d:%d:%s_message:%d", number, session, m.Chat.Kind, s.opts.Seed))
	id := binary.BigEndian.Uint32(sum[:])
	for id == 0 || s.messages[id] != nil { // another id, so that all are distinct
		id++
	}
	return int64(int32(id))
}
