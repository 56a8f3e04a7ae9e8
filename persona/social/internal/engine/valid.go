package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// checkEvent returns an error if an event lacks what the engine needs, and the event's chat. An invalid chat would make the
// stored state of all chats unreadable.
func checkEvent(ev persona.Event) (chat persona.Chat, err error) {
	switch ev := ev.(type) {
	case persona.Message:
		chat = ev.Chat
		switch {
		case ev.ID == "":
			err = errors.New("no ID")
		case ev.At.IsZero():
			err = errors.New("no time At")
		}
	case persona.Retracted:
		if chat = ev.Chat; ev.MessageID == "" {
			err = errors.New("no MessageID")
		}
	case persona.BotMuted:
		chat = ev.Chat
	case persona.BotLeft:
		chat = ev.Chat
	case persona.BotJoined:
		chat = ev.Chat
	case persona.MessagesLost:
		chat = ev.Chat
	case persona.Poked:
		chat, err = ev.Chat, needs("From", ev.From, ev.At)
	case persona.Reacted:
		chat, err = ev.Chat, needs("MessageID", ev.MessageID, ev.At)
	case persona.Edited:
		chat, err = ev.Chat, needs("MessageID", ev.MessageID, ev.At)
	case persona.MemberJoined:
		chat, err = ev.Chat, needs("ID", ev.ID, ev.At)
	case persona.MemberLeft:
		chat, err = ev.Chat, needs("ID", ev.ID, ev.At)
	case persona.MemberChanged:
		chat, err = ev.Chat, needs("ID", ev.ID, ev.At)
	case persona.Request:
		if ev.ID == "" {
			err = errors.New("no ID")
		}
		return chat, err
	default:
		return chat, nil
	}
	if text, invalid := chat.MarshalText(); err == nil && invalid != nil {
		err = invalid
	} else if err == nil && len(text) == 0 {
		err = errors.New("no Chat")
	}
	return chat, err
}

// needs returns an error for an empty id or a zero time.
func needs(name, id string, at time.Time) error {
	switch {
	case id == "":
		return errors.New("no " + name)
	case at.IsZero():
		return errors.New("no time At")
	}
	return nil
}

// invalidEvents counts the invalid events of the link, and logs the first of each type and problem.
type invalidEvents struct {
	count atomic.Int64
	mu    sync.Mutex
	told  map[string]bool
}

// reject reports whether an event is invalid.
func (i *invalidEvents) reject(log *slog.Logger, ev persona.Event) bool {
	chat, err := checkEvent(ev)
	if err == nil {
		return false
	}
	i.count.Add(1)
	problem := fmt.Sprintf("%T: %v", ev, err)
	i.mu.Lock()
	told := i.told[problem]
	if !told {
		if i.told == nil {
			i.told = map[string]bool{}
		}
		i.told[problem] = true
	}
	i.mu.Unlock()
	if !told {
		log.Error("the link delivered an invalid event, which is dropped; later ones with the same problem are only counted", "type", fmt.Sprintf("%T", ev), "chat", chat.String(), "err", err)
	}
	return true
}
