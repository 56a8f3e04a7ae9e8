package delivery

import (
	"cmp"
	"context"
	"strings"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// stickerUsual is how often a reply is followed by a sticker that no plan asked for: MaiBot's chance.
const stickerUsual = .2

// Stickers implements [engine.Delivery].
func (d *Delivery) Stickers(ctx context.Context) bool {
	if d.engine.Options.Features.EncodeImage == nil || d.o.Stickers == nil {
		return false
	}
	any, err := d.o.Stickers.Available(ctx)
	if err != nil {
		d.engine.Log.Warn("the stickers could not be looked at", "err", err)
	}
	return any && err == nil
}

// Sticker implements [engine.Delivery].
func (d *Delivery) Sticker(ctx context.Context, feeling string) (image string) {
	encode, log := d.engine.Options.Features.EncodeImage, d.engine.Log
	if encode == nil || d.o.Stickers == nil || strings.TrimSpace(feeling) == "" {
		return ""
	}
	one, found, err := d.o.Stickers.Pick(ctx, feeling)
	if err != nil {
		log.Warn("a sticker could not be picked, or its use not be kept", "feeling", feeling, "err", err)
	}
	if !found {
		return ""
	}
	picture, err := d.o.Stickers.Picture(ctx, one.ID)
	if err == nil {
		image, err = encode(picture)
	}
	if err != nil {
		log.Warn("a sticker could not be shown", "sticker", one.ID, "err", err)
		return ""
	}
	return image
}

// adorn says the sticker behind the words, if there is to be one: a plan's, or by chance one for what was said.
func (d *Delivery) adorn(ctx context.Context, u *engine.Utterance) error {
	if u.Feeling == "" || !u.Planned && d.engine.Dice("sticker/"+u.Turn.ID).Float64() >= cmp.Or(d.o.StickerChance, stickerUsual) {
		return nil
	}
	image := d.Sticker(ctx, u.Feeling)
	if image == "" {
		return nil
	}
	return d.say(ctx, u, persona.Outgoing{Image: image})
}
