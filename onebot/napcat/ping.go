package napcat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/coder/websocket"

	"github.com/hearth-bot/hearth/onebot"
)

const (
	loginInfo = "get_login_info"
	readLimit = 1 << 20
)

var errNoAccount = errors.New("napcat: get_login_info without an account")

// defaultPing returns a ping that asks for the account and compares it with the configured one.
func defaultPing(caller onebot.Caller, conf Config) (func(context.Context) error, error) {
	ask := caller
	switch {
	case ask != nil:
	case conf.HTTPPort != 0:
		c, err := onebot.NewHTTPClient("http://"+loopback(conf.HTTPPort), onebot.Options{Token: conf.Token, ReadLimit: readLimit, HTTPClient: oneCall()})
		if err != nil {
			return nil, err
		}
		ask = c
	default:
		ask = askWS{url: "ws://" + loopback(conf.WSPort) + "/api", token: conf.Token}
	}
	ping := func(ctx context.Context) error {
		var who onebot.LoginInfo
		if err := ask.Call(ctx, loginInfo, struct{}{}, &who); err != nil {
			return err
		}
		switch {
		case who.UserID == 0:
			return errNoAccount
		case conf.Account != 0 && who.UserID != conf.Account:
			return fmt.Errorf("napcat: account %d is logged in, want %d", who.UserID, conf.Account)
		}
		return nil
	}
	return ping, nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// askWS calls by WebSocket, with a new connection for each call.
type askWS struct{ url, token string }

func (a askWS) Call(ctx context.Context, action string, _, result any) error {
	header := make(http.Header)
	if a.token != "" {
		header.Set("Authorization", "Bearer "+a.token)
	}
	ws, resp, err := websocket.Dial(ctx, a.url, &websocket.DialOptions{HTTPClient: oneCall(), HTTPHeader: header})
	if err != nil {
		if resp != nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
			return &onebot.AuthError{Status: resp.StatusCode}
		}
		return err
	}
	defer ws.CloseNow()
	ws.SetReadLimit(readLimit)
	if err := ws.Write(ctx, websocket.MessageText, []byte(`{"action":"`+action+`","params":{},"echo":"ping"}`)); err != nil {
		return err
	}
	for {
		_, frame, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		var kind struct {
			PostType string `json:"post_type"`
		}
		if json.Unmarshal(frame, &kind) == nil && kind.PostType != "" {
			continue // an event: some implementations send events on every path
		}
		return readAnswer(frame, action, result)
	}
}

// oneCall returns a client without a proxy and without keep-alive: a connection could outlive the child.
func oneCall() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func readAnswer(body []byte, action string, result any) error {
	var answer struct {
		Status  string          `json:"status"`
		RetCode int             `json:"retcode"`
		Data    json.RawMessage `json:"data"`
		Message string          `json:"message"`
		Wording string          `json:"wording"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("napcat: call %s: response is not JSON: %w", action, err)
	}
	if answer.Status != "ok" || answer.RetCode != 0 {
		return &onebot.APIError{Action: action, Code: answer.RetCode, Wording: cmp.Or(answer.Wording, answer.Message)}
	}
	if len(answer.Data) == 0 || string(answer.Data) == "null" {
		return nil
	}
	return json.Unmarshal(answer.Data, result)
}
