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

// A countingStore is the store of one run. It counts writes by carrier. Each write takes its own virtual time, so that
// concurrent writes have one order.
type countingStore struct {
	*crashingStore
	sim *flowSim
	end <-chan struct{}
}

func (s *countingStore) wrote(carrier, what string) {
	s.sim.mu.Lock()
	defer s.sim.mu.Unlock()
	if s.sim.wrote[carrier]++; carrier == "" {
		s.sim.fail("%s has no carrier: add one in infoflow_carriers_test.go", what)
	}
}

func (s *countingStore) pause(what ...string) {
	h := fnv.New64a()
	fmt.Fprint(h, what)
	time.Sleep(time.Duration(1 + h.Sum64()%1_000_000))
}

func (s *countingStore) Put(ctx context.Context, recs ...memory.Record) error {
	for _, r := range recs {
		s.wrote(carrierOf(r), "the record "+r.ID)
	}
	if len(recs) > 0 {
		s.pause(string(recs[0].Space), recs[0].ID)
	}
	return s.crashingStore.Put(ctx, recs...)
}

func (s *countingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	for key, row := range rows {
		if row != nil {
			s.wrote(rowCarrier(key), "the row "+key)
		}
	}
	s.pause(slices.Sorted(maps.Keys(rows))...)
	return s.crashingStore.Apply(ctx, rows)
}
