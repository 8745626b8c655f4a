package tailnet

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ocaptain/fleet/hush"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
	"ocaptain/tasks/pattern"
)

// ErrSecret means that Tailscale does not accept the OAuth client's secret.
var ErrSecret = errors.New("tailscale does not accept the secret of the OAuth client, which may have been revoked: make a new one at " +
	consolePage + ", export " + Variable + "=… and run: ocaptain doctor")

// ErrForeign means that a device is not the recorded one, and was left alone.
var ErrForeign = errors.New("it is not the device that was recorded, so it is left alone")

// Errors of a successful answer.
var (
	errNoToken = errors.New("the answer of tailscale makes no sense: there is no token in it")
	errNoList  = errors.New("the answer of tailscale makes no sense: it is no list of devices")
	errTooLong = errors.New("it is too long")
)

// IsRefusal reports whether a retry is useless until the captain changes something at Tailscale, or the secret.
func IsRefusal(err error) bool {
	var scope *ScopeError
	var tag *TagError
	return errors.Is(err, ErrSecret) || errors.As(err, &scope) || errors.As(err, &tag)
}

// ScopeError means that the OAuth client lacks a scope.
type ScopeError struct {
	Scope string // the missing scope
	Said  string // the service's message, may be ""
}

func (e *ScopeError) Error() string {
	text := "the OAuth client lacks the scope " + e.Scope
	if e.Said != "" {
		text += " (tailscale says: " + e.Said + ")"
	}
	return text + ": give it that scope, to write, at " + consolePage
}

// TagError means that the OAuth client may not give a device the tag.
type TagError struct {
	Tag  string
	Held []string // tags that the client may give, nil if unknown
	Said string
}

func (e *TagError) Error() string {
	text := "tailscale does not permit the OAuth client to use " + e.Tag
	if len(e.Held) > 0 {
		text += ", as it holds " + strings.Join(e.Held, " ")
	} else if e.Said != "" {
		text += " (it says: " + e.Said + ")"
	}
	return text + ": the client must hold exactly this one tag, and tagOwners of the policy must name it; " + newClient(e.Tag) + ", or set tailscale_tag to the tag of the client"
}

// statusError is an answer whose status is no success.
type statusError struct {
	status  int
	message string
	after   time.Duration // the pause that the service asked for
}

func (e *statusError) Error() string {
	said := e.message
	if said == "" {
		said = http.StatusText(e.status)
	}
	return fmt.Sprintf("tailscale: %s (%d)", said, e.status)
}

func status(err error) int {
	var e *statusError
	if errors.As(err, &e) {
		return e.status
	}
	return 0
}

// isBusy reports whether the service asked for patience and did nothing.
func isBusy(err error) bool { return status(err) == http.StatusTooManyRequests }

// isGone reports whether the object of a call does not exist.
func isGone(err error) bool { return status(err) == http.StatusNotFound }

func isForeign(err error) bool { return errors.Is(err, ErrForeign) }

// isMissing reports whether a device is not listed.
func isMissing(err error) bool { return errors.Is(err, provider.ErrNotFound) }

// refused returns the error in an answer that is no success.
func refused(answer *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<16)) // a partial answer is good enough
	e := &statusError{status: answer.StatusCode}
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &said) == nil {
		e.message = cleanLine(said.Message, 300)
	} else {
		e.message = cleanLine(string(raw), 300)
	}
	e.after = webapi.RetryAfter(0, answer.Header.Get("Retry-After"))
	return e
}

// broken returns the error of a call with an unknown outcome.
func broken(err error) error {
	return &provider.Temporary{Err: fmt.Errorf("tailscale cannot be reached: %w", err)}
}

// explainError says what an error of a call that needs a scope means.
func (a *API) explainError(scope string, err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var e *statusError
	var s *ScopeError
	var later *provider.Temporary
	var wire net.Error
	switch {
	case errors.As(err, &s), errors.As(err, &later), errors.Is(err, errNoToken), errors.Is(err, errNoList), errors.Is(err, ErrForeign):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &wire):
		return broken(err)
	case !errors.As(err, &e):
		return fmt.Errorf("the answer of tailscale makes no sense: %s", cleanLine(err.Error(), 300))
	}
	switch {
	case e.status == http.StatusUnauthorized:
		return fmt.Errorf("%w (%d)", ErrSecret, e.status)
	case e.status == http.StatusForbidden:
		return &ScopeError{Scope: scope, Said: e.message}
	case e.status == http.StatusBadRequest && scope == scopeKeys && strings.Contains(e.message, "tag"):
		return &TagError{Tag: a.DeviceTag(), Held: a.door.clientTags(), Said: e.message}
	case e.status == http.StatusTooManyRequests, e.status == http.StatusRequestTimeout, e.status >= 500:
		return &provider.Temporary{Err: e, After: e.after}
	}
	return e
}

// secretWords matches Tailscale's secrets.
var secretWords = pattern.New(`tskey-[a-z]+-[A-Za-z0-9-]+`)

// cleanLine returns text of the service or of a ship as one line of at most n bytes, without secrets.
func cleanLine(text string, n int) string {
	text = secretWords().ReplaceAllString(text[:min(len(text), n+256)], hush.Word)
	return webapi.ShortLine(text, n)
}

// withoutSecret removes the secret from the text of an error.
func (d *door) withoutSecret(err error) error {
	own := d.secret[strings.LastIndexByte(d.secret, '-')+1:]
	words := []string{own, base64.StdEncoding.EncodeToString([]byte(d.id + ":" + d.secret))}
	for _, p := range d.passes {
		p.mu.Lock()
		words = append(words, p.token)
		p.mu.Unlock()
	}
	return hush.Retold(err, hush.NewSecrets(words...).HideText(secretWords().ReplaceAllString(err.Error(), hush.Word)))
}
