package social_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A tapped store is that of one life. It counts what each carrier has written. A write takes a time of its own, so that what
// is written at one moment is written in one order.
type tapped struct {
	*mortal
	world *stream
	end   <-chan struct{}
}

func (s *tapped) wrote(carrier, what string) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.world.wrote[carrier]++; carrier == "" {
		s.world.bad("%s is of no carrier: name it in streams_carriers_test.go", what)
	}
}

func (s *tapped) pause(what ...string) {
	h := fnv.New64a()
	fmt.Fprint(h, what)
	time.Sleep(time.Duration(1 + h.Sum64()%1_000_000))
}

func (s *tapped) Put(ctx context.Context, recs ...memory.Record) error {
	for _, r := range recs {
		s.wrote(carrierOf(r), "the record "+r.ID)
	}
	if len(recs) > 0 {
		s.pause(string(recs[0].Space), recs[0].ID)
	}
	return s.mortal.Put(ctx, recs...)
}

func (s *tapped) Apply(ctx context.Context, rows map[string][]byte) error {
	for key, row := range rows {
		if row != nil {
			s.wrote(rowCarrier(key), "the row "+key)
		}
	}
	s.pause(slices.Sorted(maps.Keys(rows))...)
	return s.mortal.Apply(ctx, rows)
}
