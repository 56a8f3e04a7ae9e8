// Package when finds time expressions in Chinese and English text (昨天晚上, 上周五, 去年3月, last week, two days ago) and returns the time span that each
// means at a given moment. Package memory uses it to recall the messages of a time that a question names.
//
//	span, loc, ok := when.Find("上周五谁说要搬家", now)
//
// It knows expressions for the past and the present:
//
//   - days and parts of days: 昨天, 前天晚上, 今早, yesterday evening, the day before yesterday, last night
//   - weeks, months, years: 上周五, 上个月底, 去年夏天, 去年国庆, last Friday, this month, last summer
//   - distances: 3天前, 半小时前, 最近两周, 前几天, two days ago, the past 3 weeks, the other day
//   - dates: 3月5日, 去年3月, 15号那天, 2026-03-05, May 5th, 2026, in May, since Monday
//
// Holidays are those of the solar calendar only.
//
// # Concurrency
//
// The package has no state. All functions may be called concurrently.
package when
