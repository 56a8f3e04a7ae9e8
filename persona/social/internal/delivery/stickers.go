package delivery

import (
	"cmp"
	"context"
	"strings"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// defaultStickerChance is the probability of a sticker after a reply without a planned one. MaiBot has the same.
const defaultStickerChance = .2

// HasStickers implements [engine.Delivery].
func (d *Delivery) HasStickers(ctx context.Context) bool {
	if d.engine.Options.Features.EncodeImage == nil || d.o.Stickers == nil {
		return false
	}
	available, err := d.o.Stickers.Available(ctx)
	if err != nil {
		d.engine.Log.Warn("could not read the stickers", "err", err)
	}
	return available && err == nil
}

// PickSticker implements [engine.Delivery].
func (d *Delivery) PickSticker(ctx context.Context, feeling string) (image string) {
	encode, log := d.engine.Options.Features.EncodeImage, d.engine.Log
	if encode == nil || d.o.Stickers == nil || strings.TrimSpace(feeling) == "" {
		return ""
	}
	one, found, err := d.o.Stickers.Pick(ctx, feeling)
	if err != nil {
		log.Warn("could not pick a sticker or record its use", "feeling", feeling, "err", err)
	}
	if !found {
		return ""
	}
	picture, err := d.o.Stickers.Picture(ctx, one.ID)
	if err == nil {
		image, err = encode(picture)
	}
	if err != nil {
		log.Warn("could not load a sticker", "sticker", one.ID, "err", err)
		return ""
	}
	return image
}

// sendSticker sends a sticker for the feeling of a reply: always if a plan asked for it, else with the configured
// chance.
func (d *Delivery) sendSticker(ctx context.Context, u *engine.Utterance) error {
	if u.StickerQuery == "" || !u.StickerPlanned && d.engine.Rand("sticker/"+u.Turn.ID).Float64() >= cmp.Or(d.o.StickerChance, defaultStickerChance) {
		return nil
	}
	if d.permitted(u) == 0 { // the text used up what the platform permits
		return nil
	}
	image := d.PickSticker(ctx, u.StickerQuery)
	if image == "" {
		return nil
	}
	return d.sendPart(ctx, u, persona.Outgoing{Image: image})
}
