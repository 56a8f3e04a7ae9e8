package buffer

import (
	"cmp"
	"log/slog"
	"math"
	"time"
)

// Options says when a batch is due. The zero value is ready to use, and every value is valid: negative
// numbers have a meaning. The first of the four conditions that holds closes the batch.
type Options struct {
	Debounce    time.Duration // this long after the last item; 0 means 20 s, negative at once
	UrgentDelay time.Duration // this long after the first summons, which nothing extends; 0 means 2 s, negative at once
	MaxWait     time.Duration // at the latest this long after the first item; 0 means 60 s, negative never
	MaxItems    int           // with this many items; 0 means 10, negative never

	Workers int          // Runner only: how many handlers run at once; 0 means 16, negative as many as there are keys
	Logger  *slog.Logger // Runner only: told what handlers return and panic with, as nobody else can be; nil discards
}

// rules are the options as a Buffer computes with them.
type rules struct {
	quiet, summon int64
	wait          int64 // never: no limit
	full          int   // math.MaxInt: no limit
}

func (o Options) rules() rules {
	r := rules{
		quiet:  int64(max(cmp.Or(o.Debounce, 20*time.Second), 0)),
		summon: int64(max(cmp.Or(o.UrgentDelay, 2*time.Second), 0)),
		wait:   int64(cmp.Or(o.MaxWait, time.Minute)),
		full:   cmp.Or(o.MaxItems, 10),
	}
	if r.wait < 0 {
		r.wait = never
	}
	if r.full < 0 {
		r.full = math.MaxInt
	}
	return r
}
