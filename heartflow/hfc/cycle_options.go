package hfc

import (
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// CycleOptions of a [Cycle]. The zero value is HFC's.
type CycleOptions struct {
	Timeout    time.Duration // an ask expires after it; 0 means 100 s
	Wait       time.Duration // a no_reply waits so long for a message; 0 means 300 s
	Rest       time.Duration // after a cycle that did nothing; 0 means 1 s
	RestDone   time.Duration // after one that did something; 0 means 200 ms
	Replan     int           // so many messages during a thought may have it made anew; 0 means 3, negative: never
	ReplanP    float64       // the chance of that; 0 means .2
	EmojiP     float64       // the chance that a text_reply keeps its emoji_query; 0 means .3, negative: never
	GiveUp     int           // so many no_replies in a row end the focus; 0 means 3
	GiveUpWait time.Duration // if they waited so long in all; 0 means 594 s
}

func (o CycleOptions) validate() error {
	if o.Timeout < 0 || o.Wait < 0 || o.Rest < 0 || o.RestDone < 0 || o.GiveUp < 0 || o.GiveUpWait < 0 {
		return errors.New("hfc: a cycle option is negative")
	}
	if !(o.ReplanP >= 0 && o.ReplanP <= 1) || !(o.EmojiP <= 1) {
		return errors.New("hfc: a chance of the cycle is not one")
	}
	return nil
}

func (o CycleOptions) withDefaults() CycleOptions {
	return fill.Zero(o, CycleOptions{
		Timeout: 100 * time.Second, Wait: 300 * time.Second, Rest: time.Second, RestDone: 200 * time.Millisecond,
		Replan: 3, ReplanP: .2, EmojiP: .3, GiveUp: 3, GiveUpWait: 594 * time.Second,
	})
}
