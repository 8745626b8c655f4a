package agentlog

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a ship may lack the time zone database

	"ocaptain/tasks/pattern"
)

// The forms in which programs write when a limit passes. All are searched for after "reset", in lower case.
var (
	resetEpoch = pattern.New(`\|\s*(\d{10})(?:\d{3})?\b`)
	resetISO   = pattern.New(`\b(\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?)`)
	resetIn    = pattern.New(`\bin ((?:\d+ ?(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms])[, ]*(?:and )?)+)`)
	resetPart  = pattern.New(`(\d+) ?([dhms])`)
	resetClock = pattern.New(`\b(\d{1,2})(?::(\d\d))?(?::(\d\d))? ?([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b`)
	resetDate  = pattern.New(`\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:,? (\d{4}))?\b`)
	resetZone  = pattern.New(`\(([A-Za-z][A-Za-z0-9_+/-]{1,40})\)`)
	resetDay   = pattern.New(`\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b`)
)

var months = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}

var weekdays = map[string]time.Weekday{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}

// resetHorizon is how far away a reset may be to be believed: a little more than a month.
const resetHorizon = 35 * 24 * time.Hour

// ResetTime returns when a limit passes according to a program's message, such as "resets 3pm", "resets Nov 24,
// 2:13pm (America/New_York)", "resets in 2h 10m" or Unix seconds after "|". Times without a zone are in the zone of
// now. It returns the zero time if the message is not understood, or the time is past or too far away.
func ResetTime(text string, now time.Time) time.Time {
	if len(text) > 4<<10 {
		text = text[:4<<10]
	}
	at := findReset(text, now)
	if at.IsZero() || !at.After(now) || at.Sub(now) > resetHorizon {
		return time.Time{}
	}
	return at
}

func findReset(text string, now time.Time) time.Time {
	if m := resetEpoch().FindStringSubmatch(text); m != nil {
		sec, _ := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(sec, 0).In(now.Location())
	}
	low := strings.ToLower(text)
	i := strings.Index(low, "reset")
	if i < 0 {
		if i = strings.Index(low, "try again "); i < 0 {
			return time.Time{}
		}
	}
	low = low[i:]
	low, _, _ = strings.Cut(low, "\n")
	if m := resetISO().FindStringSubmatch(low); m != nil {
		return isoTime(strings.ToUpper(m[1]), now.Location())
	}
	if m := resetIn().FindStringSubmatch(low); m != nil {
		return now.Add(addUpSpan(m[1]))
	}
	zone := now.Location()
	if m := resetZone().FindStringSubmatch(text[min(i, len(text)):]); m != nil {
		z, err := time.LoadLocation(m[1])
		if err != nil || m[1] == "Local" {
			return time.Time{} // the zone is unknown
		}
		zone = z
	}
	// The time is before the zone and before the next part of the line.
	low, _, _ = strings.Cut(low, "(")
	low, _, _ = strings.Cut(low, " · ")
	return clockTime(low, now.In(zone))
}

// isoTime parses an ISO 8601 time; a time without an offset is in zone.
func isoTime(s string, zone *time.Location) time.Time {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.In(zone)
		}
	}
	for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(form, s, zone); err == nil {
			return t
		}
	}
	return time.Time{}
}

// addUpSpan parses a duration such as "2 hours 10 minutes".
func addUpSpan(s string) time.Duration {
	units := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
	var all time.Duration
	for _, m := range resetPart().FindAllStringSubmatch(s, 8) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > 1e6 {
			return 0
		}
		all += time.Duration(n) * units[m[2]]
	}
	return all
}

// clockTime parses a time of day, with a date or a day of the week if there is one. Without one it returns the next
// such time. The zone is that of now.
func clockTime(low string, now time.Time) time.Time {
	hour, minute, ok := timeOfDay(low)
	date := resetDate().FindStringSubmatch(low)
	day := resetDay().FindStringSubmatch(low)
	if !ok && date == nil {
		return time.Time{}
	}
	y, m, d := now.Date()
	switch {
	case date != nil:
		n, _ := strconv.Atoi(date[2])
		m, d = months[date[1]], n
		if date[3] != "" {
			y, _ = strconv.Atoi(date[3])
		}
		at := time.Date(y, m, d, hour, minute, 0, 0, now.Location())
		if at.Day() != d {
			return time.Time{} // no such day exists
		}
		if date[3] == "" && at.Before(now) && now.Month()-m > 6 {
			at = time.Date(y+1, m, d, hour, minute, 0, 0, now.Location()) // in December, a date in January is next year's
		}
		return at
	case day != nil:
		ahead := (int(weekdays[day[1]]) - int(now.Weekday()) + 7) % 7
		at := time.Date(y, m, d+ahead, hour, minute, 0, 0, now.Location())
		if !at.After(now) {
			at = at.AddDate(0, 0, 7)
		}
		return at
	}
	at := time.Date(y, m, d, hour, minute, 0, 0, now.Location())
	// Claude Code rounds to the minute, so the time of a fresh message may just have passed.
	if now.Sub(at) >= 0 && now.Sub(at) < 2*time.Minute {
		return now.Add(time.Second)
	}
	if at.Before(now) {
		at = time.Date(y, m, d+1, hour, minute, 0, 0, now.Location())
	}
	return at
}

// timeOfDay parses a time of day.
func timeOfDay(low string) (hour, minute int, ok bool) {
	m := resetClock().FindStringSubmatch(low)
	if m == nil {
		return 0, 0, false
	}
	if m[5] != "" {
		hour, _ = strconv.Atoi(m[5])
		minute, _ = strconv.Atoi(m[6])
		return hour, minute, hour < 24 && minute < 60
	}
	hour, _ = strconv.Atoi(m[1])
	minute, _ = strconv.Atoi(m[2])
	if hour < 1 || hour > 12 || minute > 59 {
		return 0, 0, false
	}
	hour %= 12
	if m[4] == "p" {
		hour += 12
	}
	return hour, minute, true
}
