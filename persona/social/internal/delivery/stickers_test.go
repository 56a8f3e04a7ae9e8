package delivery

import (
	"context"
	"errors"
	"testing"

	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A gallery has one sticker for each feeling. Its picture is the feeling.
type gallery []string

func (g gallery) Stickers(context.Context) (all []speech.Sticker, _ error) {
	for _, tag := range g {
		all = append(all, speech.Sticker{ID: tag, Tags: []string{tag}})
	}
	return all, nil
}

func (g gallery) Picture(_ context.Context, id string) ([]byte, error) {
	if id == "坏" {
		return nil, errors.New("unreadable")
	}
	return []byte("[" + id + "]"), nil
}

func stuck(chance float64, feelings ...string) Options {
	stickers, _ := speech.NewStickerPicker(gallery(feelings), speech.StickerOptions{})
	return Options{Speech: Speech{Stickers: stickers, StickerChance: chance}}
}

func TestDelivery_StickerAfterText(t *testing.T) {
	for name, c := range map[string]struct {
		o       Options
		feeling string
		planned bool
		want    []string
	}{
		"by chance":         {stuck(1, "开心"), "开心", false, []string{"早", "[开心]"}},
		"never":             {stuck(-1, "开心"), "开心", false, []string{"早"}},
		"planned":           {stuck(-1, "开心"), "开心", true, []string{"早", "[开心]"}},
		"not wanted":        {stuck(1, "开心"), "", true, []string{"早"}},
		"none is close":     {stuck(1, "开心"), "吃饭", true, []string{"早"}},
		"there are none":    {stuck(1), "开心", true, []string{"早"}},
		"it cannot be read": {stuck(1, "坏"), "坏", true, []string{"早"}},
		"no gallery":        {Options{}, "开心", true, []string{"早"}},
	} {
		p := &platform{}
		withDelivery(t, p, c.o, func(t *testing.T, d *Delivery) {
			w := text("早")
			w.StickerQuery, w.StickerPlanned = c.feeling, c.planned
			_, err := d.answer(t, w)
			require.NoError(t, err)
			assert.Equal(t, c.want, p.texts(), name)
		})
	}
}

func TestDelivery_StickerAlone(t *testing.T) {
	p := &platform{}
	withDelivery(t, p, stuck(1, "开心"), func(t *testing.T, d *Delivery) {
		require.True(t, d.HasStickers(t.Context()))
		w := engine.Answer{}
		w.Image = d.PickSticker(t.Context(), "开心")
		said, err := d.answer(t, w)
		require.NoError(t, err)
		assert.Equal(t, 1, said)
		assert.Equal(t, []string{"[开心]"}, p.texts())

		d.engine.Options.Features.EncodeImage = nil
		assert.False(t, d.HasStickers(t.Context()))
		assert.Empty(t, d.PickSticker(t.Context(), "开心"))
	})
}
