package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var base = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestTurnBegins_PauseOrSpeaker(t *testing.T) {
	at := func(own bool, after time.Duration) Record { return Record{Own: own, At: base.Add(after)} }
	assert.False(t, turnBegins(at(false, 0), at(false, time.Minute)))
	assert.True(t, turnBegins(at(false, 0), at(false, time.Minute+1)))
	assert.False(t, turnBegins(at(false, 0), at(true, time.Second)), "a reply belongs to its turn")
	assert.False(t, turnBegins(at(true, 0), at(true, time.Second)))
	assert.True(t, turnBegins(at(true, 0), at(false, 0)))
	assert.False(t, turnBegins(at(false, time.Hour), at(false, 0)), "a clock that steps back begins no turn")
}

func TestTopicChanged_PauseOrWords(t *testing.T) {
	lines := func(start time.Duration, texts ...string) (recs []Record) {
		for i, text := range texts {
			recs = append(recs, Record{Text: text, At: base.Add(start + time.Duration(i)*time.Second)})
		}
		return recs
	}
	hiking := []string{"周五去爬山吗", "哪座山", "香山，看红叶", "几点出发", "早上八点地铁站集合", "爬山要带水"}
	more := []string{"山上冷，红叶倒是好看", "地铁站哪个口", "出发前群里说一声", "爬山带两瓶水够了", "早上八点太早", "那九点集合"}
	exam := []string{"高数期末考到第几章", "老师划重点没有", "积分和级数都要考", "有人有往年卷子么", "图书馆打印店有", "级数完全不懂"}
	assert.False(t, topicChanged(lines(0, hiking...), lines(time.Minute, more...)))
	assert.True(t, topicChanged(lines(0, hiking...), lines(time.Minute, exam...)))
	assert.True(t, topicChanged(lines(0, hiking...), lines(31*time.Minute, more...)), "after a long pause")
	assert.False(t, topicChanged(lines(0, hiking...), lines(time.Minute, "好", "嗯嗯", "哈哈哈")), "too few words to compare")
	assert.False(t, topicChanged(nil, lines(0, exam...)))
	assert.False(t, topicChanged(lines(0, hiking...), nil))
}
