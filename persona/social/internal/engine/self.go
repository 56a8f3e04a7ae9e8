package engine

import (
	"sync"

	"github.com/hearth-bot/hearth/persona"
)

// selfAccounts are the bot's accounts, one for each platform. The zero value is ready.
type selfAccounts struct {
	mu   sync.Mutex
	last string
	ids  map[string]string // by platform
}

func (s *selfAccounts) store(a persona.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	s.last, s.ids[a.Platform] = a.ID, a.ID
}

// id returns the account of a platform. If it is unknown, it is the last one that connected.
func (s *selfAccounts) id(platform string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.ids[platform]; ok {
		return id
	}
	return s.last
}

// SelfIn returns the id of the bot's account in a chat; "" before the link is connected.
func (e *Engine) SelfIn(chat persona.Chat) string { return e.self.id(chat.Platform) }

// CanSend returns what can be sent to a chat.
func (f Features) CanSend(chat persona.Chat) persona.Sends {
	if f.SendsTo != nil {
		return f.SendsTo(chat)
	}
	return f.Sends
}
