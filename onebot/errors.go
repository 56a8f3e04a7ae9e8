package onebot

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of calls, for errors.Is. One error may match several of them.
var (
	// ErrBadParams: the parameters cannot be marshaled, or the implementation rejects them.
	ErrBadParams = errors.New("onebot: bad parameters")
	// ErrUnknownAction: the implementation has no such action.
	ErrUnknownAction = errors.New("onebot: unknown action")
	// ErrAuth: the token is missing or wrong.
	ErrAuth = errors.New("onebot: token missing or wrong")
	// ErrFailed: any other refusal, such as missing permission, an unknown group, or risk control.
	ErrFailed = errors.New("onebot: action failed")
	// ErrTimeout: no response arrived before the context's deadline or within Options.CallTimeout.
	ErrTimeout = errors.New("onebot: no response in time")
	// ErrDisconnected: there is no link, or it dropped before the response.
	ErrDisconnected = errors.New("onebot: not connected")
	// ErrUnclear: a send was written, but its response never came or says only that QQ did not confirm it. The
	// message may have been delivered. Check the chat's history; never send it again.
	ErrUnclear = errors.New("onebot: may have been sent")
)

// errRefused marks sends refused by Options.Filter.
var errRefused = errors.New("onebot: refused by the filter")

// An APIError is the refusal of a call by an implementation.
type APIError struct {
	Action  string
	Code    int    // retcode; the HTTP status if there is none
	Wording string // failure text of the implementation; may be ""
}

// Error contains the action, the retcode and the implementation's text.
func (e *APIError) Error() string {
	if e.Wording == "" {
		return fmt.Sprintf("onebot: call %s: retcode %d", e.Action, e.Code)
	}
	return fmt.Sprintf("onebot: call %s: retcode %d: %s", e.Action, e.Code, e.Wording)
}

// Is maps the retcodes of all implementations to the sentinel errors of this package.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrBadParams:
		return e.Code == 1400 || e.Code == 400 || e.Code == 406
	case ErrUnknownAction:
		// NapCat's HTTP server also uses its general failure code here
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

// unconfirmed reports refusals that may follow a delivered message. NapCat (200 over HTTP), SnowLuma and go-cqhttp report
// a timeout if QQ does not confirm a message, but go-cqhttp says so if the message is empty. A proxy in between may
// report that it got no response.
func (e *APIError) unconfirmed() bool {
	return (e.Code == 1200 || e.Code == 200) && strings.Contains(e.Wording, "Timeout") ||
		e.Code == 100 && (strings.Contains(e.Wording, "timed out") || strings.HasSuffix(e.Wording, "message failed: no response") ||
			strings.HasPrefix(e.Wording, "failed to decode SendMessageResponse")) ||
		e.Code == 100 && strings.Contains(e.Wording, "SEND_MSG_API_ERROR") && !strings.HasSuffix(e.Wording, ": empty message") ||
		500 <= e.Code && e.Code < 600
}

// An AuthError means that an implementation rejects the token. It matches [ErrAuth]. Retrying is useless, so Run
// returns it.
type AuthError struct {
	Status  int    // of the HTTP handshake; 101 if the refusal came later
	Code    int    // retcode of the refusal; 0 if there is none
	Wording string // failure text of the implementation
}

// Error never contains the token.
func (e *AuthError) Error() string {
	s := fmt.Sprintf("onebot: token rejected (HTTP status %d, retcode %d)", e.Status, e.Code)
	if e.Wording != "" {
		s += ": " + e.Wording
	}
	return s
}

// Is matches ErrAuth.
func (e *AuthError) Is(target error) bool { return target == ErrAuth }

// A callError is a call without a response.
type callError struct {
	action string
	kinds  []error // sentinel errors and causes
}

func (e *callError) Error() string {
	words := make([]string, len(e.kinds))
	for i, k := range e.kinds {
		words[i] = strings.TrimPrefix(k.Error(), "onebot: ")
	}
	return "onebot: call " + e.action + ": " + strings.Join(words, "; ")
}

func (e *callError) Unwrap() []error { return e.kinds }

// IsSend reports whether an action is visible to other users, so that an unclear call of it must not be repeated ([ErrUnclear]). It
// is for your own [Caller].
func IsSend(action string) bool { return isSend(action) }

// isSend reports whether an action is visible to other users, so that repeating it would be visible, too.
func isSend(action string) bool {
	action = strings.TrimLeft(action, "._")
	switch action {
	case "upload_file_stream", "upload_forward_msg", "upload_foward_msg": // nobody sees the upload
		return false
	}
	for _, prefix := range []string{"send_", "comment_", "forward_", "upload_", "group_poke", "friend_poke", "handle_quick"} {
		if strings.HasPrefix(action, prefix) {
			return true
		}
	}
	return false
}
