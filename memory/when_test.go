package memory

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

// TestWhen is asked on Thursday, 5 March 2026, at 15:00 in Shanghai.
func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 5, 15, 0, 0, 0, zone(t, "Asia/Shanghai"))
	const day, clock = "2006-01-02", "01-02 15:04"
	for _, c := range []struct{ text, words, since, until string }{
		{"昨天谁说要吃火锅", "昨天", "2026-03-04", "2026-03-05"},
		{"前天", "前天", "2026-03-03", "2026-03-04"},
		{"大前天说的", "大前天", "2026-03-02", "2026-03-03"},
		{"今天", "今天", "2026-03-05", "2026-03-06"},
		{"昨晚那局", "昨晚", "03-04 18:00", "03-05 05:00"},
		{"前天晚上聊的", "前天晚上", "03-03 18:00", "03-04 05:00"},
		{"昨天的下午", "昨天的下午", "03-04 12:00", "03-04 18:00"},
		{"今早", "今早", "03-05 05:00", "03-05 12:00"},
		{"刚才说什么", "刚才", "03-05 14:00", "03-05 15:00"},
		{"上周的会", "上周", "2026-02-23", "2026-03-02"},
		{"上上个星期", "上上个星期", "2026-02-16", "2026-02-23"},
		{"上周五小明说了啥", "上周五", "2026-02-27", "2026-02-28"},
		{"上个礼拜天", "上个礼拜天", "2026-03-01", "2026-03-02"},
		{"上周日晚上", "上周日晚上", "03-01 18:00", "03-02 05:00"},
		{"上周末", "上周末", "2026-02-28", "2026-03-02"},
		{"周末去哪了", "周末", "2026-02-28", "2026-03-02"},
		{"这周", "这周", "2026-03-02", "2026-03-09"},
		{"本周二", "本周二", "2026-03-03", "2026-03-04"},
		{"星期一交的作业", "星期一", "2026-03-02", "2026-03-03"},
		{"周五的比赛", "周五", "2026-02-27", "2026-02-28"},
		{"周四", "周四", "2026-03-05", "2026-03-06"},
		{"周一到周三", "周一到周三", "2026-03-02", "2026-03-05"},
		{"上个月", "上个月", "2026-02-01", "2026-03-01"},
		{"上月", "上月", "2026-02-01", "2026-03-01"},
		{"上上个月", "上上个月", "2026-01-01", "2026-02-01"},
		{"这个月", "这个月", "2026-03-01", "2026-04-01"},
		{"去年", "去年", "2025-01-01", "2026-01-01"},
		{"前年", "前年", "2024-01-01", "2025-01-01"},
		{"2024年说的", "2024年", "2024-01-01", "2025-01-01"},
		{"去年3月", "去年3月", "2025-03-01", "2025-04-01"},
		{"十二月份", "十二月份", "2025-12-01", "2026-01-01"},
		{"3月", "3月", "2026-03-01", "2026-04-01"},
		{"三月五日", "三月五日", "2026-03-05", "2026-03-06"},
		{"3月6号那天", "3月6号", "2025-03-06", "2025-03-07"},
		{"2025年12月31日", "2025年12月31日", "2025-12-31", "2026-01-01"},
		{"２０２５年１２月３１日晚上", "２０２５年１２月３１日晚上", "12-31 18:00", "01-01 05:00"},
		{"3天前", "3天前", "2026-03-02", "2026-03-03"},
		{"三天前天气", "三天前", "2026-03-02", "2026-03-03"},
		{"两周前", "两周前", "2026-02-16", "2026-02-23"},
		{"一个月之前", "一个月之前", "2026-02-01", "2026-03-01"},
		{"二十五天以前", "二十五天以前", "2026-02-08", "2026-02-09"},
		{"两年前", "两年前", "2024-01-01", "2025-01-01"},
		{"半年前", "半年前", "2025-09-01", "2025-10-01"},
		{"2小时前", "2小时前", "03-05 12:30", "03-05 13:30"},
		{"半小时前", "半小时前", "03-05 14:23", "03-05 14:37"},
		{"几天前", "几天前", "2026-02-24", "2026-03-04"},
		{"最近三天", "最近三天", "03-02 00:00", "03-05 15:00"},
		{"过去一周", "过去一周", "02-26 00:00", "03-05 15:00"},
		{"这几天", "这几天", "02-28 00:00", "03-05 15:00"},
		{"大大前天", "大大前天", "2026-03-01", "2026-03-02"},
		{"前几天的截图", "前几天", "2026-02-24", "2026-03-05"},
		{"他前两天还说", "前两天", "2026-02-28", "2026-03-05"},
		{"前阵子那个链接", "前阵子", "2026-01-04", "2026-03-03"},
		{"前段时间", "前段时间", "2026-01-04", "2026-03-03"},
		{"今早上", "今早上", "03-05 05:00", "03-05 12:00"},
		{"今晨", "今晨", "03-05 05:00", "03-05 12:00"},
		{"昨晚上", "昨晚上", "03-04 18:00", "03-05 05:00"},
		{"昨天半夜", "昨天半夜", "03-04 22:00", "03-05 06:00"},
		{"今天半夜", "今天半夜", "03-05 00:00", "03-05 06:00"},
		{"上一周", "上一周", "2026-02-23", "2026-03-02"},
		{"上一个月", "上一个月", "2026-02-01", "2026-03-01"},
		{"上一年", "上一年", "2025-01-01", "2026-01-01"},
		{"上个周末", "上个周末", "2026-02-28", "2026-03-02"},
		{"周一见过的人", "周一", "2026-03-02", "2026-03-03"},
		{"上个月底", "上个月底", "2026-02-21", "2026-03-01"},
		{"上月初", "上月初", "2026-02-01", "2026-02-11"},
		{"2月中旬", "2月中旬", "2026-02-11", "2026-02-21"},
		{"月初交的", "月初", "2026-03-01", "2026-03-11"},
		{"年初", "年初", "2026-01-01", "2026-03-01"},
		{"去年年底", "去年年底", "2025-11-01", "2026-01-01"},
		{"去年上半年", "去年上半年", "2025-01-01", "2025-07-01"},
		{"去年夏天", "去年夏天", "2025-06-01", "2025-09-01"},
		{"去年国庆去哪了", "去年国庆", "2025-10-01", "2025-10-08"},
		{"去年的国庆假期", "去年的国庆假期", "2025-10-01", "2025-10-08"},
		{"去年双11", "去年双11", "2025-11-11", "2025-11-12"},
		{"2024年圣诞节", "2024年圣诞节", "2024-12-24", "2024-12-26"},
		{"去年春节", "去年", "2025-01-01", "2026-01-01"},
		{"去年初中毕业", "去年", "2025-01-01", "2026-01-01"},
		{"去年的今天", "去年的今天", "2025-03-05", "2025-03-06"},
		{"大前年", "大前年", "2023-01-01", "2024-01-01"},
		{"25年3月", "25年3月", "2025-03-01", "2025-04-01"},
		{"98年5月1号", "98年5月1号", "1998-05-01", "1998-05-02"},
		{"上个月15号", "上个月15号", "2026-02-15", "2026-02-16"},
		{"上月5号晚上", "上月5号晚上", "02-05 18:00", "02-06 05:00"},
		{"上个月31号", "上个月", "2026-02-01", "2026-03-01"}, // February has none
		{"15号那天", "15号那天", "2026-02-15", "2026-02-16"},
		{"31号晚上", "31号晚上", "01-31 18:00", "02-01 05:00"},
		{"2月29日", "2月29日", "2024-02-29", "2024-03-01"},
		{"俩小时前", "俩小时前", "03-05 12:30", "03-05 13:30"},
		{"一个半小时前", "一个半小时前", "03-05 13:08", "03-05 13:52"},
		{"半个月前", "半个月前", "2026-02-15", "2026-02-22"},
		{"过去的三天", "过去的三天", "03-02 00:00", "03-05 15:00"},
		{"周一到现在", "周一到现在", "03-02 00:00", "03-05 15:00"},
		{"2026-02-28", "2026-02-28", "2026-02-28", "2026-03-01"},
		{"on 2026/2/8 there", "on 2026/2/8", "2026-02-08", "2026-02-09"},
		{"what did Ann say yesterday?", "yesterday", "2026-03-04", "2026-03-05"},
		{"Yesterday evening", "Yesterday evening", "03-04 18:00", "03-05 05:00"},
		{"the day before yesterday", "the day before yesterday", "2026-03-03", "2026-03-04"},
		{"who won last night", "last night", "03-04 18:00", "03-05 05:00"},
		{"this morning", "this morning", "03-05 05:00", "03-05 12:00"},
		{"last week's plan", "last week", "2026-02-23", "2026-03-02"},
		{"the week before last", "the week before last", "2026-02-16", "2026-02-23"},
		{"last Friday", "last Friday", "2026-02-27", "2026-02-28"},
		{"last Tuesday", "last Tuesday", "2026-03-03", "2026-03-04"},
		{"on Friday evening", "on Friday evening", "02-27 18:00", "02-28 05:00"},
		{"last weekend", "last weekend", "2026-02-28", "2026-03-02"},
		{"from Monday to Wednesday", "from Monday to Wednesday", "2026-03-02", "2026-03-05"},
		{"last month", "last month", "2026-02-01", "2026-03-01"},
		{"this year", "this year", "2026-01-01", "2027-01-01"},
		{"last May", "last May", "2025-05-01", "2025-06-01"},
		{"two days ago", "two days ago", "2026-03-03", "2026-03-04"},
		{"a week ago", "a week ago", "2026-02-23", "2026-03-02"},
		{"a couple of months ago", "a couple of months ago", "2026-01-01", "2026-02-01"},
		{"3 years ago", "3 years ago", "2023-01-01", "2024-01-01"},
		{"an hour ago", "an hour ago", "03-05 13:30", "03-05 14:30"},
		{"a few days ago", "a few days ago", "2026-02-24", "2026-03-04"},
		{"in the past 2 weeks", "in the past 2 weeks", "02-19 00:00", "03-05 15:00"},
		{"in May", "in May", "2025-05-01", "2025-06-01"},
		{"May 2023", "May 2023", "2023-05-01", "2023-06-01"},
		{"on 7 May, 2023", "on 7 May, 2023", "2023-05-07", "2023-05-08"},
		{"March 3rd", "March 3rd", "2026-03-03", "2026-03-04"},
		{"the 2nd of February", "the 2nd of February", "2026-02-02", "2026-02-03"},
		{"half an hour ago", "half an hour ago", "03-05 14:23", "03-05 14:37"},
		{"half a year ago", "half a year ago", "2025-09-01", "2025-10-01"},
		{"several days ago", "several days ago", "2026-02-24", "2026-03-04"},
		{"couple of days ago", "couple of days ago", "2026-03-03", "2026-03-04"},
		{"twenty days ago", "twenty days ago", "2026-02-13", "2026-02-14"},
		{"the other day", "the other day", "2026-02-24", "2026-03-05"},
		{"who was here just now", "just now", "03-05 14:00", "03-05 15:00"},
		{"the night before last", "the night before last", "03-03 18:00", "03-04 05:00"},
		{"over the weekend", "over the weekend", "2026-02-28", "2026-03-02"},
		{"earlier this week", "this week", "2026-03-02", "2026-03-09"},
		{"on Mon", "on Mon", "2026-03-02", "2026-03-03"},
		{"last Fri night", "last Fri night", "02-27 18:00", "02-28 05:00"},
		{"since Monday", "since Monday", "03-02 00:00", "03-05 15:00"},
		{"from Monday until Wednesday", "from Monday until Wednesday", "2026-03-02", "2026-03-05"},
		{"last summer", "last summer", "2025-06-01", "2025-09-01"},
		{"last winter", "last winter", "2025-12-01", "2026-03-01"},
		{"in March", "in March", "2026-03-01", "2026-04-01"},
		{"in early March", "in early March", "2026-03-01", "2026-03-11"},
		{"late Feb", "late Feb", "2026-02-21", "2026-03-01"},
		{"Jan 5", "Jan 5", "2026-01-05", "2026-01-06"},
		{"on 3 Sept", "on 3 Sept", "2025-09-03", "2025-09-04"},
		{"in 2023", "in 2023", "2023-01-01", "2024-01-01"},
	} {
		s, where, ok := When(c.text, now)
		if !assert.True(t, ok, "%s", c.text) {
			continue
		}
		layout := day
		if len(c.since) != len(day) {
			layout = clock
		}
		assert.Equal(t, c.words, c.text[where[0]:where[1]], "%s", c.text)
		assert.Equal(t, c.since, s.Since.Format(layout), "%s since", c.text)
		assert.Equal(t, c.until, s.Until.Format(layout), "%s until", c.text)
		if layout == day {
			assert.Equal(t, "00:00 00:00", s.Since.Format("15:04 ")+s.Until.Format("15:04"), "%s", c.text)
		}
	}
}

func TestWhenNot(t *testing.T) {
	for _, text := range []string{
		"", "火锅", "以前天天熬夜", "目前日子", "早上周杰伦", "晚上月亮很圆", "日本周边", "以前年轻", "过去年轻人", "下周五", "每周一", "一周日常", "第三天前面", "明天", "三个月",
		"may I march", "may", "second", "weekly", "monthly", "todays", "next week", "tomorrow", "in the house", "1999999年前", "13月", "192.168.1.1", "3.14.15", "99999天前",
		"0000-00-00", "ago", "last", "a few", "last chance", "上", "周",
		"刚刚到家", "月底交", "年底聚餐", "明天见", "周五见", "周一见。", "下个周五", "每个周五", "下个月底", "下个月15号晚上", "每年年底", "明年3月", "大年初一", "本年级", "上一年级", "五月天的歌", "刚刚好", "考试前几天", "提前两天",
		"以前几天", "一个半月前", "一年半前", "两年半前", "25年", "5号", "5号楼", "2月30日", "明晚", "后天", "next Friday", "by Friday", "until Monday", "every Sunday", "half a day ago",
		"the sun is out", "in the sun", "the march was long", "see you tomorrow", "Feb 30", "mar", "sat", "这", "最近", "半年", "几天",
	} {
		_, _, ok := When(text, time.Date(2026, 3, 5, 15, 0, 0, 0, time.UTC))
		assert.False(t, ok, "%s", text)
	}
}

// TestWhenClocksChange: a day begins when its date does, however clocks are changed then.
func TestWhenClocksChange(t *testing.T) {
	for _, c := range []struct {
		zone, text, since string
		y, d              int
		m                 time.Month
		hours             float64
	}{
		{"America/New_York", "yesterday", "2026-03-08T00:00:00-05:00", 2026, 9, 3, 23},
		{"America/New_York", "yesterday", "2026-11-01T00:00:00-04:00", 2026, 2, 11, 25},
		{"America/New_York", "last week", "2026-03-02T00:00:00-05:00", 2026, 10, 3, 7*24 - 1},
		{"America/Sao_Paulo", "昨天", "2018-11-04T01:00:00-02:00", 2018, 5, 11, 23}, // no midnight
		{"America/Sao_Paulo", "前天", "2018-11-03T00:00:00-03:00", 2018, 5, 11, 24},
		{"America/Sao_Paulo", "昨天", "2018-02-17T00:00:00-02:00", 2018, 18, 2, 25},     // 23:00 twice
		{"America/Havana", "yesterday", "2025-11-02T00:00:00-04:00", 2025, 3, 11, 25}, // midnight twice
		{"America/Havana", "yesterday", "2025-03-09T01:00:00-04:00", 2025, 10, 3, 23},
		{"Pacific/Apia", "2 days ago", "2011-12-29T00:00:00-10:00", 2011, 31, 12, 24}, // there was no 30th
	} {
		now := time.Date(c.y, c.m, c.d, 12, 0, 0, 0, zone(t, c.zone))
		s, _, ok := When(c.text, now)
		require.True(t, ok, "%v", c)
		assert.Equal(t, c.since, s.Since.Format(time.RFC3339), "%v", c)
		assert.Equal(t, c.hours, s.Until.Sub(s.Since).Hours(), "%v", c)
	}
}

// TestWhenMonthsEnd asks where months are not equally long.
func TestWhenMonthsEnd(t *testing.T) {
	for _, c := range []struct {
		now, text, since, until string
	}{
		{"2026-03-31", "上个月", "2026-02-01", "2026-03-01"},
		{"2026-03-31", "最近一个月", "2026-02-28", "2026-03-31"},
		{"2024-03-31", "the past month", "2024-02-29", "2024-03-31"},
		{"2024-03-31", "past 1 month", "2024-02-29", "2024-03-31"},
		{"2024-02-29", "最近一年", "2023-02-28", "2024-02-29"},
		{"2026-05-31", "三个月前", "2026-02-01", "2026-03-01"},
		{"2026-01-01", "昨天", "2025-12-31", "2026-01-01"},
		{"2026-01-01", "上个月底", "2025-12-21", "2026-01-01"},
		{"2026-01-01", "上周", "2025-12-22", "2025-12-29"},
		{"2026-01-01", "年初", "2026-01-01", "2026-03-01"},
		{"2026-03-01", "31号晚上", "2026-01-31", "2026-02-01"},
		{"2026-12-31", "last winter", "2025-12-01", "2026-03-01"},
	} {
		now, err := time.Parse(time.DateOnly, c.now)
		require.NoError(t, err)
		s, _, ok := When(c.text, now.Add(12*time.Hour))
		require.Equal(t, c.since != "", ok, "%v", c)
		if ok {
			assert.Equal(t, c.since+" "+c.until, s.Since.Format(time.DateOnly)+" "+s.Until.Format(time.DateOnly), "%v", c)
		}
	}
}

func FuzzWhen(f *testing.F) {
	for _, text := range []string{"昨天", "上上上上周末晚上", "2025年13月32日", "in May 5th, 2026 to 2027", "近9999年", "9 9 9 ago", "周一到周三到", "周三到", "\xff昨\x00天", "a a a few ago", "ＭＡＹ５"} {
		f.Add(text, int64(1772694000), uint8(0))
		f.Add(text, int64(1541300400), uint8(3))
	}
	zones := []*time.Location{time.UTC, zone(f, "Asia/Shanghai"), zone(f, "America/New_York"), zone(f, "America/Sao_Paulo"), zone(f, "America/Havana"), zone(f, "Pacific/Apia"), zone(f, "Australia/Lord_Howe")}
	f.Fuzz(func(t *testing.T, text string, at int64, z uint8) {
		now := time.Unix(at%(1<<33), 0).In(zones[int(z)%len(zones)])
		s, where, ok := When(text, now)
		again, _, _ := When(text, now.Round(0))
		if s != again {
			t.Fatal("the same text has two meanings")
		}
		if !ok {
			return
		}
		if !s.Since.Before(s.Until) || s.Holds(s.Until) || !s.Holds(s.Since) {
			t.Fatalf("%q: %v", text, s)
		}
		if where[0] < 0 || where[0] >= where[1] || where[1] > len(text) {
			t.Fatalf("%q: %v", text, where)
		}
		if u, _, ok := When(text[where[0]:where[1]], now); !ok || u != s {
			t.Fatalf("%q means %v, in %q %v", text[where[0]:where[1]], u, text, s)
		}
	})
}

// BenchmarkWhen looks for a time where there is none.
func BenchmarkWhen(b *testing.B) {
	now := time.Date(2026, 3, 5, 15, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"zh": "有没有人知道校医院的电话是多少，我想问一下挂号要不要带身份证", "en": "does anybody know whether the keyboard that Ann bought has a number pad and good keys",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, ok := When(text, now); ok {
					b.Fatal(text)
				}
			}
		})
	}
}
