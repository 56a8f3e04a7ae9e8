package onebotlink

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// A Source is what brings OneBot events: *onebot.Client (forward WebSocket) and *onebot.Server (reverse) are two.
type Source interface {
	Run(ctx context.Context, h onebot.Handler) error
}

// Options: the zero value takes the first account that connects.
type Options struct {
	Self    int64           // the account to live in, where a server has several; 0: the first that is heard from
	Bots    []int64         // accounts that are programs: replies to them are capped, and OneBot itself does not tell
	Limiter *onebot.Limiter // how fast it may send; nil: 3 s for one chat, 1 s for the account
	Tools   qq.Options      // of nit/qq: with Images set it can send pictures, too; Requests is the link's own
}

const platform = "qq"

type link struct {
	source  Source
	o       Options
	self    atomic.Int64
	bot     atomic.Pointer[onebot.Bot]
	account *onebot.Bot // calls by bot, once there is one
	offline atomic.Bool // the account is logged out, as far as anybody told
	mute    atomic.Bool // the implementation cannot show that it types

	names    *names
	requests qq.PendingRequests

	mu     sync.Mutex
	groups map[int64]asked // names of groups, and the account's own under 0
}

func personOf(n int64) persona.Account { return persona.Account{Platform: platform, ID: id(n)} }

// key compares message ids modulo 2³²: one id is written as int32 here and as uint32 there.
func key(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return s
	}
	return strconv.FormatUint(uint64(onebot.MessageKey(n)), 10)
}

func id(n int64) string {
	if n == 0 {
		return ""
	}
	return digits(n)
}

func group(n int64) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Group, ID: id(n)}
}
func private(n int64) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Private, ID: id(n)}
}

// digits writes a number as the id that it is elsewhere.
func digits(n int64) string { return strconv.FormatInt(n, 10) }

// numbers reads ids as the numbers that they are on OneBot.
func numbers(ids ...string) (n []int64, err error) {
	n = make([]int64, len(ids))
	for i, id := range ids {
		if n[i], err = strconv.ParseInt(id, 10, 64); err != nil {
			return nil, fmt.Errorf("onebotlink: id %q: %w", id, err)
		}
	}
	return n, nil
}
