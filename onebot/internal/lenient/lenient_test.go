package lenient

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type base struct {
	Base string `json:"base"`
}

type own struct{ Got string }

func (x *own) UnmarshalJSON(b []byte) error {
	x.Got = string(b)
	return nil
}

type everything struct {
	base
	ID     int64           `json:"id"`
	Other  int64           `json:"other" alt:"third,fourth"`
	Text   string          `json:"text"`
	Yes    bool            `json:"yes"`
	X      float64         `json:"x"`
	At     time.Time       `json:"at"`
	For    time.Duration   `json:"for"`
	Raw    json.RawMessage `json:"raw"`
	List   []int64         `json:"list"`
	Inner  *base           `json:"inner"`
	Own    own             `json:"own"`
	Untold string
	Hidden string `json:"-"`
}

func TestUnmarshal(t *testing.T) {
	for in, want := range map[string]everything{
		`{}`:   {},
		`null`: {},
		`{"id":"7","text":7,"yes":"1","x":"1.5","at":"1735689600","for":60,"raw":{"a":1},"list":["1",2.0,null],"inner":{"base":3},"own":[],"base":"b","Untold":"x","-":"x"}`: {
			base: base{"b"}, ID: 7, Text: "7", Yes: true, X: 1.5, At: time.Unix(1735689600, 0), For: time.Minute, Raw: json.RawMessage(`{"a":1}`),
			List: []int64{1, 2, 0}, Inner: &base{"3"}, Own: own{"[]"}},
		`{"id":{},"text":null,"yes":2,"x":"x","at":0,"for":null,"raw":null,"list":null,"inner":null}`: {},
		`{"id":1e3,"at":1735689600123,"for":9223372036854775807,"list":""}`:                           {ID: 1000, At: time.Unix(1735689600, 0), For: 9223372036 * time.Second},
		`{"other":null,"third":3,"fourth":4}`:                                                         {Other: 3},
		`{"fourth":4}`:                                                                                {Other: 4},
		`{"other":0,"third":3}`:                                                                       {Other: 0},
		`{"yes":true,"text":{"a":[1]},"inner":"","list":false}`:                                       {Yes: true, Text: `{"a":[1]}`},
	} {
		var got everything
		err := Unmarshal([]byte(in), &got)
		require.NoError(t, err, in)
		if got.Inner != nil && want.Inner == nil { // a blank object counts as none
			got.Inner = nil
		}
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{``, `7`, `"x"`, `[]`, `{`, `{"list":7}`, `{"inner":7}`, `{"inner":[1]}`} {
		var got everything
		assert.Error(t, Unmarshal([]byte(in), &got), in)
	}
	var list []base
	require.NoError(t, Unmarshal([]byte(`[{"base":"a"},{}]`), &list))
	assert.Equal(t, []base{{"a"}, {}}, list)
	assert.Error(t, Unmarshal([]byte(`[7]`), &list))
	assert.Error(t, Unmarshal([]byte(`{}`), new(chan int)))
}

// Decoded values keep no reference to the input.
func TestUnmarshal_KeepsNoReference(t *testing.T) {
	in := []byte(`{"text":"abc","raw":[1]}`)
	var got everything
	require.NoError(t, Unmarshal(in, &got))
	clear(in)
	assert.Equal(t, "abc", got.Text)
	assert.Equal(t, `[1]`, string(got.Raw))
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"id":"7","list":[1,"2"],"inner":{"base":"x"},"raw":{},"at":1,"for":1e400,"x":"NaN"}`))
	f.Add([]byte(`{"list":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got everything
		err := Unmarshal(b, &got)
		if !json.Valid(b) {
			require.Error(t, err)
		}
	})
}
