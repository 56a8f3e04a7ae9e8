package onebot

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// decodeFrames are four kinds of frame: plain Unicode, escaped Unicode, a message in CQ form, a notice.
func decodeFrames() map[string]string {
	const cq = `{"post_type":"message","message_type":"group","sub_type":"normal","time":1735689600,"self_id":3012345678,` +
		`"message_id":-964635551,"group_id":812345678,"user_id":1843210987,"font":0,"sender":{"user_id":1843210987,` +
		`"nickname":"半夏微凉","card":"小满","role":"member","level":"12"},"raw_message":"x","message":"[CQ:reply,id=-964635550]` +
		`[CQ:at,qq=3012345678] 今晚八点还打不打?我这边&#91;大概&#93;要晚十分钟 &amp; 你们先开[CQ:image,file=9F3C.jpg,url=https://a.b/c?d=1&amp;e=2]"}`
	const notice = `{"post_type":"notice","notice_type":"group_ban","sub_type":"ban","time":1735689600,"self_id":3012345678,` +
		`"group_id":812345678,"user_id":1843210987,"operator_id":1843210988,"duration":600}`
	return map[string]string{"unicode": groupFrame, "escapes": escaped(groupFrame), "cq": cq, "notice": notice}
}

// escaped writes non-ASCII characters as \uXXXX, as Lagrange does.
func escaped(s string) string {
	var b []byte
	for _, r := range s {
		if r < 0x80 {
			b = append(b, byte(r))
			continue
		}
		b = append(b, `\u`...)
		hex := strconv.FormatInt(int64(r), 16)
		b = append(b, "0000"[len(hex):]...)
		b = append(b, hex...)
	}
	return string(b)
}

// A plainFrame is the struct that a bot would use with encoding/json.
type plainFrame struct {
	PostType    string          `json:"post_type"`
	MessageType string          `json:"message_type"`
	NoticeType  string          `json:"notice_type"`
	SubType     string          `json:"sub_type"`
	Time        int64           `json:"time"`
	SelfID      int64           `json:"self_id"`
	GroupID     int64           `json:"group_id"`
	GroupName   string          `json:"group_name"`
	UserID      int64           `json:"user_id"`
	OperatorID  int64           `json:"operator_id"`
	Duration    int64           `json:"duration"`
	MessageID   int64           `json:"message_id"`
	RawMessage  string          `json:"raw_message"`
	Message     json.RawMessage `json:"message"`
	Sender      struct {
		UserID   int64  `json:"user_id"`
		Nickname string `json:"nickname"`
		Card     string `json:"card"`
		Role     string `json:"role"`
		Level    string `json:"level"`
	} `json:"sender"`
}

func decodePlain(b []byte) (f plainFrame, segments int, err error) {
	if err := json.Unmarshal(b, &f); err != nil || len(f.Message) == 0 {
		return f, 0, err
	}
	if f.Message[0] == '"' {
		var s string
		err := json.Unmarshal(f.Message, &s)
		return f, len(ParseCQ(s)), err
	}
	var m []struct {
		Type string
		Data json.RawMessage
	}
	err = json.Unmarshal(f.Message, &m)
	return f, len(m), err
}

// BenchmarkDecode compares the decoder with encoding/json in one process, in alternating rounds. Both results are
// deeply equal.
func BenchmarkDecode(b *testing.B) {
	for kind, text := range decodeFrames() {
		b.Run(kind, func(b *testing.B) {
			frame := []byte(text)
			got, err := ParseEvent(frame)
			require.NoError(b, err)
			want, err := referenceEvent(frame)
			require.NoError(b, err)
			require.Equal(b, want, got)

			var ours, theirs time.Duration
			for b.Loop() {
				began := time.Now()
				for range 32 {
					if _, err := ParseEvent(frame); err != nil {
						b.Fatal(err)
					}
				}
				middle := time.Now()
				for range 32 {
					if _, _, err := decodePlain(frame); err != nil {
						b.Fatal(err)
					}
				}
				ours += middle.Sub(began)
				theirs += time.Since(middle)
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/32, "hearth-ns")
			b.ReportMetric(float64(theirs.Nanoseconds())/float64(b.N)/32, "encoding-json-ns")
			b.ReportMetric(float64(theirs)/float64(ours), "times")
		})
	}
}
