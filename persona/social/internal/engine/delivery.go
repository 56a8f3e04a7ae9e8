package engine

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
)

// A Delivery is how a reply leaves the bot: as one message, or as several. Its methods may be called concurrently, for
// different utterances.
type Delivery interface {
	// Stream begins to say a reply while the model writes it; nil: it is said when it is written.
	Stream(ctx context.Context, u *Utterance) *stream.Outlet
	// Silent reports that an answer says nothing.
	Silent(w Answer) bool
	// Say says the Answer of u. The first taken items of its text went through the Outlet of Stream.
	Say(ctx context.Context, u *Utterance, taken int) error
	// Stickers reports that there are stickers that can be sent.
	Stickers(ctx context.Context) bool
	// Sticker picks one for a feeling, as the link takes it; "" for none. That is no reason to fail.
	Sticker(ctx context.Context, feeling string) (image string)
}

// An Utterance is what a turn says in a chat. Its messages count as one.
type Utterance struct {
	Turn   *Turn
	Chat   persona.Chat
	Answer           // all but Text and Image goes with the first message
	Whole  string    // all that it says, as far as that is known when it begins
	Said   int       // messages that have left: where there are some, an error means that the rest was not said
	Last   time.Time // when the last of them had left
	After  func()    // called after each attempt to send, before anything else can be sent to the chat; nil does nothing
}

// Speak says a reply, and gives how many messages of it have left.
func (t *Turn) Speak(ctx context.Context, chat persona.Chat, out persona.Out) (said int, err error) {
	u := &Utterance{Turn: t, Chat: chat, Answer: Answer{Out: out}}
	err = t.Engine.Delivery.Say(ctx, u, 0)
	return u.Said, err
}

// oneMessage is the Delivery of a reply as one message, which leaves as soon as it may.
type oneMessage struct{}

func (oneMessage) Stream(context.Context, *Utterance) *stream.Outlet { return nil }

func (oneMessage) Silent(w Answer) bool { return w.Text == "" && w.Image == "" }

func (oneMessage) Say(ctx context.Context, u *Utterance, _ int) error {
	u.Whole = u.Text
	_, err := u.Send(ctx, u.Out)
	return err
}

func (oneMessage) Stickers(context.Context) bool { return false }

func (oneMessage) Sticker(context.Context, string) string { return "" }
