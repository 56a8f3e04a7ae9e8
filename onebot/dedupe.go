package onebot

import (
	"hash/maphash"
	"sync"
	"time"
)

// repeatAfter separates events from repeats. Two events without an id and with equal bytes, such as two pokes, have the
// same second, so they arrive within about a second. An implementation posts an event again after its timeout, or 1.5 s
// after a failure (go-cqhttp). NapCat and LLBot never do.
const repeatAfter = 1250 * time.Millisecond

// recentLimit is the number of events after which a Webhook may forget older ones before their time. It is 27 events a
// second for 40 minutes.
const recentLimit = 1 << 16

// recentEvents remembers the posted events for deduplication, each for keep to 2·keep.
type recentEvents struct {
	seed       maphash.Seed
	keep       time.Duration
	mu         sync.Mutex
	young, old map[eventKey]time.Time // when each event first arrived
	turned     time.Time              // when young became old
}

// eventKey identifies an event. A message is identified by account, second and id, because ids repeat and come signed
// and unsigned. Any other event is identified by its bytes.
type eventKey struct {
	self, time int64
	message    uint32
	sum        uint64 // 0 for messages
}

func (r *recentEvents) init(keep time.Duration) {
	r.seed, r.keep = maphash.MakeSeed(), keep
	r.young, r.old, r.turned = nil, nil, time.Time{}
}

func (r *recentEvents) key(f *frame) eventKey {
	if (f.post == "message" || f.post == "message_sent") && f.messageID != 0 {
		return eventKey{self: f.selfID, time: f.time, message: MessageKey(f.messageID)}
	}
	return eventKey{self: f.selfID, time: f.time, sum: maphash.Bytes(r.seed, f.raw)}
}

// add returns false for an event that was posted before.
func (r *recentEvents) add(now time.Time, f *frame) bool {
	k := r.key(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.turned) >= r.keep || len(r.young) >= recentLimit/2 {
		r.young, r.old, r.turned = make(map[eventKey]time.Time), r.young, now
	}
	first, known := r.young[k]
	if !known {
		first, known = r.old[k]
	}
	if known {
		hasID := f.messageID != 0 || f.flag != ""
		return !hasID && now.Sub(first) < repeatAfter
	}
	r.young[k] = now
	return true
}
