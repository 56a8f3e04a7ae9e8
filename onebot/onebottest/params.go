package onebottest

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/onebot"
)

// params are an action's parameters. As in NapCat, numbers and booleans may be strings.
type params map[string]json.RawMessage

func (p params) has(name string) bool {
	v := p[name]
	return len(v) > 0 && string(v) != "null"
}

// text returns a parameter's text, without quotes if it is a string; "" if it is missing.
func (p params) text(name string) string {
	if !p.has(name) {
		return ""
	}
	var s string
	if json.Unmarshal(p[name], &s) == nil {
		return s
	}
	return string(p[name])
}

// required returns the error for a missing parameter. go-cqhttp takes it for 0.
func required(name string) error {
	word := strings.ToUpper(strings.TrimSuffix(name, "_id")) + "_NOT_FOUND"
	no := refused(1400, "Key: %s, Message: Required", name).as(word)
	switch name {
	case "group_id":
		no.cq = "群聊不存在"
	case "message":
		no.as("EMPTY_MSG_ERROR", "消息为空")
	}
	return no
}

// id returns a required number.
func (p params) id(name string) (int64, error) {
	if !p.has(name) {
		return 0, required(name)
	}
	return p.int(name, 0)
}

// find returns the object that by finds for a required id, or the error none.
func find[T any](p params, name string, by func(id int64) *T, none error) (*T, error) {
	id, err := p.id(name)
	if err != nil {
		return nil, err
	}
	it := by(id)
	if it == nil {
		return nil, none
	}
	return it, nil
}

// int returns a number, or otherwise if it is missing.
func (p params) int(name string, otherwise int64) (int64, error) {
	v := p.text(name)
	if v == "" {
		return otherwise, nil
	}
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, refused(1400, "Key: %s, Message: Expected number", name)
	}
	return int64(f), nil
}

func (p params) bool(name string, otherwise bool) bool {
	switch p.text(name) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	return otherwise
}

// message decodes the message to send: segments, one segment, or a CQ string, which auto_escape makes plain text.
func (p params) message() (onebot.Message, error) {
	v := bytes.TrimSpace(p["message"])
	if !p.has("message") {
		return nil, required("message")
	}
	switch v[0] {
	case '"':
		if p.bool("auto_escape", false) {
			return onebot.Message{onebot.Text(p.text("message"))}, nil
		}
		return onebot.ParseCQ(p.text("message")), nil
	case '{':
		v = append(append([]byte{'['}, v...), ']')
	}
	var segments []onebot.Segment
	if err := json.Unmarshal(v, &segments); err != nil {
		return nil, refused(1400, "Key: message, Message: %v", err)
	}
	return segments, nil
}
