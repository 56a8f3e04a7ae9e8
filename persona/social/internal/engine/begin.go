package engine

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
)

// BeginTalk requests a turn if a change says that the bot may begin a talk. The turn goes through the buffer like a message,
// so that one chat has one turn at a time. A silence during which the platform was not connected does not count.
func BeginTalk(e *Engine, c heartflow.Change[persona.Chat]) {
	if c.Begin != "" && e.Link.connectedSince(c.Chat.Platform, c.At) {
		e.Buffer.AddUrgent(c.Chat, Incoming{TurnReason: c.Begin})
	}
}

// connectedSince reports whether a platform has been connected since a time, as far as its events say.
func (c *connection) connectedSince(platform string, t time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	on, known := c.online[platform]
	return !known || on && !c.since[platform].After(t)
}

// beginnings are the texts of prompts.
var beginnings = map[heartflow.Code]string{
	heartflow.WhyCold:       "这里安静得比平时久，没有人在等你回答。想得到一句大家愿意接的话，就自然地起个话头，只说一句；不要说“怎么没人说话”，也不要重复说过的。没有想说的，就不说。",
	heartflow.WhyUnanswered: "你问的话还没有人回。真的想知道，就换个说法再问一次，只说一句，不要催；不要紧，就不说。",
}

// beginning says in a prompt why the bot may begin a talk in the turn. It returns "" for other turns.
func beginning(t *Turn) string {
	if len(t.Verdict.Why) != 1 {
		return ""
	}
	return beginnings[t.Verdict.Why[0]]
}
