package recall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit/recall"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All forms of a time.
func TestParseFilter(t *testing.T) {
	zone := time.FixedZone("CST", 8*3600)
	now := time.Date(2026, 4, 10, 12, 0, 0, 0, zone)
	at := func(month time.Month, day, hour, min int) time.Time {
		return time.Date(2026, month, day, hour, min, 0, 0, zone)
	}
	for text, want := range map[string]recall.Filter{
		"":                        {},
		" ,, ":                    {},
		"group_1 group_2 group_1": {Groups: []string{"1", "2"}},
		"user_wxid-9":             {User: "wxid-9"},
		"ｇｒｏｕｐ＿１　ｕｓｅｒ＿２":                                 {Groups: []string{"1"}, User: "2"},
		"since:2026-04-01":                               {Since: at(4, 1, 0, 0)},
		"until:2026-04-01":                               {Until: at(4, 2, 0, 0)},
		"until:2026-4-1":                                 {Until: at(4, 2, 0, 0)},
		"since:2026-04-01T08:30":                         {Since: at(4, 1, 8, 30)},
		"since:2026-04-01 08:30, until:2026-04-01 09:00": {Since: at(4, 1, 8, 30), Until: at(4, 1, 9, 0)},
		"since:2026-04-01T00:30:00Z":                     {Since: at(4, 1, 8, 30)},
		"since:1678-01-01 until:2260-12-31":              {Since: time.Date(1678, 1, 1, 0, 0, 0, 0, now.Location()), Until: time.Date(2261, 1, 1, 0, 0, 0, 0, now.Location())},
		"since:3d":                                       {Since: at(4, 7, 12, 0)},
		"since:2h until:30min":                           {Since: at(4, 10, 10, 0), Until: at(4, 10, 11, 30)},
		"since:1w;until:0s":                              {Since: at(4, 3, 12, 0), Until: now},
		"since:昨天":                                       {Since: at(4, 9, 0, 0)},
		"until:昨天":                                       {Until: at(4, 10, 0, 0)},
	} {
		got, err := recall.ParseFilter(text, now)
		require.NoError(t, err, text)
		assert.Equal(t, want.Groups, got.Groups, text)
		assert.Equal(t, want.User, got.User, text)
		assert.True(t, want.Since.Equal(got.Since), "%s: %v", text, got.Since)
		assert.True(t, want.Until.Equal(got.Until), "%s: %v", text, got.Until)
	}
	for _, text := range []string{
		"group", "group_", "group_a b_c", "group_1:2", "group_x!", "user_1 user_2", "person_1", "since", "since:", ":", "since:x", "since:明天", "since:昨天和人吵架",
		"since:2026-02-30", "since:0001-01-01", "since:1677-12-31", "until:2261-01-01", "until:9999-12-31", "since:99999d", "since:-3d", "10:00", "group_" + strings.Repeat("1", 65), "group_1\x00", "SINCE:3d",
	} {
		f, err := recall.ParseFilter(text, now)
		assert.ErrorIs(t, err, recall.ErrFilter, "%q", text)
		assert.Equal(t, recall.Filter{}, f)
	}
}

// Every accepted filter has plain ids and valid times.
func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{"group_1 user_2 since:3d until:2026-04-10", "since:2026-04-01 08:30", "since：昨天，group_1", "user_1!\x00", "since:last week", ":::", "group_\xff"} {
		f.Add(s, int64(1775793600))
	}
	f.Fuzz(func(t *testing.T, text string, sec int64) {
		now := time.Unix(sec%(1<<33), 0).UTC()
		got, err := recall.ParseFilter(text, now)
		if err != nil {
			require.ErrorIs(t, err, recall.ErrFilter)
			require.Equal(t, recall.Filter{}, got)
			return
		}
		for _, id := range append(got.Groups, got.User) {
			require.LessOrEqual(t, len(id), 64)
			require.Equal(t, -1, strings.IndexFunc(id, func(r rune) bool {
				return !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-", r)
			}), "%q", id)
		}
		for _, at := range []time.Time{got.Since, got.Until} {
			if !at.IsZero() {
				require.GreaterOrEqual(t, at.Year(), 1600)
				require.LessOrEqual(t, at.Year(), 2300)
			}
		}
		again, err := recall.ParseFilter(text, now)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}
