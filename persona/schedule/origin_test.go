package schedule

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOrigin_RowsWithoutLabel(t *testing.T) {
	for row, want := range map[string]Origin{
		`{"mode":"agent"}`:                             {Mode: persona.Agent},
		`{"mode":"agent","trusted":true}`:              {Mode: persona.Agent, Label: "T owner"},
		`{"mode":"agent","shed":true}`:                 {Mode: persona.Agent, Restricted: true},
		`{"mode":"agent","shed":true,"trusted":true}`:  {Mode: persona.Agent, Restricted: true, Label: "T owner"},
		`{"mode":"agent","shed":true,"label":"U a:b"}`: {Mode: persona.Agent, Restricted: true, Label: "U a:b"},
	} {
		var m Origin
		require.NoError(t, json.Unmarshal([]byte(row), &m), row)
		assert.Equal(t, want, m, row)
		b, err := json.Marshal(m)
		require.NoError(t, err)
		var again Origin
		require.NoError(t, json.Unmarshal(b, &again))
		assert.Equal(t, m, again)
	}
}
