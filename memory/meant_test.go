package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHasPronoun(t *testing.T) {
	for text, want := range map[string]bool{
		"他住哪": true, "她呢": true, "听他们说": true, "其他人呢": false, "弹吉他": false, "他人": false, "其他的他不要": true, "你住哪": false, "": false,
		"Where does he live": true, "ask Her": true, "there": false, "the others": false, "theirs": true, "ta住哪": true,
	} {
		assert.Equal(t, want, hasPronoun(text), text)
	}
}

// Whom a query means by a nickname or a pronoun counts as named.
func TestLexicalIndex_Meant(t *testing.T) {
	x := NewLexicalIndex(LexicalOptions{})
	for i, r := range []Record{
		{Person: "1", Name: "小明", Text: "住在山下"}, {Person: "2", Name: "阿哲", Text: "住在山下"}, {Person: "3", Name: "小红", Text: "住在山下"},
		{Person: "3", Name: "小红", Text: "阿哲住在山下的"},
	} {
		r.ID, r.Space, r.Kind, r.At = r.Name+r.Text, "s", KindMessage, noon.Add(time.Duration(i)*time.Hour)
		require.NoError(t, x.Put(t.Context(), r))
	}
	first := func(q Query) string {
		cs, err := x.Search(t.Context(), "s", q, 9)
		require.NoError(t, err)
		require.Len(t, cs, 4)
		return cs[0].ID
	}
	newest := first(Query{Text: "谁住在山下"})
	assert.Equal(t, "小红住在山下", newest, "all alike: the newest short one")
	before := []string{"小明来了", "阿哲没来", "哈哈"}
	assert.Equal(t, "阿哲住在山下", first(Query{Text: "他住在山下吗", Before: before}), "the latest name")
	assert.Equal(t, "小明住在山下", first(Query{Text: "她住在山下吗", Before: before[:1]}))
	assert.Equal(t, newest, first(Query{Text: "谁住在山下", Before: before}), "no pronoun")
	assert.Equal(t, newest, first(Query{Text: "他住在山下吗", Before: before[2:]}), "no name")
	assert.Equal(t, "小明住在山下", first(Query{Text: "小明说他住在山下", Before: before}), "the text has a name")
	assert.Equal(t, "小明住在山下", first(Query{Text: "他住在山下", Before: before, About: []string{"1", "unknown"}}), "the caller knows better")
	cs, err := x.Search(t.Context(), "s", Query{Text: "他山下", Before: before}, 9)
	require.NoError(t, err)
	assert.Equal(t, "小红阿哲住在山下的", cs[1].ID, "others talk of him by name")
}
