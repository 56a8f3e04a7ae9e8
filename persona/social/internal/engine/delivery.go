package engine

import (
	"context"

	"github.com/hearth-bot/hearth/persona/social/internal/stream"
)

// oneMessage is the Delivery that sends a reply as one message, as soon as it may.
type oneMessage struct{}

func (oneMessage) Deliver(ctx context.Context, u *Utterance, _ int) error {
	u.Text = u.Turn.Engine.PlainText(u.Text)
	u.FullText = u.Content()
	_, err := u.Send(ctx, u.Outgoing)
	return err
}

func (oneMessage) IsSilent(w Answer) bool { return w.IsEmpty() }

func (oneMessage) PickSticker(context.Context, string) string { return "" }

func (oneMessage) HasStickers(context.Context) bool { return false }

func (oneMessage) Stream(context.Context, *Utterance) *stream.Outlet { return nil }
