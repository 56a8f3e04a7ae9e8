package hfc

import (
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// CycleOptions of a [Cycle]. The zero value is HFC's.
type CycleOptions struct {
	StepTimeout      time.Duration // an ask expires after it; 0 means 100 s
	SilenceWait      time.Duration // a no_reply waits so long for a message; 0 means 300 s
	RestAfterNothing time.Duration // after a cycle that did nothing; 0 means 1 s
	RestAfterAction  time.Duration // after one that did something; 0 means 200 ms
	ReplanAfter      int           // so many messages during a thought may have it made anew; 0 means 3, negative: never
	ReplanChance     float64       // the chance of that; 0 means .2
	StickerChance    float64       // the chance that a text_reply keeps its emoji_query; 0 means .3, negative: never
	GiveUpAfter      int           // so many no_replies in a row end the focus; 0 means 3
	GiveUpWait       time.Duration // if they waited so long in all; 0 means 594 s
}

func (o CycleOptions) validate() error {
	if o.StepTimeout < 0 || o.SilenceWait < 0 || o.RestAfterNothing < 0 || o.RestAfterAction < 0 || o.GiveUpAfter < 0 || o.GiveUpWait < 0 {
		return errors.New("hfc: a cycle option is negative")
	}
	if !(o.ReplanChance >= 0 && o.ReplanChance <= 1) || !(o.StickerChance <= 1) {
		return errors.New("hfc: a chance of the cycle is not one")
	}
	return nil
}

func (o CycleOptions) withDefaults() CycleOptions {
	return fill.Zero(o, CycleOptions{
		StepTimeout: 100 * time.Second, SilenceWait: 300 * time.Second, RestAfterNothing: time.Second, RestAfterAction: 200 * time.Millisecond,
		ReplanAfter: 3, ReplanChance: .2, StickerChance: .3, GiveUpAfter: 3, GiveUpWait: 594 * time.Second,
	})
}
