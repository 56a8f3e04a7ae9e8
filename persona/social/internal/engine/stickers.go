package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
)

// stickerUsual is how often a reply is followed by a sticker that no plan asked for: MaiBot's chance.
const stickerUsual = .2

var errNoSticker = errors.New("social: there is no sticker like that")

// sticks reports that there are stickers that can be sent.
func (b *Engine) sticks(ctx context.Context) bool {
	s := b.Options.Speech
	if b.Options.Features.EncodeImage == nil || s == nil || s.Stickers == nil {
		return false
	}
	any, err := s.Stickers.Any(ctx)
	if err != nil {
		b.Log.Warn("the stickers could not be looked at", "err", err)
	}
	return any && err == nil
}

// possible are those of the actions that the being can do: emoji_reply needs stickers.
func (b *Engine) possible(ctx context.Context, actions ...hfc.Action) []hfc.Action {
	if !slices.Contains(actions, hfc.EmojiReply) || b.sticks(ctx) {
		return actions
	}
	return slices.DeleteFunc(slices.Clone(actions), func(a hfc.Action) bool { return a == hfc.EmojiReply })
}

// sticker picks one for a feeling, as the link takes it; "" for none. That is no reason to fail.
func (t *Turn) sticker(ctx context.Context, feeling string) (image string) {
	b := t.Engine
	if s := b.Options.Speech; b.Options.Features.EncodeImage == nil || s == nil || s.Stickers == nil || strings.TrimSpace(feeling) == "" {
		return ""
	}
	stickers := b.Options.Speech.Stickers
	one, found, err := stickers.Pick(ctx, feeling)
	if err != nil {
		b.Log.Warn("a sticker could not be picked, or its use not be kept", "feeling", feeling, "err", err)
	}
	if !found {
		return ""
	}
	picture, err := stickers.Picture(ctx, one.ID)
	if err == nil {
		image, err = b.Options.Features.EncodeImage(picture)
	}
	if err != nil {
		b.Log.Warn("a sticker could not be shown", "sticker", one.ID, "err", err)
		return ""
	}
	return image
}

// adorn says the sticker behind the words, if there is to be one: a plan's, or by chance one for what was said.
func (t *Turn) adorn(ctx context.Context, u *utterance, w Answer) error {
	s := t.Engine.Options.Speech
	if s == nil || w.Feeling == "" {
		return nil
	}
	chance := s.StickerChance
	if chance == 0 {
		chance = stickerUsual
	}
	if !w.Planned && t.Chance("sticker").Float64() >= chance {
		return nil
	}
	image := t.sticker(ctx, w.Feeling)
	if image == "" {
		return nil
	}
	return u.say(ctx, persona.Out{Image: image})
}
