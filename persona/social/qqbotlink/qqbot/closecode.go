package qqbot

import (
	"fmt"
	"time"
)

// A GatewayError means that the gateway has closed the link for a reason that retrying cannot change. Run returns it.
type GatewayError struct {
	Code   int    // of the close frame
	Reason string // the gateway's text; may be ""
}

// Error contains the code and what to do.
func (e *GatewayError) Error() string {
	s := fmt.Sprintf("qqbot: gateway closed with code %d: %s", e.Code, e.Advice())
	if e.Reason != "" {
		s += " (" + e.Reason + ")"
	}
	return s
}

// Advice says what the operator can do.
func (e *GatewayError) Advice() string {
	switch e.Code {
	case 4001, 4002:
		return "the gateway does not understand this client: update it"
	case 4010, 4011:
		return "the bot is in too many guilds for one connection"
	case 4012:
		return "the protocol's version is refused: update this client"
	case 4013:
		return "Options.Intents are invalid"
	case 4014:
		return "Options.Intents ask for events that the bot may not get: apply for them in the console, or ask for fewer"
	case 4914:
		return "the bot is not published, so it may use the sandbox only: publish it, or set Options.BaseURL to SandboxURL"
	case 4915:
		return "the bot is banned: see the console"
	}
	return "see the platform's list of codes"
}

// A verdict is what to do after a link has ended.
type verdict struct {
	fatal  bool
	strike bool // fatal if it happens several times in a row
	forget bool // the session cannot be resumed
	token  bool // the access token is refused
	wait   time.Duration
}

// maxStrikes ends Run: the documents allow neither a resume nor a new session, but one bad frame should not stop a bot.
const maxStrikes = 3

// verdictOf returns what a close code means. Unknown codes and a link that just broke are resumed.
func verdictOf(code int) verdict {
	switch {
	case code == 4001, code == 4002:
		return verdict{strike: true, forget: true}
	case code == 4000, code == 4003, code == 4005, code == 4006, code == 4007, 4900 <= code && code <= 4913:
		return verdict{forget: true}
	case code == 4004:
		return verdict{token: true}
	case code == 4008:
		return verdict{wait: time.Minute}
	case 4010 <= code && code <= 4014, code == 4914, code == 4915:
		return verdict{fatal: true}
	}
	return verdict{}
}
