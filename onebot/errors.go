package onebot

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a call, for errors.Is. One error may be several of these.
var (
	// ErrBadParams: parameters that cannot be marshalled, or that the implementation does not take.
	ErrBadParams = errors.New("onebot: bad parameters")
	// ErrUnknownAction: the implementation has no such action.
	ErrUnknownAction = errors.New("onebot: no such action")
	// ErrAuth: the token is missing or wrong.
	ErrAuth = errors.New("onebot: wrong token")
	// ErrFailed is everything else that an implementation refuses: no right, no such group, risk control.
	ErrFailed = errors.New("onebot: action failed")
	// ErrTimeout: no answer came within the context's deadline, or within Options.CallTimeout.
	ErrTimeout = errors.New("onebot: no answer in time")
	// ErrDisconnected: there is no link, or it dropped before the answer came.
	ErrDisconnected = errors.New("onebot: not connected")
	// ErrUnclear: a send was written and its answer never came, or says only that QQ did not confirm it: it may
	// have been delivered. Look into the chat's history; never send again.
	ErrUnclear = errors.New("onebot: may have been sent")
)

// errRefused is said of what Options.Filter refused.
var errRefused = errors.New("onebot: refused by the filter")

// An APIError is an implementation's refusal of a call.
type APIError struct {
	Action  string
	Code    int    // retcode; the HTTP status where there is none
	Wording string // what the implementation says about it; "" when nothing
}

// Error names the action, the retcode and what the implementation said.
func (e *APIError) Error() string {
	if e.Wording == "" {
		return fmt.Sprintf("onebot: call %s: retcode %d", e.Action, e.Code)
	}
	return fmt.Sprintf("onebot: call %s: retcode %d: %s", e.Action, e.Code, e.Wording)
}

// Is sorts the retcodes of all implementations into the sentinels of this package.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrBadParams:
		return e.Code == 1400 || e.Code == 400 || e.Code == 406
	case ErrUnknownAction:
		// NapCat's HTTP server has its code for failures here, too
		return e.Code == 1404 || e.Code == 404 || e.Code == 200 && strings.HasPrefix(e.Wording, "不支持的Api")
	case ErrAuth:
		return e.Code == 1401 || e.Code == 1403 || e.Code == 401 || e.Code == 403
	case ErrFailed:
		return !e.Is(ErrBadParams) && !e.Is(ErrUnknownAction) && !e.Is(ErrAuth)
	case ErrUnclear:
		return isSend(e.Action) && e.unconfirmed()
	}
	return false
}

// unconfirmed tells refusals after which messages were nevertheless seen in the chat: NapCat (200 over HTTP) and
// go-cqhttp say so when QQ's own confirmation does not come, and what stands between may say that it got no answer.
func (e *APIError) unconfirmed() bool {
	return (e.Code == 1200 || e.Code == 200) && strings.Contains(e.Wording, "Timeout") ||
		e.Code == 100 && strings.Contains(e.Wording, "SEND_MSG_API_ERROR") ||
		500 <= e.Code && e.Code < 600
}

// An AuthError says that an implementation does not accept the token. It matches [ErrAuth]. Trying again does not
// help, so Run ends with it.
type AuthError struct {
	Status  int    // of the HTTP handshake; 101 when the refusal came after it
	Code    int    // retcode of the refusal; 0 when there was none
	Wording string // what the implementation says about it
}

// Error never holds the token.
func (e *AuthError) Error() string {
	s := fmt.Sprintf("onebot: token not accepted (HTTP status %d, retcode %d)", e.Status, e.Code)
	if e.Wording != "" {
		s += ": " + e.Wording
	}
	return s
}

// Is matches ErrAuth.
func (e *AuthError) Is(target error) bool { return target == ErrAuth }

// A callError is a call that got no answer.
type callError struct {
	action string
	kinds  []error // sentinels and causes
}

func (e *callError) Error() string {
	words := make([]string, len(e.kinds))
	for i, k := range e.kinds {
		words[i] = strings.TrimPrefix(k.Error(), "onebot: ")
	}
	return "onebot: call " + e.action + ": " + strings.Join(words, "; ")
}

func (e *callError) Unwrap() []error { return e.kinds }

// isSend tells whether an action shows something to other people, so that doing it twice would be seen.
func isSend(action string) bool {
	action = strings.TrimLeft(action, "._")
	if action == "upload_file_stream" { // to the implementation's own disk
		return false
	}
	for _, prefix := range []string{"send_", "forward_", "upload_", "group_poke", "friend_poke", "handle_quick"} {
		if strings.HasPrefix(action, prefix) {
			return true
		}
	}
	return false
}
