package onebot

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// referenceEvent is ParseEvent with encoding/json: slow but clearly correct.
func referenceEvent(b []byte) (Event, error) {
	m, err := refObject(b)
	if err != nil {
		return nil, err
	}
	f := frame{
		raw: bytes.Clone(b), post: refStr(m["post_type"]), sub: refStr(m["sub_type"]),
		kinds:   [4]string{refStr(m["message_type"]), refStr(m["notice_type"]), refStr(m["request_type"]), refStr(m["meta_event_type"])},
		hasTime: m["time"] != nil && string(m["time"]) != "null", time: refInt(m["time"]), selfID: refInt(m["self_id"]), groupID: refInt(m["group_id"]),
		userID: refInt(m["user_id"]), messageID: refInt(m["message_id"]), operatorID: refInt(m["operator_id"]),
		targetID: refInt(m["target_id"]), senderID: refInt(m["sender_id"]), inviterID: refInt(m["invitor_id"]),
		seq: refInt(m["message_seq"]), realSeq: refInt(m["real_seq"]), realID: refInt(m["real_id"]), font: refInt(m["font"]),
		sourceGroupID: refInt(m["source_group_id"]), via: refStr(m["via"]),
		duration: refInt(m["duration"]), interval: refInt(m["interval"]), groupName: refStr(m["group_name"]),
		rawMessage: refStr(m["raw_message"]), comment: refStr(m["comment"]), flag: refStr(m["flag"]), tag: refStr(m["tag"]),
		card: cardChange{old: refStr(m["card_old"]), new: refStr(m["card_new"])},
	}
	if f.post == "" {
		return nil, errNotEvent
	}
	if an, err := refObject(m["anonymous"]); err == nil {
		f.anonymous = &Anonymous{refInt(an["id"]), refStr(an["name"]), refStr(an["flag"])}
	}
	if s, err := refObject(m["sender"]); err == nil {
		f.sender = Sender{UserID: refInt(s["user_id"]), Nickname: refStr(s["nickname"]), Card: refStr(s["card"]),
			Role: refStr(s["role"]), Title: refStr(s["title"]), Level: refStr(s["level"]), Area: refStr(s["area"]),
			Sex: refStr(s["sex"]), Age: refInt(s["age"]), GroupID: refInt(s["group_id"])}
	}
	if raw := m["message"]; len(raw) > 0 && raw[0] == '"' {
		f.text = refStr(raw)
	} else {
		f.message = refMessage(raw)
	}
	if raw := m["status"]; len(raw) > 0 && raw[0] != '"' {
		f.statusObject = validText(raw)
	}
	return f.event(), nil
}

func refObject(b []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null")
	}
	return m, nil
}

func refMessage(raw json.RawMessage) Message {
	var list []json.RawMessage
	switch {
	case len(raw) == 0:
		return nil
	case raw[0] == '{':
		return Message{refSegment(raw)}
	case raw[0] != '[':
		return nil
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		panic(err)
	}
	m := Message{}
	for _, e := range list {
		if s := refSegment(e); s.Type != "" || s.Data != nil {
			m = append(m, s)
		}
	}
	return m
}

func refSegment(raw json.RawMessage) (s Segment) {
	if raw[0] == '"' {
		return Text(refStr(raw))
	}
	o, err := refObject(raw)
	if err != nil {
		return s
	}
	s.Type = refStr(o["type"])
	if d := o["data"]; len(d) > 0 && string(d) != "null" {
		s.Data = validText(d)
	}
	return s
}

func refStr(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] != '"' {
		return string(validText(raw))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	return s
}

func refInt(raw json.RawMessage) int64 {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' {
		return 0
	}
	s := strings.TrimSpace(refStr(raw))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Trunc(x) == x && math.Abs(x) < 1<<63 {
		return int64(x)
	}
	return 0
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(groupFrame))
	for _, c := range eventCases {
		f.Add([]byte(c.in))
	}
	for _, c := range extensionCases {
		f.Add([]byte(c.in))
	}
	for _, s := range badFrames {
		f.Add([]byte(s))
	}
	f.Add([]byte(`{"post_type":"notice","a":"\ud83d\ude00\ud800x\udc00\ud800\ud800\u0000","b":[[[]],{"c":{}}],"d":-1.5E+3,"e":"` + "\xff\xfe" + `"}`))
	f.Add([]byte(`{"p\u006fst_type":"message","\u0070":1,"message_type":"group","message":[{"type":"text","data":{"text":"\n"}},null,"x",{"type":1}],"message":"[CQ:at,qq=1]"}`))
	f.Add([]byte(`{"post_type":"message","message_type":"private","sender":{"user_id":"1.0","user_id":2},"message":{"type":"text"},"time":17000000000000}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.Clone(b)
		got, err := ParseEvent(b)
		want, wantErr := referenceEvent(in)
		require.Equal(t, wantErr == nil, err == nil, "%v, reference: %v", err, wantErr)
		require.Equal(t, want, got)
		require.Equal(t, in, b, "input changed")
		if err == nil {
			clear(b)
			require.Equal(t, want, got, "event keeps the input")
			require.Equal(t, in, []byte(got.Raw()))
		}
	})
}

// FuzzScan checks that the scanner and encoding/json accept the same inputs.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{}`, `[1,-0,0.5e-7,"\u12aF\\\"/",true,false,null]`, `01`, `-`, `1.`, `.5`, `1e`, `"` + "\x1f" + `"`, `"\x"`,
		`"\u12g4"`, `{"a":1,}`, `[,]`, `{"a" 1}`, `nul`, "\t\r\n 1 ", `"` + strings.Repeat("长", 40) + `"`, `[[[[[[[[[[]]]]]]]]]]`, `{"a":{"b":[{}]}}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end := skipValue(b, skipSpace(b, 0), 0)
		require.Equal(t, json.Valid(b), end >= 0 && skipSpace(b, end) == len(b))
	})
}

// FuzzString checks that strings are read and written as by encoding/json.
func FuzzString(f *testing.F) {
	for _, s := range []string{`a`, `\ud83d\ude00`, `\ud800`, `\udc00\ud800`, `\ud800\u0041`, `\n\t\"\\\/\b\f\r`, "\xf0\x9f", "\xed\xa0\x80", "长\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := []byte(`"` + s + `"`)
		var want string
		if json.Unmarshal(b, &want) == nil {
			require.Equal(t, want, rawText(validText(b)))
		}
		var mine, theirs string
		quoted, err := json.Marshal(s)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(quoted, &theirs))
		require.NoError(t, json.Unmarshal(appendString(nil, s), &mine))
		require.Equal(t, theirs, mine)
	})
}
