package sprites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"ocaptain/fleet/hush"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
)

// ErrToken means that sprites.dev does not accept the token. It wraps provider.ErrLogin.
var ErrToken error = &loginError{provider.ErrLogin, "sprites.dev does not accept the token, which may have been revoked: " +
	"make a new one at sprites.dev/account, export SPRITES_TOKEN=… and run: ocaptain doctor --provider sprites"}

// statusError is an answer that does not report success.
type statusError struct {
	status  int
	code    string // the service's own error code, may be ""
	message string
}

func (e *statusError) Error() string {
	said := e.message
	if said == "" {
		said = e.code
	}
	if said == "" {
		said = http.StatusText(e.status)
	}
	return fmt.Sprintf("sprites.dev: %s (%d)", said, e.status)
}

func status(err error) int {
	var e *statusError
	if errors.As(err, &e) {
		return e.status
	}
	return 0
}

// isBusy reports whether the service asks only for patience.
func isBusy(err error) bool { return status(err) == http.StatusTooManyRequests && !isFull(err) }

// isFull reports whether no further sprite may run, so that waiting alone does not help.
func isFull(err error) bool {
	var e *statusError
	return errors.As(err, &e) && e.code == "concurrent_sprite_limit_exceeded"
}

// isMissing reports whether a sprite does not exist. If a file does not exist, the error has its path. An error without a code
// is not an answer of sprites.dev.
func isMissing(err error) bool {
	var e *statusError
	return errors.As(err, &e) && e.status == http.StatusNotFound && e.code != ""
}

// refusal returns the error in the answer to a failed call.
func refusal(answer *http.Response, body io.Reader) error {
	raw, _ := io.ReadAll(io.LimitReader(body, 1<<16)) // a partial answer is good enough
	var said struct {
		Error   string  `json:"error"`
		Message string  `json:"message"`
		Path    string  `json:"path"` // path of the file that the call was about
		Retry   float64 `json:"retry_after_seconds"`
	}
	e := &statusError{status: answer.StatusCode}
	if json.Unmarshal(raw, &said) == nil {
		e.code, e.message = webapi.ShortLine(said.Error, 100), webapi.ShortLine(said.Message, 300)
	} else {
		e.message = webapi.ShortLine(string(raw), 300)
	}
	switch {
	case e.status == http.StatusForbidden && said.Path != "":
		return e // the sprite's user has no access to that file
	case e.status == http.StatusUnauthorized, e.status == http.StatusForbidden:
		return fmt.Errorf("%w (%d)", ErrToken, e.status)
	case isFull(e):
		return fmt.Errorf("%w; the organization runs as many sprites as it may: sink some, or ask for fewer ships", e)
	case e.status == http.StatusTooManyRequests:
		return &provider.Temporary{Err: e, After: webapi.RetryAfter(said.Retry, answer.Header.Get("Retry-After"))}
	case e.status >= 500, e.status == http.StatusRequestTimeout:
		return &provider.Temporary{Err: e}
	}
	return e
}

// broken returns the error of a call with an unknown outcome. It removes the URL that net/http adds, since URLs
// contain commands.
func broken(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return &provider.Temporary{Err: fmt.Errorf("sprites.dev cannot be reached: %w", err)}
}

// spriteError adds the name of the sprite to an error.
func spriteError(name string, err error) error {
	switch {
	case err == nil || errors.Is(err, provider.ErrNotFound):
		return err
	case isMissing(err):
		return fmt.Errorf("sprite %s: %w", name, provider.ErrNotFound)
	}
	return fmt.Errorf("sprite %s: %w", name, err)
}

// withoutToken removes the token from the text of an error.
func withoutToken(err error, token string) error {
	if err == nil || token == "" {
		return err
	}
	return hush.NewSecrets(token, token[strings.LastIndexByte(token, '/')+1:]).HideIn(err)
}
