package schedule

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMaker_RowsWithoutLabels(t *testing.T) {
	for row, want := range map[string]Maker{
		`{"mode":"agent"}`:                             {Mode: persona.Agent},
		`{"mode":"agent","trusted":true}`:              {Mode: persona.Agent, Label: "T owner"},
		`{"mode":"agent","shed":true}`:                 {Mode: persona.Agent, Shed: true},
		`{"mode":"agent","shed":true,"trusted":true}`:  {Mode: persona.Agent, Shed: true, Label: "T owner"},
		`{"mode":"agent","shed":true,"label":"U a:b"}`: {Mode: persona.Agent, Shed: true, Label: "U a:b"},
	} {
		var m Maker
		require.NoError(t, json.Unmarshal([]byte(row), &m), row)
		assert.Equal(t, want, m, row)
		b, err := json.Marshal(m)
		require.NoError(t, err)
		var again Maker
		require.NoError(t, json.Unmarshal(b, &again))
		assert.Equal(t, m, again)
	}
}
