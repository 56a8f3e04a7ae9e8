package trace

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A LinkHealth is the state of the connection to a platform. Its counters are since the link was created. It contains no words
// of people.
type LinkHealth struct {
	Self   persona.Account // of the link; ID is "" while it is unknown
	Online bool            // the bot can receive and send
	Since  time.Time       // Online has its value since then; zero: unknown

	Heard     time.Time // when the platform sent anything last; zero: it did not
	Heartbeat time.Time // when its last heartbeat came, or the last answer to one; zero: there was none

	P50, P95 time.Duration // round trip times of the last calls: the median, and what 5 % exceed
	Calls    int           // number of these calls; 0: none yet, or unknown
	TimedOut int           // calls without an answer in time

	Reconnects int
	Lost       time.Time // when the connection was lost last; zero: never
	LostReason string
	Problem    string // why there is no connection now; may be ""

	Queued      int // events that wait for the bot or are being handled
	QueuedBytes int // their memory
	QueueLimit  int // the largest QueuedBytes; 0 or less: no limit
	Dropped     int // events that were dropped, mostly because the queue was full
}

// An Allowance is how many messages a platform permits in a chat now, if it permits replies only for some time and in limited
// number.
type Allowance struct {
	Replies      int       // replies to messages of people
	RepliesUntil time.Time // when the last of them ends; zero: there are none
	Minute, Day  int       // other messages: within this minute and within a day; 0: none
	Refused      string    // why nothing may be sent; "" if something may
}
