package tailnet

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

// DefaultURL is the URL of Tailscale's API.
const DefaultURL = "https://api.tailscale.com"

// DefaultTag is the tag of ships' devices, unless the captain has chosen another.
const DefaultTag = "tag:ocaptain-ship"

// Variable is the environment variable with the secret.
const Variable = "OCAPTAIN_TAILSCALE_OAUTH_SECRET"

// consolePage is the page on which captains make OAuth clients.
const consolePage = "login.tailscale.com/admin/settings/oauth"

// newClient says how to make a suitable OAuth client.
func newClient(tag string) string {
	return "make an OAuth client with the scopes auth_keys and devices:core (write) and the one tag " + tag + " at " + consolePage
}

// Credentials make keys for ships: the secret of an OAuth client, and the tag for devices.
type Credentials struct {
	Secret string // tskey-client-<id>-<secret>
	Tag    string // "" for DefaultTag
	URL    string // base URL, "" for DefaultURL
}

// ErrNoSecret means that the captain has not given a secret, so that ships are reached only as their provider does.
var ErrNoSecret = errors.New("no secret for tailscale: " + newClient("for ships") + ", then: export " + Variable + "=…")

// splitSecret splits a secret into the id of the client and the part that is secret.
func splitSecret(secret string) (id, own string, ok bool) {
	rest, is := strings.CutPrefix(secret, "tskey-client-")
	id, own, cut := strings.Cut(rest, "-")
	return id, own, is && cut && letters(id, 64, "") && letters(own, 256, "") && len(own) >= 8
}

// IsTag reports whether text has the form of a tag.
func IsTag(text string) bool {
	name, is := strings.CutPrefix(text, "tag:")
	return is && letters(name, 63, "-") && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// letters reports whether text consists of letters, digits and the characters in others, and has 1 to most of them.
// (Regular expressions with such limits would add a millisecond to every program start.)
func letters(text string, most int, others string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// Check returns an error if the credentials cannot be right, without sending a request. The error contains no part of
// the secret.
func (c Credentials) Check() error {
	if err := c.CheckSecret(); err != nil {
		return err
	}
	if !IsTag(c.deviceTag()) {
		return errors.New("tailscale_tag must be a tag like " + DefaultTag)
	}
	_, err := c.baseURL()
	return err
}

// CheckSecret is Check for only the secret.
func (c Credentials) CheckSecret() error {
	s := c.Secret
	_, _, whole := splitSecret(s)
	switch {
	case s == "":
		return ErrNoSecret
	case whole:
		return nil
	case strings.HasPrefix(s, "tskey-auth-"):
		return errors.New(Variable + " holds an auth key, which lets machines in and makes no keys: " + newClient("for ships"))
	case strings.HasPrefix(s, "tskey-api-"):
		return errors.New(Variable + " holds an API access token, which expires: " + newClient("for ships"))
	case strings.HasPrefix(s, "tskey-client-"):
		return errors.New(Variable + " is not a whole secret (tskey-client-<id>-<secret>, without what follows a question mark): copy it again")
	}
	return errors.New(Variable + " does not begin with tskey-client-: it must be the secret of an OAuth client, which is shown once when that is made")
}

func (c Credentials) deviceTag() string {
	if c.Tag == "" {
		return DefaultTag
	}
	return c.Tag
}

// baseURL returns the URL to which paths are added. It refuses to send a secret unencrypted, except on this machine.
func (c Credentials) baseURL() (*url.URL, error) {
	text := c.URL
	if text == "" {
		text = DefaultURL
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("OCAPTAIN_TAILSCALE_URL is not an address like " + DefaultURL)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return u, nil
	}
	if u.Scheme != "https" {
		return nil, errors.New("OCAPTAIN_TAILSCALE_URL must begin with https://, or the secret would travel in the clear")
	}
	return u, nil
}

// String keeps the secret out of errors and logs.
func (c Credentials) String() string {
	if c.Secret == "" {
		return "no secret"
	}
	return "a secret for " + c.deviceTag()
}

// GoString is String, for %#v.
func (c Credentials) GoString() string { return c.String() }
