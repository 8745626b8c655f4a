package openssh

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"ocaptain/tasks/pattern"
)

// Place is a machine to log in to: [user@]host[:port]. The host may be a name in ~/.ssh/config.
type Place struct {
	User string // "" for the user in ~/.ssh/config, or else the captain's own name
	Host string
	Port int // 0 for the port in ~/.ssh/config, or else 22
}

var (
	validUser = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)
	validHost = pattern.New(`^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?$`)
)

// Parse parses a place. Its error says what is allowed.
func Parse(text string) (Place, error) {
	bad := errors.New("must be like user@host, user@host:2222, or a name of ~/.ssh/config")
	var p Place
	rest := text
	if user, host, ok := strings.Cut(rest, "@"); ok {
		if !validUser().MatchString(user) {
			return p, bad
		}
		p.User, rest = user, host
	}
	p.Host = rest
	if strings.HasPrefix(rest, "[") || strings.Count(rest, ":") == 1 {
		host, port, err := net.SplitHostPort(rest)
		if inner, ok := strings.CutPrefix(rest, "["); err != nil && ok && strings.HasSuffix(inner, "]") {
			p.Host = strings.TrimSuffix(inner, "]")
		} else {
			n, numeric := strconv.Atoi(port)
			if err != nil || numeric != nil || n < 1 || n > 65535 {
				return p, bad
			}
			p.Host, p.Port = host, n
		}
	}
	if _, err := netip.ParseAddr(p.Host); err != nil && !validHost().MatchString(p.Host) {
		return p, bad
	}
	return p, nil
}

// String returns the place in the form that Parse reads.
func (p Place) String() string {
	text := p.Host
	if p.Port != 0 {
		text = net.JoinHostPort(p.Host, strconv.Itoa(p.Port))
	} else if strings.Contains(p.Host, ":") {
		text = "[" + p.Host + "]"
	}
	if p.User != "" {
		text = p.User + "@" + text
	}
	return text
}
