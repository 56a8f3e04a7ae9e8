package buffer

import (
	"cmp"
	"log/slog"
	"math"
	"time"
)

// Options says when a batch is due. The zero value is ready to use, and every value is valid: negative numbers have a
// meaning. A batch is closed by the first of the four conditions that holds.
type Options struct {
	Debounce    time.Duration // wait after the last item; 0 means 20 s, negative means no wait
	UrgentDelay time.Duration // wait after the first urgent item, never extended; 0 means 2 s, negative means no wait
	MaxWait     time.Duration // longest wait after the first item; 0 means 60 s, negative means no limit
	MaxItems    int           // most items in a batch; 0 means 10, negative means no limit

	Workers int          // for a Runner: handlers that run at the same time; 0 means 16, negative means no limit
	Logger  *slog.Logger // for a Runner: logs handler errors and panics; nil discards
}

// rules are the options in the form that a Buffer computes with.
type rules struct {
	debounce, urgentDelay int64
	maxWait               int64 // never means no limit
	maxItems              int   // math.MaxInt means no limit
}

func (o Options) rules() rules {
	r := rules{
		debounce:    int64(max(cmp.Or(o.Debounce, 20*time.Second), 0)),
		urgentDelay: int64(max(cmp.Or(o.UrgentDelay, 2*time.Second), 0)),
		maxWait:     int64(cmp.Or(o.MaxWait, time.Minute)),
		maxItems:    cmp.Or(o.MaxItems, 10),
	}
	if r.maxWait < 0 {
		r.maxWait = never
	}
	if r.maxItems < 0 {
		r.maxItems = math.MaxInt
	}
	return r
}
