package config

import (
	"slices"
	"strings"

	"ocaptain/fleet/tailnet"
)

// settings lists all settings that a file may hold; settings of one section stand side by side.
type settings []Setting

func (all settings) find(key string) (Setting, bool) {
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return all[i], true
}

// hasSection reports whether settings lie below key.
func (all settings) hasSection(key string) bool {
	return slices.ContainsFunc(all, func(s Setting) bool { return strings.HasPrefix(s.Key, key+".") })
}

// sample returns a line that could stand below prefix.
func (all settings) sample(prefix string) string {
	for _, s := range all {
		rest, ok := strings.CutPrefix(s.Key, prefix)
		if section, key, deeper := strings.Cut(rest, "."); deeper {
			rest = section + ": {" + key + ": " + sampleValue(s) + "}"
		} else {
			rest += ": " + sampleValue(s)
		}
		if ok {
			return rest
		}
	}
	return ""
}

func sampleValue(s Setting) string {
	switch {
	case s.Kind == Count && s.Default == "":
		return "3"
	case s.Kind == Duration:
		return "30m"
	case s.Kind == Host:
		return "[user@host]"
	case s.Kind == Path:
		return "[~/.nvm/versions]"
	case s.Kind == Pattern:
		return "[.env]"
	case s.Kind == Port:
		return "[5432]"
	case s.Kind == Size:
		return "8GB"
	case s.Kind == Price:
		return "0.10"
	case s.Kind == Sum:
		return "20"
	case s.Kind == Command:
		return "[my-notifier, --urgent]"
	case s.Kind == Shell:
		return "make test"
	case s.Kind == URL:
		return "redis://localhost:6379"
	case s.Kind == Receiver:
		return "http://127.0.0.1:4318"
	case s.Kind == Approval:
		return "plan"
	case s.Key == "provider":
		return "local"
	case strings.HasSuffix(s.Key, "agent"):
		return "claude"
	case s.Kind == Tag:
		return tailnet.DefaultTag
	case s.Default != "":
		return s.Default
	}
	return "NAME"
}

// suggest returns the most similar setting or section, or all that could stand there.
func (all settings) suggest(key string) string {
	parent := key[:strings.LastIndexByte(key, '.')+1]
	best, least := "", 3
	var beside []string
	for _, s := range all {
		section, _, _ := strings.Cut(s.Key, ".")
		for _, name := range []string{s.Key, section} {
			if d := distance(plain(key), plain(name)); d < least {
				best, least = name, d
			}
		}
		if rest, ok := strings.CutPrefix(s.Key, parent); ok {
			name, _, _ := strings.Cut(rest, ".")
			beside = append(beside, parent+name)
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "there are: " + strings.Join(slices.Compact(beside), ", ")
}

// plain removes differences of spelling between names.
func plain(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// distance returns the number of single-character edits between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
