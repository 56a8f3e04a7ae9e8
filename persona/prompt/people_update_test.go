package prompt

import (
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var talk = []persona.Message{
	{From: "1", Name: "甲", Text: "老王来了吗，@小炉", Mentions: []string{"3", "9"}},
	{From: "2", Name: "乙", Text: "叫我二哥就行", Quote: &persona.Quote{From: "4"}},
	{From: "9", Own: true, Text: "小张没来"},
	{From: "2", Text: "大家晚安"},
}

func TestParsePeopleUpdate(t *testing.T) {
	p := persona.Profile{Name: "小炉", Aliases: []string{"炉炉"}}
	for name, c := range map[string]struct {
		answer string
		want   PeopleUpdate
	}{
		"all of it": {
			"好的：```json\n" + `{"people": [{"id": "1", "feeling": " Happy", "stance": 1, "impression": " 爽快 "}, {"id": 2, "stance": "-1"}],
			"names": [{"id": "user_3", "name": "老王", "by": "@1", "sure": true}, {"id": "2", "name": "二哥", "by": "2", "sure": "true"}]}` + "\n```",
			PeopleUpdate{
				[]PersonUpdate{{"1", "happy", 1, "爽快"}, {ID: "2", Stance: -1}},
				[]NicknameUse{{"3", "老王", "1", true}, {"2", "二哥", "2", true}},
			},
		},
		"only who spoke is regarded": {`{"people": [{"id": "3"}, {"id": "4"}, {"id": "9"}, {"id": ""}, {}, {"id": "1"}, {"id": "1", "feeling": "sad"}]}`, PeopleUpdate{People: []PersonUpdate{{ID: "1"}}}},
		"names that nobody wrote":    {`{"names": [{"id": "2", "name": "老李", "by": "1"}, {"id": "1", "name": "小张"}, {"id": "4", "name": "二哥", "by": "1"}]}`, PeopleUpdate{}},
		"who called is not known":    {`{"names": [{"id": "4", "name": "二哥", "by": "77"}]}`, PeopleUpdate{Names: []NicknameUse{{ID: "4", Name: "二哥"}}}},
		"nobody there":               {`{"names": [{"id": "5", "name": "老王", "by": "1"}, {"id": "9", "name": "老王", "by": "1"}]}`, PeopleUpdate{}},
		"no names":                   {`{"names": [{"id": "1", "name": "大家"}, {"id": "1", "name": "小炉"}, {"id": "1", "name": "@小炉"}, {"id": "1", "name": " "}]}`, PeopleUpdate{}},
		"odd values":                 {`<think>{"people": 1}</think>{"people": [{"id": null, "stance": {}}, {"id": "2", "stance": 5, "feeling": 3}], "names": null}`, PeopleUpdate{People: []PersonUpdate{{ID: "2", Feeling: "3"}}}},
		"full width":                 {`｛“people”：［｛“id”：“1”，“feeling”：“happy”｝，］｝`, PeopleUpdate{People: []PersonUpdate{{ID: "1", Feeling: "happy"}}}},
		"nothing":                    {`{}`, PeopleUpdate{}},
	} {
		got, err := ParsePeopleUpdate(p, c.answer, talk)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
	for _, bad := range []string{"", "[skip]", "没有", "{", "}{", `{"people": 3}`, `{"people": [}`} {
		_, err := ParsePeopleUpdate(p, bad, talk)
		assert.ErrorIs(t, err, ErrInvalidAnswer, bad)
	}
}

func TestParseInsights(t *testing.T) {
	got, err := ParseInsights(`整理好了：{"insights": [
		{"text": " 甲养猫 ", "about": "1", "importance": 0.6, "from": ["1", 2, "2"], "replaces": "k1"},
		{"text": "周五爬山", "about": "99", "importance": "7", "from": 3},
		{"text": "", "about": "1"}, {"text": "没说", "importance": "很", "about": 2, "replaces": null}, {"text": "负", "importance": -1}
	]}`, talk)
	require.NoError(t, err)
	assert.Equal(t, []Insight{
		{Text: "甲养猫", About: "1", Importance: .6, SourceIDs: []string{"1", "2"}, Replaces: []string{"k1"}},
		{Text: "周五爬山", Importance: 1, SourceIDs: []string{"3"}},
		{Text: "没说", About: "2"},
		{Text: "负"},
	}, got)
	got, err = ParseInsights(`{"insights": []}`, talk)
	require.NoError(t, err)
	assert.Empty(t, got)
	for _, bad := range []string{"", "没有", `{}`, `{"insights": "没有"}`, `{"insights": [1]}`, `{"insights": [`} {
		_, err := ParseInsights(bad, talk)
		assert.ErrorIs(t, err, ErrInvalidAnswer, bad)
	}
}

func TestParseStatements(t *testing.T) {
	got := ParseStatements(`好：{"insights": [], "facts": [
		{"about": "@1", "relation": " job ", "value": "程序员", "over": false, "from": ["2", "1"]},
		{"about": 2, "relation": "pet", "value": 7, "over": "true", "from": 3},
		{"about": "99", "relation": "pet", "value": "猫", "from": "1"}, {"about": "1", "relation": "pet", "value": "猫"}
	]}`, talk)
	assert.Equal(t, []Statement{{About: "1", Relation: "job", Value: "程序员", SourceID: "2"}, {About: "2", Relation: "pet", Value: "7", Over: true, SourceID: "3"}}, got)
	for _, none := range []string{"", "没有", `{}`, `{"insights": []}`, `{"facts": "没有"}`, `{"facts": [1]}`} {
		assert.Empty(t, ParseStatements(none, talk), none)
	}
}
