package recall

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory/when"
)

// A Filter selects messages by chat, person and time. The zero Filter selects all.
type Filter struct {
	Groups       []string  // these groups only
	User         string    // messages of this person, or the private chat with them
	Since, Until time.Time // Since is inclusive, Until exclusive; zero means no limit
}

// ErrFilter is the error of [ParseFilter]. It quotes no input.
var ErrFilter = errors.New("recall: a filter is made of group_ID, one user_ID, since:TIME and until:TIME, with spaces between")

var (
	goodID   = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)
	clock    = regexp.MustCompile(`^[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?$`)
	relative = regexp.MustCompile(`^([0-9]{1,4})(s|min|m|h|d|w)$`)
)

// ParseFilter parses a filter that a model wrote, relative to now and its time zone:
//
//	group_123 since:2026-04-10 until:2026-04-12
//	user_987, since:3d
//	since:昨天
//
// A time is a date, a date with a time of day, RFC 3339, an age (30s, 5min, 2h, 3d, 1w) or a phrase that [when.Find]
// understands. A date means the whole day, so until:2026-04-12 includes that day. Full-width characters count as ASCII.
// Commas and semicolons separate like spaces.
func ParseFilter(text string, now time.Time) (Filter, error) {
	var f Filter
	words := strings.FieldsFunc(strings.Map(toHalfWidth, text), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;、", r) })
	for i := 0; i < len(words); i++ {
		w := words[i]
		if id, ok := strings.CutPrefix(w, "group_"); ok && goodID.MatchString(id) {
			if !slices.Contains(f.Groups, id) {
				f.Groups = append(f.Groups, id)
			}
			continue
		}
		if id, ok := strings.CutPrefix(w, "user_"); ok && goodID.MatchString(id) {
			if f.User != "" && f.User != id {
				return Filter{}, ErrFilter
			}
			f.User = id
			continue
		}
		name, value, ok := strings.Cut(w, ":")
		if !ok || value == "" {
			return Filter{}, ErrFilter
		}
		if i+1 < len(words) && clock.MatchString(words[i+1]) {
			value += " " + words[i+1]
			i++
		}
		span, ok := parseTime(value, now)
		switch {
		case ok && name == "since" && f.Since.IsZero():
			f.Since = span.Since
		case ok && name == "until" && f.Until.IsZero():
			f.Until = span.Until
		default:
			return Filter{}, ErrFilter
		}
	}
	return f, nil
}

// toHalfWidth converts full-width characters to ASCII.
func toHalfWidth(r rune) rune {
	switch {
	case 0xFF01 <= r && r <= 0xFF5E:
		return r - 0xFEE0
	case r == 0x3000:
		return ' '
	}
	return r
}

var layouts = []struct {
	layout string
	day    bool
}{
	{time.RFC3339, false}, {"2006-01-02T15:04:05", false}, {"2006-01-02T15:04", false}, {"2006-01-02 15:04:05", false}, {"2006-01-02 15:04", false},
	{"2006-01-02", true}, {"2006-1-2", true}, {"2006/1/2", true},
}

// parseTime parses a time. A time of day is a span of length zero.
func parseTime(text string, now time.Time) (when.Span, bool) {
	now = now.Round(0)
	for _, l := range layouts {
		t, err := time.ParseInLocation(l.layout, text, now.Location())
		if err != nil {
			continue
		}
		if y := t.Year(); y < 1678 || y > 2260 {
			return when.Span{}, false
		}
		if l.day {
			return when.Span{Since: t, Until: t.AddDate(0, 0, 1)}, true
		}
		return when.Span{Since: t, Until: t}, true
	}
	if m := relative.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		t := now
		switch m[2] {
		case "s":
			t = now.Add(-time.Duration(n) * time.Second)
		case "m", "min":
			t = now.Add(-time.Duration(n) * time.Minute)
		case "h":
			t = now.Add(-time.Duration(n) * time.Hour)
		case "d":
			t = now.AddDate(0, 0, -n)
		case "w":
			t = now.AddDate(0, 0, -7*n)
		}
		return when.Span{Since: t, Until: t}, err == nil
	}
	span, loc, ok := when.Find(text, now)
	return span, ok && loc == [2]int{0, len(text)}
}
