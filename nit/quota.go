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

// A Rate is a rate limit with a burst: Calls may run at once, then one more every Per/Calls. In any time d at most
// Calls·(1 + d/Per) calls pass. The zero Rate is unlimited.
type Rate struct {
	Calls int
	Per   time.Duration
}

// QuotaOptions are rate limits for tool calls. A zero Rate is unlimited.
type QuotaOptions struct {
	Total      Rate // for all callers together
	PerPerson  Rate // for each person of a platform
	PerSession Rate // for each session of a platform

	PerTool   Rate            // for each tool
	ToolRates map[string]Rate // overrides for single tools

	MaxKeys int // persons, sessions and tools tracked separately; 0 means 10,000
}

// A Quota limits tool calls over time, across all views of a [Registry] and across registries that share it. Its answers
// depend on the caller and the time only and do not reveal whether a tool exists: a view calls [Quota.Allow] before it
// looks up the name and [Quota.AllowTool] only for a tool that it has.
//
// It stores one time per active person, session and tool, for at most MaxKeys of them. When all are in use, new keys
// share one rate. A restart resets it. All methods may be called concurrently. If the clock steps back, the latest time
// seen counts. A nil Quota allows everything.
type Quota struct {
	o QuotaOptions

	mu          sync.Mutex
	now         int64 // latest time seen, ns since 1970
	swept       int64 // time of the last sweep
	availableAt map[quotaKey]int64
}

// quotaKey identifies a limited key.
type quotaKey struct {
	of           byte // 'a', 'p', 's', 't'; upper case: shared by keys beyond MaxKeys
	platform, id string
}

// NewQuota validates the options. A Rate needs both Calls and Per.
func NewQuota(o QuotaOptions) (*Quota, error) {
	rates := map[string]Rate{"Total": o.Total, "PerPerson": o.PerPerson, "PerSession": o.PerSession, "PerTool": o.PerTool}
	for name, r := range o.ToolRates {
		rates["ToolRates["+name+"]"] = r
	}
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		r := rates[name]
		if r != (Rate{}) && (r.Calls <= 0 || r.Per < time.Duration(r.Calls) || r.Per > maxPer) {
			return nil, fmt.Errorf("nit: QuotaOptions.%s is %d calls per %v", name, r.Calls, r.Per)
		}
	}
	if o.MaxKeys < 0 {
		return nil, fmt.Errorf("nit: QuotaOptions.MaxKeys is %d", o.MaxKeys)
	}
	o.MaxKeys = cmp.Or(o.MaxKeys, 10_000)
	o.ToolRates = maps.Clone(o.ToolRates)
	return &Quota{o: o, availableAt: make(map[quotaKey]int64)}, nil
}

const maxPer = 10 * 365 * 24 * time.Hour // keeps sums of times in range

// Allow allows and counts a call on behalf of p. Rejected calls are not counted.
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

// AllowTool allows and counts a call of a tool.
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
			if _, known := q.availableAt[c.key]; !known { // a substring would keep its whole event alive
				c.key.platform, c.key.id = strings.Clone(c.key.platform), strings.Clone(c.key.id)
			}
			q.availableAt[c.key] = until[i]
		}
	}
	return true
}

// hasFreeKey reports whether another key can be stored. At most once a second it removes keys with all their calls
// available.
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
