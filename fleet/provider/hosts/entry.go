package hosts

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// Entry is one machine of the captain's, as the configuration names it: [user@]host[:port][*most].
// The host may be a name of ~/.ssh/config.
type Entry struct {
	User string // "" for what ~/.ssh/config says, else the captain's own name
	Host string
	Port int // 0 for what ~/.ssh/config says, else 22
	Most int // ships on it at once, 0 for any number
}

var (
	validUser = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)
	validHost = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?$`)
)

// Parse reads an entry. Its error says what is allowed.
func Parse(text string) (Entry, error) {
	bad := errors.New("must be like user@host, user@host:2222, or a name of ~/.ssh/config; *4 after it allows 4 ships there at most")
	var e Entry
	rest, most, capped := strings.Cut(text, "*")
	if capped {
		n, err := strconv.Atoi(most)
		if err != nil || n < 1 || n > 1000 {
			return e, bad
		}
		e.Most = n
	}
	if user, host, ok := strings.Cut(rest, "@"); ok {
		if !validUser.MatchString(user) {
			return e, bad
		}
		e.User, rest = user, host
	}
	e.Host = rest
	if strings.HasPrefix(rest, "[") || strings.Count(rest, ":") == 1 {
		host, port, err := net.SplitHostPort(rest)
		if inner, ok := strings.CutPrefix(rest, "["); err != nil && ok && strings.HasSuffix(inner, "]") {
			e.Host = strings.TrimSuffix(inner, "]")
		} else {
			n, numeric := strconv.Atoi(port)
			if err != nil || numeric != nil || n < 1 || n > 65535 {
				return e, bad
			}
			e.Host, e.Port = host, n
		}
	}
	if _, err := netip.ParseAddr(e.Host); err != nil && !validHost.MatchString(e.Host) {
		return e, bad
	}
	return e, nil
}

// String is the entry without its number of ships; Parse reads it.
func (e Entry) String() string {
	text := e.Host
	if e.Port != 0 {
		text = net.JoinHostPort(e.Host, strconv.Itoa(e.Port))
	} else if strings.Contains(e.Host, ":") {
		text = "[" + e.Host + "]"
	}
	if e.User != "" {
		text = e.User + "@" + text
	}
	return text
}

// ParseAll reads the entries of a configuration; no machine may be there twice.
func ParseAll(texts []string) ([]Entry, error) {
	var all []Entry
	seen := map[string]bool{}
	for _, text := range texts {
		e, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("host %q %w", text, err)
		}
		if seen[e.String()] {
			return nil, fmt.Errorf("host %q is there twice; remove one", text)
		}
		seen[e.String()] = true
		all = append(all, e)
	}
	return all, nil
}
