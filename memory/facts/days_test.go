package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFindDay(t *testing.T) {
	for text, want := range map[string]string{
		"3月5号": "3月5日", "生日是十二月二十一日": "12月21日", "廿日，三月三": "3月3日", "2001年3月5日": "3月5日", "March 5th": "3月5日", "on the 5th of march!": "3月5日", "Sept. 1": "9月1日", "5 May": "5月5日",
		"": "", "春天": "", "13月5日": "", "3月32日": "", "月5日": "", "5": "", "may": "", "dismay 5": "", "一月份": "", "１月１日": "",
	} {
		assert.Equal(t, want, findDay(text), text)
	}
}

func FuzzFindDay(f *testing.F) {
	f.Add("十二月二十一日 5th of March 3月")
	f.Fuzz(func(t *testing.T, text string) {
		if _, size := dayOfYear(text); size < 0 || size > len(text) {
			t.Fatal(text, size)
		}
		findDay(text)
	})
}
