package engine

import (
	"context"
)

// NotifyOwner sends the owner a notice about the bot. Pass quoted text through [QuoteLine].
func (e *Engine) NotifyOwner(ctx context.Context, text string) {
	text = StripInvisible(text)
	e.Log.Warn("notice to the owner", "text", text)
	if e.Options.Notify == nil {
		return
	}
	if err := e.Options.Notify(ctx, text); err != nil {
		e.Log.Error("the owner was not notified", "text", text, "err", err)
	}
}
