package hfc

import (
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// CycleOptions configure a [Cycle]. The zero value has the constants of HFC.
type CycleOptions struct {
	StepTimeout      time.Duration // a step expires after it; 0 means 100 s
	SilenceWait      time.Duration // maximum wait for a message after a no_reply; 0 means 300 s
	RestAfterNothing time.Duration // rest after a cycle without an action; 0 means 1 s
	RestAfterAction  time.Duration // rest after a cycle with an action; 0 means 200 ms
	ReplanAfter      int           // messages during a thought that may repeat it; 0 means 3, negative means never
	ReplanChance     float64       // chance of such a repetition; 0 means .2
	StickerChance    float64       // chance that a text_reply keeps its emoji_query; 0 means .3, negative means never
	GiveUpAfter      int           // no_replies in a row that end the focus; 0 means 3
	GiveUpWait       time.Duration // minimum total wait of these no_replies; 0 means 594 s
}

func (o CycleOptions) validate() error {
	if o.StepTimeout < 0 || o.SilenceWait < 0 || o.RestAfterNothing < 0 || o.RestAfterAction < 0 || o.GiveUpAfter < 0 || o.GiveUpWait < 0 {
		return errors.New("hfc: CycleOptions: durations and GiveUpAfter must not be negative")
	}
	if !(o.ReplanChance >= 0 && o.ReplanChance <= 1) || !(o.StickerChance <= 1) {
		return errors.New("hfc: CycleOptions: ReplanChance must be from 0 to 1, and StickerChance at most 1")
	}
	return nil
}

func (o CycleOptions) withDefaults() CycleOptions {
	return fill.Zero(o, CycleOptions{
		StepTimeout: 100 * time.Second, SilenceWait: 300 * time.Second, RestAfterNothing: time.Second, RestAfterAction: 200 * time.Millisecond,
		ReplanAfter: 3, ReplanChance: .2, StickerChance: .3, GiveUpAfter: 3, GiveUpWait: 594 * time.Second,
	})
}
