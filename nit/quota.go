package nit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Rate lets Calls through at once, and after that one more each Per/Calls: in no time of length d do more
// than Calls·(1 + d/Per) pass. The zero Rate is no bound.
type Rate struct {
	Calls int
	Per   time.Duration
}

// QuotaOptions say how many calls of tools may be made in time. What is left out has no bound.
type QuotaOptions struct {
	Total      Rate // of everybody together
	PerPerson  Rate // on behalf of each person of a platform
	PerSession Rate // in each session of a platform

	PerTool   Rate            // of each tool
	ToolRates map[string]Rate // of these tools instead

	MaxKeys int // persons, sessions and tools that are kept apart; 0 means 10 000
}

// A Quota counts calls over all views of a [Registry], and over several registries that share it. What it answers depends on
// who calls and when, never on whether a tool of that name exists: [Quota.Allow] is asked before the name is looked at,
// [Quota.AllowTool] only for a tool that the view has.
//
// It keeps one time for each person, session and tool that called lately, at most Keys of them: while these are all in use,
// further ones share one rate. Nothing is kept over a restart. All methods may be called concurrently. A step back of
// the clock counts as the latest time seen. A nil Quota permits all.
type Quota struct {
	o QuotaOptions

	mu          sync.Mutex
	now         int64 // the latest seen, ns since 1970
	swept       int64 // when full was last done
	availableAt map[quotaKey]int64
}

// quotaKey names what is counted.
type quotaKey struct {
	of           byte // 'a', 'p', 's', 't'; in capitals: what the surplus ones share
	platform, id string
}

// NewQuota checks the options. A Rate with Calls needs a Per, and the other way round.
func NewQuota(o QuotaOptions) (*Quota, error) {
	rates := map[string]Rate{"All": o.Total, "Person": o.PerPerson, "Session": o.PerSession, "Tool": o.PerTool}
	for name, r := range o.ToolRates {
		rates["Tools["+name+"]"] = r
	}
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		r := rates[name]
		if r != (Rate{}) && (r.Calls <= 0 || r.Per < time.Duration(r.Calls) || r.Per > maxPer) {
			return nil, fmt.Errorf("nit: QuotaOptions.%s is %d calls per %v", name, r.Calls, r.Per)
		}
	}
	if o.MaxKeys < 0 {
		return nil, fmt.Errorf("nit: QuotaOptions.Keys is %d", o.MaxKeys)
	}
	o.MaxKeys = cmp.Or(o.MaxKeys, 10_000)
	o.ToolRates = maps.Clone(o.ToolRates)
	return &Quota{o: o, availableAt: make(map[quotaKey]int64)}, nil
}

const maxPer = 10 * 365 * 24 * time.Hour // sums with times stay in range

// Allow permits a call on behalf of p and counts it; one that it refuses is not counted.
func (q *Quota) Allow(now time.Time, p Principal) bool {
	if q == nil {
		return true
	}
	return q.take(now, [...]claim{
		{quotaKey{of: 'a'}, q.o.Total},
		{quotaKey{'p', p.Platform, p.Person}, q.o.PerPerson},
		{quotaKey{'s', p.Platform, p.Session}, q.o.PerSession},
	})
}

// AllowTool permits a call of a tool and counts it.
func (q *Quota) AllowTool(now time.Time, tool string) bool {
	if q == nil {
		return true
	}
	rate, own := q.o.ToolRates[tool]
	if !own {
		rate = q.o.PerTool
	}
	return q.take(now, [...]claim{{quotaKey{of: 't', id: tool}, rate}, {}, {}})
}

type claim struct {
	key  quotaKey
	rate Rate
}

// take grants all claims or none.
func (q *Quota) take(now time.Time, claims [3]claim) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.now = max(q.now, now.UnixNano())
	var until [len(claims)]int64
	for i := range claims {
		c := &claims[i]
		if c.rate == (Rate{}) {
			continue
		}
		if _, known := q.availableAt[c.key]; !known && !q.hasFreeKey() {
			c.key = quotaKey{of: c.key.of - 'a' + 'A'}
		}
		step := int64(c.rate.Per) / int64(c.rate.Calls)
		until[i] = max(q.availableAt[c.key], q.now) + step
		if until[i]-q.now > step*int64(c.rate.Calls) {
			return false
		}
	}
	for i, c := range claims {
		if until[i] != 0 {
			if _, known := q.availableAt[c.key]; !known { // a string of an event pins all of it
				c.key.platform, c.key.id = strings.Clone(c.key.platform), strings.Clone(c.key.id)
			}
			q.availableAt[c.key] = until[i]
		}
	}
	return true
}

// hasFreeKey tells whether one more key can be kept. It lets go of those that have all their calls again, but looks for them
// once a second at most.
func (q *Quota) hasFreeKey() bool {
	if len(q.availableAt) < q.o.MaxKeys {
		return true
	}
	if q.now-q.swept < int64(time.Second) {
		return false
	}
	q.swept = q.now
	maps.DeleteFunc(q.availableAt, func(_ quotaKey, until int64) bool { return until <= q.now })
	return len(q.availableAt) < q.o.MaxKeys
}
