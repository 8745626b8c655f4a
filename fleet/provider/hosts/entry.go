package hosts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ocaptain/fleet/openssh"
)

// Entry is a machine of the captain in his configuration: [user@]host[:port][*most]. The host may be a name in
// ~/.ssh/config.
type Entry struct {
	User string // "" for the user in ~/.ssh/config, or else the captain's own name
	Host string
	Port int // 0 for the port in ~/.ssh/config, or else 22
	Most int // how many ships it may have, 0 for any number
}

// Parse parses an entry. Its error says what is allowed.
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
	p, err := openssh.Parse(rest)
	if err != nil {
		return Entry{}, bad
	}
	e.User, e.Host, e.Port = p.User, p.Host, p.Port
	return e, nil
}

// loginPlace returns the place to log in to.
func (e Entry) loginPlace() openssh.Place {
	return openssh.Place{User: e.User, Host: e.Host, Port: e.Port}
}

// String returns the entry without its number of ships, in the form that Parse reads.
func (e Entry) String() string { return e.loginPlace().String() }

// ParseAll parses the entries of a configuration. It returns an error if a machine occurs twice.
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
