package sprites

import (
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/pattern"
)

// DefaultURL is the URL of sprites.dev's API.
const DefaultURL = "https://api.sprites.dev"

// Credentials are the login for an organization at sprites.dev.
type Credentials struct {
	Token string
	URL   string // base URL, "" for DefaultURL

	// Command is the path of the program sprite, which is logged in, if it is used in place of a token. Organization is
	// the organization that it is logged in to.
	Command, Organization string
}

var validOrg = pattern.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// ErrNoToken means that the captain has not given a token. It wraps provider.ErrNoLogin.
var ErrNoToken error = &loginError{provider.ErrNoLogin, "no token for sprites.dev: make one at sprites.dev/account, then: export SPRITES_TOKEN=…"}

// loginError says what is wrong with the token, and wraps an error of package provider.
type loginError struct {
	is   error
	text string
}

func (e *loginError) Error() string { return e.text }
func (e *loginError) Unwrap() error { return e.is }

// Check returns an error if the credentials cannot be right, without sending a request. The error does not contain a
// part of the token.
func (c Credentials) Check() error {
	if c.Command != "" {
		if !filepath.IsAbs(c.Command) || !validOrg().MatchString(c.Organization) {
			return errors.New("the command sprite needs its whole path and an organization")
		}
		return nil
	}
	if c.Token == "" {
		return ErrNoToken
	}
	for _, r := range c.Token {
		if r <= ' ' || r > '~' {
			return errors.New("the token for sprites.dev has spaces, line ends or characters that no token has: copy it again")
		}
	}
	if len(c.Token) < 8 {
		return errors.New("the token for sprites.dev is too short: copy it again")
	}
	_, err := c.baseURL()
	return err
}

// OrganizationOf returns the organization in the token's text, "" if it has none.
func (c Credentials) OrganizationOf() string {
	if c.Command != "" {
		return c.Organization
	}
	if org, _, ok := strings.Cut(c.Token, "/"); ok {
		return org
	}
	return ""
}

// baseURL returns the URL to which paths are added. It refuses to send a token unencrypted, except on this machine.
func (c Credentials) baseURL() (*url.URL, error) {
	text := c.URL
	if text == "" {
		text = DefaultURL
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("SPRITES_API_URL is not an address like " + DefaultURL)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return u, nil
	}
	if u.Scheme != "https" {
		return nil, errors.New("SPRITES_API_URL must begin with https://, or the token would travel in the clear")
	}
	return u, nil
}
