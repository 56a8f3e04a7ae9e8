package onebottest

import (
	"slices"
	"time"
)

// Essences returns the ids of the group's essence messages (精华消息), oldest first.
func (g *Group) Essences() (messageIDs []int64) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	for _, e := range g.essences {
		messageIDs = append(messageIDs, e.m.MessageID)
	}
	return messageIDs
}

type essenceMessage struct {
	m        *message
	operator int64
	at       time.Time
}

func (g *Group) setEssence(m *message, operator int64, add bool) {
	g.essences = slices.DeleteFunc(g.essences, func(e essenceMessage) bool { return e.m == m })
	if add {
		g.essences = append(g.essences, essenceMessage{m, operator, time.Now()})
	}
	g.s.changed()
}

func (g *Group) listEssences(params) (any, error) {
	s := g.s
	list := []object{}
	for _, e := range slices.Backward(g.essences) {
		list = append(list, object{
			"message_id": e.m.wireID(), "msg_seq": e.m.seq, "msg_random": 0,
			"sender_id": e.m.UserID, "sender_nick": s.user(e.m.UserID, "").nickname, "sender_time": e.m.At.Unix(),
			"operator_id": e.operator, "operator_nick": s.user(e.operator, "").nickname, "operator_time": e.at.Unix(),
			"content": e.m.Message,
		})
	}
	return list, nil
}
