// Package when finds time expressions in Chinese and English text, such as 昨天晚上 or last week. It returns the time span that an
// expression means at a given moment. Package memory uses it to recall the messages of a time that a question names.
//
//	span, loc, ok := when.Find("上周五谁说要搬家", now)
//
// It knows these expressions for the past and the present:
//
//	days            昨天 / 今早 / 前天晚上 / last night / yesterday evening / the day before yesterday
//	weeks           上周五 / last Friday
//	months, years   上个月底 / 去年夏天 / 去年国庆 / this month / last summer
//	distances       3天前 / 半小时前 / 最近两周 / 前几天 / two days ago / the past 3 weeks / the other day
//	dates           3月5日 / 去年3月 / 15号那天 / 2026-03-05 / May 5th, 2026 / in May / since Monday
//
// It knows holidays of the solar calendar only.
//
// # Time
//
// All functions take the current time as now and use its time zone.
//
// # Concurrency
//
// The package has no state. All functions may be called concurrently.
//
// # Caveats
//
// Times of the future and bare hours are skipped. Only the first 2 KiB of a text are read.
package when
